import FleetModel

/// The person flicks an app away: its background transfers are cancelled and it is not woken until opened again.
public struct ForceQuit: Fault {
    /// Scenarios write `force-quit`; after `app-kill` transfers go on and the system may start the app again.
    public static let name = "force-quit"
    /// Something that happens to an app: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.appLife
    /// Only the app's own background transfers are cancelled; the iPad's queues go on sending.
    public static let summary =
        "a person flicks an app away (app; else the foreground one): its background transfers are cancelled; nothing to heal"
    /// The page has what a force-quit cancels; whom it hits, and when, is ours.
    public static let source = "app-lifecycle.md 5 (user force-quit)"

    /// An event on each of its iPads, with `app`.
    public let spec: FaultSpec
    private let app: AppName?

    /// `app` is the app's name (else the one in front, else the one used last).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: false, "app")
        app = try parameters.text("app")
    }

    /// One iPad, its app in front.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    /// `app.forceQuit`, with the app where one is named.
    public func begin() -> [FaultAct] { command(PadCommand.ForceQuit(app: app)) }
}
