/// When a sync engine syncs by itself: plain values. Apple says only that it depends on the system's condition; all times are ASSUMED.
struct SyncSchedule: Sendable {
    struct Work: OptionSet, Hashable, Sendable {
        let rawValue: Int
        static let fetch = Work(rawValue: 1)
        static let send = Work(rawValue: 2)
    }
    /// Runs outside. One that another has taken the place of finds nothing when it ends.
    struct Timer: Hashable, Sendable {
        let number: Int
        let pause: Duration
    }
    private enum Reason: Hashable, Sendable {
        case gathering
        /// The engine waits out a failure.
        case failure
        /// The server named a time; nothing goes out before it.
        case server
    }
    private(set) var wanted: Work = []
    /// The one timer that counts.
    private var running: (number: Int, reason: Reason)?
    private var timers = 0
    private var failures = 0

    /// Changes of one moment go out together.
    static let gathering = Duration.milliseconds(500)
    private static let firstPause = 2.0
    private static let longestPause = 60.0

    /// - Returns: the timer to start; nil: one runs already, and what is wanted waits for it.
    mutating func want(_ work: Work) -> Timer? {
        wanted.formUnion(work)
        guard running == nil else { return nil }
        return start(.gathering, work.contains(.fetch) ? .zero : Self.gathering)
    }
    private mutating func start(_ reason: Reason, _ pause: Duration) -> Timer {
        timers += 1
        running = (timers, reason)
        return Timer(number: timers, pause: pause)
    }
    /// A timer has ended.
    /// - Returns: what is to be done now; nothing when another timer counts.
    mutating func take(_ timer: Timer) -> Work { running?.number == timer.number ? takeAll() : [] }
    /// A push came, so there is a network: a fetch and all else that is wanted are due, but not before the time that the server named.
    mutating func takeAtPush() -> Work {
        wanted.insert(.fetch)
        return running?.reason == .server ? [] : takeAll()
    }
    private mutating func takeAll() -> Work {
        defer { (wanted, running) = ([], nil) }
        return wanted
    }
    mutating func succeeded() { failures = 0 }
    /// What could not be done is wanted again, unless nothing but the app or the account can change the outcome. A timer that was started
    /// meanwhile would end the pause early: the pause takes its place.
    /// - Returns: the timer to start; nil: the engine does not try again by itself.
    mutating func failed(_ work: Work, _ error: CKError) -> Timer? {
        guard SyncFailure.isWaitedOut(error) else { return nil }
        wanted.formUnion(work)
        let pause = min(Self.firstPause * Double(1 << min(failures, 10)), Self.longestPause)
        failures += 1
        let named = error.retryAfterSeconds
        return start(named == nil ? .failure : .server, .seconds(max(pause, named ?? 0)))
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
