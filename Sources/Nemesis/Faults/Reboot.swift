import FleetModel

/// An orderly restart: caches are flushed, apps end, the force-quit bar is cleared.
public struct Reboot: Fault {
    /// Scenarios write `reboot`; `power-cut` flushes nothing.
    public static let name = "reboot"
    /// Something that happens to the iPad: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.device
    /// Nothing that was written is lost; apps end unheard, and force-quit apps may be woken again.
    public static let summary = "an orderly restart; the iPad is back after `outage`"
    /// The page has what a restart keeps and clears; the outage is ours.
    public static let source = "app-lifecycle.md 5 (device reboot)"

    /// An event on each of its iPads, with `outage`.
    public let spec: FaultSpec
    private let outage: Span

    /// `outage` 100 ms to 2 h until it is back (default 40 s).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        outage = try Parameters(spec, window: false, "outage")
            .span("outage", .seconds(40), in: .milliseconds(100) ... .hours(2))
    }

    /// One iPad, away for 1 s to 3 min.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
        spec.parameters = ["outage": Drawn.span(.seconds(1) ... .minutes(3), &draw)]
        return spec
    }

    /// Each iPad flushes, ends its apps and is back after the outage.
    public func begin() -> [FaultAct] {
        spec.pads.map { .reboot(pad: $0, outage: outage) }
    }
}
