import FleetModel

/// Requests vanish on their way to the Cloud: nothing happened there, the requester cannot know.
public struct LossOfRequest: Fault {
    public static let name = "loss-of-request"
    public static let family = FaultFamily.network
    public static let reach = FaultReach.messages
    public static let summary =
        "requests vanish on the way to the Cloud (probability, route); heals at the end of its window"
    public static let source = "app-lifecycle.md 15 (any packet may be lost); S211"

    public let spec: FaultSpec
    private let probability: Double
    private let route: String?

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "probability", "route")
        probability = try parameters.probability("probability", 0.3)
        route = try parameters.text("route")
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(20) ... .minutes(8), horizon: horizon, &draw)
        spec.parameters = ["probability": Drawn.probability(0.05...0.6, &draw)]
        return spec
    }

    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard message.direction == .request, selects(message, route: route), outcome.ending == .arrives,
            draw.chance(probability)
        else { return }
        outcome.ending = .lost
    }
}
