import FleetModel

/// The sleep button and the passcode (app-lifecycle.md 2, 10). Signing in is the first unlock; a lock keeps the session.
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
        guard !isLocked else { return done(command) }
        isLocked = true
        timers.set(
            .protectedDataNotice, at: now + Span(nanoseconds: Self.sealTime.nanoseconds - Self.noticeTime.nanoseconds))
        timers.set(.protectedData, at: now + Self.sealTime)
        refuseOpening("\(deviceName) was locked")
        lockedApp = foreground.flatMap { runs[$0]?.identity.app }
        guard let foreground, runs[foreground] != nil else { return done(command) }
        runs[foreground]?.goal = .background
        homeCommands.append(command)
    }

    /// Protected data first, then the app that was on the screen comes back; answered when it has.
    func unlock(_ command: Command) {
        guard session.activePerson != nil else { return refuse(command, "nobody is signed in") }
        guard isLocked else { return done(command) }
        if timers.next(.protectedDataNotice) == nil { give(notice: ["name": .string(Self.becameAvailable)]) }
        forgetLock()
        guard let app = lockedApp else { return done(command) }
        lockedApp = nil
        open(
            Command(
                from: command.from, message: Message(command.message.name, ["app": .string(app)]),
                exchange: command.exchange))
    }

    func announceSealing() { give(notice: ["name": .string(Self.becomesUnavailable)]) }

    /// No lock, no key thrown away: after an unlock, and at the login screen, where nobody's apps run.
    func forgetLock() {
        isLocked = false
        isProtectedDataAvailable = true
        timers.cancel(.protectedDataNotice)
        timers.cancel(.protectedData)
    }
}
