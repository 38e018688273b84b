import CSQLite

/// What the connections of an app to one file share: its locks, and the index of its write-ahead log.
final class SharedFile {
    let path: String
    var locks = FileLocks()
    var indexLocks = IndexLocks()
    /// Memory that SQLite reads and writes by itself; it is built again from the log when the last connection has gone.
    private var regions: [UnsafeMutableRawBufferPointer] = []
    private var mapped: Set<Int> = []
    private(set) var handles: Set<Int> = []

    /// Whether the database was synced since its rollback journal was begun: a commit that is meant to last.
    var isSynced = false

    init(path: String) { self.path = path }
    deinit { freeIndex() }

    func opened(_ handle: Int) { handles.insert(handle) }
    /// - Returns: whether nobody has the file open any more.
    func closed(_ handle: Int) -> Bool {
        handles.remove(handle)
        _ = locks.set(handle, to: SQLITE_LOCK_NONE)
        unmap(handle)
        return handles.isEmpty
    }
    /// Whether a connection is in the way of others. With a write-ahead log a reader is in nobody's, and keeps a shared lock on the file for
    /// as long as it is open.
    func isHeld(by handle: Int) -> Bool {
        mapped.contains(handle) ? indexLocks.isOwned(by: handle) : locks[handle] > SQLITE_LOCK_NONE
    }

    /// - Returns: nil for a region that is not there and is not wanted.
    func region(_ number: Int, of size: Int, extends: Bool, _ handle: Int) -> UnsafeMutableRawPointer? {
        mapped.insert(handle)
        guard number >= regions.count else { return regions[number].baseAddress }
        guard extends else { return nil }
        while regions.count <= number {
            let region = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
            region.initializeMemory(as: UInt8.self, repeating: 0)
            regions.append(region)
        }
        return regions[number].baseAddress
    }
    func unmap(_ handle: Int) {
        indexLocks.releaseAll(handle)
        mapped.remove(handle)
        if mapped.isEmpty { freeIndex() }
    }
    private func freeIndex() {
        for region in regions { region.deallocate() }
        regions = []
    }
}
