import FleetModel

/// Too many write to a zone at once: saves of records are refused for now, with a hint when to come back. Nothing was saved.
public struct ZoneBusy: Fault {
    public static let name = "zone-busy"
    public static let family = FaultFamily.cloud
    public static let reach = FaultReach.messages
    public static let summary =
        "saves of records are refused with 503 `ZONE_BUSY`: CKError 23 with a time to wait (probability, retryAfter); heals at the end of its window"
    public static let source =
        "cloudkit-framework.md 13, error 23; cloudkit-web-services.md 9; the word ZONE_BUSY is ASSUMED"

    public let spec: FaultSpec
    private let probability: Double
    private let retryAfter: Span

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "probability", "retryAfter")
        probability = try parameters.probability("probability", 1)
        retryAfter = try parameters.span("retryAfter", .seconds(3), in: .seconds(1) ... .hours(1))
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(10) ... .minutes(4), horizon: horizon, &draw)
        spec.parameters = [
            "probability": Drawn.probability(0.2...1, &draw),
            "retryAfter": Drawn.span(.seconds(1) ... .seconds(30), &draw),
        ]
        return spec
    }

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
