import FleetModel

/// An orderly restart: caches are flushed, apps end, the force-quit bar is cleared.
public struct Reboot: Fault {
    public static let name = "reboot"
    public static let family = FaultFamily.device
    public static let summary = "an orderly restart; the iPad is back after `outage`"
    public static let source = "app-lifecycle.md 5 (device reboot)"

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
        spec.pads.map { .reboot(pad: $0, outage: outage) }
    }
}
