import FleetModel

/// The network goes, and shortly after the person is logged out: whatever was under way has to wait in the Pad's queues.
public struct SignOutWithUploadsPending: Fault {
    /// Scenarios write `sign-out-with-uploads-pending`; under `user-switch-idle` nothing waits.
    public static let name = "sign-out-with-uploads-pending"
    /// About people: who leaves, and what they leave behind. A swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.people
    /// All messages in both directions.
    public static let reach = FaultReach.bytes
    /// Nothing is lost: the iPad sends the rest for the person who left once the network is back.
    public static let summary =
        "the network is cut, then a forced log-out after `delay`; the network is repaired at the end of its window"
    /// The pages have that uploads go on after a sign-out; cut and delay are ours.
    public static let source = "shared-ipad.md 4 and 8; LogOutUser"

    /// Window and iPads, with `delay`.
    public let spec: FaultSpec
    private let delay: Span

    /// `delay` 0 to 1 h from the cut to the log-out (default 10 s); the end of the window comes first if it is earlier.
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        delay = try Parameters(spec, window: true, "delay").span("delay", .seconds(10), in: .zero ... .hours(1))
    }

    /// One iPad, 30 s to 6 min, with a delay of 0 to 30 s.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(30) ... .minutes(6), horizon: horizon, &draw)
        spec.pads = draw.pick(pads).map { [$0] } ?? []
        spec.parameters = ["delay": Drawn.span(.zero ... .seconds(30), &draw)]
        return spec
    }

    /// The log-out comes while the network is still away: at the end of the window at the latest.
    public func begin() -> [FaultAct] {
        let after = min(delay, spec.until - spec.from)
        return spec.pads.map { .commandLater(.pad($0), after: after, PadCommand.LogOut().message) }
    }

    /// Everything that would arrive, in both directions, is lost.
    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard selects(message), outcome.ending == .arrives else { return }
        outcome.ending = .lost
    }
}
