import FleetModel

/// The iPad's clock is wrong: off by `offset`, and drifting by `drift` parts in a billion. Virtual time is not touched.
public struct ClockSkew: Fault {
    /// Scenarios write `clock-skew`; `clock-drift` has no step, `clock-jump` has many.
    public static let name = "clock-skew"
    /// A fault of the iPad's clock: bells make it no likelier in a swarm.
    public static let family = FaultFamily.clock
    /// The iPad's stamps are off by `offset`, so its edits win or lose where the newest stamp wins.
    public static let summary = "the iPad's clock is off (offset, drift in ppb); set right at the end of its window"
    /// The page has that a fast clock wins; how wrong clocks are is ASSUMED.
    public static let source = "key-value-store.md 6 (the newest stamp of a device wins); S114"

    /// Window and iPads, with `offset` and `drift`.
    public let spec: FaultSpec
    private let offset: Span
    private let driftPPB: Int

    /// `offset` from a year back to a year ahead (default 10 min); `drift` in parts in a billion, -1,000,000 to 1,000,000 (default 0).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "offset", "drift")
        let year = Span.hours(366 * 24)
        offset = try parameters.span("offset", .minutes(10), in: Span(nanoseconds: -year.nanoseconds)...year)
        driftPPB = try parameters.whole("drift", 0, in: -1_000_000...1_000_000)
    }

    /// 1 to 20 min, off by up to 10 min either way, in a fifth of the draws by up to 48 h; half drift by up to 100,000 too.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .minutes(1) ... .minutes(20), horizon: horizon, &draw)
        let most = draw.chance(0.2) ? Span.hours(48) : .minutes(10)
        spec.parameters = ["offset": Drawn.span(Span(nanoseconds: -most.nanoseconds)...most, &draw)]
        if draw.chance(0.5) { spec.parameters["drift"] = .int(draw.below(200_001) - 100_000) }
        return spec
    }

    /// `clock.set` with offset (nanoseconds) and drift.
    public func begin() -> [FaultAct] { set(offset, driftPPB) }
    /// Sets offset and drift to 0.
    public func heal() -> [FaultAct] { set(.zero, 0) }

    private func set(_ offset: Span, _ driftPPB: Int) -> [FaultAct] {
        command(PadCommand.SetClock(offset: offset.nanoseconds, drift: Int64(driftPPB)))
    }
}
