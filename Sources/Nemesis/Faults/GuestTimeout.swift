import FleetModel

/// Nobody has touched a guest's iPad for too long.
public struct GuestTimeout: Fault {
    /// Scenarios write `guest-timeout`.
    public static let name = "guest-timeout"
    /// Something that people do: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.people
    /// All that the guest made goes with the session, unsent uploads too.
    public static let summary = "a guest's session ends as after `TemporarySessionTimeout`; nobody else is concerned"
    /// The pages have the setting and what a guest's end removes; the moment is ours.
    public static let source = "shared-ipad.md 1, 5, 9.1 (TemporarySessionTimeout)"

    /// An event on each of its iPads.
    public let spec: FaultSpec

    /// Takes no parameters.
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        _ = try Parameters(spec, window: false)
    }

    /// One iPad, whether or not a guest is there.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    /// `session.timeOut`; an iPad without a guest refuses it and nothing changes.
    public func begin() -> [FaultAct] { command(PadCommand.TimeOutGuest()) }
}
