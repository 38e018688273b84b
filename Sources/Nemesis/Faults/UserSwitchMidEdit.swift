import FleetModel

/// A forced log-out in the middle of what an app is doing: keyed by the Pad's next messages, so that it falls between two of them.
public struct UserSwitchMidEdit: Fault {
    public static let name = "user-switch-mid-edit"
    public static let family = FaultFamily.people
    public static let summary = "a forced log-out after the iPad's next `hops` messages; nothing to heal"
    public static let source = "shared-ipad.md 4; LogOutUser"

    public let spec: FaultSpec
    private let hops: Int

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        hops = try Parameters(spec, window: false, "hops").whole("hops", 3, in: 0...10_000)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
        spec.parameters = ["hops": .int(draw.below(40))]
        return spec
    }

    public func begin() -> [FaultAct] {
        spec.pads.map { .commandAfterHops(pad: $0, hops: hops, PadCommand.LogOut().message) }
    }
}
