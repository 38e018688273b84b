import FleetModel

/// Nobody has touched a guest's iPad for too long.
public struct GuestTimeout: Fault {
    public static let name = "guest-timeout"
    public static let family = FaultFamily.people
    public static let summary = "a guest's session ends as after `TemporarySessionTimeout`; nobody else is concerned"
    public static let source = "shared-ipad.md 1, 5, 9.1 (TemporarySessionTimeout)"

    public let spec: FaultSpec

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        _ = try Parameters(spec, window: false)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    public func begin() -> [FaultAct] { command(PadCommand.TimeOutGuest()) }
}
