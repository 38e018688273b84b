import CDisk
import CSQLite

/// A prepared statement: binds, steps, reads columns.
struct Statement {
    let handle: OpaquePointer

    var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

    /// - Returns: SQLite's result code of the first value that was refused, else `SQLITE_OK`.
    func bind(_ values: [SQLValue]) -> Int32 {
        for (index, value) in values.enumerated() {
            let code = bind(value, at: Int32(truncatingIfNeeded: index + 1))
            guard code == SQLITE_OK else { return code }
        }
        return SQLITE_OK
    }
    private func bind(_ value: SQLValue, at index: Int32) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(handle, index)
        case .int(let number): return sqlite3_bind_int64(handle, index, number)
        case .real(let number): return sqlite3_bind_double(handle, index, number)
        case .text(var text):
            return text.withUTF8 { utf8 in
                guard let count = Int32(exactly: utf8.count) else { return SQLITE_TOOBIG }
                // An empty text has no address, and no address means null to SQLite.
                guard let start = utf8.baseAddress, count > 0 else { return cdisk_bind_text(handle, index, "", 0) }
                return start.withMemoryRebound(to: CChar.self, capacity: utf8.count) {
                    cdisk_bind_text(handle, index, $0, count)
                }
            }
        case .blob(let bytes):
            guard let count = Int32(exactly: bytes.count) else { return SQLITE_TOOBIG }
            return bytes.withUnsafeBytes { cdisk_bind_blob(handle, index, $0.baseAddress, count) }
        }
    }

    func step() -> Int32 { sqlite3_step(handle) }
    /// Ready for the next run; forgets the arguments, which may be large.
    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }
    func finalize() { sqlite3_finalize(handle) }

    var columns: [String] {
        (0..<sqlite3_column_count(handle)).map { sqlite3_column_name(handle, $0).map { String(cString: $0) } ?? "" }
    }
    var row: Row { Row(values: (0..<sqlite3_column_count(handle)).map(column)) }

    private func column(_ index: Int32) -> SQLValue {
        switch sqlite3_column_type(handle, index) {
        case SQLITE_INTEGER: return .int(sqlite3_column_int64(handle, index))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, index))
        case SQLITE_TEXT:
            guard let start = sqlite3_column_text(handle, index) else { return .text("") }
            let count = Int(sqlite3_column_bytes(handle, index))
            return .text(String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
        case SQLITE_BLOB:
            guard let start = sqlite3_column_blob(handle, index) else { return .blob([]) }
            let count = Int(sqlite3_column_bytes(handle, index))
            return .blob(Array(UnsafeRawBufferPointer(start: start, count: count)))
        default: return .null
        }
    }
}
