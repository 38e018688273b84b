import FleetModel

/// Another build of an app is distributed: the app ends as the system ends it, and its Documents and Library stay for everybody.
public struct AppUpgrade: Fault {
    /// Scenarios write `app-upgrade`.
    public static let name = "app-upgrade"
    /// Something that happens to an app: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.appLife
    /// The update itself never fails: what is at stake is what the new build makes of the old one's files.
    public static let summary =
        "another build of an app (app; else of all) is installed as `version`: it ends, its data stay; nothing to heal"
    /// The page promises that Documents and Library stay and nothing else; who updates, and when, is ours.
    public static let source = "app-lifecycle.md 13; S218"

    /// An event on each of its iPads, with `app` and `version`.
    public let spec: FaultSpec
    private let command: PadCommand.UpdateApp

    /// `app` is the app's name (else all apps), `version` the new build's version (default `2`).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: false, "app", "version")
        var command = PadCommand.UpdateApp()
        command.version = try parameters.text("version") ?? "2"
        command.app = try parameters.text("app").map { .string($0) }
        self.command = command
    }

    /// All apps of one iPad, to version 2.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    /// `app.update` with the version, and with the app where one is named.
    public func begin() -> [FaultAct] { command(command) }
}
