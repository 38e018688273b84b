import FleetModel

/// The iPad's clock is wrong: off by `offset`, and drifting by `drift` parts in a billion. Virtual time is not touched.
public struct ClockSkew: Fault {
    public static let name = "clock-skew"
    public static let family = FaultFamily.clock
    public static let summary = "the iPad's clock is off (offset, drift in ppb); set right at the end of its window"
    public static let source = "key-value-store.md 6 (the newest stamp of a device wins); S114"

    public let spec: FaultSpec
    private let offset: Span
    private let driftPPB: Int

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "offset", "drift")
        let year = Span.hours(366 * 24)
        offset = try parameters.span("offset", .minutes(10), in: Span(nanoseconds: -year.nanoseconds)...year)
        driftPPB = try parameters.whole("drift", 0, in: -1_000_000...1_000_000)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .minutes(1) ... .minutes(20), horizon: horizon, &draw)
        let most = draw.chance(0.2) ? Span.hours(48) : .minutes(10)
        spec.parameters = ["offset": Drawn.span(Span(nanoseconds: -most.nanoseconds)...most, &draw)]
        if draw.chance(0.5) { spec.parameters["drift"] = .int(draw.below(200_001) - 100_000) }
        return spec
    }

    public func begin() -> [FaultAct] { set(offset, driftPPB) }
    public func heal() -> [FaultAct] { set(.zero, 0) }

    private func set(_ offset: Span, _ driftPPB: Int) -> [FaultAct] {
        command(PadCommand.SetClock(offset: offset.nanoseconds, drift: Int64(driftPPB)))
    }
}
