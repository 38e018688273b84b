import FleetModel

/// The Cloud forgets how far back its changes go: every change token given out so far is refused, and apps fetch from the beginning.
public struct ChangeTokenExpired: Fault {
    /// Scenarios write `change-token-expired`.
    public static let name = "change-token-expired"
    /// A fault of the service: bells make it no likelier in a swarm.
    public static let family = FaultFamily.cloud
    /// No record is gone: apps that throw their token away and fetch all reach the same state.
    public static let summary =
        "the Cloud refuses the change tokens given out so far, and apps fetch from the beginning; nothing to heal"
    /// The page has the error; when the Cloud gives up its old changes is ours.
    public static let source = "cloudkit-framework.md 10 and 13, error 21; the Cloud's code for it is ASSUMED"

    /// An event at the Cloud; iPads say nothing.
    public let spec: FaultSpec
    private let account: String?

    /// `person` limits it to one account (else all accounts).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        account = try Parameters(spec, window: false, "person").text("person")
    }

    /// One moment of the storm, for all accounts.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        let from = Drawn.moment(before: horizon, &draw)
        return FaultSpec(id: id, kind: name, from: from, until: from)
    }

    /// `cloud.expireTokens`, for the account or for all.
    public func begin() -> [FaultAct] { cloudCommand(.expireTokens, account: account) }
}
