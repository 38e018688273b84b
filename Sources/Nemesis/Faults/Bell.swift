import FleetModel

/// The bell rings: a whole class leaves its iPads at once, background tasks and uploads under way.
public struct Bell: Fault {
    public static let name = "bell"
    public static let family = FaultFamily.people
    public static let summary =
        "everybody at the iPads signs out in the same instant, as by hand; people with something left to do sign in again"
    public static let source = "shared-ipad.md 4; Docs/scenarios.md, timetable (a whole class switches at once)"

    public let spec: FaultSpec

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        _ = try Parameters(spec, window: false)
    }

    /// All iPads: it is one bell for the whole school.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        let from = Drawn.moment(before: horizon, &draw)
        return FaultSpec(id: id, kind: name, from: from, until: from, pads: pads)
    }

    public func begin() -> [FaultAct] { command(PadCommand.RingBell()) }
}
