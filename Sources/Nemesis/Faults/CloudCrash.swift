import FleetModel

/// The Cloud's process dies: what it had not committed is gone, requests under way are never answered. It restarts after `outage`.
public struct CloudCrash: Fault {
    /// Scenarios write `cloud-crash`; `service-unavailable` refuses and forgets nothing.
    public static let name = "cloud-crash"
    /// A fault of the service: bells make it no likelier in a swarm.
    public static let family = FaultFamily.cloud
    /// Requests under way end without an answer: their senders cannot know whether they were committed.
    public static let summary = "the Cloud dies and loses what it had not synced; restarts after `outage`"
    /// The page has the promise that is tested: what was answered survives. The outage is ours.
    public static let source = "Docs/architecture.md, The life of one edit (what is answered is committed); S130"

    /// An event at the Cloud; iPads say nothing.
    public let spec: FaultSpec
    private let outage: Span

    /// `outage` 100 ms to 1 h until the Cloud is back (default 10 s).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        outage = try Parameters(spec, window: false, "outage")
            .span("outage", .seconds(10), in: .milliseconds(100) ... .hours(1))
    }

    /// One moment of the storm, with an outage of 0.2 s to 2 min.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        let from = Drawn.moment(before: horizon, &draw)
        return FaultSpec(
            id: id, kind: name, from: from, until: from,
            parameters: ["outage": Drawn.span(.milliseconds(200) ... .minutes(2), &draw)])
    }

    /// The Cloud dies and tears what it had not synced, by a seed of the fault's own.
    public func begin() -> [FaultAct] { [.crashCloud(seed: seed("cloud"), outage: outage)] }
}
