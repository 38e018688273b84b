import FleetModel

/// Another build of an app is distributed: the app ends as the system ends it, and its Documents and Library stay for everybody.
public struct AppUpgrade: Fault {
    public static let name = "app-upgrade"
    public static let family = FaultFamily.appLife
    public static let summary =
        "another build of an app (app; else of all) is installed as `version`: it ends, its data stay; nothing to heal"
    public static let source = "app-lifecycle.md 13; S218"

    public let spec: FaultSpec
    private let command: PadCommand.UpdateApp

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: false, "app", "version")
        var command = PadCommand.UpdateApp()
        command.version = try parameters.text("version") ?? "2"
        command.app = try parameters.text("app").map { .string($0) }
        self.command = command
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    public func begin() -> [FaultAct] { command(command) }
}
