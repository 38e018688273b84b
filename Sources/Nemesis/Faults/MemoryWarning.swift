import FleetModel

/// Memory is short: suspended apps go unheard, those that run are warned and go when too little comes back.
public struct MemoryWarning: Fault {
    public static let name = "memory-warning"
    public static let family = FaultFamily.appLife
    public static let summary =
        "the system wants `bytes` of memory: suspended apps go, running ones get a warning and may die 2 s later; nothing to heal"
    public static let source = "app-lifecycle.md 11; S189, S208"

    public let spec: FaultSpec
    private let bytes: Int

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        bytes = try Parameters(spec, window: false, "bytes").whole("bytes", 50_000_000, in: 1...1_000_000_000_000)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    public func begin() -> [FaultAct] { command(PadCommand.PressMemory(bytes: Int64(bytes))) }
}
