import FleetModel

/// What a sign-out may remove is removed, whether or not the iPad does so at every sign-out.
public struct Purge: Fault {
    /// Scenarios write `purge`; `low-space-purge` takes data of people who are signed in too.
    public static let name = "purge"
    /// Something that happens to the iPad: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.device
    /// Only local data that their app declares purgeable go, and never before they are sent.
    public static let summary =
        "local data of apps that allow it go for everybody who is signed out, once nothing of theirs waits; nothing to heal"
    /// The page has what a sign-out may remove; that it does is the fault's doing.
    public static let source = "shared-ipad.md 4 (step 9) and 5; S8-S12"

    /// An event on each of its iPads.
    public let spec: FaultSpec

    /// Takes no parameters.
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        _ = try Parameters(spec, window: false)
    }

    /// One iPad.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    /// `storage.purgeSignedOut`: for everybody who is signed out.
    public func begin() -> [FaultAct] { command(PadCommand.PurgeSignedOut()) }
}
