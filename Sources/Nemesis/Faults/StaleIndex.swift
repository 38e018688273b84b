import FleetModel

/// The index lags behind: queries do not find what was saved a moment ago. Fetches by name and changes are never late.
public struct StaleIndex: Fault {
    public static let name = "stale-index"
    public static let family = FaultFamily.cloud
    public static let summary =
        "queries miss records saved or changed within `behind`; fetches, changes and pushes are never late; heals at the end of its window"
    public static let source =
        "cloudkit-framework.md 6 (indexing delay); that a changed record is not found either is ASSUMED"

    public let spec: FaultSpec
    private let behind: Span

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        behind = try Parameters(spec, window: true, "behind")
            .span("behind", .seconds(30), in: .milliseconds(1) ... .hours(24))
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(30) ... .minutes(10), horizon: horizon, &draw)
        // The Cloud's own: it passes over iPads.
        spec.pads = []
        spec.parameters = ["behind": Drawn.span(.seconds(1) ... .minutes(3), &draw)]
        return spec
    }

    public func begin() -> [FaultAct] { delay(behind) }
    public func heal() -> [FaultAct] { delay(.zero) }

    private func delay(_ span: Span) -> [FaultAct] {
        cloudCommand(.delayIndex, account: nil, ["behind": .int(span.nanoseconds)])
    }
}
