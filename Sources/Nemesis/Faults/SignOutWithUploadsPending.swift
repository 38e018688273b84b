import FleetModel

/// The network goes, and shortly after the person is logged out: whatever was under way has to wait in the Pad's queues.
public struct SignOutWithUploadsPending: Fault {
    public static let name = "sign-out-with-uploads-pending"
    public static let family = FaultFamily.people
    public static let reach = FaultReach.bytes
    public static let summary =
        "the network is cut, then a forced log-out after `delay`; the network is repaired at the end of its window"
    public static let source = "shared-ipad.md 4 and 8; LogOutUser"

    public let spec: FaultSpec
    private let delay: Span

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        delay = try Parameters(spec, window: true, "delay").span("delay", .seconds(10), in: .zero ... .hours(1))
    }

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

    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard selects(message), outcome.ending == .arrives else { return }
        outcome.ending = .lost
    }
}
