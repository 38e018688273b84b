import FleetModel

/// The system runs low on space and removes local data that may go: never what a queue still needs, and at any time the caches of apps that
/// do not run.
public struct LowSpacePurge: Fault {
    public static let name = "low-space-purge"
    public static let family = FaultFamily.device
    public static let summary =
        "local data is purged as low space does (person, app; else the system chooses); nothing to heal"
    public static let source = "shared-ipad.md 5 (low space); app-lifecycle.md 13 (Caches, tmp); S8-S12"

    public let spec: FaultSpec
    private let command: PadCommand.Purge

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: false, "person", "app")
        var command = PadCommand.Purge()
        (command.person, command.app) = (try parameters.text("person"), try parameters.text("app"))
        self.command = command
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    public func begin() -> [FaultAct] { command(command) }
}
