import FleetModel

/// The Cloud acts and its answer vanishes: a retry meets its own first attempt.
public struct LossOfResponse: Fault {
    /// Scenarios write `loss-of-response`; under `loss-of-request` the Cloud has heard nothing.
    public static let name = "loss-of-response"
    /// A fault of the line: bells make it no likelier in a swarm.
    public static let family = FaultFamily.network
    /// It drops single responses, by their request's route and by a draw for each.
    public static let reach = FaultReach.messages
    /// The requester hears `connectionLost` after its timeout, and the save may stand.
    public static let summary =
        "the Cloud acts but its answer vanishes (probability, route); heals at the end of its window"
    /// The pages have that committed and answered are two things; how often it happens is ASSUMED.
    public static let source =
        "cloudkit-web-services.md 11 (committed and answered are two things); cloudkit-framework.md 13, error 34; S211"

    /// Window and iPads, with `probability` and `route`.
    public let spec: FaultSpec
    private let probability: Double
    private let route: String?

    /// `probability` 0 to 1 for each response (default 0.3); `route` is the beginning of its request's target (else every response).
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

    /// Only responses that would arrive; the request and its effect stand.
    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard message.direction == .response, selects(message, route: route), outcome.ending == .arrives,
            draw.chance(probability)
        else { return }
        outcome.ending = .lost
    }
}
