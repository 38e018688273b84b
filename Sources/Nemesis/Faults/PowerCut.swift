import FleetModel

/// The battery is out: writes that were not synced are lost or torn, the apps and the Pad are gone at once.
public struct PowerCut: Fault {
    public static let name = "power-cut"
    public static let family = FaultFamily.device
    public static let summary = "un-synced writes are lost or torn and the iPad is gone; it boots after `outage`"
    public static let source = "S130 (what was accepted is not lost); the tearing model is ASSUMED (Storage)"

    public let spec: FaultSpec
    private let outage: Span
    private let moment: CallMoment?

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: false, "outage", "call", "nth")
        outage = try parameters.span("outage", .seconds(40), in: .milliseconds(100) ... .hours(2))
        moment = try CallMoment(parameters)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
        spec.parameters = ["outage": Drawn.span(.seconds(1) ... .minutes(3), &draw)]
        CallMoment.drawn(into: &spec, &draw)
        return spec
    }

    public func begin() -> [FaultAct] {
        let cut = { (pad: Int) in FaultAct.powerCut(pad: pad, seed: self.seed("ipad-\(pad)"), outage: self.outage) }
        return moment?.acts(spec, cut) ?? spec.pads.map(cut)
    }
}
