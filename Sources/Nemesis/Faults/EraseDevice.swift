import FleetModel

/// An administrator erases an iPad that was lost, with all that was still to be sent.
public struct EraseDevice: Fault {
    /// Scenarios write `erase-device`.
    public static let name = "erase-device"
    /// An administrator's decision: a swarm draws it only when it is named.
    public static let family = FaultFamily.administration
    /// Edits that only this iPad held are gone for good, which the checkers excuse.
    public static let summary =
        "an administrator erases the iPad: everybody on it, and what was not sent yet; `polled` through the management server; nothing to heal"
    /// The page has that it takes all; who erases, and when, is ours.
    public static let source = "shared-ipad.md 9.3 (EraseDevice), 5"

    /// An event on each of its iPads, with `polled`.
    public let spec: FaultSpec
    private let isPolled: Bool

    /// `polled` sends it by push and poll instead of at once (default false).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        isPolled = try Parameters(spec, window: false, "polled").flag("polled", false)
    }

    /// One iPad.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    /// The management command `EraseDevice`, to the iPads or through the Cloud.
    public func begin() -> [FaultAct] { manage("EraseDevice", isPolled: isPolled) }
}
