import FleetModel

/// Of a batch of records some are saved and some are not: each that is not is refused for now, by name.
public struct PartialFailure: Fault {
    public static let name = "partial-failure"
    public static let family = FaultFamily.cloud
    public static let summary =
        "the Cloud refuses a share of the records of each batch that is not atomic, each by name; heals at the end of its window"
    public static let source =
        "cloudkit-framework.md 13, errors 2 and 23; cloudkit-web-services.md 5.2 and 9 (TRY_AGAIN_LATER)"

    public let spec: FaultSpec
    private let account: String?
    private let share: Double

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        let parameters = try Parameters(spec, window: true, "person", "share")
        account = try parameters.text("person")
        share = try parameters.probability("share", 0.5)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(20) ... .minutes(5), horizon: horizon, &draw)
        // The Cloud's own: it passes over iPads.
        spec.pads = []
        spec.parameters = ["share": Drawn.probability(0.1...0.9, &draw)]
        return spec
    }

    public func begin() -> [FaultAct] { refuse(share) }
    public func heal() -> [FaultAct] { refuse(0) }

    private func refuse(_ share: Double) -> [FaultAct] {
        cloudCommand(.refuseRecords, account: account, ["share": .double(share)])
    }
}
