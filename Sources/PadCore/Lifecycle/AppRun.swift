import FleetModel

/// One launch of an app as the system sees it: where it is, where it shall go, and what it has not returned from.
///
/// Only decides; `AppLifecycle` does. The order of callbacks is the order in which `next` asks for them (app-lifecycle.md 2).
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
        /// A URL that the person or another app opened (S203).
        case openURL
        /// A queued notice: before anything else when code runs again (app-lifecycle.md 8).
        case notice
        /// The interface is to be kept: after the snapshot (app-lifecycle.md 12).
        case saveState

        var message: String { "app." + rawValue }
        /// Source: app-lifecycle.md 3: 5 s for background, termination and (Docs/local-link.md) return; becoming and resigning active, an
        /// opened URL and a notice ASSUMED as the 10 s of resume and suspend, keeping the interface as 5 s. Nil: launch, whose limit is the iPad's (`PadSpec`).
        var allowance: Span? {
            switch self {
            case .didFinishLaunching: nil
            case .didBecomeActive, .willResignActive, .openURL, .notice: .seconds(10)
            case .didEnterBackground, .willEnterForeground, .willTerminate, .saveState: .seconds(5)
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

    /// How far the process has come. Events come only after it has arrived (app-lifecycle.md 2).
    enum Progress: Hashable {
        case loading
        /// `didFinishLaunching` has returned.
        case launched
        /// It has been active or in the background once.
        case arrived
    }
    /// The iCloud account that it was told of last, and works in.
    struct KnownAccount: Hashable {
        var name: Account
        /// It was told last that there is no identity: what is made now belongs to no account yet.
        var isNone = false
    }
    /// What it is to be given, and what it has been given and has not returned from.
    struct Mail {
        /// Messages that wait until the process runs.
        var inbox: [(message: Message, exchange: UInt64)] = []
        /// Delegate events that wait until the launch is complete.
        var heldEvents: [Message] = []
        /// Events that have not returned: silent push, background transfers. By exchange.
        var events: [UInt64] = []
        /// Notices that it has not been given, the newest of each name, in the order of the newest (app-lifecycle.md 8). One that it is
        /// being told is not among them: what comes meanwhile is told after it.
        var notices: [AppMessages.Notice] = []
        /// What it shall open, in order: bodies of `app.openURL`.
        var urls: [String] = []
    }
    /// What lets its code run in the background.
    struct BackgroundTime {
        var since = Instant.zero
        /// Background-task assertions, in the order they were taken.
        var tasks: [Int64] = []
        var lastTask: Int64 = 0
        var hasExpired = false
        /// Declared background modes that something goes on in: it is not suspended (S147).
        var modes: [String] = []
    }
    /// What somebody does to it from outside.
    struct Disturbance: Hashable {
        /// Its main thread is stuck: it is told nothing more, and so returns from nothing (fault `watchdog`).
        var isHung = false
        /// It is suspended as soon as it may, without the usual moment (fault `suspend`).
        var isHurried = false
        /// A call, an alert or the control centre covers it: inactive, without the background (app-lifecycle.md 2).
        var isInterrupted = false
    }
    /// Where the keeping of its interface stands (app-lifecycle.md 12).
    struct Preservation: Hashable {
        /// It reads the archive of an earlier launch: if it dies now, the archive is to blame.
        var isRestoring = false
        /// It said on its way to the background that its interface is to be kept, and was not asked for it yet.
        var savesState = false
    }

    let identity: AppIdentity
    var known: KnownAccount
    /// `user` or `background`: what `didFinishLaunching` tells.
    let reason: String
    /// Its Info.plist says that it ends instead of being suspended.
    let exitsOnSuspend: Bool
    var goal: Goal
    var process = Process.starting
    /// As daemons see it; inactive from the start of the process until it is active or in the background.
    var phase = AppPhase.notRunning
    var progress = Progress.loading
    /// The callback that has not returned.
    var callback: (callback: Callback, exchange: UInt64)?
    /// It is being told that it ends; then it is killed for this reason.
    var terminating: EndReason?
    var mail = Mail()
    var background = BackgroundTime()
    var disturbance = Disturbance()
    var preservation = Preservation()

    var account: Account { known.name }
    var isLaunched: Bool { progress != .loading }
    var hasArrived: Bool { progress == .arrived }

    init(
        _ identity: AppIdentity, account: Account, reason: String, goal: Goal, exitsOnSuspend: Bool = false
    ) {
        known = KnownAccount(name: account)
        self.identity = identity
        self.reason = reason
        self.goal = goal
        self.exitsOnSuspend = exitsOnSuspend
    }

    var next: Move {
        switch process {
        case .starting, .resuming: return .nothing
        case .suspended: return goal == .foreground ? .resume : .nothing
        case .running: break
        }
        guard callback == nil else { return .nothing }
        guard isLaunched else { return .call(.didFinishLaunching) }
        if preservation.savesState { return .call(.saveState) }
        if terminating != nil { return .call(.willTerminate) }
        if hasArrived, !mail.notices.isEmpty { return .call(.notice) }
        switch (goal, phase) {
        case (.foreground, .inactive) where !mail.urls.isEmpty, (.foreground, .active) where !mail.urls.isEmpty:
            return .call(.openURL)
        case (.foreground, .inactive): return disturbance.isInterrupted ? .nothing : .call(.didBecomeActive)
        case (.foreground, .active) where disturbance.isInterrupted: return .call(.willResignActive)
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
        case .didFinishLaunching:
            progress = .launched
            preservation.isRestoring = false
            return nil
        case .didBecomeActive: return .active
        case .willResignActive, .willEnterForeground: return .inactive
        case .didEnterBackground:
            disturbance.isInterrupted = false
            if exitsOnSuspend { terminating = .exitsOnSuspend }
            return .background
        case .willTerminate: return nil
        case .openURL:
            if !mail.urls.isEmpty { mail.urls.removeFirst() }
            return nil
        case .notice: return nil
        case .saveState:
            preservation.savesState = false
            return nil
        }
    }

    /// Whether delegate events may be given to it now.
    var takesEvents: Bool {
        process == .running && hasArrived && mail.notices.isEmpty && callback?.callback != .notice
    }
    /// `UIApplication.State` as its code sees it now (app-lifecycle.md 1, 2): in a callback the state that the callback leaves or leads to.
    var applicationState: AppPhase {
        switch callback?.callback {
        case .didBecomeActive, .willResignActive: return .active
        case .didEnterBackground, .willEnterForeground: return .background
        default: break
        }
        // Launched for an event its interface is loaded, but never shown.
        return phase == .inactive && !hasArrived && reason == "background" ? AppPhase.background : phase
    }
    /// Whether it has done all that it is owed before its person's session ends.
    func isQuiet(forced: Bool) -> Bool {
        switch process {
        case .starting, .suspended, .resuming: true
        case .running:
            callback == nil && !preservation.savesState && phase == .background && (forced || background.tasks.isEmpty)
        }
    }
}

extension AppRun: InvariantHolder {
    func checkInvariants() throws(BrokenInvariant) {
        let name = "launch \(identity.launch) of \(identity.app)"
        try invariant(
            (process == .starting) == (phase == .notRunning), "\(name) is \(process), and daemons see it \(phase)")
        try invariant(
            [.suspended, .resuming].contains(process) == (phase == .suspended),
            "\(name) is \(process), and daemons see it \(phase)")
        try invariant(callback == nil || process == .running, "\(name) is in a callback while it is \(process)")
        try invariant(phase != .active || hasArrived, "\(name) is active and has never been active")
    }
}
