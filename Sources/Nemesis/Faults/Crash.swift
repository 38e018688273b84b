import FleetModel

/// The newest app of an iPad dies by an error of its own: no notice, and the system knows whose fault it was.
public struct Crash: Fault {
    public static let name = "crash"
    public static let family = FaultFamily.appLife
    public static let summary = "as `app-kill`, but the app's own crash: an archive that it was restoring goes"
    public static let source =
        "app-lifecycle.md 5 (crash: no notice, transfers go on), 12 (its archive goes when it was restoring)"

    public let spec: FaultSpec
    private let hops: Int
    private let moment: CallMoment?

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: false, "hops", "call", "nth")
        hops = try parameters.whole("hops", 0, in: 0...10_000)
        moment = try CallMoment(parameters)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
        spec.parameters = ["hops": .int(draw.below(60))]
        CallMoment.drawn(into: &spec, &draw)
        return spec
    }

    public func begin() -> [FaultAct] {
        moment?.acts(spec) { .killApp(pad: $0, afterHops: 0, reason: .crash) }
            ?? spec.pads.map { .killApp(pad: $0, afterHops: hops, reason: .crash) }
    }
}
