import CSQLite

/// A value of SQLite: an argument of a statement or a column of a row.
public enum SQLValue: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByNilLiteral
{
    /// No value.
    case null
    /// An integer of up to 64 bits.
    case int(Int64)
    /// A floating-point number of 64 bits.
    case real(Double)
    /// A text in UTF-8.
    case text(String)
    /// Bytes as they are.
    case blob([UInt8])

    /// A text.
    public init(stringLiteral value: String) { self = .text(value) }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// A real number.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// Null.
    public init(nilLiteral: ()) { self = .null }
    /// An integer of the machine's width.
    public static func int(_ number: Int) -> SQLValue { .int(Int64(number)) }
    /// A present text or null.
    public static func optional(_ text: String?) -> SQLValue { text.map(SQLValue.text) ?? .null }
}

/// One row of a query. The typed readers give zero or empty for a column of another type: the database may be damaged.
public struct Row: Hashable, Sendable {
    /// The columns in the order of the statement.
    public var values: [SQLValue]

    /// The column, from 0; null beyond the last.
    public subscript(index: Int) -> SQLValue { values.indices.contains(index) ? values[index] : .null }
    /// An integer; 0 for any other type, a real number too.
    public func int(_ index: Int) -> Int64 { if case .int(let number) = self[index] { number } else { 0 } }
    /// A real number, or an integer as one; 0 for any other type.
    public func real(_ index: Int) -> Double {
        if case .real(let number) = self[index] { number } else { Double(int(index)) }
    }
    /// A text; empty for any other type.
    public func text(_ index: Int) -> String { if case .text(let text) = self[index] { text } else { "" } }
    /// Bytes; empty for any other type, a text too.
    public func blob(_ index: Int) -> [UInt8] { if case .blob(let bytes) = self[index] { bytes } else { [] } }
    /// Whether the column is null, or there is none.
    public func isNull(_ index: Int) -> Bool { self[index] == .null }
}

/// Why SQLite refused a statement.
public struct DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Extended result code of SQLite; the low byte is the primary one. https://www.sqlite.org/rescode.html
    public var code: Int32
    /// SQLite's own words.
    public var message: String
    /// The statement, or what was done instead: `open`.
    public var sql: String

    /// From its parts.
    public init(code: Int32, message: String, sql: String) {
        self.code = code
        self.message = message
        self.sql = sql
    }
    /// The volume has no space left: the statement or the whole transaction was rolled back.
    public var isFull: Bool { code & 0xff == SQLITE_FULL }
    /// Another process has the file open.
    public var isLocked: Bool { code & 0xff == SQLITE_BUSY }
    /// Code, SQLite's words and the statement.
    public var description: String { "SQLite \(code): \(message), in: \(sql)" }
}
