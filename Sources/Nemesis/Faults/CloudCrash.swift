import FleetModel

/// The Cloud's process dies: what it had not committed is gone, requests under way are never answered. It restarts after `outage`.
public struct CloudCrash: Fault {
    public static let name = "cloud-crash"
    public static let family = FaultFamily.cloud
    public static let summary = "the Cloud dies and loses what it had not synced; restarts after `outage`"
    public static let source = "Docs/architecture.md, The life of one edit (what is answered is committed); S130"

    public let spec: FaultSpec
    private let outage: Span

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        outage = try Parameters(spec, window: false, "outage")
            .span("outage", .seconds(10), in: .milliseconds(100) ... .hours(1))
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        let from = Drawn.moment(before: horizon, &draw)
        return FaultSpec(
            id: id, kind: name, from: from, until: from,
            parameters: ["outage": Drawn.span(.milliseconds(200) ... .minutes(2), &draw)])
    }

    public func begin() -> [FaultAct] { [.crashCloud(seed: seed("cloud"), outage: outage)] }
}
