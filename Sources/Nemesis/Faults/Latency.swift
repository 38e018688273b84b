import FleetModel

/// Every message takes longer by the same amount: a far-away or crowded network.
public struct Latency: Fault {
    /// Scenarios write `latency`; `jitter` draws for each message, `bandwidth` counts its bytes.
    public static let name = "latency"
    /// A fault of the line: bells make it no likelier in a swarm.
    public static let family = FaultFamily.network
    /// All messages of a direction alike.
    public static let reach = FaultReach.bytes
    /// Nothing is lost: a requester that is patient gets its answer.
    public static let summary =
        "messages take `extra` longer (direction: both, up or down); heals at the end of its window"
    /// No page has numbers: `extra` and the draws are ASSUMED.
    public static let source = "a slow network; the amounts are ASSUMED"
    /// Every message arrives in the end, so it may stay.
    public static let mayStay = true

    /// Window and iPads, with `extra` and `direction`.
    public let spec: FaultSpec
    private let extra: Span
    private let direction: LinkDirection

    /// `extra` 1 ms to 1 min (default 800 ms); `direction` both, up or down (default both).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "extra", "direction")
        extra = try parameters.span("extra", .milliseconds(800), in: .milliseconds(1) ... .minutes(1))
        direction = try parameters.choice("direction", .both)
    }

    /// 30 s to 10 min, with 50 ms to 5 s more, in both directions.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(30) ... .minutes(10), horizon: horizon, &draw)
        spec.parameters = ["extra": Drawn.span(.milliseconds(50) ... .seconds(5), &draw)]
        return spec
    }

    /// Adds `extra` to the time on the way; latencies of several faults add up.
    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard selects(message), direction.selects(message) else { return }
        outcome.latency = outcome.latency + extra
    }
}
