import FleetModel

/// The newest app of an iPad dies without notice, between two of its messages: the memory killer at the worst moment.
public struct AppKill: Fault {
    public static let name = "app-kill"
    public static let family = FaultFamily.appLife
    public static let summary =
        "the newest app dies without notice after the next `hops` messages, or an app right after the `nth` `call`; nothing to heal"
    public static let source = "app-lifecycle.md 5 (memory: none, transfers go on)"

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
        moment?.acts(spec) { .killApp(pad: $0, afterHops: 0, reason: .kill) }
            ?? spec.pads.map { .killApp(pad: $0, afterHops: hops, reason: .kill) }
    }
}
