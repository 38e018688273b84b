import FleetModel

/// The connection ends in the middle of a body: half an upload, half a download.
public struct Truncation: Fault {
    /// Scenarios write `truncation`; `reset` lets no byte through.
    public static let name = "truncation"
    /// A fault of the line: bells make it no likelier in a swarm.
    public static let family = FaultFamily.network
    /// It cuts single messages, by route and by a draw for each.
    public static let reach = FaultReach.messages
    /// A cut request was not acted on, a cut response was: `connectionLost` says neither.
    public static let summary =
        "the connection ends after `bytes` of a body (probability, direction, route); shorter bodies pass; heals at the end of its window"
    /// The page has transfers that break off; where they do is ASSUMED.
    public static let source = "app-lifecycle.md 7 (an upload or download that breaks off); S211"

    /// Window and iPads, with `bytes`, `probability`, `direction` and `route`.
    public let spec: FaultSpec
    private let bytes: Int
    private let probability: Double
    private let direction: LinkDirection
    private let route: String?

    /// `bytes` 0 to 10^9 of the body that pass (default 10); `probability` (default 0.3); `direction` (default down); `route` (else every
    /// message).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "bytes", "probability", "direction", "route")
        bytes = try parameters.whole("bytes", 10, in: 0...1_000_000_000)
        probability = try parameters.probability("probability", 0.3)
        direction = try parameters.choice("direction", .down)
        route = try parameters.text("route")
    }

    /// 20 s to 6 min, after fewer than 2,000 bytes, with a probability of 0.05 to 0.6 in any direction.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(20) ... .minutes(6), horizon: horizon, &draw)
        spec.parameters = [
            "bytes": .int(draw.below(2_000)), "probability": Drawn.probability(0.05...0.6, &draw),
            "direction": .string(draw.pick(LinkDirection.allCases)?.rawValue ?? "both"),
        ]
        return spec
    }

    /// Whoever carries the message lets a body that is no longer than `bytes` pass whole.
    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard selects(message, route: route), direction.selects(message), outcome.ending == .arrives,
            draw.chance(probability)
        else { return }
        outcome.ending = .truncated(afterBytes: bytes)
    }
}
