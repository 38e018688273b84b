import FleetModel

/// Messages are kept on the way and delivered together at the release: a captive queue, a frozen access point.
public struct Hold: Fault {
    /// Scenarios write `hold`; `partition` loses what this one keeps.
    public static let name = "hold"
    /// A fault of the line: bells make it no likelier in a swarm.
    public static let family = FaultFamily.network
    /// Everything of a direction waits, whatever it is.
    public static let reach = FaultReach.bytes
    /// Nothing is lost, but a requester may have given up before the release.
    public static let summary =
        "messages are kept on the way (direction: both, up or down); released at the end of its window"
    /// No page: the network simulator's word, and the lengths are ASSUMED.
    public static let source =
        "a network that stalls and then delivers, as hold and release of the network simulator turmoil"

    /// Window and iPads, with `direction`.
    public let spec: FaultSpec
    private let direction: LinkDirection

    /// `direction` both, up (requests) or down (responses and pushes); default both.
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        direction = try Parameters(spec, window: true, "direction").choice("direction", .both)
    }

    /// 5 s to 3 min, in any direction.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(5) ... .minutes(3), horizon: horizon, &draw)
        spec.parameters = ["direction": .string(draw.pick(LinkDirection.allCases)?.rawValue ?? "both")]
        return spec
    }

    /// A little after the release, by the message's own latency: the order among held messages is drawn, not fixed.
    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard selects(message), direction.selects(message), outcome.ending == .arrives else { return }
        outcome.ending = .held(until: spec.until + outcome.latency)
    }
}
