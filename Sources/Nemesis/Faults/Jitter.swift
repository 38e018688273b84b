import FleetModel

/// Each message takes longer by a draw of its own, so that messages overtake one another.
public struct Jitter: Fault {
    public static let name = "jitter"
    public static let family = FaultFamily.network
    public static let reach = FaultReach.bytes
    public static let summary =
        "each message takes up to `most` longer, so that messages overtake (direction); heals at the end of its window"
    public static let source = "a network whose delays vary; the amounts are ASSUMED"
    public static let mayStay = true

    public let spec: FaultSpec
    private let most: Span
    private let direction: LinkDirection

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "most", "direction")
        most = try parameters.span("most", .seconds(2), in: .milliseconds(1) ... .minutes(1))
        direction = try parameters.choice("direction", .both)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(30) ... .minutes(10), horizon: horizon, &draw)
        spec.parameters = ["most": Drawn.span(.milliseconds(100) ... .seconds(10), &draw)]
        return spec
    }

    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard selects(message), direction.selects(message) else { return }
        outcome.latency = outcome.latency + draw.span(.zero...most)
    }
}
