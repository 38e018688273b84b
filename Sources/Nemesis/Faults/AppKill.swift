import FleetModel

/// The newest app of an iPad dies without notice, between two of its messages: the memory killer at the worst moment.
public struct AppKill: Fault {
    /// Scenarios write `app-kill`; `crash` is the same death by the app's own fault, `memory-kill` leaves the choice of the app to the
    /// system.
    public static let name = "app-kill"
    /// Something that happens to an app: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.appLife
    /// The app gets no callback; its background transfers go on, and it starts again when somebody opens it.
    public static let summary =
        "the newest app dies without notice after the next `hops` messages, or an app right after the `nth` `call`; nothing to heal"
    /// The page has how such a death looks to the app; the counted moment is ours.
    public static let source = "app-lifecycle.md 5 (memory: none, transfers go on)"

    /// An event on each of its iPads: `hops`, or `call` with `nth`, says when exactly.
    public let spec: FaultSpec
    private let hops: Int
    private let moment: CallMoment?

    /// `hops` counts messages of the iPad's apps, 0 to 10,000 (default 0: at once). `call` names a local call instead, `nth` counts it from
    /// 1.
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: false, "hops", "call", "nth")
        hops = try parameters.whole("hops", 0, in: 0...10_000)
        moment = try CallMoment(parameters)
    }

    /// One iPad, after up to 59 hops; half of the draws name a call instead.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
        spec.parameters = ["hops": .int(draw.below(60))]
        CallMoment.drawn(into: &spec, &draw)
        return spec
    }

    /// SIGKILL for each iPad's newest app, as from outside: the iPad books a kill, not a crash.
    public func begin() -> [FaultAct] {
        moment?.acts(spec) { .killApp(pad: $0, afterHops: 0, reason: .kill) }
            ?? spec.pads.map { .killApp(pad: $0, afterHops: hops, reason: .kill) }
    }
}
