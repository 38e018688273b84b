import FleetModel
import Nemesis
import Run

/// Kills, power cuts and boots: what the nemesis decides, done by the World.
extension World {
    /// Everything heals; nothing begins any more.
    package func healEverything() throws {
        try healFaults()
        countedHops = [:]
        countedCalls = [:]
        isCalm = true
    }
    package func scheduleFaults() {
        for (index, fault) in nemesis.faults.enumerated() {
            queue.add(.faultBegins(index), at: fault.spec.from)
            if fault.spec.until > fault.spec.from, !fault.spec.stays {
                queue.add(.faultHeals(index), at: fault.spec.until)
            }
        }
    }
    package func perform(_ act: FaultAct) throws {
        switch act {
        case .command(let id, let message): command(id, message)
        case .commandLater(let id, let span, let message): queue.add(.laterCommand(id, message), at: now + span)
        case .commandAfterHops(let pad, let hops, let message):
            if hops > 0 {
                countedHops[pad, default: HopCounter()].add(.command(message), after: hops)
            } else {
                command(.pad(pad), message)
            }
        case .killApp(let pad, let hops, let reason):
            if hops > 0 {
                countedHops[pad, default: HopCounter()].add(.kill(reason), after: hops)
            } else if let app = liveApps(of: pad).last {
                try kill(app, reason)
            }
        case .afterCall(let pad, let name, let nth, let act):
            countedCalls[pad, default: CallCounter()].add(act, after: nth, name)
        case .powerCut(let pad, let seed, let outage):
            try fall(.pad(pad), with: .powerCut(seed: seed), outage)
        case .reboot(let pad, let outage): try fall(.pad(pad), with: PadCommand.Reboot().message, outage)
        case .crashCloud(let seed, let outage):
            try fall(.cloud, with: CloudCommand.crash.message(["seed": .int(Int64(bitPattern: seed))]), outage)
            try note(Note(.cloudCrashed), from: .cloud)
            try mark(.cloudCrashed, from: .cloud)
        }
    }

    /// A command without an answer. Who is down gets it after the boot: what heals must heal there too.
    func command(_ id: ParticipantID, _ message: Message) {
        if let life = lives[id], !life.isAlive {
            afterBoot[id, default: []].append(message)
            return
        }
        hops.append(
            Delivery(
                from: .people, to: id, payload: .command(message), exchange: 0, cause: "", life: lives[id]?.number ?? 0)
        )
    }

    /// Lets a participant do its last step (tear its own disk), ends it and what runs on it, and boots it after the outage.
    private func fall(_ id: ParticipantID, with message: Message, _ outage: Span) throws {
        guard let life = lives[id], life.isAlive else { return }
        let last = Delivery(
            from: .people, to: id, payload: .command(message), exchange: 0, cause: "", life: life.number)
        try deliver(last)
        if case .pad(let pad) = id { for app in liveApps(of: pad) { end(app) } }
        end(id)
        queue.add(.boot(id), at: now + outage)
    }

    package func boot(_ id: ParticipantID) throws {
        guard !isAlive(id) else { return }
        switch id {
        case .pad(let pad):
            countedHops[pad] = nil
            countedCalls[pad] = nil
            try start(id, spec: plan.padSpec(pad))
            command(id, PadCommand.Boot().message)
        case .cloud:
            try start(id, spec: plan.cloudSpec)
            try note(Note(.cloudRestarted), from: .cloud)
        case .people, .app: return
        }
        for message in afterBoot.removeValue(forKey: id) ?? [] { command(id, message) }
    }

    /// Launches of a Pad that are alive, oldest first.
    func liveApps(of pad: Int) -> [ParticipantID] {
        lives.compactMap { id, life in
            if case .app(pad, _) = id, life.isAlive { id } else { nil }
        }.sorted()
    }

    func kill(_ app: ParticipantID, _ reason: KillReason, detail: String? = nil) throws {
        guard case .app(let pad, let launch) = app, isAlive(app) else { return }
        end(app)
        try mark(reason == .kill ? .appKilled : .appCrashed, from: .pad(pad))
        command(
            .pad(pad),
            Message(
                PadCommand.ProcessExited.name,
                ["launch": .int(launch), "reason": .string(reason.rawValue), "detail": .optional(detail)]))
    }

    /// Counts the hops of an iPad's apps and does what falls due before this one.
    /// - Returns: true when the app was killed and this message is void: it was meant for the dead, or is a call of the dead.
    /// Posts that travel with a call of the dead are void too (Docs/decisions/0004).
    func killIfDue(before delivery: Delivery) throws -> Bool {
        guard !countedHops.isEmpty else { return false }
        let app: ParticipantID
        switch (delivery.from, delivery.to) {
        case (.app, _): app = delivery.from
        case (_, .app): app = delivery.to
        default: return false
        }
        guard let pad = app.pad, try countHop(of: pad, app) else { return false }
        if case .call = delivery.payload { return true }
        return delivery.to == app
    }

    /// Counts one hop; true when the app was killed by it.
    private func countHop(of pad: Int, _ app: ParticipantID) throws -> Bool {
        guard let due = countedHops[pad]?.count() else { return false }
        for act in due {
            switch act {
            case .command(let message): command(.pad(pad), message)
            case .kill(let reason): try kill(app, reason)
            }
        }
        return !isAlive(app)
    }

    /// Counts what an app has asked for and was done, and does what falls due after it.
    func doWhatIsDue(after deliveries: [Delivery], of app: ParticipantID) throws {
        guard !countedCalls.isEmpty, case .app(let pad, _) = app else { return }
        for delivery in deliveries where delivery.to == .pad(pad) {
            for act in countedCalls[pad]?.count(delivery.payload.subject) ?? [] {
                if case .killApp(_, _, let reason) = act { try kill(app, reason) } else { try perform(act) }
            }
        }
    }

    /// A step did not return.
    func ended(_ id: ParticipantID, _ how: ParticipantEnd) throws {
        if let callFailure {
            self.callFailure = nil
            throw callFailure
        }
        switch how {
        case .killed: if isAlive(id) { end(id) }
        case .machineFailed(let text): throw RunEnd(.disk, "\(id): \(text)")
        case .killedFromOutside:
            throw RunEnd.harness(
                "\(id) was killed from outside (signal 9), as the machine does when its memory runs out: use fewer iPads or give it more "
                    + "memory, and run again")
        case .leaked(let text): throw RunEnd(.leak, "\(id): \(text)")
        case .died(let text):
            guard case .app = id else { throw RunEnd.harness("\(id) died: \(text)") }
            try kill(id, .crash, detail: text)
        case .stalled(let text): throw RunEnd.inconclusive("\(id) at \(now): \(text)")
        case .spun:
            guard case .app = id else { throw RunEnd.harness("\(id) did not return from a step") }
            // How far it got depends on the machine: nothing after this moment would be the same twice.
            throw RunEnd.inconclusive("\(id) was spinning at \(now): its step did not end within the wall limit")
        }
    }
}
