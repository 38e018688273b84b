import FleetModel

/// A call, an alert or the control centre: the app on the screen is inactive for a while and never in the background.
public struct Interruption: Fault {
    public static let name = "interruption"
    public static let family = FaultFamily.appLife
    public static let summary =
        "the app on the screen is covered: it resigns active, and is active again at the end of the window"
    public static let source = "app-lifecycle.md 2 (interruption); S125, S126"

    public let spec: FaultSpec

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        _ = try Parameters(spec, window: true)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.window(id: id, kind: name, pads: pads, lasting: .seconds(1) ... .minutes(1), horizon: horizon, &draw)
    }

    public func begin() -> [FaultAct] { command("device.interrupt") }
    public func heal() -> [FaultAct] { command("device.interruptEnded") }
}
