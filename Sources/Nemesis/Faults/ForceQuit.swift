import FleetModel

/// The person flicks an app away: its background transfers are cancelled and it is not woken until opened again.
public struct ForceQuit: Fault {
    public static let name = "force-quit"
    public static let family = FaultFamily.appLife
    public static let summary =
        "a person flicks an app away (app; else the foreground one): its background transfers are cancelled; nothing to heal"
    public static let source = "app-lifecycle.md 5 (user force-quit)"

    public let spec: FaultSpec
    private let app: AppName?

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: false, "app")
        app = try parameters.text("app")
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    public func begin() -> [FaultAct] { command(PadCommand.ForceQuit(app: app)) }
}
