import FleetModel

/// Pushes come twice: a courier that has not heard that the first one arrived.
public struct PushDuplicated: Fault {
    /// Scenarios write `push-duplicated`; `duplicate` doubles requests as well.
    public static let name = "push-duplicated"
    /// About the service's couriers: bells make it no likelier in a swarm.
    public static let family = FaultFamily.cloud
    /// It doubles single pushes, by a draw for each.
    public static let reach = FaultReach.messages
    /// An app fetches once more than it needs to; nothing is lost.
    public static let summary =
        "pushes arrive twice, the copy up to `delay` later (probability); heals at the end of its window"
    /// The page has best effort only; that a push comes twice is ASSUMED.
    public static let source = "app-lifecycle.md 6.1 (best effort); that one comes twice and the delay are ASSUMED"
    /// Every push arrives, so it may stay.
    public static let mayStay = true

    /// Window and iPads, with `probability` and `delay`.
    public let spec: FaultSpec
    private let probability: Double
    private let delay: Span

    /// `probability` 0 to 1 for each push (default 1); `delay` 1 ms to 1 h, the most by which the copy is later (default 30 s).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "probability", "delay")
        probability = try parameters.probability("probability", 1)
        delay = try parameters.span("delay", .seconds(30), in: .milliseconds(1) ... .hours(1))
    }

    /// 30 s to 10 min, with a probability of 0.2 to 1 and a delay of 10 ms to 3 min.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(30) ... .minutes(10), horizon: horizon, &draw)
        spec.parameters = [
            "probability": Drawn.probability(0.2...1, &draw),
            "delay": Drawn.span(.milliseconds(10) ... .minutes(3), &draw),
        ]
        return spec
    }

    /// A push that arrives once gets a copy 1 ms to `delay` later.
    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard message.direction == .push, selects(message), outcome.ending == .arrives, outcome.duplicate == nil,
            draw.chance(probability)
        else { return }
        outcome.duplicate = draw.span(.milliseconds(1)...delay)
    }
}
