import CSQLite

/// The locks of one database file among the connections of one app (SQLite, "File Locking And Concurrency", 3.0).
///
/// Other processes need none: an app runs once at a time, and nobody else opens its files.
struct FileLocks {
    /// By handle; one that is not here holds none.
    private var levels: [Int: Int32] = [:]

    /// - Parameter level: an SQLITE_LOCK_ constant; lower than what the handle holds, it gives the rest back.
    /// - Returns: false when another handle is in the way. Who asked for all and was refused waits as PENDING, and lets no reader in.
    mutating func set(_ handle: Int, to level: Int32) -> Bool {
        if level <= self[handle] {
            levels[handle] = level == SQLITE_LOCK_NONE ? nil : level
            return true
        }
        let highest = levels.filter { $0.key != handle }.values.max() ?? SQLITE_LOCK_NONE
        switch level {
        case SQLITE_LOCK_SHARED: guard highest < SQLITE_LOCK_PENDING else { return false }
        case SQLITE_LOCK_RESERVED: guard highest < SQLITE_LOCK_RESERVED else { return false }
        default:
            guard highest < SQLITE_LOCK_RESERVED else { return false }
            guard highest == SQLITE_LOCK_NONE else {
                levels[handle] = SQLITE_LOCK_PENDING
                return false
            }
        }
        levels[handle] = level
        return true
    }
    subscript(_ handle: Int) -> Int32 { levels[handle] ?? SQLITE_LOCK_NONE }
    /// Whether another handle means to write.
    func isReserved(besides handle: Int) -> Bool {
        levels.contains { $0.key != handle && $0.value >= SQLITE_LOCK_RESERVED }
    }
}

/// The eight locks in the index of a write-ahead log (SQLite, "WAL-mode File Format", 2.3).
struct IndexLocks {
    private struct Slot {
        var shared: Set<Int> = []
        var exclusive: Int?
    }
    private var slots = Array(repeating: Slot(), count: Int(SQLITE_SHM_NLOCK))

    /// - Returns: false when another handle is in the way, or there are no such slots; then nothing has changed.
    mutating func set(_ handle: Int, _ range: Range<Int>, _ flags: Int32) -> Bool {
        guard slots.indices.contains(range.lowerBound), range.upperBound <= slots.count else { return false }
        let isShared = flags & SQLITE_SHM_SHARED != 0
        if flags & SQLITE_SHM_UNLOCK != 0 {
            for slot in range { release(handle, slot) }
            return true
        }
        for slot in slots[range] {
            if let owner = slot.exclusive, owner != handle { return false }
            if !isShared, slot.shared.contains(where: { $0 != handle }) { return false }
        }
        for slot in range {
            if isShared { slots[slot].shared.insert(handle) } else { slots[slot].exclusive = handle }
        }
        return true
    }
    mutating func releaseAll(_ handle: Int) {
        for slot in slots.indices { release(handle, slot) }
    }
    private mutating func release(_ handle: Int, _ slot: Int) {
        slots[slot].shared.remove(handle)
        if slots[slot].exclusive == handle { slots[slot].exclusive = nil }
    }
    /// Whether the handle has one for itself: it writes, or checkpoints.
    func isOwned(by handle: Int) -> Bool { slots.contains { $0.exclusive == handle } }
}
