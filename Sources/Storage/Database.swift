import CDisk
import CSQLite
import FleetModel

/// A small SQLite database on a disk: what is acknowledged (`transaction` or a single statement returned) survives a power cut.
///
/// One connection, exclusive, write-ahead log synced at every commit, no shared memory, no mapping. SQLite's salts come from
/// the path and the disk's write count, so equal runs leave equal bytes.
public final class Database {
    private let disk: Disk
    private var handle: OpaquePointer?
    private var statements: [String: Statement] = [:]
    /// Tables that are known to be there.
    private var tables: Set<String> = []
    /// Open `transaction` calls.
    private var depth = 0
    private let seed: UInt64
    /// A real file has no volume that counts its writes.
    private var isFile = false
    private var runs: UInt64 = 0

    /// More distinct statements than this, and the cache starts anew: SQL built from data must not fill the memory.
    private static let statementsMax = 256

    /// Opens the database at `path`, or makes it with the folders above it.
    ///
    /// - Throws: `SQLITE_BUSY` when it is open already, `SQLITE_NOTADB` for a file that is none.
    public convenience init(disk: Disk, path: String) throws(DatabaseError) {
        try self.init(disk: disk, path: path, settings: .durable)
    }

    init(disk: Disk, path: String, settings: Settings) throws(DatabaseError) {
        self.disk = disk
        seed = StableHash.of(0, "database", path)
        func failed(_ code: Int32, _ reason: String) -> DatabaseError {
            DatabaseError(code: code, message: reason, sql: "open \(path)")
        }
        do throws(DiskError) {
            let path = try DiskPath(path)
            guard !path.isRoot else { throw .badPath("/ (a folder, not a file)") }
            if disk.find(path.parent) == nil { try disk.makeFolder(path.parent.text) }
        } catch {
            throw failed(error == .full ? SQLITE_FULL : SQLITE_CANTOPEN, "\(error)")
        }
        if disk.volume == nil { disk.volume = SQLiteHost.mount(disk) }
        guard let volume = disk.volume else { throw failed(SQLITE_NOMEM, "no memory for a volume") }
        let code = cdisk_open(volume, path, &handle)
        guard code == SQLITE_OK else {
            let error = failure(code, "open \(path)")
            close()
            throw error
        }
        do throws(DatabaseError) { try script(settings.script) } catch {
            close()
            throw error
        }
    }
    /// Opens the database in a real file, which the machine's disk really syncs: a server's, not a run's.
    ///
    /// - Parameter entropy: from the machine's generator, other at each opening: journals' salts come from it.
    /// - Throws: `SQLITE_BUSY` while another process has it, `SQLITE_CANTOPEN`, `SQLITE_NOTADB`.
    public init(file path: String, entropy: UInt64) throws(DatabaseError) {
        disk = .memory()
        seed = StableHash.of(entropy, "database file", path)
        isFile = true
        let code = cdisk_open_file(path, &handle)
        guard code == SQLITE_OK else {
            let error = failure(code, "open \(path)")
            close()
            throw error
        }
        do throws(DatabaseError) { try script(Settings.server.script) } catch {
            close()
            throw error
        }
    }
    deinit { close() }

