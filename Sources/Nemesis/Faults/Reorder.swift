import FleetModel

/// Some messages are kept back for a while, so that later ones overtake them.
public struct Reorder: Fault {
    public static let name = "reorder"
    public static let family = FaultFamily.network
    public static let reach = FaultReach.messages
    public static let summary =
        "some messages come up to `delay` later, so that others overtake them (probability, route); heals at the end of its window"
    public static let source = "connections of their own, on which requests overtake each other; the delay is ASSUMED"
    public static let mayStay = true

    public let spec: FaultSpec
    private let probability: Double
    private let delay: Span
    private let route: String?

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "probability", "delay", "route")
        probability = try parameters.probability("probability", 0.3)
        delay = try parameters.span("delay", .seconds(1), in: .milliseconds(1) ... .minutes(10))
        route = try parameters.text("route")
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(20) ... .minutes(6), horizon: horizon, &draw)
        spec.parameters = [
            "probability": Drawn.probability(0.05...0.6, &draw),
            "delay": Drawn.span(.milliseconds(10) ... .seconds(10), &draw),
        ]
        return spec
    }

    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard selects(message, route: route), draw.chance(probability) else { return }
        outcome.latency = outcome.latency + draw.span(.milliseconds(1)...delay)
    }
}
