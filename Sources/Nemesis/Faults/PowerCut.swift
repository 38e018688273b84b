import FleetModel

/// The battery is out: writes that were not synced are lost or torn, the apps and the Pad are gone at once.
public struct PowerCut: Fault {
    /// Scenarios write `power-cut`; `reboot` flushes first.
    public static let name = "power-cut"
    /// Something that happens to the iPad: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.device
    /// A write that was synced is there after the boot; any other may be there, be torn or be gone.
    public static let summary = "un-synced writes are lost or torn and the iPad is gone; it boots after `outage`"
    /// The statement has that accepted work survives; what a cut tears is our disk's model.
    public static let source = "S130 (what was accepted is not lost); the tearing model is ASSUMED (Storage)"

    /// An event on each of its iPads; `call` with `nth` may say when exactly.
    public let spec: FaultSpec
    private let outage: Span
    private let moment: CallMoment?

    /// `outage` 100 ms to 2 h until it boots (default 40 s); `call` names a local call to wait for, `nth` counts it from 1.
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: false, "outage", "call", "nth")
        outage = try parameters.span("outage", .seconds(40), in: .milliseconds(100) ... .hours(2))
        moment = try CallMoment(parameters)
    }

    /// One iPad, away for 1 s to 3 min; half of the draws name a call.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
        spec.parameters = ["outage": Drawn.span(.seconds(1) ... .minutes(3), &draw)]
        CallMoment.drawn(into: &spec, &draw)
        return spec
    }

    /// Each iPad tears its unsynced writes by a seed of its own and is gone at once, or right after the named call.
    public func begin() -> [FaultAct] {
        let cut = { (pad: Int) in FaultAct.powerCut(pad: pad, seed: self.seed("ipad-\(pad)"), outage: self.outage) }
        return moment?.acts(spec, cut) ?? spec.pads.map(cut)
    }
}