    /// Runs one statement; rows are thrown away.
    public func execute(_ sql: String, _ arguments: SQLValue...) throws(DatabaseError) {
        try run(sql, arguments) { _ in }
    }
    /// Runs one statement and returns all its rows.
    public func query(_ sql: String, _ arguments: SQLValue...) throws(DatabaseError) -> [Row] {
        var rows: [Row] = []
        try run(sql, arguments) { rows.append($0.row) }
        return rows
    }
    /// The same with arguments that are counted at run time.
    public func query(_ sql: String, all arguments: [SQLValue]) throws(DatabaseError) -> [Row] {
        var rows: [Row] = []
        try run(sql, arguments) { rows.append($0.row) }
        return rows
    }
    /// Runs one statement with arguments that are counted at run time.
    public func execute(_ sql: String, all arguments: [SQLValue]) throws(DatabaseError) {
        try run(sql, arguments) { _ in }
    }
    /// Runs one statement and hands its rows over one by one: for more than memory should hold.
    public func each(_ sql: String, _ body: (Row) -> Void) throws(DatabaseError) { try run(sql, []) { body($0.row) } }
    /// The same, with the names of the columns before the first row.
    func each(
        _ sql: String, columns: ([String]) -> Void, _ body: (Row) -> Void
    ) throws(DatabaseError) {
        try checkUsable(sql)
        columns(try prepared(sql).columns)
        try run(sql, []) { body($0.row) }
    }
    /// Runs several statements without arguments, one after the other: a schema.
    public func script(_ sql: String) throws(DatabaseError) {
        try checkUsable(sql)
        cdisk_begin(entropy)
        defer { cdisk_end() }
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code, sql) }
    }
    /// The key of the row that was inserted last; of a table `WITHOUT ROWID` nothing.
    public var lastRow: Int64 { handle == nil ? 0 : sqlite3_last_insert_rowid(handle) }
    /// Whether a table has been made. That it has is remembered: nobody drops one.
    public func hasTable(_ name: String) throws(DatabaseError) -> Bool {
        if tables.contains(name) { return true }
        let isThere = try !query("SELECT 1 FROM sqlite_master WHERE name = ?", .text(name)).isEmpty
        // Made inside a transaction it may yet be undone.
        if isThere, depth == 0 { tables.insert(name) }
        return isThere
    }
    /// Rows changed by the last statement that changes rows.
    public var changes: Int { handle == nil ? 0 : Int(sqlite3_changes(handle)) }

    /// All of `body` or nothing: durable when this returns, rolled back when it throws. Nested, it is a savepoint of the outer one.
    public func transaction<T>(_ body: () throws -> T) throws -> T {
        let isOuter = depth == 0
        try execute(isOuter ? "BEGIN IMMEDIATE" : "SAVEPOINT nested")
        depth += 1
        defer { depth -= 1 }
        do {
            let result = try body()
            try execute(isOuter ? "COMMIT" : "RELEASE nested")
            return result
        } catch {
            rollBack(isOuter)
            throw error
        }
    }
    /// A full or failing disk may have made SQLite roll back by itself: then nothing is left to do.
    private func rollBack(_ isOuter: Bool) {
        guard handle != nil, sqlite3_get_autocommit(handle) == 0 else { return }
        let sql = isOuter ? "ROLLBACK" : "ROLLBACK TO nested; RELEASE nested"
        sqlite3_exec(handle, sql, nil, nil, nil)  // its failure leaves an error for the next statement to report
    }

    /// Releases the files. Does not checkpoint: a killed process leaves the same bytes.
    public func close() {
        guard let open = handle else { return }
        handle = nil
        forgetStatements()
        sqlite3_close(open)
    }

    // MARK: Statements

    private func run(_ sql: String, _ arguments: [SQLValue], _ row: (Statement) -> Void) throws(DatabaseError) {
        try checkUsable(sql)
        let statement = try prepared(sql)
        guard statement.parameterCount == arguments.count else {
            throw DatabaseError(
                code: SQLITE_RANGE, message: "\(statement.parameterCount) arguments wanted, \(arguments.count) given",
                sql: sql)
        }
        defer { statement.reset() }
        let bound = statement.bind(arguments)
        guard bound == SQLITE_OK else { throw failure(bound, sql) }
        cdisk_begin(entropy)
        defer { cdisk_end() }
        while true {
            let code = statement.step()
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw failure(code, sql) }
            row(statement)
        }
    }
    private func prepared(_ sql: String) throws(DatabaseError) -> Statement {
        if let present = statements[sql] { return present }
        if statements.count >= Self.statementsMax { forgetStatements() }
        var compiled: OpaquePointer?
        var isMore = false
        var copy = sql
        let code = copy.withUTF8 { utf8 -> Int32 in
            guard let count = Int32(exactly: utf8.count) else { return SQLITE_TOOBIG }
            guard let start = utf8.baseAddress else { return SQLITE_OK }
            return start.withMemoryRebound(to: CChar.self, capacity: utf8.count) { text in
                var tail: UnsafePointer<CChar>?
                let code = sqlite3_prepare_v3(handle, text, count, UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, &tail)
                if let tail { isMore = utf8[(tail - text)...].contains { !" \t\r\n;".utf8.contains($0) } }
                return code
            }
        }
        guard code == SQLITE_OK else { throw failure(code, sql) }
        guard let compiled, !isMore else {
            sqlite3_finalize(compiled)
            throw DatabaseError(
                code: SQLITE_MISUSE, message: "exactly one statement is wanted; use script for several", sql: sql)
        }
        let statement = Statement(handle: compiled)
        statements[sql] = statement
        return statement
    }
    private func forgetStatements() {
        for statement in statements.values { statement.finalize() }
        statements = [:]
    }

    // MARK: State

    /// Never the same twice in one mount: a journal's salts must differ from those of the journal before it.
    private var entropy: UInt64 {
        guard isFile else { return StableHash.mix(seed ^ disk.writeCount) }
        runs &+= 1
        return StableHash.mix(seed ^ runs)
    }

    private func checkUsable(_ sql: String) throws(DatabaseError) {
        guard handle != nil else {
            throw DatabaseError(code: SQLITE_MISUSE, message: "the database is closed", sql: sql)
        }
        guard depth == 0 || sqlite3_get_autocommit(handle) == 0 else {
            throw DatabaseError(
                code: SQLITE_ABORT, message: "the transaction was rolled back by an earlier error; leave it", sql: sql)
        }
    }
    private func failure(_ code: Int32, _ sql: String) -> DatabaseError {
        var message = handle == nil ? String(cString: sqlite3_errstr(code)) : String(cString: sqlite3_errmsg(handle))
        if let reason = disk.lastFailure, [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xff) {
            message += " (\(reason))"
        }
        disk.lastFailure = nil
        return DatabaseError(code: code, message: message, sql: sql)
    }
}

extension Database {
    /// How a connection is set up. Everybody uses `durable`; the tests of the model use weaker ones, to see it fail.
    struct Settings {
        var journal = "WAL"
        /// SQLite's `synchronous`: `FULL` syncs before a commit returns.
        var synchronous = "FULL"
        var pageBytes = 4096
        /// Pages in the log before it is copied back and starts anew: bounds the log to about 130 KiB, which is memory in `sim`.
        /// Measured: 32, 64 and 256 pages cost the same per commit, rollback journals about twice as much.
        var checkpointPages = 32
        var cacheKiB = 128

        static let durable = Settings()
        /// A real file: more memory for pages, and a log long enough for large group commits.
        static let server = Settings(checkpointPages: 4000, cacheKiB: 64 * 1024)

        /// The log needs no shared memory when the connection is exclusive before it is first used.
        var script: String {
            """
            PRAGMA page_size=\(pageBytes); PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-\(cacheKiB); PRAGMA temp_store=MEMORY;
            PRAGMA journal_mode=\(journal); PRAGMA synchronous=\(synchronous); PRAGMA wal_autocheckpoint=\(checkpointPages)
            """
        }
    }
}
