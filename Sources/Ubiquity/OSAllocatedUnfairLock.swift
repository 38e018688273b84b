import Foundation

/// A lock with what it guards (os, "OSAllocatedUnfairLock"). Its waits are the app's loop's.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    private final class Box {
        let lock = NSLock()
        var state: State
        init(_ state: State) { self.state = state }
    }
    private let box: Box

    /// A lock around a state of any type; the caller answers for what it shares with others.
    public init(uncheckedState initialState: State) { box = Box(initialState) }

    /// As `withLock`, for a body and a result that are not `Sendable`.
    public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R {
        box.lock.lock()
        defer { box.lock.unlock() }
        return try body(&box.state)
    }
    /// Waits for the lock, runs `body` with the state, and unlocks, also when `body` throws. Not recursive: inside of `body` it never
    /// returns.
    public func withLock<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R {
        try withLockUnchecked(body)
    }
    /// - Returns: nil, with nothing done, while somebody holds it.
    public func withLockIfAvailable<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R? {
        guard box.lock.try() else { return nil }
        defer { box.lock.unlock() }
        return try body(&box.state)
    }
}

extension OSAllocatedUnfairLock where State: Sendable {
    /// A lock around the state.
    public init(initialState: State) { self.init(uncheckedState: initialState) }
}

extension OSAllocatedUnfairLock where State == Void {
    /// A lock that guards nothing of its own: `lock()` and `unlock()`.
    public init() { self.init(uncheckedState: ()) }
    /// Waits for the lock. Not recursive.
    public func lock() { box.lock.lock() }
    /// To be called once for each `lock()`, on the same thread.
    public func unlock() { box.lock.unlock() }
    /// Returns false, without waiting, while somebody holds it; true: the caller does now.
    public func lockIfAvailable() -> Bool { box.lock.try() }
    /// Runs `body` while it holds the lock.
    public func withLock<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R {
        try withLockUnchecked { _ in try body() }
    }
}
