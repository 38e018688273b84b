import FleetModel

/// What a sign-out may remove is removed, whether or not the iPad does so at every sign-out.
public struct Purge: Fault {
    public static let name = "purge"
    public static let family = FaultFamily.device
    public static let summary =
        "local data of apps that allow it go for everybody who is signed out, once nothing of theirs waits; nothing to heal"
    public static let source = "shared-ipad.md 4 (step 9) and 5; S8-S12"

    public let spec: FaultSpec

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        _ = try Parameters(spec, window: false)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    public func begin() -> [FaultAct] { command(PadCommand.PurgeSignedOut()) }
}
