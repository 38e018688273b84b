import FleetModel

/// Some messages are kept back for a while, so that later ones overtake them.
public struct Reorder: Fault {
    /// Scenarios write `reorder`; `jitter` delays every message.
    public static let name = "reorder"
    /// A fault of the line: bells make it no likelier in a swarm.
    public static let family = FaultFamily.network
    /// It delays single messages, by route and by a draw for each.
    public static let reach = FaultReach.messages
    /// Nothing is lost; a later request may be done before an earlier one.
    public static let summary =
        "some messages come up to `delay` later, so that others overtake them (probability, route); heals at the end of its window"
    /// No page: separate connections keep no common order.
    public static let source = "connections of their own, on which requests overtake each other; the delay is ASSUMED"
    /// Every message arrives in the end, so it may stay.
    public static let mayStay = true

    /// Window and iPads, with `probability`, `delay` and `route`.
    public let spec: FaultSpec
    private let probability: Double
    private let delay: Span
    private let route: String?

    /// `probability` 0 to 1 for each message (default 0.3); `delay` 1 ms to 10 min at most (default 1 s); `route` (else every message).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "probability", "delay", "route")
        probability = try parameters.probability("probability", 0.3)
        delay = try parameters.span("delay", .seconds(1), in: .milliseconds(1) ... .minutes(10))
        route = try parameters.text("route")
    }

    /// 20 s to 6 min, with a probability of 0.05 to 0.6 and a delay of 10 ms to 10 s on every route.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(20) ... .minutes(6), horizon: horizon, &draw)
        spec.parameters = [
            "probability": Drawn.probability(0.05...0.6, &draw),
            "delay": Drawn.span(.milliseconds(10) ... .seconds(10), &draw),
        ]
        return spec
    }

    /// Adds 1 ms to `delay` to the time on the way, also of a message that ends otherwise.
    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard selects(message, route: route), draw.chance(probability) else { return }
        outcome.latency = outcome.latency + draw.span(.milliseconds(1)...delay)
    }
}
