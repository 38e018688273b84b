import FleetModel

/// Memory is short: suspended apps go unheard, those that run are warned and go when too little comes back.
public struct MemoryWarning: Fault {
    /// Scenarios write `memory-warning`; `memory-kill` ends an app without a word.
    public static let name = "memory-warning"
    /// Something that happens to an app: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.appLife
    /// An app that gives back enough lives on; one that does not is killed 2 s later.
    public static let summary =
        "the system wants `bytes` of memory: suspended apps go, running ones get a warning and may die 2 s later; nothing to heal"
    /// The page has whom a lack of memory ends first; the 2 s are ASSUMED.
    public static let source = "app-lifecycle.md 11; S189, S208"

    /// An event on each of its iPads, with `bytes`.
    public let spec: FaultSpec
    private let bytes: Int

    /// `bytes` of memory that the system wants back, 1 to 10^12 (default 50,000,000).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        bytes = try Parameters(spec, window: false, "bytes").whole("bytes", 50_000_000, in: 1...1_000_000_000_000)
    }

    /// One iPad, with the default.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    /// `device.memoryPressure`: suspended apps go, the biggest first, then running ones get the warning.
    public func begin() -> [FaultAct] { command(PadCommand.PressMemory(bytes: Int64(bytes))) }
}
