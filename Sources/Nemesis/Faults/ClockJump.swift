import FleetModel

/// A clock that somebody or something sets again and again: it jumps, and jumps back.
public struct ClockJump: Fault {
    /// Scenarios write `clock-jump`; `clock-skew` sets the clock once.
    public static let name = "clock-jump"
    /// A fault of the iPad's clock: bells make it no likelier in a swarm.
    public static let family = FaultFamily.clock
    /// Stamps of one app go back and forth within a window; virtual time never does.
    public static let summary =
        "the clock jumps by `by`, and back and forth again each `every`; set right at the end of its window"
    /// The page has what stamps decide; that a clock jumps again and again is ours.
    public static let source =
        "key-value-store.md 6 (the newest stamp of a device wins); S114; how far it jumps is ASSUMED"

    /// Window and iPads, with `by` and `every`.
    public let spec: FaultSpec
    private let by: Span
    private let every: Span
    /// So many jumps at most: a schedule must not fill the run.
    private static let jumpsMax = 100

    /// `by` from a year back to a year ahead (default 1 h); `every` 1 s to 24 h (default 1 min).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "by", "every")
        let year = Span.hours(366 * 24)
        by = try parameters.span("by", .hours(1), in: Span(nanoseconds: -year.nanoseconds)...year)
        every = try parameters.span("every", .minutes(1), in: .seconds(1) ... .hours(24))
    }

    /// 1 to 10 min with a jump each 5 s to 2 min; by up to 30 min, in a fifth of the draws by up to 48 h.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .minutes(1) ... .minutes(10), horizon: horizon, &draw)
        let most = draw.chance(0.2) ? Span.hours(48) : .minutes(30)
        spec.parameters = [
            "by": Drawn.span(Span(nanoseconds: -most.nanoseconds)...most, &draw),
            "every": Drawn.span(.seconds(5) ... .minutes(2), &draw),
        ]
        return spec
    }

    /// The first jump at once; then one each `every`, back and forth in turn, at most 100 and none after the end.
    public func begin() -> [FaultAct] {
        let length = (spec.until - spec.from).nanoseconds
        let jumps = min(Self.jumpsMax, Int((length - 1) / every.nanoseconds))
        let later = (0..<max(0, jumps)).flatMap { number in
            spec.pads.map { pad -> FaultAct in
                let by = number.isMultiple(of: 2) ? -by.nanoseconds : by.nanoseconds
                return .commandLater(
                    .pad(pad), after: every * Int64(number + 1), PadCommand.JumpClock(by: by).message)
            }
        }
        return command(PadCommand.JumpClock(by: by.nanoseconds)) + later
    }
    /// Sets offset and drift to 0, whatever the last jump left.
    public func heal() -> [FaultAct] { command(PadCommand.SetClock(offset: 0, drift: 0)) }
}
