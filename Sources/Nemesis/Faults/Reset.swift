import FleetModel

/// The connection is torn down under a message: nobody knows whether it was heard.
public struct Reset: Fault {
    /// Scenarios write `reset`; under `loss-of-request` the requester waits for its timeout.
    public static let name = "reset"
    /// A fault of the line: bells make it no likelier in a swarm.
    public static let family = FaultFamily.network
    /// It breaks single messages, by route and by a draw for each.
    public static let reach = FaultReach.messages
    /// A reset request was not heard, a reset response was acted on: `connectionLost` says neither.
    public static let summary =
        "the connection breaks in place of a message (probability, direction, route), and the requester sees that at once; heals at the end of its window"
    /// The page has that sockets may be dead; how often is ASSUMED.
    public static let source = "app-lifecycle.md 15 (sockets may be dead); S155"

    /// Window and iPads, with `probability`, `direction` and `route`.
    public let spec: FaultSpec
    private let probability: Double
    private let direction: LinkDirection
    private let route: String?

    /// `probability` 0 to 1 for each message (default 0.3); `direction` both, up or down (default both); `route` (else every message).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "probability", "direction", "route")
        probability = try parameters.probability("probability", 0.3)
        direction = try parameters.choice("direction", .both)
        route = try parameters.text("route")
    }

    /// 20 s to 6 min, with a probability of 0.05 to 0.6, in both directions on every route.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(20) ... .minutes(6), horizon: horizon, &draw)
        spec.parameters = ["probability": Drawn.probability(0.05...0.6, &draw)]
        return spec
    }

    /// A message that would arrive does not; its requester hears so at once, and nobody in the case of a push.
    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard selects(message, route: route), direction.selects(message), outcome.ending == .arrives,
            draw.chance(probability)
        else { return }
        outcome.ending = .reset
    }
}
