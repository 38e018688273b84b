import FleetModel

/// The person looks at something else for a while: the app is suspended, and no code of it runs until it comes back.
public struct Suspend: Fault {
    public static let name = "suspend"
    public static let family = FaultFamily.appLife
    public static let summary =
        "the app on the screen leaves it and is suspended as soon as it may, without the usual moment in between; it comes "
        + "back at the end of the window"
    public static let source = "app-lifecycle.md 1, 2 and 4; S127, S132, S135; that it comes back is ASSUMED"

    public let spec: FaultSpec

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        _ = try Parameters(spec, window: true)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.window(id: id, kind: name, pads: pads, lasting: .seconds(2) ... .minutes(3), horizon: horizon, &draw)
    }

    public func begin() -> [FaultAct] { command("app.suspend") }
    public func heal() -> [FaultAct] { command("app.resume") }
}
