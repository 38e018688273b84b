import FleetModel

/// Setup Assistant: an iPad, or a person who has logged in, waits there for the management server (shared-ipad.md 3, 9.1, 9.2).
final class SetupAssistant: PadService {
    let kernel: Kernel
    /// Sign-ins that are held in Setup Assistant until the server says UserConfigured; nil: nobody is.
    private var heldSignIns: [Command]?
    /// Sign-ins that wait for DeviceConfigured, each for its own time; first come, first due.
    private var setupSignIns: [(command: Command, until: Instant)] = []

    init(_ kernel: Kernel) { self.kernel = kernel }

    /// Whether a person who has logged in is held here.
    var isHolding: Bool { heldSignIns != nil }

    /// ASSUMED: who is held so long goes away.
    private static let setupPatience = Span.minutes(10)

    /// AwaitUserConfiguration: the session has begun and nothing can be opened. ASSUMED: at every log-in of an account, cached or not.
    func holdForSetup(_ person: Person) {
        guard kernel.state.management.configuration.awaitUserConfiguration, kernel.state[person]?.isGuest == false
        else { return }
        heldSignIns = []
        kernel.timers.set(.setup, at: now + kernel.spec.real(Self.setupPatience))
    }
    /// Answers a sign-in: at once, or when the person is let go.
    func admitted(_ command: Command) {
        if isHolding { heldSignIns?.append(command) } else { done(command) }
    }

    func userConfigured() {
        guard let held = heldSignIns else { return }
        heldSignIns = nil
        kernel.timers.cancel(.setup)
        for command in held { done(command) }
        mark(.userConfigured)
        // What daemons wanted an app for meanwhile.
        pad.daemons.tell(.networkReturned)
    }
    func setupTakesTooLong() {
        if isHolding, let person = pad.sessions.activePerson { return pad.sessions.beginSignOut(person, forced: true) }
        // All wait equally long: the first to come goes first.
        while let first = setupSignIns.first, first.until <= now {
            setupSignIns.removeFirst()
            let person = first.command.message["person"]?.string ?? ""
            pad.sessions.signIns.refuseSignIn(
                first.command, person, "\(deviceName) is not configured yet: its server has not answered")
        }
        if let next = setupSignIns.first { kernel.timers.set(.setup, at: next.until) }
    }
    func ends(_ ending: Ending) {
        switch ending {
        case .session(_, let reason): letGo(reason)
        case .loginScreen: letGo("\(deviceName) is at its login screen")
        case .life(let reason):
            for waiting in setupSignIns { refuse(waiting.command, reason) }
            setupSignIns = []
            letGo(reason)
        case .launch, .account: break
        }
    }
    /// Of what was held nobody has use any more.
    private func letGo(_ reason: String) {
        guard let held = heldSignIns else { return }
        heldSignIns = nil
        kernel.timers.cancel(.setup)
        for command in held { refuse(command, "\(reason) before it was configured") }
    }

    /// Said to an iPad that waits for nothing, it changes nothing (ASSUMED).
    func deviceConfigured() {
        guard kernel.state.management.isAwaitingConfiguration else { return }
        kernel.state.management.isAwaitingConfiguration = false
        kernel.timers.cancel(.setup)
        mark(.deviceConfigured)
        let waiting = setupSignIns
        setupSignIns = []
        for (command, _) in waiting { pad.sessions.signIns.personSignsIn(command) }
    }
    /// ASSUMED: a person who stands before it waits as long as for a network that does not answer, each since they came.
    private static let configurationPatience = Span.seconds(60)
    func waitForConfiguration(_ command: Command) {
        let until = now + kernel.spec.real(Self.configurationPatience)
        setupSignIns.append((command, until))
        kernel.timers.setIfAbsent(.setup, at: until)
    }

    func isAwaitingConfiguration(_ side: ManagementSide) -> Bool {
        side == .device ? kernel.state.management.isAwaitingConfiguration : isHolding
    }
}
