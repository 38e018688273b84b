import FleetModel

/// A second copy of a request or a push arrives later: a retransmission below HTTP, or a courier that tries twice.
public struct Duplicate: Fault {
    /// Scenarios write `duplicate`; `push-duplicated` doubles pushes only.
    public static let name = "duplicate"
    /// A fault of the line: bells make it no likelier in a swarm.
    public static let family = FaultFamily.network
    /// It doubles single messages, by a draw for each.
    public static let reach = FaultReach.messages
    /// The Cloud sees the same request twice: a save that is not idempotent would happen twice.
    public static let summary = "requests and pushes arrive twice (probability, delay); heals at the end of its window"
    /// No page: HTTP promises no single delivery once a client or a proxy tries again.
    public static let source = "a network that repeats what it carries; the delay is ASSUMED"
    /// Every message arrives, so a doubling line may stay.
    public static let mayStay = true

    /// Window and iPads, with `probability` and `delay`.
    public let spec: FaultSpec
    private let probability: Double
    private let delay: Span

    /// `probability` 0 to 1 for each message (default 0.3); `delay` 1 ms to 10 min, the most by which a copy is later (default 2 s).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "probability", "delay")
        probability = try parameters.probability("probability", 0.3)
        delay = try parameters.span("delay", .seconds(2), in: .milliseconds(1) ... .minutes(10))
    }

    /// 20 s to 8 min, with a probability of 0.05 to 0.6 and a delay of 10 ms to 30 s.
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
