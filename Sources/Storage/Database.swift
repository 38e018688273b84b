import CSQLite
import FleetModel

public enum SQLValue: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    case null
    case int(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
    public init(stringLiteral value: String) { self = .text(value) }
    public init(integerLiteral value: Int64) { self = .int(value) }
}
public struct Row: Hashable, Sendable {
    var values: [SQLValue]
    public subscript(i: Int) -> SQLValue { i < values.count ? values[i] : .null }
    public func int(_ i: Int) -> Int64 { if case .int(let n) = self[i] { n } else { 0 } }
    public func text(_ i: Int) -> String { if case .text(let t) = self[i] { t } else { "" } }
    public func blob(_ i: Int) -> [UInt8] { if case .blob(let b) = self[i] { b } else { [] } }
    public func isNull(_ i: Int) -> Bool { self[i] == .null }
}
public struct DatabaseError: Error, Hashable, Sendable {
    public var code: Int32
    public var message: String
    public var sql: String
    public var isFull: Bool { code == SQLITE_FULL }
}
public final class Database {
    let db: OpaquePointer?
    private var statements: [String: OpaquePointer] = [:]
    private var depth = 0
    public init(disk: Disk, path: String) throws(DatabaseError) {
        if let present = disk.databases[path] { db = present; return }
        var handle: OpaquePointer?
        guard sqlite3_open(":memory:", &handle) == SQLITE_OK else { throw DatabaseError(code: 1, message: "open", sql: "") }
        db = handle
        disk.databases[path] = handle
    }
    public func execute(_ sql: String, _ arguments: SQLValue...) throws(DatabaseError) { _ = try run(sql, arguments) }
    public func query(_ sql: String, _ arguments: SQLValue...) throws(DatabaseError) -> [Row] { try run(sql, arguments) }
    private func fail(_ sql: String) -> DatabaseError {
        DatabaseError(code: sqlite3_errcode(db), message: String(cString: sqlite3_errmsg(db)), sql: sql)
    }
    private func run(_ sql: String, _ arguments: [SQLValue]) throws(DatabaseError) -> [Row] {
        var statement = statements[sql]
        if statement == nil {
            guard sqlite3_prepare_v2(db, sql, -1, &statement, nil) == SQLITE_OK else { throw fail(sql) }
            statements[sql] = statement
        }
        defer { sqlite3_reset(statement); sqlite3_clear_bindings(statement) }
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        for (index, value) in arguments.enumerated() {
            let at = Int32(index + 1)
            switch value {
            case .null: sqlite3_bind_null(statement, at)
            case .int(let n): sqlite3_bind_int64(statement, at, n)
            case .real(let d): sqlite3_bind_double(statement, at, d)
            case .text(let t): sqlite3_bind_text(statement, at, t, -1, transient)
            case .blob(let b): _ = b.isEmpty ? sqlite3_bind_zeroblob(statement, at, 0) : sqlite3_bind_blob(statement, at, b, Int32(b.count), transient)
            }
        }
        var rows: [Row] = []
        while true {
            let status = sqlite3_step(statement)
            if status == SQLITE_DONE { return rows }
            guard status == SQLITE_ROW else { throw fail(sql) }
            rows.append(Row(values: (0..<sqlite3_column_count(statement)).map { column in
                switch sqlite3_column_type(statement, column) {
                case SQLITE_INTEGER: return .int(sqlite3_column_int64(statement, column))
                case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
                case SQLITE_TEXT: return .text(String(cString: sqlite3_column_text(statement, column)))
                case SQLITE_BLOB:
                    let count = Int(sqlite3_column_bytes(statement, column))
                    guard count > 0, let p = sqlite3_column_blob(statement, column) else { return .blob([]) }
                    return .blob(Array(UnsafeRawBufferPointer(start: p, count: count)))
                default: return .null
                }
            }))
        }
    }
    public func script(_ sql: String) throws(DatabaseError) {
        guard sqlite3_exec(db, sql, nil, nil, nil) == SQLITE_OK else { throw fail(sql) }
    }
    public func transaction<T>(_ body: () throws -> T) throws -> T {
        let name = "s\(depth)"
        try execute(depth == 0 ? "BEGIN IMMEDIATE" : "SAVEPOINT \(name)")
        depth += 1
        defer { depth -= 1 }
        do {
            let value = try body()
            try execute(depth == 1 ? "COMMIT" : "RELEASE \(name)")
            return value
        } catch {
            try? execute(depth == 1 ? "ROLLBACK" : "ROLLBACK TO \(name)")
            throw error
        }
    }
    public var changes: Int { Int(sqlite3_changes(db)) }
    public func close() {}
}
