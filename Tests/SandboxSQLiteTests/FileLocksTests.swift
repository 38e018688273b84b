import CSQLite
import Testing

@testable import SandboxSQLite

/// Each question changes the locks, so that `#expect` must not ask it.
private func check(_ isRight: Bool, _ location: SourceLocation = #_sourceLocation) {
    #expect(isRight, sourceLocation: location)
}

@Suite("Locks of a database file", .timeLimit(.minutes(20))) struct FileLocksTests {
    @Test("Locks: many readers, one who means to write, and nobody else once it writes")
    func levels() {
        var locks = FileLocks()
        check(locks.set(1, to: SQLITE_LOCK_SHARED))
        check(locks.set(2, to: SQLITE_LOCK_SHARED))
        check(locks.set(1, to: SQLITE_LOCK_RESERVED))
        #expect(
            !locks.set(2, to: SQLITE_LOCK_RESERVED) && locks.isReserved(besides: 2) && !locks.isReserved(besides: 1))
        check(locks.set(3, to: SQLITE_LOCK_SHARED))
        // Readers are in the way: the writer waits, and lets no new reader in.
        check(!locks.set(1, to: SQLITE_LOCK_EXCLUSIVE))
        check(locks[1] == SQLITE_LOCK_PENDING)
        check(!locks.set(4, to: SQLITE_LOCK_SHARED))
        check(locks.set(2, to: SQLITE_LOCK_NONE))
        check(locks.set(3, to: SQLITE_LOCK_NONE))
        check(locks.set(1, to: SQLITE_LOCK_EXCLUSIVE))
        check(!locks.set(4, to: SQLITE_LOCK_SHARED))
        check(locks.set(1, to: SQLITE_LOCK_SHARED))
        check(locks.set(4, to: SQLITE_LOCK_SHARED))
    }

    @Test("Index locks: shared by many or owned by one; a range is taken whole or not at all")
    func index() {
        var locks = IndexLocks()
        let (shared, exclusive) = (SQLITE_SHM_LOCK | SQLITE_SHM_SHARED, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE)
        check(locks.set(1, 3..<4, shared))
        check(locks.set(2, 3..<4, shared))
        check(!locks.set(1, 3..<4, exclusive))
        check(!locks.set(3, 2..<5, exclusive))
        check(!locks.isOwned(by: 3))
        check(locks.set(1, 0..<1, exclusive))
        check(!locks.set(2, 0..<1, shared))
        check(locks.set(2, 3..<4, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED))
        check(locks.set(1, 3..<4, exclusive))
        check(!locks.set(1, 7..<9, shared))
        locks.releaseAll(1)
        check(!locks.isOwned(by: 1))
        check(locks.set(2, 0..<8, exclusive))
    }
}
