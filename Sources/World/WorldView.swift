import FleetModel
import Nemesis
import Run

/// What somebody sees who looks at a run between two turns (`onTurn`). Looking changes nothing.
package struct WorldView {
    private let world: World
    package init(_ world: World) { self.world = world }

    /// Asks a participant that is alive; nil: it shows nothing.
    package func inspect(_ id: ParticipantID, _ question: Message) -> Value? {
        world.isAlive(id) ? world.host.inspect(id, question) : nil
    }
    /// Those that are alive, in their order.
    package var living: [ParticipantID] { world.lives.filter(\.value.isAlive).keys.sorted() }

    /// Messages that have left and not arrived: first those of this instant, then those on the network.
    package var underWay: Value {
        let here = world.hops.map { shown($0, at: world.now, number: nil) }
        let later = world.queue.entries.compactMap { entry -> Value? in
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
        if delivery.life ?? world.lives[delivery.to]?.number != world.lives[delivery.to]?.number { body["void"] = true }
        return body
    }

    /// What is to come by itself: timers, faults, boots, in their order. A timer that was replaced is left out.
    package var waits: Value {
        .array(
            world.queue.entries.compactMap { entry -> Value? in
                guard let (who, what) = words(for: entry.happening) else { return nil }
                return ["at": .string(entry.at.wallClock), "who": .string(who), "what": .string(what)]
            })
    }
    private func words(for happening: Happening) -> (String, String)? {
        switch happening {
        case .arrival: return nil
        case .timer(let id, let generation):
            guard let life = world.lives[id], life.isAlive, life.generation == generation else { return nil }
            return (id.description, life.isSuspended ? "timer, held while it is suspended" : "timer")
        case .faultBegins(let index): return ("fault", "\(world.nemesis.faults[index].spec.id) begins")
        case .faultHeals(let index):
            guard world.nemesis.isActive(index) else { return nil }
            return ("fault", "\(world.nemesis.faults[index].spec.id) ends")
        case .laterCommand(let id, let message): return (id.description, "command \(message.name)")
        case .boot(let id): return (id.description, "boots")
        }
    }

    /// All faults of the run, and whether each is at work now.
    package var faultStates: Value {
        .array(
            world.nemesis.faults.enumerated().map { index, fault in
                let spec = fault.spec
                return [
                    "id": .string(spec.id), "kind": .string(spec.kind), "active": .bool(world.nemesis.isActive(index)),
                    "from": .string(spec.from.wallClock),
                    "until": .string(spec.stays ? "the end" : spec.until.wallClock),
                    "ipads": .array(spec.pads.map { .int($0) }),
                ]
            })
    }
}
