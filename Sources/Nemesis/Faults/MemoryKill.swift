import FleetModel

/// The system needs memory and ends an app without notice, a suspended one first.
public struct MemoryKill: Fault {
    public static let name = "memory-kill"
    public static let family = FaultFamily.appLife
    public static let summary = "the system ends an app without notice, a suspended one first (app); nothing to heal"
    public static let source = "app-lifecycle.md 5 (memory: none, transfers continue)"

    public let spec: FaultSpec
    private let app: AppName?

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: false, "app")
        app = try parameters.text("app")
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    public func begin() -> [FaultAct] { command(PadCommand.MemoryKill(app: app)) }
}
