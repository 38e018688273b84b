import FleetModel

/// A clock that somebody or something sets again and again: it jumps, and jumps back.
public struct ClockJump: Fault {
    public static let name = "clock-jump"
    public static let family = FaultFamily.clock
    public static let summary =
        "the clock jumps by `by`, and back and forth again each `every`; set right at the end of its window"
    public static let source =
        "key-value-store.md 6 (the newest stamp of a device wins); S114; how far it jumps is ASSUMED"

    public let spec: FaultSpec
    private let by: Span
    private let every: Span
    /// So many jumps at most: a schedule must not fill the run.
    private static let jumpsMax = 100

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "by", "every")
        let year = Span.hours(366 * 24)
        by = try parameters.span("by", .hours(1), in: Span(nanoseconds: -year.nanoseconds)...year)
        every = try parameters.span("every", .minutes(1), in: .seconds(1) ... .hours(24))
    }

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
    public func heal() -> [FaultAct] { command(PadCommand.SetClock(offset: 0, drift: 0)) }
}
