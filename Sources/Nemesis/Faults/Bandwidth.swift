import FleetModel

/// A narrow line: bytes pass one after the other. Each message has the whole width (ASSUMED: a testbed looks at waits, not at fair shares).
public struct Bandwidth: Fault {
    /// Scenarios write `bandwidth`; `latency` adds the same time to a message of any size.
    public static let name = "bandwidth"
    /// A fault of the line: bells make it no likelier in a swarm.
    public static let family = FaultFamily.network
    /// The carrier slows the bytes of a direction as they come and looks into none.
    public static let reach = FaultReach.bytes
    /// Nothing is lost: a message takes its bytes divided by `bytesPerSecond` longer.
    public static let summary =
        "a narrow line of `bytesPerSecond` (direction: both, up or down); heals at the end of its window"
    /// No page has numbers: the default and the draws are ASSUMED.
    public static let source = "a line that a whole class shares; one message a line is ASSUMED"
    /// Every message arrives in the end, so the line may stay narrow.
    public static let mayStay = true

    /// Window and iPads, with `bytesPerSecond` and `direction`.
    public let spec: FaultSpec
    private let bytesPerSecond: Int
    private let direction: LinkDirection

    /// `bytesPerSecond` 100 to 10^12 (default 50,000); `direction` both, up or down (default both).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "bytesPerSecond", "direction")
        bytesPerSecond = try parameters.whole("bytesPerSecond", 50_000, in: 100...1_000_000_000_000)
        direction = try parameters.choice("direction", .both)
    }

    /// 20 s to 6 min at 1,000 to 200,999 bytes a second, in both directions.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(20) ... .minutes(6), horizon: horizon, &draw)
        spec.parameters = ["bytesPerSecond": .int(1_000 + draw.below(200_000))]
        return spec
    }

    /// The narrowest of all active widths counts; the time follows from it once, after all faults have spoken.
    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard selects(message), direction.selects(message) else { return }
        outcome.bytesPerSecond = min(outcome.bytesPerSecond ?? bytesPerSecond, bytesPerSecond)
    }
}
