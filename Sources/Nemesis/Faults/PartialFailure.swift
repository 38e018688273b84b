import FleetModel

/// Of a batch of records some are saved and some are not: each that is not is refused for now, by name.
public struct PartialFailure: Fault {
    /// Scenarios write `partial-failure`; `zone-busy` refuses the whole request.
    public static let name = "partial-failure"
    /// A fault of the service: bells make it no likelier in a swarm.
    public static let family = FaultFamily.cloud
    /// Records that are not refused are saved, so an app has to look at each result.
    public static let summary =
        "the Cloud refuses a share of the records of each batch that is not atomic, each by name; heals at the end of its window"
    /// The pages have the answer's form; which share fails is ASSUMED.
    public static let source =
        "cloudkit-framework.md 13, errors 2 and 23; cloudkit-web-services.md 5.2 and 9 (TRY_AGAIN_LATER)"

    /// The window. Its iPads say nothing: the refusals are the Cloud's.
    public let spec: FaultSpec
    private let account: String?
    private let share: Double

    /// `person` limits it to one account (else all); `share` of the records, 0 to 1 (default 0.5).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "person", "share")
        account = try parameters.text("person")
        share = try parameters.probability("share", 0.5)
    }

    /// 20 s to 5 min for all accounts, with a share of 0.1 to 0.9.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(20) ... .minutes(5), horizon: horizon, &draw)
        // The Cloud's own: it passes over iPads.
        spec.pads = []
        spec.parameters = ["share": Drawn.probability(0.1...0.9, &draw)]
        return spec
    }

    /// `cloud.refuseRecords` with the share.
    public func begin() -> [FaultAct] { refuse(share) }
    /// `cloud.refuseRecords` with a share of 0.
    public func heal() -> [FaultAct] { refuse(0) }

    private func refuse(_ share: Double) -> [FaultAct] {
        cloudCommand(.refuseRecords, account: account, ["share": .double(share)])
    }
}
