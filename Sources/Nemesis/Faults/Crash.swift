import FleetModel

/// The newest app of an iPad dies by an error of its own: no notice, and the system knows whose fault it was.
public struct Crash: Fault {
    /// Scenarios write `crash`; `app-kill` is the same death from outside.
    public static let name = "crash"
    /// Something that happens to an app: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.appLife
    /// No notice; unlike `app-kill`, an archive of the interface goes when the app was restoring it.
    public static let summary = "as `app-kill`, but the app's own crash: an archive that it was restoring goes"
    /// The page has what a crash costs; the counted moment is ours.
    public static let source =
        "app-lifecycle.md 5 (crash: no notice, transfers go on), 12 (its archive goes when it was restoring)"

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

    /// SIGKILL for each iPad's newest app, and the iPad books a crash.
    public func begin() -> [FaultAct] {
        moment?.acts(spec) { .killApp(pad: $0, afterHops: 0, reason: .crash) }
            ?? spec.pads.map { .killApp(pad: $0, afterHops: hops, reason: .crash) }
    }
}
