import FleetModel

/// The battery is out: writes that were not synced are lost or torn, the apps and the Pad are gone at once.
public struct PowerCut: Fault {
    public static let name = "power-cut"
    public static let family = FaultFamily.device
    public static let summary = "un-synced writes are lost or torn and the iPad is gone; it boots after `outage`"
    public static let source = "lessons.md 7; the tearing model is ASSUMED (Storage)"

    public let spec: FaultSpec
    private let outage: Span

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        outage = try Parameters(spec, window: false, "outage")
            .span("outage", .seconds(40), in: .milliseconds(100) ... .hours(2))
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
        spec.parameters = ["outage": Drawn.span(.seconds(1) ... .minutes(3), &draw)]
        return spec
    }

    public func begin() -> [FaultAct] {
        spec.pads.map { .powerCut(pad: $0, seed: seed("ipad-\($0)"), outage: outage) }
    }
}
