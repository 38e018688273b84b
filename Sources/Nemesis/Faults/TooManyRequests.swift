import FleetModel

/// The Cloud is asked too often: 429 with Retry-After and CloudKit's own error body. Nothing happened.
public struct TooManyRequests: Fault {
    /// Scenarios write `too-many-requests`; `service-unavailable` is the same with 503 and another code.
    public static let name = "too-many-requests"
    /// A fault of the service: bells make it no likelier in a swarm.
    public static let family = FaultFamily.cloud
    /// It answers single requests, by route and by a draw for each.
    public static let reach = FaultReach.messages
    /// A refused request had certainly no effect and may be sent again after the hint.
    public static let summary = "429 with Retry-After (probability, retryAfter, route); heals at the end of its window"
    /// The page has code and status; the length of the hint is ASSUMED.
    public static let source = "cloudkit-web-services.md 9 (THROTTLED)"

    /// Window and iPads, with `probability`, `retryAfter` and `route`.
    public let spec: FaultSpec
    private let probability: Double
    private let retryAfter: Span
    private let route: String?

    /// `probability` 0 to 1 for each request (default 1); `retryAfter` 1 s to 1 h (default 10 s), sent as whole seconds; `route` (else
    /// every request).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "probability", "retryAfter", "route")
        probability = try parameters.probability("probability", 1)
        retryAfter = try parameters.span("retryAfter", .seconds(10), in: .seconds(1) ... .hours(1))
        route = try parameters.text("route")
    }

    /// 10 s to 4 min, with a probability of 0.2 to 1 and a hint of 1 to 40 s; half of the draws name a route.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(10) ... .minutes(4), horizon: horizon, &draw)
        spec.parameters = [
            "probability": Drawn.probability(0.2...1, &draw),
            "retryAfter": Drawn.span(.seconds(1) ... .seconds(40), &draw),
        ]
        if draw.chance(0.5), let route = draw.pick(["/database/", "/kvs/", "/documents/", "/upload/"]) {
            spec.parameters["route"] = .string(route)
        }
        return spec
    }

    /// Only requests that would arrive: 429 `THROTTLED` with the hint comes back.
    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard message.direction == .request, selects(message, route: route), outcome.ending == .arrives,
            draw.chance(probability)
        else { return }
        outcome.ending = .answered(
            .refusal(
                429, "THROTTLED", "too many requests; try again after the hint", retryAfter: retryAfter,
                uuid: draw.next()))
    }
}
