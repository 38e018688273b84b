import FleetModel
import Storage

/// The iPad as a machine: start, orderly stop, loss of power, clock, airplane mode.
extension Pad {
    /// First thing in a life: daemons read the queues of every volume that is on the iPad.
    func boot() {
        isBooted = true
        for daemon in daemons { daemon.boot(self) }
        removeGuests()
        tell(.networkReturned)
        resumeManagement(isAbleNow: true)
        purgeWhatIsDue()
    }

    /// Orderly: what was not written is written; apps get no callback (app-lifecycle.md 5).
    func reboot(_ command: Command) {
        endAll(reason: "reboot")
        saveState()
        for person in people { volume(of: person)?.disk.flush() }
        systemDisk.flush()
        note(Note(.rebooted))
        mark("rebooted")
        done(command)
        goDown()
    }

    /// The disks lose or tear what was not synced.
    func powerCut(_ command: Command) {
        let seed = UInt64(bitPattern: command.message["seed"]?.int ?? 0)
        if people.contains(where: hasUnsyncedFiles) { mark("power-cut-with-unsynced") }
        endAll(reason: "powerCut")
        for person in people {
            guard let volume = volume(of: person) else { continue }
            volume.disk.powerCut(seed: StableHash.of(seed, deviceName, "person-\(person)"))
        }
        systemDisk.powerCut(seed: StableHash.of(seed, deviceName, "system"))
        note(Note(.powerCut, detail: ["signedIn": .optional(session.person)]))
        done(command)
        goDown()
    }
    /// Whether apps' files of a person are such that the power takes something; the system's own database is always in order.
    private func hasUnsyncedFiles(_ person: Person) -> Bool {
        guard let disk = volume(of: person)?.disk else { return false }
        return [Self.containers, Self.ubiquity].contains { !disk.unsyncedFiles(under: $0).isEmpty }
    }

    private func endAll(reason: String) {
        // A daemon that hears of the end of an app may still save something; without power it cannot.
        for launch in runs.keys.sorted() {
            if reason == "powerCut" { withdraw(launch, reason: reason) } else { end(launch, reason: reason) }
        }
        if let attempt = signIn {
            signIn = nil
            refuse(attempt.command, "\(deviceName) went down")
        }
        refuseEverybody("\(deviceName) went down")
    }
    /// Whoever still waits for the session or an app gets no more than this answer.
    func refuseEverybody(_ reason: String) {
        for command in signOutCommands + queuedSignIns + setupSignIns.map(\.command) + homeCommands {
            refuse(command, reason)
        }
        if let pressure {
            refuse(pressure.command, reason)
            self.pressure = nil
        }
        refuseOpening(reason)
        refuseWaitingQuestions(reason)
        endSetup(reason)
        (signOutCommands, queuedSignIns, setupSignIns, homeCommands) = ([], [], [], [])
    }
    private func goDown() {
        isDown = true
        volumes = [:]
        timers = TimerQueue()
    }

    func setClock(_ command: Command) {
        let offset = command.message["offset"]?.int ?? clockOffset
        let drift = command.message["drift"]?.int ?? 0
        state.clock = DeviceClock(offset: offset, drift: drift, since: now)
        if offset != 0, command.message["offset"] != nil { mark("clock-skewed") }
        if drift != 0 { mark("clock-drifted") }
        done(command)
    }
    /// `clock.jump {by}`: from what it shows now; it goes on as it did.
    func jumpClock(_ command: Command) {
        guard let by = command.message["by"]?.int, by != 0, abs(by) <= Self.longestJump else {
            return refuse(command, "'by' is missing, 0 or more than a year: nanoseconds that the clock jumps by")
        }
        state.clock = DeviceClock(offset: clockOffset &+ by, drift: state.clock.drift, since: now)
        mark("clock-jumped")
        done(command)
    }
    /// By how much it is off now.
    private var clockOffset: Int64 { state.clock.reading(at: now) &- Instant.epochNanoseconds &- now.nanoseconds }
    private static let longestJump = Span.hours(366 * 24).nanoseconds

    /// `device.power {on}`, `device.wifi {on}`: what discretionary transfers wait for (app-lifecycle.md 7). Without Wi-Fi a cellular network
    /// is left; with none at all the iPad is in airplane mode.
    /// - Parameter lack: the mark of its being gone.
    func setCondition(_ condition: WritableKeyPath<SystemState, Bool>, lack: String, _ command: Command) {
        guard let on = command.message["on"]?.bool else { return refuse(command, "'on' is missing: true or false") }
        if on != state[keyPath: condition] {
            state[keyPath: condition] = on
            tell(.suitsDiscretionary)
        }
        if !on { mark(lack) }
        done(command)
    }
    func setAirplane(_ command: Command) {
        guard let on = command.message["on"]?.bool else { return refuse(command, "'on' is missing: true or false") }
        if on != state.isAirplaneMode {
            state.isAirplaneMode = on
            if on {
                breakConnections()
            } else {
                tell(.networkReturned)
                resumeManagement()
            }
            tellReachability()
        }
        if on { mark("airplane") }
        done(command)
    }
}
