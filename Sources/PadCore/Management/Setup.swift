import FleetModel

/// Setup Assistant: an iPad, or whoever has logged in, waits there for the management server (shared-ipad.md 3, 9.1, 9.2).
extension Pad {
    /// ASSUMED: who is held so long goes away.
    private static let setupPatience = Span.minutes(10)

    /// AwaitUserConfiguration: the session has begun and nothing can be opened. ASSUMED: at every log-in of an account, cached or not.
    func holdForSetup(_ person: Person) {
        guard state.configuration.awaitUserConfiguration, state[person]?.isGuest == false else { return }
        heldSignIns = []
        timers.set(.setup, at: now + spec.real(Self.setupPatience))
    }
    /// Answers a sign-in: at once, or when the person is let go.
    func admitted(_ command: Command) {
        if heldSignIns == nil { done(command) } else { heldSignIns?.append(command) }
    }

    func userConfigured() {
        guard let held = heldSignIns else { return }
        heldSignIns = nil
        timers.cancel(.setup)
        for command in held { done(command) }
        mark("user-configured")
        // What daemons wanted an app for meanwhile.
        tell(.networkReturned)
    }
    func setupTakesTooLong() {
        if heldSignIns != nil, let person = session.activePerson { return beginSignOut(person, forced: true) }
        // All wait equally long: whoever came first goes first.
        while let first = setupSignIns.first, first.until <= now {
            setupSignIns.removeFirst()
            let person = first.command.message["person"]?.string ?? ""
            refuseSignIn(first.command, person, "\(deviceName) is not configured yet: its server has not answered")
        }
        if let next = setupSignIns.first { timers.set(.setup, at: next.until) }
    }
    /// The session ends, and with it what was held and its connection.
    func endSetup(_ reason: String) {
        forgetUserChannel()
        guard let held = heldSignIns else { return }
        heldSignIns = nil
        timers.cancel(.setup)
        for command in held { refuse(command, "\(reason) before it was configured") }
    }

    /// Said to an iPad that waits for nothing, it changes nothing (ASSUMED).
    func deviceConfigured() {
        guard state.isAwaitingConfiguration else { return }
        state.isAwaitingConfiguration = false
        timers.cancel(.setup)
        mark("device-configured")
        let waiting = setupSignIns
        setupSignIns = []
        for (command, _) in waiting { personSignsIn(command) }
    }
    /// ASSUMED: whoever stands before it waits as long as for a network that does not answer, each since they came.
    private static let configurationPatience = Span.seconds(60)
    func waitForConfiguration(_ command: Command) {
        let until = now + spec.real(Self.configurationPatience)
        setupSignIns.append((command, until))
        timers.setIfAbsent(.setup, at: until)
    }

    func isAwaitingConfiguration(_ side: ManagementSide) -> Bool {
        side == .device ? state.isAwaitingConfiguration : heldSignIns != nil
    }
}
