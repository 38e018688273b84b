import FleetModel

/// Pushes come twice: a courier that has not heard that the first one arrived.
public struct PushDuplicated: Fault {
    public static let name = "push-duplicated"
    public static let family = FaultFamily.cloud
    public static let reach = FaultReach.messages
    public static let summary =
        "pushes arrive twice, the copy up to `delay` later (probability); heals at the end of its window"
    public static let source = "app-lifecycle.md 6.1 (best effort); that one comes twice and the delay are ASSUMED"
    public static let mayStay = true

    public let spec: FaultSpec
    private let probability: Double
    private let delay: Span

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "probability", "delay")
        probability = try parameters.probability("probability", 1)
        delay = try parameters.span("delay", .seconds(30), in: .milliseconds(1) ... .hours(1))
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(30) ... .minutes(10), horizon: horizon, &draw)
        spec.parameters = [
            "probability": Drawn.probability(0.2...1, &draw),
            "delay": Drawn.span(.milliseconds(10) ... .minutes(3), &draw),
        ]
        return spec
    }

    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard message.direction == .push, selects(message), outcome.ending == .arrives, outcome.duplicate == nil,
            draw.chance(probability)
        else { return }
        outcome.duplicate = draw.span(.milliseconds(1)...delay)
    }
}
