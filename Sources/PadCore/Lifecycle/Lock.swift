import FleetModel

/// The sleep button, the passcode, an administrator's lock and the lock that comes by itself (app-lifecycle.md 2, 10; shared-ipad.md 9.1).
///
/// Signing in is the first unlock, signing out or being logged out ends every lock; in between a lock keeps the session. A guest has no
/// passcode: the screen goes dark, nothing is sealed.
extension Pad {
    /// Source: app-lifecycle.md 10: the key of complete protection is discarded about 10 s after the lock (unsourced).
    private static let sealTime = Span.seconds(10)
    /// ASSUMED: apps are told this long before.
    private static let noticeTime = Span.seconds(1)
    private static let becomesUnavailable = "UIApplicationProtectedDataWillBecomeUnavailable"
    private static let becameAvailable = "UIApplicationProtectedDataDidBecomeAvailable"

    /// The app on the screen leaves it as for the home button (S186); answered when it has.
    func lock(_ command: Command) {
        guard session.activePerson != nil else { return refuse(command, "nobody is signed in") }
        lockScreen()
        guard let foreground, runs[foreground] != nil else { return done(command) }
        homeCommands.append(command)
    }

    /// Nothing at the login screen, or when it is locked already.
    func lockScreen() {
        guard session.activePerson != nil, !isLocked else { return }
        isLocked = true
        timers.cancel(.autoLock)
        mark("locked")
        if !isGuestSession {
            let sealing = lockGrace + Self.sealTime
            timers.set(
                .protectedDataNotice, at: now + Span(nanoseconds: sealing.nanoseconds - Self.noticeTime.nanoseconds))
            timers.set(.protectedData, at: now + sealing)
        }
        refuseOpening("\(deviceName) was locked")
        lockedApp = foreground.flatMap { runs[$0]?.identity.app }
        if let foreground { runs[foreground]?.goal = .background }
        needsSettling = true
    }

    /// Protected data first, then the app that was on the screen comes back; answered when it has.
    func unlock(_ command: Command) {
        guard session.activePerson != nil else { return refuse(command, "nobody is signed in") }
        guard isLocked else { return done(command) }
        openLock()
        guard let app = lockedApp else { return done(command) }
        lockedApp = nil
        open(
            Command(
                from: command.from, message: Message(command.message.name, ["app": .string(app)]),
                exchange: command.exchange))
    }
    /// The passcode was given.
    func openLock() {
        guard isLocked else { return }
        let wasAnnounced = timers.next(.protectedDataNotice) == nil && !isGuestSession
        if wasAnnounced { give(notice: ["name": .string(Self.becameAvailable)]) }
        forgetLock()
    }
    private var isGuestSession: Bool { session.person.flatMap { state[$0] }?.isGuest ?? false }

    func announceSealing() { give(notice: ["name": .string(Self.becomesUnavailable)]) }

    /// A sign-in ends in an unlocked iPad: the passcode gave the keys (shared-ipad.md 2).
    func hasUnlocked(_ person: Person) -> Bool { session.person == person }
    func hasPasscode(_ person: Person) -> Bool { state[person].map { !$0.isGuest } ?? false }

    /// No lock: after an unlock, and at the login screen, where nobody's apps run and nobody's keys are there.
    func forgetLock() {
        isLocked = false
        isProtectedDataAvailable = session.person != nil
        timers.cancel(.protectedDataNotice)
        timers.cancel(.protectedData)
        resumeManagement(isAbleNow: true)
    }

    /// Called whenever somebody does something at the iPad.
    func watchForAutoLock() {
        guard let seconds = state.configuration.autoLockTime, session.activePerson != nil, !isLocked else {
            return timers.cancel(.autoLock)
        }
        timers.set(.autoLock, at: now + .seconds(Int64(seconds)))
    }

    /// A longer grace holds from the next sign-in, a shorter one at once (shared-ipad.md 9.1).
    func lockGraceChanged() {
        lockGrace = min(lockGrace, .seconds(Int64(state.configuration.passcodeLockGracePeriod)))
    }
}
