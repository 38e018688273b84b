import FleetModel
import Nemesis
import Run

/// One thing done otherwise than in the run that was recorded. To be called between two turns.
package struct WorldChange {
    private let world: World
    package init(_ world: World) { self.world = world }

    /// Why something cannot be changed here.
    package struct NoChange: Error, CustomStringConvertible {
        package var description: String
    }

    /// From now on nothing is taken from the tape: what a fault no longer does would still stand there.
    package func leaveTape() { world.plan.outcomes = nil }

    /// A message on the network gets lost, and nobody hears of it; or it comes later.
    /// - Parameter delay: nil: it is lost.
    package func bend(_ number: UInt64, delay: Span?) throws {
        guard let entry = world.queue.entries.first(where: { $0.number == number }), case .arrival = entry.happening
        else {
            throw NoChange(description: "no message \(number) is under way; see 'messages'")
        }
        guard let taken = world.queue.take(number), let delay else { return }
        world.queue.add(taken.happening, at: taken.at + delay)
    }
    /// SIGKILL to a launch.
    package func killApp(_ app: ParticipantID) throws {
        guard case .app = app, world.isAlive(app) else { throw NoChange(description: "\(app) does not run") }
        try world.kill(app, .kill)
    }
    /// The power of an iPad is gone, and comes back after a while.
    package func cutPower(of pad: Int, for outage: Span) throws {
        guard world.isAlive(.pad(pad)) else { throw NoChange(description: "ipad-\(pad) is off already") }
        try world.perform(
            .powerCut(
                pad: pad, seed: StableHash.of(world.plan.seed, "branch", "\(world.now.nanoseconds)"), outage: outage))
    }
    /// The Cloud's process dies, and comes back after a while.
    package func crashCloud(for outage: Span) throws {
        guard world.isAlive(.cloud) else { throw NoChange(description: "the Cloud is down already") }
        try world.perform(
            .crashCloud(seed: StableHash.of(world.plan.seed, "branch", "\(world.now.nanoseconds)"), outage: outage))
    }
    /// A fault ends now; one that has not begun never begins.
    package func turnOff(_ id: String) throws {
        guard let index = world.nemesis.faults.firstIndex(where: { $0.spec.id == id }) else {
            throw NoChange(description: "there is no fault '\(id)'; see 'faults'")
        }
        let coming = world.queue.entries.first {
            if case .faultBegins(index) = $0.happening { true } else { false }
        }
        if let coming {
            _ = world.queue.take(coming.number)
        } else if world.nemesis.isActive(index) {
            try world.faultHeals(index)
        } else {
            throw NoChange(description: "the fault '\(id)' is over already")
        }
    }
}
