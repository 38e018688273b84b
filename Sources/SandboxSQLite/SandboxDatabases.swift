import CDisk
import CSQLite
import DeterministicRuntime
import FleetModel
import PadApp

/// The databases of one launch of an app.
final class SandboxDatabases: LinkWatcher {
    private let link: AppLink
    private var shared: [String: SharedFile] = [:]
    private var files: [Int: Unmanaged<DatabaseFile>] = [:]
    private var handle = 0
    /// What the iPad knows of locks.
    private var told: Value = []
    /// Of SQLite's generator, which the whole process shares: its stream begins again whenever this app's code runs, so that it depends on
    /// nobody else. The moment of the first file keeps launches apart: equal salts would make a log's old frames look like new ones.
    private let seed: UInt64
    private var draws: UInt64 = 0

    init(link: AppLink) {
        self.link = link
        let began = UInt64(bitPattern: AppLoop.current?.now ?? 0)
        seed = StableHash.of(began, "sqlite", link.pad.description, link.home)
        link.watcher = self
        appRuns()
    }
    /// Of the app whose code runs.
    static func of(_ link: AppLink) -> SandboxDatabases { link.singleton { SandboxDatabases(link: link) } }

    func appRuns() {
        draws += 1
        cdisk_seed(StableHash.mix(seed &+ draws))
    }
    /// An app that is suspended with a lock is killed (`0xdead10cc`): the iPad has to know what is held when the app's code rests.
    func stepEnds() {
        let held = files.sorted { $0.key < $1.key }.map { $1._withUnsafeGuaranteedRef { $0 } }
            .filter { $0.shared.isHeld(by: $0.handle) }
        let locks = Value.array(
            held.map { ["path": .string($0.shared.path), "statement": .string(Statements.running(on: $0.connection))] })
        guard locks != told else { return }
        told = locks
        link.post(FileMessages.Locks.name, ["held": locks])
    }

    // MARK: Files

    /// - Returns: nil and a result code when it cannot be opened.
    func open(_ path: String, _ flags: Int32) -> (file: DatabaseFile?, code: Int32) {
        let creates = flags & SQLITE_OPEN_CREATE != 0
        if flags & SQLITE_OPEN_EXCLUSIVE != 0, exists(path) { return (nil, SQLITE_CANTOPEN) }
        let answer = link.call(FileMessages.Open.name, ["path": .string(path), "create": .bool(creates)])
        if let error = answer["error"] {
            return (nil, error["code"] == 640 ? SQLITE_FULL : error["code"] == 257 ? SQLITE_AUTH : SQLITE_CANTOPEN)
        }
        if flags & SQLITE_OPEN_MAIN_JOURNAL != 0 { database(of: path)?.isSynced = false }
        handle += 1
        let place = shared[path] ?? SharedFile(path: path)
        shared[path] = place
        let file = DatabaseFile(
            place, handle: handle, of: self, link: link,
            isRemovedAtClose: flags & SQLITE_OPEN_DELETEONCLOSE != 0)
        files[handle] = Unmanaged.passUnretained(file)
        return (file, SQLITE_OK)
    }
    /// The database whose rollback journal has this path.
    private func database(of journal: String) -> SharedFile? {
        journal.hasSuffix("-journal") ? shared[String(journal.dropLast("-journal".count))] : nil
    }
    func forget(_ file: DatabaseFile) {
        files[file.handle] = nil
        if file.shared.handles.isEmpty { shared[file.shared.path] = nil }
    }
    func exists(_ path: String) -> Bool {
        let status = link.call(FileMessages.Stat.name, ["path": .string(path)])
        return status["exists"]?.bool == true && status["folder"]?.bool == false
    }
    func remove(_ path: String, syncsFolder: Bool) -> Int32 {
        let answer = link.call(FileMessages.Remove.name, ["path": .string(path)])
        if let error = answer["error"] { return error["code"] == 4 ? cdisk_ioerr_delete_absent : cdisk_ioerr_delete }
        // SQLite asks for the folder with synchronous=EXTRA only. ASSUMED: on an iPad a commit with FULL lasts as well.
        let isDurable = syncsFolder || database(of: path)?.isSynced == true
        guard isDurable, let slash = path.lastIndex(of: "/") else { return SQLITE_OK }
        let folder = link.call(FileMessages.Sync.name, ["path": .string(String(path[..<slash]))])
        return folder["error"] == nil ? SQLITE_OK : cdisk_ioerr_delete
    }
}

/// What a connection is in the middle of, in words.
enum Statements {
    /// The statement that runs, else what keeps the transaction open.
    static func running(on connection: OpaquePointer?) -> String {
        guard let connection else { return "" }
        // Code that waits in the middle of a statement (a busy handler) keeps the connection's own lock.
        let lock = sqlite3_db_mutex(connection)
        guard sqlite3_mutex_try(lock) == SQLITE_OK else { return "a statement" }
        defer { sqlite3_mutex_leave(lock) }
        var statement = sqlite3_next_stmt(connection, nil)
        while let found = statement {
            if sqlite3_stmt_busy(found) != 0, let text = sqlite3_sql(found) { return String(cString: text) }
            statement = sqlite3_next_stmt(connection, found)
        }
        return sqlite3_get_autocommit(connection) == 0 ? "BEGIN" : ""
    }
}
