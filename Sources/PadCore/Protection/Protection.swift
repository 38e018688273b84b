import FleetModel

/// The sleep button, the passcode, an administrator's lock and the lock that comes by itself (app-lifecycle.md 2, 10; shared-ipad.md 9.1).
///
/// Signing in is the first unlock, signing out or being logged out ends every lock; in between a lock keeps the session. A guest has no
/// passcode: the screen goes dark, nothing is sealed.
final class Protection: PadService {
    let kernel: Kernel
    /// The screen is locked while a person is signed in (`device.lock`).
    private(set) var isLocked = false
    /// How long after a lock the person needs no passcode: what was set when they signed in, or less.
    private var lockGrace = Span.zero
    /// The app that comes back when the person unlocks.
    private var lockedApp: AppName?
    /// Whether files of class complete can be read (app-lifecycle.md 10); with nobody signed in there is no key (shared-ipad.md 2).
    private(set) var isProtectedDataAvailable = false

    init(_ kernel: Kernel) { self.kernel = kernel }

    /// Source: app-lifecycle.md 10: the key of complete protection is discarded about 10 s after the lock (unsourced).
    private static let sealTime = Span.seconds(10)
    /// ASSUMED: apps are told this long before.
    private static let noticeTime = Span.seconds(1)
    private static let becomesUnavailable = "UIApplicationProtectedDataWillBecomeUnavailable"
    private static let becameAvailable = "UIApplicationProtectedDataDidBecomeAvailable"

    /// The app on the screen leaves it as for the home button (S186); answered when it has.
    func lock(_ command: Command) {
        guard pad.sessions.activePerson != nil else { return refuse(command, "nobody is signed in") }
        lockScreen()
        guard let foreground = pad.apps.screen.foreground, pad.apps[foreground] != nil else {
            return done(command)
        }
        pad.apps.screen.answerWhenLeft(command)
    }

    /// Nobody has done anything for a while.
    func lockByItself() {
        lockScreen()
        mark(.autoLocked)
    }
    /// Nothing at the login screen, or when it is locked already.
    func lockScreen() {
        guard pad.sessions.activePerson != nil, !isLocked else { return }
        isLocked = true
        kernel.timers.cancel(.autoLock)
        mark(.locked)
        if !isGuestSession {
            let sealing = lockGrace + Self.sealTime
            kernel.timers.set(
                .protectedDataNotice, at: now + Span(nanoseconds: sealing.nanoseconds - Self.noticeTime.nanoseconds))
            kernel.timers.set(.protectedData, at: now + sealing)
        }
        pad.apps.screen.refuseOpening("\(deviceName) was locked")
        lockedApp = pad.apps.screen.foreground.flatMap { pad.apps[$0]?.identity.app }
        if let foreground = pad.apps.screen.foreground { pad.apps.set(.background, of: foreground) }
        kernel.needsSettling = true
    }

    /// Protected data first, then the app that was on the screen comes back; answered when it has.
    func unlock(_ command: Command) {
        guard pad.sessions.activePerson != nil else { return refuse(command, "nobody is signed in") }
        guard isLocked else { return done(command) }
        openLock()
        guard let app = lockedApp else { return done(command) }
        lockedApp = nil
        pad.apps.screen.open(
            Command(
                from: command.from, message: Message(command.message.name, PadCommand.OpenApp(app: app).body),
                exchange: command.exchange))
    }
    /// The passcode was given.
    func openLock() {
        guard isLocked else { return }
        let wasAnnounced = kernel.timers.next(.protectedDataNotice) == nil && !isGuestSession
        if wasAnnounced { pad.notices.give(notice: AppMessages.Notice { $0.notice = Self.becameAvailable }) }
        forgetLock()
    }
    private var isGuestSession: Bool { pad.sessions.person.flatMap { kernel.state[$0] }?.isGuest ?? false }

    /// The key of complete protection is thrown away.
    func seal() { isProtectedDataAvailable = false }
    func announceSealing() { pad.notices.give(notice: AppMessages.Notice { $0.notice = Self.becomesUnavailable }) }

    /// A sign-in ends in an unlocked iPad: the passcode gave the keys (shared-ipad.md 2).
    func hasUnlocked(_ person: Person) -> Bool { pad.sessions.person == person }
    func hasPasscode(_ person: Person) -> Bool { kernel.state[person].map { !$0.isGuest } ?? false }

    /// A session begins.
    func unlockedBySignIn() {
        isProtectedDataAvailable = true
        lockGrace = .seconds(Int64(kernel.state.management.configuration.passcodeLockGracePeriod))
    }
    func ends(_ ending: Ending) {
        guard ending == .loginScreen else { return }
        forgetLock()
        lockedApp = nil
        kernel.timers.cancel(.autoLock)
    }

    /// No lock: after an unlock, and at the login screen, where nobody's apps run and nobody's keys are there.
    private func forgetLock() {
        isLocked = false
        isProtectedDataAvailable = pad.sessions.person != nil
        kernel.timers.cancel(.protectedDataNotice)
        kernel.timers.cancel(.protectedData)
        pad.management.channels.resumeManagement(isAbleNow: true)
    }

    /// Called whenever somebody does something at the iPad.
    func watchForAutoLock() {
        guard let seconds = kernel.state.management.configuration.autoLockTime, pad.sessions.activePerson != nil,
            !isLocked
        else {
            return kernel.timers.cancel(.autoLock)
        }
        kernel.timers.set(.autoLock, at: now + .seconds(Int64(seconds)))
    }

    /// A longer grace holds from the next sign-in, a shorter one at once (shared-ipad.md 9.1).
    func lockGraceChanged() {
        lockGrace = min(lockGrace, .seconds(Int64(kernel.state.management.configuration.passcodeLockGracePeriod)))
    }
}

extension Protection {
    func checkInvariants() throws(BrokenInvariant) {
        guard !kernel.isDown else { return }
        let isThere = pad.sessions.person != nil
        try invariant(!isLocked || isThere, "the screen is locked, and nobody is signed in")
        try invariant(!isProtectedDataAvailable || isThere, "protected data can be read, and nobody is signed in")
        try invariant(
            isLocked || isProtectedDataAvailable == isThere, "nothing is locked, and protected data cannot be read")
    }
}
