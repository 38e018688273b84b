import FleetModel
import Storage

/// The iPad as a machine: start, orderly stop, loss of power, clock, airplane mode.
final class Device: PadService {
    let kernel: Kernel

    init(_ kernel: Kernel) { self.kernel = kernel }

    /// First thing in a life: daemons read the queues of every volume that is on the iPad.
    func boot() {
        pad.daemons.boot()
        pad.residents.removeGuests()
        pad.daemons.tell(.networkReturned)
        pad.management.channels.resumeManagement(isAbleNow: true)
        pad.storage.localData.purgeWhatIsDue()
    }

    /// Orderly: what was not written is written; apps get no callback (app-lifecycle.md 5).
    func reboot(_ command: Command) {
        endAll(reason: .reboot)
        kernel.saveState()
        for person in pad.residents.people { pad.storage.volume(of: person)?.disk.flush() }
        kernel.systemDisk.flush()
        note(Note(.rebooted))
        mark(.rebooted)
        done(command)
        goDown()
    }

    /// The disks lose or tear what was not synced.
    func powerCut(_ command: Command) {
        let seed = UInt64(bitPattern: command.asked(PadCommand.PowerCut.self).seed ?? 0)
        if pad.residents.people.contains(where: hasUnsyncedFiles) { mark(.powerCutWithUnsynced) }
        endAll(reason: .powerCut)
        for person in pad.residents.people {
            guard let volume = pad.storage.volume(of: person) else { continue }
            volume.disk.powerCut(seed: StableHash.of(seed, deviceName, "person-\(person)"))
        }
        kernel.systemDisk.powerCut(seed: StableHash.of(seed, deviceName, "system"))
        note(Note(.powerCut, detail: ["signedIn": .optional(pad.sessions.person)]))
        done(command)
        goDown()
    }
    /// Whether apps' files of a person are such that the power takes something; the system's own database is always in order.
    private func hasUnsyncedFiles(_ person: Person) -> Bool {
        guard let disk = pad.storage.volume(of: person)?.disk else { return false }
        return [Pad.containers, Pad.ubiquity].contains { !disk.unsyncedFiles(under: $0).isEmpty }
    }

    private func endAll(reason: EndReason) {
        // A daemon that hears of the end of an app may still save something; without power it cannot.
        for launch in pad.apps.launches {
            if reason == .powerCut {
                pad.apps.withdraw(launch, reason: reason)
            } else {
                pad.apps.end(launch, reason: reason)
            }
        }
        pad.end(.life(reason: "\(deviceName) went down"))
    }
    private func goDown() {
        kernel.goDown()
        pad.storage.close()
    }

    func setClock(_ command: Command) {
        let wish = command.asked(PadCommand.SetClock.self)
        let (offset, drift) = (wish.offset?.int ?? clockOffset, wish.drift ?? 0)
        kernel.state.device.clock = DeviceClock(offset: offset, drift: drift, since: now)
        if offset != 0, wish.offset != nil { mark(.clockSkewed) }
        if drift != 0 { mark(.clockDrifted) }
        done(command)
    }
    /// `clock.jump {by}`: from what it shows now; it goes on as it did.
    func jumpClock(_ command: Command) {
        let by = command.asked(PadCommand.JumpClock.self).by
        guard by != 0, by.magnitude <= Self.longestJump.magnitude else {
            return refuse(command, "'by' is missing, 0 or more than a year: nanoseconds that the clock jumps by")
        }
        kernel.state.device.clock = DeviceClock(
            offset: clockOffset &+ by, drift: kernel.state.device.clock.drift, since: now)
        mark(.clockJumped)
        done(command)
    }
    /// By how much it is off now.
    private var clockOffset: Int64 {
        kernel.state.device.clock.reading(at: now) &- Instant.epochNanoseconds &- now.nanoseconds
    }
    private static let longestJump = Span.hours(366 * 24).nanoseconds

    /// `device.power {on}`, `device.wifi {on}`: what discretionary transfers wait for (app-lifecycle.md 7). Without Wi-Fi a cellular network
    /// is left; with none at all the iPad is in airplane mode.
    /// - Parameter lack: the mark of its being gone.
    func setPower(_ command: Command) { setCondition(\.isOnPower, lack: .onBattery, command) }
    func setWiFi(_ command: Command) { setCondition(\.isOnWiFi, lack: .noWiFi, command) }
    private func setCondition(_ condition: WritableKeyPath<DeviceConditions, Bool>, lack: Mark, _ command: Command) {
        guard let on = command.whole(PadCommand.SetAirplane.self)?.on else {
            return refuse(command, "'on' is missing: true or false")
        }
        if on != kernel.state.device[keyPath: condition] {
            kernel.state.device[keyPath: condition] = on
            pad.daemons.tell(.suitsDiscretionary)
        }
        if !on { mark(lack) }
        done(command)
    }
    func setAirplane(_ command: Command) {
        guard let on = command.whole(PadCommand.SetAirplane.self)?.on else {
            return refuse(command, "'on' is missing: true or false")
        }
        if on != kernel.state.device.isAirplaneMode {
            kernel.state.device.isAirplaneMode = on
            if on {
                pad.network.breakConnections()
            } else {
                pad.daemons.tell(.networkReturned)
                pad.management.channels.resumeManagement()
            }
            pad.network.tellReachability()
        }
        if on { mark(.airplane) }
        done(command)
    }
}
