import FleetModel

/// The iPad is locked: the app leaves the screen, and after a while protected files are shut.
public struct Lock: Fault {
    public static let name = "lock"
    public static let family = FaultFamily.appLife
    public static let summary =
        "the iPad is locked, whoever is signed in; unlocked at the end of its window, or before by the person with the passcode"
    public static let source = "app-lifecycle.md 2, 10; shared-ipad.md 9 (DeviceLock); S186, S190"

    public let spec: FaultSpec

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        _ = try Parameters(spec, window: true)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.window(id: id, kind: name, pads: pads, lasting: .seconds(2) ... .minutes(5), horizon: horizon, &draw)
    }

    public func begin() -> [FaultAct] { command("device.lock") }
    public func heal() -> [FaultAct] { command("device.unlock") }
}
