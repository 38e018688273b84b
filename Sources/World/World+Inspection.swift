import FleetModel
import Nemesis
import Run

/// What somebody sees who looks at a run between two turns (`onTurn`). Looking changes nothing.
extension World {
    /// Asks a participant that is alive; nil: it shows nothing.
    package func inspect(_ id: ParticipantID, _ question: Message) -> Value? {
        isAlive(id) ? host.inspect(id, question) : nil
    }
    /// Those that are alive, in their order.
    package var living: [ParticipantID] { lives.filter(\.value.isAlive).keys.sorted() }

    /// Messages that have left and not arrived: first those of this instant, then those on the network.
    package var underWay: Value {
        let here = hops.map { shown($0, at: now, number: nil) }
        let later = queue.entries.compactMap { entry -> Value? in
            guard case .arrival(let delivery) = entry.happening else { return nil }
            return shown(delivery, at: entry.at, number: entry.number)
        }
        return .array(here + later)
    }
    private func shown(_ delivery: Delivery, at: Instant, number: UInt64?) -> Value {
        var body: Value = [
            "at": .string(at.wallClock), "from": .string(delivery.from.description),
            "to": .string(delivery.to.description), "kind": .string(delivery.payload.kindName),
            "what": .string(delivery.payload.subject),
        ]
        if let number { body["number"] = .string(String(number)) }
        if !delivery.cause.isEmpty { body["cause"] = .string(delivery.cause) }
        if delivery.life ?? lives[delivery.to]?.number != lives[delivery.to]?.number { body["void"] = true }
        return body
    }

    /// What is to come by itself: timers, faults, boots, in their order. A timer that was replaced is left out.
    package var waits: Value {
        .array(
            queue.entries.compactMap { entry -> Value? in
                guard let (who, what) = words(for: entry.happening) else { return nil }
                return ["at": .string(entry.at.wallClock), "who": .string(who), "what": .string(what)]
            })
    }
    private func words(for happening: Happening) -> (String, String)? {
        switch happening {
        case .arrival: return nil
        case .timer(let id, let generation):
            guard let life = lives[id], life.isAlive, life.generation == generation else { return nil }
            return (id.description, life.isSuspended ? "timer, held while it is suspended" : "timer")
        case .faultBegins(let index): return ("fault", "\(nemesis.faults[index].spec.id) begins")
        case .faultHeals(let index):
            guard nemesis.isActive(index) else { return nil }
            return ("fault", "\(nemesis.faults[index].spec.id) ends")
        case .laterCommand(let id, let message): return (id.description, "command \(message.name)")
        case .boot(let id): return (id.description, "boots")
        }
    }

    /// All faults of the run, and whether each is at work now.
    package var faultStates: Value {
        .array(
            nemesis.faults.enumerated().map { index, fault in
                let spec = fault.spec
                return [
                    "id": .string(spec.id), "kind": .string(spec.kind), "active": .bool(nemesis.isActive(index)),
                    "from": .string(spec.from.wallClock),
                    "until": .string(spec.stays ? "the end" : spec.until.wallClock),
                    "ipads": .array(spec.pads.map { .int($0) }),
                ]
            })
    }
}

/// One thing done otherwise than in the run that was recorded. To be called between two turns.
extension World {
    /// Why something cannot be changed here.
    package struct NoChange: Error, CustomStringConvertible {
        package var description: String
    }

    /// From now on nothing is taken from the tape: what a fault no longer does would still stand there.
    package func leaveTape() { plan.outcomes = nil }

    /// A message on the network gets lost, and nobody hears of it; or it comes later.
    /// - Parameter delay: nil: it is lost.
    package func bend(_ number: UInt64, delay: Span?) throws {
        guard let entry = queue.entries.first(where: { $0.number == number }), case .arrival = entry.happening else {
            throw NoChange(description: "no message \(number) is under way; see 'messages'")
        }
        guard let taken = queue.take(number), let delay else { return }
        queue.add(taken.happening, at: taken.at + delay)
    }
    /// SIGKILL to a launch.
    package func killApp(_ app: ParticipantID) throws {
        guard case .app = app, isAlive(app) else { throw NoChange(description: "\(app) does not run") }
        try kill(app, .kill)
    }
    /// The power of an iPad is gone, and comes back after a while.
    package func cutPower(of pad: Int, for outage: Span) throws {
        guard isAlive(.pad(pad)) else { throw NoChange(description: "ipad-\(pad) is off already") }
        try perform(.powerCut(pad: pad, seed: StableHash.of(plan.seed, "branch", "\(now.nanoseconds)"), outage: outage))
    }
    /// The Cloud's process dies, and comes back after a while.
    package func crashCloud(for outage: Span) throws {
        guard isAlive(.cloud) else { throw NoChange(description: "the Cloud is down already") }
        try perform(.crashCloud(seed: StableHash.of(plan.seed, "branch", "\(now.nanoseconds)"), outage: outage))
    }
    /// A fault ends now; one that has not begun never begins.
    package func turnOff(_ id: String) throws {
        guard let index = nemesis.faults.firstIndex(where: { $0.spec.id == id }) else {
            throw NoChange(description: "there is no fault '\(id)'; see 'faults'")
        }
        let coming = queue.entries.first {
            if case .faultBegins(index) = $0.happening { true } else { false }
        }
        if let coming {
            _ = queue.take(coming.number)
        } else if nemesis.isActive(index) {
            try faultHeals(index)
        } else {
            throw NoChange(description: "the fault '\(id)' is over already")
        }
    }
}
