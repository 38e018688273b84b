import FleetModel

/// Pushes do not arrive: the courier promises nothing.
public struct PushLost: Fault {
    /// Scenarios write `push-lost`; `partition` loses requests too.
    public static let name = "push-lost"
    /// About the service's couriers: bells make it no likelier in a swarm.
    public static let family = FaultFamily.cloud
    /// It drops single pushes, by a draw for each.
    public static let reach = FaultReach.messages
    /// Nobody learns of the loss, neither the sender nor the iPad.
    public static let summary = "pushes do not arrive (probability); heals at the end of its window"
    /// The page promises no delivery; how many are lost is ASSUMED.
    public static let source = "app-lifecycle.md 6.1 (delivery not guaranteed)"
    /// An app that asks by itself gets every change, so it may stay.
    public static let mayStay = true

    /// Window and iPads, with `probability`.
    public let spec: FaultSpec
    private let probability: Double

    /// `probability` 0 to 1 for each push (default 1).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        probability = try Parameters(spec, window: true, "probability").probability("probability", 1)
    }

    /// 30 s to 15 min, with a probability of 0.2 to 1.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(30) ... .minutes(15), horizon: horizon, &draw)
        spec.parameters = ["probability": Drawn.probability(0.2...1, &draw)]
        return spec
    }

    /// A push that would arrive is lost; what it told of stands in the Cloud.
    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard message.direction == .push, selects(message), outcome.ending == .arrives, draw.chance(probability) else {
            return
        }
        outcome.ending = .lost
    }
}
