import FleetModel

/// The system needs memory and ends an app without notice, a suspended one first.
public struct MemoryKill: Fault {
    /// Scenarios write `memory-kill`; `app-kill` takes the newest app, at a counted message.
    public static let name = "memory-kill"
    /// Something that happens to an app: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.appLife
    /// The app gets no callback; its background transfers go on and it starts again when needed.
    public static let summary = "the system ends an app without notice, a suspended one first (app); nothing to heal"
    /// The page has how such a death looks to the app; when memory is short is ours.
    public static let source = "app-lifecycle.md 5 (memory: none, transfers continue)"

    /// An event on each of its iPads, with `app`.
    public let spec: FaultSpec
    private let app: AppName?

    /// `app` is the app's name (else a suspended one first, as the system chooses).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: false, "app")
        app = try parameters.text("app")
    }

    /// One iPad, which chooses the app.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    /// `app.memoryKill`, with the app where one is named.
    public func begin() -> [FaultAct] { command(PadCommand.MemoryKill(app: app)) }
}
