import FleetModel

/// Pushes come, but much later than what they tell of: the courier keeps them for a device that sleeps or saves power.
public struct PushLate: Fault {
    /// Scenarios write `push-late`; `latency` delays requests and responses too.
    public static let name = "push-late"
    /// About the service's couriers: bells make it no likelier in a swarm.
    public static let family = FaultFamily.cloud
    /// It delays single pushes, by a draw for each.
    public static let reach = FaultReach.messages
    /// Changes show late on apps that wait for pushes; one that asks by itself sees them in time.
    public static let summary =
        "pushes come later, by half of `delay` to all of it (probability); heals at the end of its window"
    /// The page leaves the time to the system; how late is ASSUMED.
    public static let source = "app-lifecycle.md 6.1 (delivery not guaranteed, and when is the system's)"
    /// Every push arrives in the end, so it may stay.
    public static let mayStay = true

    /// Window and iPads, with `probability` and `delay`.
    public let spec: FaultSpec
    private let probability: Double
    private let delay: Span

    /// `probability` 0 to 1 for each push (default 1); `delay` 1 ms to 1 h, the most that it adds (default 2 min).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "probability", "delay")
        probability = try parameters.probability("probability", 1)
        delay = try parameters.span("delay", .minutes(2), in: .milliseconds(1) ... .hours(1))
    }

    /// 30 s to 10 min, with a probability of 0.2 to 1 and a delay of 5 s to 5 min.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(30) ... .minutes(10), horizon: horizon, &draw)
        spec.parameters = [
            "probability": Drawn.probability(0.2...1, &draw), "delay": Drawn.span(.seconds(5) ... .minutes(5), &draw),
        ]
        return spec
    }

    /// At least half of the delay: what is a moment late is jitter.
    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard message.direction == .push, selects(message), outcome.ending == .arrives, draw.chance(probability) else {
            return
        }
        outcome.latency = outcome.latency + draw.span(Span(nanoseconds: delay.nanoseconds / 2)...delay)
    }
}
