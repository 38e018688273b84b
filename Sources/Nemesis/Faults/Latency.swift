import FleetModel

/// Every message takes longer by the same amount: a far-away or crowded network.
public struct Latency: Fault {
    public static let name = "latency"
    public static let family = FaultFamily.network
    public static let reach = FaultReach.bytes
    public static let summary =
        "messages take `extra` longer (direction: both, up or down); heals at the end of its window"
    public static let source = "a slow network; the amounts are ASSUMED"
    public static let mayStay = true

    public let spec: FaultSpec
    private let extra: Span
    private let direction: LinkDirection

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "extra", "direction")
        extra = try parameters.span("extra", .milliseconds(800), in: .milliseconds(1) ... .minutes(1))
        direction = try parameters.choice("direction", .both)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(30) ... .minutes(10), horizon: horizon, &draw)
        spec.parameters = ["extra": Drawn.span(.milliseconds(50) ... .seconds(5), &draw)]
        return spec
    }

    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard selects(message), direction.selects(message) else { return }
        outcome.latency = outcome.latency + extra
    }
}
