import FleetModel

/// The account's token is dead at the Cloud: requests under way are answered 401 and the Pad has to sign in again. The session's token of
/// an iPad, or all that a person has on any iPad, as after a change of the password.
public struct CredentialRevoked: Fault {
    /// Scenarios write `credential-revoked`; under `account-suspended` no new sign-in helps.
    public static let name = "credential-revoked"
    /// Something that happens to an account: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.identity
    /// The iPad learns of it from the refusal of its next request; nothing that waits there is lost by it.
    public static let summary =
        "the account's token is revoked at the Cloud, also for requests under way; the Pad signs in again"
    /// The page has the code of the refusal; when a token dies is ours.
    public static let source = "identity.md 5; cloudkit-web-services.md 9 (AUTHENTICATION_FAILED)"

    /// An event on its iPads, or at the Cloud where `person` is given.
    public let spec: FaultSpec
    private let account: String?

    /// `person` takes all tokens of one account (else the session's token of each iPad).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        account = try Parameters(spec, window: false, "person").text("person")
    }

    /// The session of one iPad.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    /// `identity.revoke` for each iPad, which refuses when it is offline or at its login screen; or `cloud.revoke` for the account.
    public func begin() -> [FaultAct] {
        account == nil ? command(PadCommand.RevokeIdentity()) : cloudCommand(.revoke, account: account)
    }
}
