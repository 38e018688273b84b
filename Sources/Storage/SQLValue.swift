import CSQLite

/// A value of SQLite: an argument of a statement or a column of a row.
public enum SQLValue: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByNilLiteral
{
    case null
    case int(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    public init(stringLiteral value: String) { self = .text(value) }
    public init(integerLiteral value: Int64) { self = .int(value) }
    public init(floatLiteral value: Double) { self = .real(value) }
    public init(nilLiteral: ()) { self = .null }
    public static func int(_ number: Int) -> SQLValue { .int(Int64(number)) }
    /// A present text or null.
    public static func optional(_ text: String?) -> SQLValue { text.map(SQLValue.text) ?? .null }
}

/// One row of a query. The typed readers give zero or empty for a column of another type: the database may be damaged.
public struct Row: Hashable, Sendable {
    public var values: [SQLValue]

    /// The column, from 0; null beyond the last.
    public subscript(index: Int) -> SQLValue { values.indices.contains(index) ? values[index] : .null }
    public func int(_ index: Int) -> Int64 { if case .int(let number) = self[index] { number } else { 0 } }
    public func real(_ index: Int) -> Double {
        if case .real(let number) = self[index] { number } else { Double(int(index)) }
    }
    public func text(_ index: Int) -> String { if case .text(let text) = self[index] { text } else { "" } }
    public func blob(_ index: Int) -> [UInt8] { if case .blob(let bytes) = self[index] { bytes } else { [] } }
    public func isNull(_ index: Int) -> Bool { self[index] == .null }
}

/// Why SQLite refused a statement.
public struct DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Extended result code of SQLite; the low byte is the primary one. https://www.sqlite.org/rescode.html
    public var code: Int32
    public var message: String
    /// The statement, or what was done instead: `open`.
    public var sql: String

    public init(code: Int32, message: String, sql: String) {
        self.code = code
        self.message = message
        self.sql = sql
    }
    /// The volume has no space left: the statement or the whole transaction was rolled back.
    public var isFull: Bool { code & 0xff == SQLITE_FULL }
    /// Another process has the file open.
    public var isLocked: Bool { code & 0xff == SQLITE_BUSY }
    public var description: String { "SQLite \(code): \(message), in: \(sql)" }
}
