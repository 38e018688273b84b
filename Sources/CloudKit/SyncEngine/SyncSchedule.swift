/// When a sync engine syncs by itself: plain values. Apple says only that it depends on the system's condition; all times are ASSUMED.
struct SyncSchedule: Hashable, Sendable {
    struct Work: OptionSet, Hashable, Sendable {
        let rawValue: Int
        static let fetch = Work(rawValue: 1)
        static let send = Work(rawValue: 2)
    }
    private(set) var wanted: Work = []
    /// A timer is running that will take what is wanted.
    private(set) var isTimed = false
    private var failures = 0

    /// Changes of one moment go out together.
    static let gathering = Duration.milliseconds(500)
    private static let firstPause = 2.0
    private static let longestPause = 60.0

    /// - Returns: after what time to `take`; nil: a timer runs already.
    mutating func want(_ work: Work) -> Duration? {
        wanted.formUnion(work)
        guard !isTimed else { return nil }
        isTimed = true
        return work.contains(.fetch) ? .zero : Self.gathering
    }
    /// Time is up: what is to be done now.
    mutating func take() -> Work {
        defer { (wanted, isTimed) = ([], false) }
        return wanted
    }
    mutating func succeeded() { failures = 0 }
    /// What could not be done is wanted again, unless nothing but the app or the account can change the outcome.
    /// - Returns: after what time to `take`; nil: not by itself, or a timer runs already.
    mutating func failed(_ work: Work, _ error: CKError) -> Duration? {
        guard SyncFailure.isWaitedOut(error) else { return nil }
        wanted.formUnion(work)
        let pause = min(Self.firstPause * Double(1 << min(failures, 10)), Self.longestPause)
        failures += 1
        guard !isTimed else { return nil }
        isTimed = true
        return .seconds(max(pause, error.retryAfterSeconds ?? 0))
    }
    /// Forgets what is wanted; a timer that runs finds nothing.
    mutating func clear() { wanted = [] }
}

/// What an engine does about an error (cloudkit-framework.md 17, the table of failed saves).
enum SyncFailure {
    /// The change stays pending: it is sent again without the app.
    static func isRetried(_ error: CKError) -> Bool {
        switch error.code {
        case .networkFailure, .networkUnavailable, .zoneBusy, .serviceUnavailable, .notAuthenticated,
            .operationCancelled, .requestRateLimited, .accountTemporarilyUnavailable:
            true
        // ASSUMED: what may have happened is sent again; its tag tells.
        case .serverResponseLost: true
        default: error.retryAfterSeconds != nil
        }
    }
    /// Time alone may help: without an account, and after `cancelOperations`, it does not.
    static func isWaitedOut(_ error: CKError) -> Bool {
        switch error.code {
        case .notAuthenticated, .operationCancelled, .accountTemporarilyUnavailable: false
        default: isRetried(error)
        }
    }
}
