import FleetModel

/// The bell rings: a whole class leaves its iPads at once, background tasks and uploads under way.
public struct Bell: Fault {
    /// Scenarios write `bell`; a bell of a timetable does the same to a whole school.
    public static let name = "bell"
    /// Something that people do: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.people
    /// An ordinary sign-out: apps get their callbacks and background tasks their time.
    public static let summary =
        "everybody at the iPads signs out in the same instant, as by hand; people with something left to do sign in again"
    /// The page has the order of a sign-out; that all iPads begin it in one instant is the timetable's.
    public static let source = "shared-ipad.md 4; Docs/scenarios.md, timetable (a whole class switches at once)"

    /// An event on all iPads that it names.
    public let spec: FaultSpec

    /// Takes no parameters.
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        _ = try Parameters(spec, window: false)
    }

    /// All iPads: it is one bell for the whole school.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        let from = Drawn.moment(before: horizon, &draw)
        return FaultSpec(id: id, kind: name, from: from, until: from, pads: pads)
    }

    /// `session.bell` for each iPad; one with nobody signed in has nothing to do.
    public func begin() -> [FaultAct] { command(PadCommand.RingBell()) }
}
