import FleetModel

/// The connection ends in the middle of a body: half an upload, half a download.
public struct Truncation: Fault {
    public static let name = "truncation"
    public static let family = FaultFamily.network
    public static let reach = FaultReach.messages
    public static let summary =
        "the connection ends after `bytes` of a body (probability, direction, route); shorter bodies pass; heals at the end of its window"
    public static let source = "app-lifecycle.md 7 (an upload or download that breaks off); S211"

    public let spec: FaultSpec
    private let bytes: Int
    private let probability: Double
    private let direction: LinkDirection
    private let route: String?

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "bytes", "probability", "direction", "route")
        bytes = try parameters.whole("bytes", 10, in: 0...1_000_000_000)
        probability = try parameters.probability("probability", 0.3)
        direction = try parameters.choice("direction", .down)
        route = try parameters.text("route")
    }

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
