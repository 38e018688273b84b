import FleetModel

/// Requests vanish on their way to the Cloud: nothing happened there, the requester cannot know.
public struct LossOfRequest: Fault {
    /// Scenarios write `loss-of-request`; under `loss-of-response` the Cloud has acted.
    public static let name = "loss-of-request"
    /// A fault of the line: bells make it no likelier in a swarm.
    public static let family = FaultFamily.network
    /// It drops single requests, by route and by a draw for each.
    public static let reach = FaultReach.messages
    /// The requester hears `connectionLost` after its timeout, exactly as under `loss-of-response`.
    public static let summary =
        "requests vanish on the way to the Cloud (probability, route); heals at the end of its window"
    /// The page has that any packet may be lost; how many are is ASSUMED.
    public static let source = "app-lifecycle.md 15 (any packet may be lost); S211"

    /// Window and iPads, with `probability` and `route`.
    public let spec: FaultSpec
    private let probability: Double
    private let route: String?

    /// `probability` 0 to 1 for each request (default 0.3); `route` is the beginning of a request's target (else every request).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "probability", "route")
        probability = try parameters.probability("probability", 0.3)
        route = try parameters.text("route")
    }

    /// 20 s to 8 min, with a probability of 0.05 to 0.6 on every route.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(20) ... .minutes(8), horizon: horizon, &draw)
        spec.parameters = ["probability": Drawn.probability(0.05...0.6, &draw)]
        return spec
    }

    /// Only requests that would arrive: lost, so the Cloud never hears of them.
    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard message.direction == .request, selects(message, route: route), outcome.ending == .arrives,
            draw.chance(probability)
        else { return }
        outcome.ending = .lost
    }
}
