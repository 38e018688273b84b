import FleetModel

/// A narrow line: bytes pass one after the other. Each message has the whole width (ASSUMED: a testbed looks at waits, not at fair shares).
public struct Bandwidth: Fault {
    public static let name = "bandwidth"
    public static let family = FaultFamily.network
    public static let reach = FaultReach.bytes
    public static let summary =
        "a narrow line of `bytesPerSecond` (direction: both, up or down); heals at the end of its window"
    public static let source = "a line that a whole class shares; one message a line is ASSUMED"
    public static let mayStay = true

    public let spec: FaultSpec
    private let bytesPerSecond: Int
    private let direction: LinkDirection

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "bytesPerSecond", "direction")
        bytesPerSecond = try parameters.whole("bytesPerSecond", 50_000, in: 100...1_000_000_000_000)
        direction = try parameters.choice("direction", .both)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(20) ... .minutes(6), horizon: horizon, &draw)
        spec.parameters = ["bytesPerSecond": .int(1_000 + draw.below(200_000))]
        return spec
    }

    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard selects(message), direction.selects(message) else { return }
        outcome.bytesPerSecond = min(outcome.bytesPerSecond ?? bytesPerSecond, bytesPerSecond)
    }
}
