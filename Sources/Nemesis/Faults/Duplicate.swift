import FleetModel

/// A second copy of a request or a push arrives later: a retransmission below HTTP, or a courier that tries twice.
public struct Duplicate: Fault {
    public static let name = "duplicate"
    public static let family = FaultFamily.network
    public static let reach = FaultReach.messages
    public static let summary = "requests and pushes arrive twice (probability, delay); heals at the end of its window"
    public static let source = "a network that repeats what it carries; the delay is ASSUMED"
    public static let mayStay = true

    public let spec: FaultSpec
    private let probability: Double
    private let delay: Span

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "probability", "delay")
        probability = try parameters.probability("probability", 0.3)
        delay = try parameters.span("delay", .seconds(2), in: .milliseconds(1) ... .minutes(10))
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(20) ... .minutes(8), horizon: horizon, &draw)
        spec.parameters = [
            "probability": Drawn.probability(0.05...0.6, &draw),
            "delay": Drawn.span(.milliseconds(10) ... .seconds(30), &draw),
        ]
        return spec
    }

    /// The copy follows up to `delay` later. A response has one reader waiting and cannot be doubled.
    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard message.direction != .response, selects(message), outcome.ending == .arrives, outcome.duplicate == nil,
            draw.chance(probability)
        else { return }
        outcome.duplicate = draw.span(.milliseconds(1)...delay)
    }
}
