import FleetModel

/// A clock that runs fast or slow from what it shows when the window opens.
public struct ClockDrift: Fault {
    /// Scenarios write `clock-drift`; `clock-skew` may add an offset at once.
    public static let name = "clock-drift"
    /// A fault of the iPad's clock: bells make it no likelier in a swarm.
    public static let family = FaultFamily.clock
    /// Virtual time and timers are untouched: only what the iPad shows and stamps drifts.
    public static let summary =
        "the iPad's clock runs fast or slow from what it shows at first; set right at the end of its window"
    /// The page has what stamps decide; how fast clocks drift is ASSUMED.
    public static let source =
        "key-value-store.md 6; drifts of quartz clocks are some 10,000 parts in a billion (ASSUMED)"

    /// Window and iPads, with `drift`.
    public let spec: FaultSpec
    private let drift: Int

    /// `drift` in parts in a billion, -1,000,000 to 1,000,000 (default 100,000, that is 0.1 ms a second); positive is fast.
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        drift = try Parameters(spec, window: true, "drift").whole("drift", 100_000, in: -1_000_000...1_000_000)
    }

    /// 2 to 30 min with any drift of the range: up to 1 ms a second either way.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .minutes(2) ... .minutes(30), horizon: horizon, &draw)
        spec.parameters = ["drift": .int(draw.below(2_000_001) - 1_000_000)]
        return spec
    }

    /// `clock.set` with the drift alone: the clock goes on from what it shows.
    public func begin() -> [FaultAct] { command(PadCommand.SetClock(drift: Int64(drift))) }
    /// Sets offset and drift to 0, so the clock shows virtual time again.
    public func heal() -> [FaultAct] { command(PadCommand.SetClock(offset: 0, drift: 0)) }
}
