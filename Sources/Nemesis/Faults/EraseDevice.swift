import FleetModel

/// An administrator erases an iPad that was lost, with all that was still to be sent.
public struct EraseDevice: Fault {
    public static let name = "erase-device"
    public static let family = FaultFamily.administration
    public static let summary =
        "an administrator erases the iPad: everybody on it, and what was not sent yet; `polled` through the management server; nothing to heal"
    public static let source = "shared-ipad.md 9.3 (EraseDevice), 5"

    public let spec: FaultSpec
    private let isPolled: Bool

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        isPolled = try Parameters(spec, window: false, "polled").flag("polled", false)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    public func begin() -> [FaultAct] { manage("EraseDevice", isPolled: isPolled) }
}
