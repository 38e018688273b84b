import FleetModel

/// An app hangs: its main thread is stuck, so it returns from nothing, and the watchdog kills it.
public struct Watchdog: Fault {
    /// Scenarios write `watchdog`; `app-kill` needs no allowance to run out.
    public static let name = "watchdog"
    /// Something that happens to an app: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.appLife
    /// The app dies at the end of the allowance for the callback that it did not return from.
    public static let summary =
        "an app hangs and hears nothing; the person leaves it, and the system kills it when its allowance is over"
    /// The page has the allowances and the code; which app hangs, and when, is ours.
    public static let source = "app-lifecycle.md 3 (allowances, 0x8badf00d)"

    /// An event on each of its iPads, with `app`.
    public let spec: FaultSpec
    private let app: AppName?

    /// `app` is the app's name (else the one in front).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        app = try Parameters(spec, window: false, "app").text("app")
    }

    /// One iPad, its app in front.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    /// `app.hang`, with the app where one is named.
    public func begin() -> [FaultAct] { command(PadCommand.Hang(app: app)) }
}
