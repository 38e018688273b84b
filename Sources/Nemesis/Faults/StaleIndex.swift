import FleetModel

/// The index lags behind: queries do not find what was saved a moment ago. Fetches by name and changes are never late.
public struct StaleIndex: Fault {
    /// Scenarios write `stale-index`.
    public static let name = "stale-index"
    /// A fault of the service: bells make it no likelier in a swarm.
    public static let family = FaultFamily.cloud
    /// An app that queries for what it has just saved finds nothing, though the save stands.
    public static let summary =
        "queries miss records saved or changed within `behind`; fetches, changes and pushes are never late; heals at the end of its window"
    /// The page has that queries lag behind saves; by how much is ASSUMED.
    public static let source =
        "cloudkit-framework.md 6 (indexing delay); that a changed record is not found either is ASSUMED"

    /// The window. Its iPads say nothing: the index is the Cloud's.
    public let spec: FaultSpec
    private let behind: Span

    /// `behind` 1 ms to 24 h by which queries lag (default 30 s).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        behind = try Parameters(spec, window: true, "behind")
            .span("behind", .seconds(30), in: .milliseconds(1) ... .hours(24))
    }

    /// 30 s to 10 min, behind by 1 s to 3 min.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(30) ... .minutes(10), horizon: horizon, &draw)
        // The Cloud's own: it passes over iPads.
        spec.pads = []
        spec.parameters = ["behind": Drawn.span(.seconds(1) ... .minutes(3), &draw)]
        return spec
    }

    /// `cloud.delayIndex` with the lag in nanoseconds, for all accounts.
    public func begin() -> [FaultAct] { delay(behind) }
    /// `cloud.delayIndex` with 0: queries find what is saved.
    public func heal() -> [FaultAct] { delay(.zero) }

    private func delay(_ span: Span) -> [FaultAct] {
        cloudCommand(.delayIndex, account: nil, ["behind": .int(span.nanoseconds)])
    }
}
