import FleetModel

/// The connection is torn down under a message: nobody knows whether it was heard.
public struct Reset: Fault {
    public static let name = "reset"
    public static let family = FaultFamily.network
    public static let reach = FaultReach.messages
    public static let summary =
        "the connection breaks in place of a message (probability, direction, route), and the requester sees that at once; heals at the end of its window"
    public static let source = "app-lifecycle.md 15 (sockets may be dead); S155"

    public let spec: FaultSpec
    private let probability: Double
    private let direction: LinkDirection
    private let route: String?

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "probability", "direction", "route")
        probability = try parameters.probability("probability", 0.3)
        direction = try parameters.choice("direction", .both)
        route = try parameters.text("route")
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(20) ... .minutes(6), horizon: horizon, &draw)
        spec.parameters = ["probability": Drawn.probability(0.05...0.6, &draw)]
        return spec
    }

    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard selects(message, route: route), direction.selects(message), outcome.ending == .arrives,
            draw.chance(probability)
        else { return }
        outcome.ending = .reset
    }
}
