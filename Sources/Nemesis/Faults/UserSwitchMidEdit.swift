import FleetModel

/// A forced log-out in the middle of what an app is doing: keyed by the Pad's next messages, so that it falls between two of them.
public struct UserSwitchMidEdit: Fault {
    /// Scenarios write `user-switch-mid-edit`; `log-out-user` forces the same log-out at a time.
    public static let name = "user-switch-mid-edit"
    /// Something that people do: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.people
    /// What the app had handed over stays in the person's queues; what it had not is the app's loss.
    public static let summary = "a forced log-out after the iPad's next `hops` messages; nothing to heal"
    /// The page has the forced log-out; the counted moment is ours.
    public static let source = "shared-ipad.md 4; LogOutUser"

    /// An event on each of its iPads; `hops` says when exactly.
    public let spec: FaultSpec
    private let hops: Int

    /// `hops` counts messages of the iPad's apps, 0 to 10,000 (default 3).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        hops = try Parameters(spec, window: false, "hops").whole("hops", 3, in: 0...10_000)
    }

    /// One iPad, after up to 39 hops.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
        spec.parameters = ["hops": .int(draw.below(40))]
        return spec
    }

    /// `session.logOut` for each iPad after so many messages.
    public func begin() -> [FaultAct] {
        spec.pads.map { .commandAfterHops(pad: $0, hops: hops, PadCommand.LogOut().message) }
    }
}
