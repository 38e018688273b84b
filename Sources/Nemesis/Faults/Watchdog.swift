import FleetModel

/// An app hangs: its main thread is stuck, so it returns from nothing, and the watchdog kills it.
public struct Watchdog: Fault {
    public static let name = "watchdog"
    public static let family = FaultFamily.appLife
    public static let summary =
        "an app hangs and hears nothing; the person leaves it, and the system kills it when its allowance is over"
    public static let source = "app-lifecycle.md 3 (allowances, 0x8badf00d)"

    public let spec: FaultSpec
    private let app: AppName?

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        app = try Parameters(spec, window: false, "app").text("app")
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    public func begin() -> [FaultAct] { command(PadCommand.Hang(app: app)) }
}
