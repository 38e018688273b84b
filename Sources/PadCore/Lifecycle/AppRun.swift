import FleetModel

/// One launch of an app as the system sees it: where it is, where it shall go, and what it has not returned from.
///
/// Only decides; `Pad` does. The order of callbacks is the order in which `next` asks for them (app-lifecycle.md 2).
struct AppRun {
    /// What the process itself is doing.
    enum Process: Hashable {
        /// Being loaded; no code runs yet.
        case starting
        case running
        case suspended
        /// Being brought back into memory.
        case resuming
    }
    enum Goal: Hashable { case foreground, background }

    /// A delegate method that the system waits for, one at a time.
    enum Callback: String, Hashable {
        case didFinishLaunching, didBecomeActive, willResignActive, didEnterBackground, willEnterForeground,
            willTerminate

        var message: String { "app." + rawValue }
        /// Source: app-lifecycle.md 3: launch 20 s (modern profile), 5 s for background, termination and (Docs/local-link.md)
        /// return; becoming and resigning active ASSUMED as the 10 s of resume and suspend.
        var allowance: Span {
            switch self {
            case .didFinishLaunching: .seconds(20)
            case .didBecomeActive, .willResignActive: .seconds(10)
            case .didEnterBackground, .willEnterForeground, .willTerminate: .seconds(5)
            }
        }
    }

    /// What has to happen next for the launch to reach its goal.
    enum Move: Hashable {
        case nothing
        case call(Callback)
        case resume
        /// In the background, with nothing asked of it: it may be suspended.
        case rest
    }

    let identity: AppIdentity
    /// `user` or `background`: what `didFinishLaunching` tells.
    let reason: String
    var goal: Goal
    var process = Process.starting
    /// As daemons see it; inactive from the start of the process until it is active or in the background.
    var phase = AppPhase.notRunning
    var isLaunched = false
    /// It has been active or in the background once: events come after that (app-lifecycle.md 2).
    var hasArrived = false
    /// The callback that has not returned.
    var callback: (callback: Callback, exchange: UInt64)?
    /// Events that have not returned: silent push, background transfers. By exchange.
    var events: [UInt64] = []
    /// Messages that wait until the process runs.
    var inbox: [(message: Message, exchange: UInt64)] = []
    /// Delegate events that wait until the launch is complete.
    var heldEvents: [Message] = []
    /// Background-task assertions, in the order they were taken.
    var tasks: [Int64] = []
    var lastTask: Int64 = 0
    var inBackgroundSince = Instant.zero
    var hasExpired = false
    var lastActive = Instant.zero
    /// It is being told that it ends; then it is killed for this reason.
    var terminating: String?
    /// Ubiquity containers that it has opened: it may touch files there.
    var containers: [String] = []

    init(_ identity: AppIdentity, reason: String, goal: Goal) {
        self.identity = identity
        self.reason = reason
        self.goal = goal
    }

    var next: Move {
        switch process {
        case .starting, .resuming: return .nothing
        case .suspended: return goal == .foreground ? .resume : .nothing
        case .running: break
        }
        guard callback == nil else { return .nothing }
        guard isLaunched else { return .call(.didFinishLaunching) }
        if terminating != nil { return .call(.willTerminate) }
        switch (goal, phase) {
        case (.foreground, .inactive): return .call(.didBecomeActive)
        case (.foreground, .background): return .call(.willEnterForeground)
        case (.background, .active): return .call(.willResignActive)
        case (.background, .inactive): return .call(.didEnterBackground)
        case (.background, .background): return .rest
        default: return .nothing
        }
    }

    /// Where a callback that returned leaves the launch; nil: where it was.
    mutating func returned(from callback: Callback) -> AppPhase? {
        self.callback = nil
        switch callback {
        case .didFinishLaunching: isLaunched = true; return nil
        case .didBecomeActive: return .active
        case .willResignActive, .willEnterForeground: return .inactive
        case .didEnterBackground: return .background
        case .willTerminate: return nil
        }
    }

    /// Whether delegate events may be given to it now.
    var takesEvents: Bool { process == .running && hasArrived }
    /// Whether it has done all that it is owed before its person's session ends.
    func isQuiet(forced: Bool) -> Bool {
        switch process {
        case .starting, .suspended, .resuming: true
        case .running: callback == nil && phase == .background && (forced || tasks.isEmpty)
        }
    }
}
