import FleetModel

/// A clock that runs fast or slow from what it shows when the window opens.
public struct ClockDrift: Fault {
    public static let name = "clock-drift"
    public static let family = FaultFamily.clock
    public static let summary =
        "the iPad's clock runs fast or slow from what it shows at first; set right at the end of its window"
    public static let source =
        "key-value-store.md 6; drifts of quartz clocks are some 10,000 parts in a billion (ASSUMED)"

    public let spec: FaultSpec
    private let drift: Int

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        drift = try Parameters(spec, window: true, "drift").whole("drift", 100_000, in: -1_000_000...1_000_000)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .minutes(2) ... .minutes(30), horizon: horizon, &draw)
        spec.parameters = ["drift": .int(draw.below(2_000_001) - 1_000_000)]
        return spec
    }

    public func begin() -> [FaultAct] { command(PadCommand.SetClock(drift: Int64(drift))) }
    public func heal() -> [FaultAct] { command(PadCommand.SetClock(offset: 0, drift: 0)) }
}
