import CDisk
import CSQLite
import FleetModel
import PadApp

/// A file that SQLite has open for an app. Every read and write is a call to the iPad, which owns the bytes.
///
/// It may outlive its app, whose objects go when they go: then it does nothing any more.
final class DatabaseFile: ServedFile {
    private let link: AppLink
    private weak var databases: SandboxDatabases?
    let shared: SharedFile
    let handle: Int
    private let isRemovedAtClose: Bool
    /// Which connection uses it; nil for journals and logs.
    var connection: OpaquePointer?

    init(_ shared: SharedFile, handle: Int, of databases: SandboxDatabases, link: AppLink, isRemovedAtClose: Bool) {
        self.shared = shared
        self.handle = handle
        self.databases = databases
        self.link = link
        self.isRemovedAtClose = isRemovedAtClose
        shared.opened(handle)
    }

    /// Whether its app's code runs on this thread now.
    private var isServed: Bool { AppLink.ifRunning === link }
    /// - Returns: the answer, or nil and the result code that SQLite is to have.
    private func call(_ name: String, _ body: Value, _ code: Int32) -> (answer: Value?, code: Int32) {
        guard isServed else { return (nil, code) }
        let answer = link.call(name, body)
        guard let error = answer["error"] else { return (answer, SQLITE_OK) }
        return (nil, error["code"] == 640 ? SQLITE_FULL : code)
    }
    private var place: Value { ["path": .string(shared.path)] }
    private func place(_ key: String, _ number: Int) -> Value {
        ["path": .string(shared.path), key: .int(number)]
    }

    func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) -> (count: Int?, code: Int32) {
        var body = place("offset", offset)
        body["count"] = .int(target.count)
        let (answer, code) = call(FileMessages.ReadAt.name, body, cdisk_ioerr_read)
        guard let bytes = answer?["data"]?.data, bytes.count <= target.count else {
            return (nil, code == SQLITE_OK ? cdisk_ioerr_read : code)
        }
        target.copyBytes(from: bytes)
        return (bytes.count, SQLITE_OK)
    }
    func write(_ source: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
        var body = place("offset", offset)
        body["data"] = .data(Array(source))
        return call(FileMessages.WriteAt.name, body, cdisk_ioerr_write).code
    }
    func truncate(to size: Int) -> Int32 {
        call(FileMessages.Truncate.name, place("size", size), cdisk_ioerr_truncate).code
    }
    func sync() -> Int32 {
        let code = call(FileMessages.Sync.name, place, cdisk_ioerr_sync).code
        if code == SQLITE_OK { shared.isSynced = true }
        return code
    }
    func size() -> (bytes: Int64?, code: Int32) {
        let (answer, code) = call(FileMessages.Stat.name, place, cdisk_ioerr_size)
        guard answer?["exists"]?.bool == true, let bytes = answer?["size"]?.int else { return (nil, code) }
        return (bytes, SQLITE_OK)
    }
    func lock(_ level: Int32) -> Int32 { shared.locks.set(handle, to: level) ? SQLITE_OK : SQLITE_BUSY }
    var isReservedElsewhere: Bool { shared.locks.isReserved(besides: handle) }
    func close() {
        let isLast = shared.closed(handle)
        databases?.forget(self)
        guard isLast, isServed else { return }
        link.call(FileMessages.Close.name, place)
        if isRemovedAtClose { link.call(FileMessages.Remove.name, place) }
    }
}
