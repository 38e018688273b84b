import FleetModel

/// The system runs low on space and removes local data that may go: never what a queue still needs, and at any time the caches of apps that
/// do not run.
public struct LowSpacePurge: Fault {
    /// Scenarios write `low-space-purge`; `purge` is what a sign-out removes.
    public static let name = "low-space-purge"
    /// Something that happens to the iPad: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.device
    /// What an app had nowhere else but in `Caches` or `tmp` is gone, as documented; a queue's needs never go.
    public static let summary =
        "local data is purged as low space does (person, app; else the system chooses); nothing to heal"
    /// The pages have what low space may take; when it does is ours.
    public static let source = "shared-ipad.md 5 (low space); app-lifecycle.md 13 (Caches, tmp); S8-S12"

    /// An event on each of its iPads, with `person` and `app`.
    public let spec: FaultSpec
    private let command: PadCommand.Purge

    /// `person` and `app` narrow what goes (else the system chooses).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: false, "person", "app")
        var command = PadCommand.Purge()
        (command.person, command.app) = (try parameters.text("person"), try parameters.text("app"))
        self.command = command
    }

    /// One iPad, which chooses.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    /// `storage.purge`: only of apps that do not run.
    public func begin() -> [FaultAct] { command(command) }
}
