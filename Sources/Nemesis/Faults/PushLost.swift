import FleetModel

/// Pushes do not arrive: the courier promises nothing.
public struct PushLost: Fault {
    public static let name = "push-lost"
    public static let family = FaultFamily.cloud
    public static let reach = FaultReach.messages
    public static let summary = "pushes do not arrive (probability); heals at the end of its window"
    public static let source = "app-lifecycle.md 6.1 (delivery not guaranteed)"
    public static let mayStay = true

    public let spec: FaultSpec
    private let probability: Double

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        probability = try Parameters(spec, window: true, "probability").probability("probability", 1)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(30) ... .minutes(15), horizon: horizon, &draw)
        spec.parameters = ["probability": Drawn.probability(0.2...1, &draw)]
        return spec
    }

    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard message.direction == .push, selects(message), outcome.ending == .arrives, draw.chance(probability) else {
            return
        }
        outcome.ending = .lost
    }
}
