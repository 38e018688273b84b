import FleetModel

/// The Cloud forgets how far back its changes go: every change token given out so far is refused, and apps fetch from the beginning.
public struct ChangeTokenExpired: Fault {
    public static let name = "change-token-expired"
    public static let family = FaultFamily.cloud
    public static let summary =
        "the Cloud refuses the change tokens given out so far, and apps fetch from the beginning; nothing to heal"
    public static let source = "cloudkit-framework.md 10 and 13, error 21; the Cloud's code for it is ASSUMED"

    public let spec: FaultSpec
    private let account: String?

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        account = try Parameters(spec, window: false, "person").text("person")
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        let from = Drawn.moment(before: horizon, &draw)
        return FaultSpec(id: id, kind: name, from: from, until: from)
    }

    public func begin() -> [FaultAct] { cloudCommand(.expireTokens, account: account) }
}
