import FleetModel

/// Too many write to a zone at once: saves of records are refused for now, with a hint when to come back. Nothing was saved.
public struct ZoneBusy: Fault {
    /// Scenarios write `zone-busy`; `partial-failure` refuses single records of a batch.
    public static let name = "zone-busy"
    /// A fault of the service: bells make it no likelier in a swarm.
    public static let family = FaultFamily.cloud
    /// It answers single requests that save records, by a draw for each.
    public static let reach = FaultReach.messages
    /// Nothing of the batch was saved; fetches and queries go through.
    public static let summary =
        "saves of records are refused with 503 `ZONE_BUSY`: CKError 23 with a time to wait (probability, retryAfter); heals at the end of its window"
    /// The pages have CKError 23 and the hint; the Cloud's word for it is ASSUMED.
    public static let source =
        "cloudkit-framework.md 13, error 23; cloudkit-web-services.md 9; the word ZONE_BUSY is ASSUMED"

    /// Window and iPads, with `probability` and `retryAfter`.
    public let spec: FaultSpec
    private let probability: Double
    private let retryAfter: Span

    /// `probability` 0 to 1 for each save (default 1); `retryAfter` 1 s to 1 h (default 3 s), sent as whole seconds.
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "probability", "retryAfter")
        probability = try parameters.probability("probability", 1)
        retryAfter = try parameters.span("retryAfter", .seconds(3), in: .seconds(1) ... .hours(1))
    }

    /// 10 s to 4 min, with a probability of 0.2 to 1 and a hint of 1 to 30 s.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(10) ... .minutes(4), horizon: horizon, &draw)
        spec.parameters = [
            "probability": Drawn.probability(0.2...1, &draw),
            "retryAfter": Drawn.span(.seconds(1) ... .seconds(30), &draw),
        ]
        return spec
    }

    /// Only `records/modify` requests that would arrive: 503 `ZONE_BUSY` with the hint comes back.
    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard message.direction == .request, selects(message, route: "/database/"),
            message.route.contains("/records/modify"), outcome.ending == .arrives, draw.chance(probability)
        else { return }
        outcome.ending = .answered(
            .refusal(
                503, "ZONE_BUSY", "others are writing to the zone; try again after the hint", retryAfter: retryAfter,
                uuid: draw.next()))
    }
}
