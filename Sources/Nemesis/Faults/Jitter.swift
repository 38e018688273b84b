import FleetModel

/// Each message takes longer by a draw of its own, so that messages overtake one another.
public struct Jitter: Fault {
    /// Scenarios write `jitter`; `reorder` delays some messages and leaves the rest on time.
    public static let name = "jitter"
    /// A fault of the line: bells make it no likelier in a swarm.
    public static let family = FaultFamily.network
    /// Each message of a direction is late by its own draw, whatever it is.
    public static let reach = FaultReach.bytes
    /// Nothing is lost; the order of arrivals is no longer that of sending.
    public static let summary =
        "each message takes up to `most` longer, so that messages overtake (direction); heals at the end of its window"
    /// No page has numbers: `most` and the draws are ASSUMED.
    public static let source = "a network whose delays vary; the amounts are ASSUMED"
    /// Every message arrives in the end, so it may stay.
    public static let mayStay = true

    /// Window and iPads, with `most` and `direction`.
    public let spec: FaultSpec
    private let most: Span
    private let direction: LinkDirection

    /// `most` 1 ms to 1 min (default 2 s); `direction` both, up or down (default both).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "most", "direction")
        most = try parameters.span("most", .seconds(2), in: .milliseconds(1) ... .minutes(1))
        direction = try parameters.choice("direction", .both)
    }

    /// 30 s to 10 min, with up to 0.1 to 10 s, in both directions.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(30) ... .minutes(10), horizon: horizon, &draw)
        spec.parameters = ["most": Drawn.span(.milliseconds(100) ... .seconds(10), &draw)]
        return spec
    }

    /// Adds 0 to `most` to the time on the way, uniformly.
    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard selects(message), direction.selects(message) else { return }
        outcome.latency = outcome.latency + draw.span(.zero...most)
    }
}
