import CDisk
import CSQLite
import FleetModel

/// A file that SQLite has open on a disk. Valid until the next mount.
final class OpenFile {
    let disk: Disk
    let file: File
    private let mountNumber: UInt64
    /// Whether the next sync must make the folder's names durable too. SQLite counts on this for new logs and journals, as its
    /// own VFS for Unix does: else the rollback journal it removed before could come back and undo the log.
    private var syncsFolder: Bool

    init(_ file: File, on disk: Disk, syncsFolder: Bool = false) {
        self.file = file
        self.syncsFolder = syncsFolder
        self.disk = disk
        mountNumber = disk.mountNumber
        file.content.hold()
    }

    private var isCurrent: Bool { mountNumber == disk.mountNumber && disk.outage == nil }
    /// Whether somebody else has the file locked. `locking_mode=EXCLUSIVE` makes every lock one for the database's whole life.
    var isLockedElsewhere: Bool {
        guard let holder = file.lockHolder, holder !== self else { return false }
        return holder.mountNumber == disk.mountNumber
    }

    func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int? {
        guard isCurrent else { return nil }
        return disk.reporting { () throws(DiskError) in try file.content.read(into: target, at: offset) }
    }
    func write(_ source: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
        change(cdisk_ioerr_write) { () throws(DiskError) in
            if disk.hasName(file) { try disk.checkSpace(offset + source.count - file.content.size) }
            try disk.beginChange()
            try disk.change(file, source, at: offset)
        }
    }
    func truncate(to size: Int) -> Int32 {
        change(cdisk_ioerr_truncate) { () throws(DiskError) in
            try disk.beginChange()
            try disk.resize(file, to: size)
        }
    }
    func sync() -> Int32 {
        change(cdisk_ioerr_sync) { () throws(DiskError) in
            try disk.beginChange()
            try disk.settle(file)
            if syncsFolder, let folder = file.parent { try disk.settleNames(in: folder) }
            syncsFolder = false
        }
    }
    func lock(_ level: Int32) -> Int32 {
        if isLockedElsewhere { return level == SQLITE_LOCK_NONE ? SQLITE_OK : SQLITE_BUSY }
        file.lockHolder = level == SQLITE_LOCK_NONE ? nil : self
        return SQLITE_OK
    }
    func close() {
        if file.lockHolder === self { file.lockHolder = nil }
        file.content.letGo()
    }

    private func change(_ code: Int32, _ body: () throws(DiskError) -> Void) -> Int32 {
        guard isCurrent else { return code }
        do throws(DiskError) { try body() } catch {
            if error == .full { return SQLITE_FULL }
            disk.lastFailure = error
            return code
        }
        return SQLITE_OK
    }
}

extension Disk {
    /// Runs something for SQLite, which understands numbers only: the error's text is kept for `DatabaseError`.
    func reporting<T>(_ body: () throws(DiskError) -> T) -> T? {
        do throws(DiskError) { return try body() } catch {
            lastFailure = error
            return nil
        }
    }

    /// Opens a file for SQLite; a temporary one, which has no name, lies in memory and outside of the volume.
    func open(_ name: String?, _ flags: Int32) -> OpenFile? {
        guard let name else { return OpenFile(File(name: "", modified: now, content: MemoryContent()), on: self) }
        return reporting { () throws(DiskError) in
            let path = try DiskPath(name)
            if let node = find(path) {
                guard flags & SQLITE_OPEN_EXCLUSIVE == 0 else { throw .exists(path.text) }
                guard let file = node as? File else { throw .badPath("\(path.text) (a folder, not a file)") }
                return OpenFile(file, on: self)
            }
            guard flags & SQLITE_OPEN_CREATE != 0 else { throw .notFound(path.text) }
            _ = try folder(above: path)
            try beginChange()
            let isJournal = flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL) != 0
            return OpenFile(try addFile(path), on: self, syncsFolder: isJournal)
        }
    }
    func delete(_ name: String, syncingFolder: Bool) -> Int32 {
        guard status(name) != nil else { return cdisk_ioerr_delete_absent }
        let isDone: Void? = reporting { () throws(DiskError) in
            try remove(name)
            if syncingFolder { try discard(journal.settle(DiskPath(name), isFolder: false, after: 0)) }
        }
        return isDone == nil ? cdisk_ioerr_delete : SQLITE_OK
    }
}
