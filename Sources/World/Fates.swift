import FleetModel
import Nemesis

/// Kills, power cuts and boots: what the nemesis decides, done by the World.
extension World {
    func faultBegins(_ index: Int) throws {
        let fault = nemesis.faults[index]
        try note(Note(.faultBegan, detail: fault.spec.body), from: .people)
        nemesis.begin(index)
        for act in fault.begin() { try perform(act) }
    }
    func faultHeals(_ index: Int) throws {
        guard nemesis.isActive(index) else { return }
        let fault = nemesis.faults[index]
        nemesis.heal(index)
        for act in fault.heal() { try perform(act) }
        try note(Note(.faultHealed, detail: ["id": .string(fault.spec.id), "kind": .string(fault.spec.kind)]), from: .people)
    }

    func perform(_ act: FaultAct) throws {
        switch act {
        case .command(let id, let message): command(id, message)
        case .killApp(let pad, let hops):
            pendingKills[pad] = hops
            if hops == 0 { try killNewestApp(of: pad) }
        case .powerCut(let pad, let seed, let outage):
            try fall(.pad(pad), with: Message("device.powerCut", ["seed": .int(Int64(bitPattern: seed))]), outage)
        case .reboot(let pad, let outage): try fall(.pad(pad), with: Message("device.reboot"), outage)
        case .crashCloud(let seed, let outage):
            try fall(.cloud, with: Message("cloud.crash", ["seed": .int(Int64(bitPattern: seed))]), outage)
            try note(Note(.cloudCrashed), from: .cloud)
            try mark("cloud-crashed", from: .cloud)
        }
    }

    /// A command without an answer.
    func command(_ id: ParticipantID, _ message: Message) {
        hops.append(Delivery(from: .people, to: id, payload: .command(message), exchange: 0, cause: "", life: lives[id]?.number ?? 0))
    }

    /// Lets a participant do its last step (tear its own disk), ends it and what runs on it, and boots it after the outage.
    private func fall(_ id: ParticipantID, with message: Message, _ outage: Span) throws {
        guard let life = lives[id], life.isAlive else { return }
        let last = Delivery(from: .people, to: id, payload: .command(message), exchange: 0, cause: "", life: life.number)
        try deliver(last)
        if case .pad(let pad) = id { for app in liveApps(of: pad) { end(app) } }
        end(id)
        queue.add(.boot(id), at: now + outage)
    }

    func boot(_ id: ParticipantID) throws {
        guard !isAlive(id) else { return }
        switch id {
        case .pad(let pad):
            pendingKills[pad] = nil
            try start(id, spec: plan.padSpec(pad))
            command(id, Message("device.boot"))
        case .cloud:
            try start(id, spec: plan.cloudSpec)
            try note(Note(.cloudRestarted), from: .cloud)
        case .people, .app: break
        }
    }

    /// Launches of a Pad that are alive, oldest first.
    func liveApps(of pad: Int) -> [ParticipantID] {
        lives.compactMap { id, life in
            if case .app(pad, _) = id, life.isAlive { id } else { nil }
        }.sorted()
    }

    private func killNewestApp(of pad: Int) throws {
        pendingKills[pad] = nil
        guard let app = liveApps(of: pad).last else { return }
        try kill(app, reason: "kill")
    }
    private func kill(_ app: ParticipantID, reason: String, detail: String? = nil) throws {
        guard case .app(let pad, let launch) = app, isAlive(app) else { return }
        end(app)
        if reason == "kill" { try mark("app-killed", from: .pad(pad)) }
        command(.pad(pad), Message("app.exited", ["launch": .int(launch), "reason": .string(reason), "detail": .optional(detail)]))
    }

    /// Counts the hops of an iPad's apps; true when the kill falls due before this one, which then never arrives.
    func killIfDue(before delivery: Delivery) throws -> Bool {
        guard !pendingKills.isEmpty else { return false }
        let app: ParticipantID
        switch (delivery.from, delivery.to) {
        case (.app, _): app = delivery.from
        case (_, .app): app = delivery.to
        default: return false
        }
        guard let pad = app.pad, let left = pendingKills[pad] else { return false }
        if left > 1 {
            pendingKills[pad] = left - 1
            return false
        }
        pendingKills[pad] = nil
        try kill(app, reason: "kill")
        // What the dead app had already sent still arrives; what was meant for it does not.
        return delivery.to == app || { if case .call = delivery.payload { true } else { false } }()
    }

    /// A step did not return.
    func ended(_ id: ParticipantID, _ how: ParticipantEnd) throws {
        if let callFailure {
            self.callFailure = nil
            throw callFailure
        }
        switch how {
        case .killed: if isAlive(id) { end(id) }
        case .leaked(let text): throw HarnessProblem("\(id): \(text)", isLeak: true)
        case .died(let text):
            guard case .app = id else { throw HarnessProblem("\(id) died: \(text); its log tells more") }
            try kill(id, reason: "crash", detail: text)
        case .spun:
            guard case .app = id else { throw HarnessProblem("\(id) did not return from a step") }
            obstacles.append("\(id) was spinning at \(now): its step did not end within the wall limit")
            try kill(id, reason: "spin")
        }
    }
}
