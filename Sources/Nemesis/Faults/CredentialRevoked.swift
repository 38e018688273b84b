import FleetModel

/// The account's token is dead at the Cloud: requests under way are answered 401 and the Pad has to sign in again. The session's token of
/// an iPad, or all that a person has on any iPad, as after a change of the password.
public struct CredentialRevoked: Fault {
    public static let name = "credential-revoked"
    public static let family = FaultFamily.identity
    public static let summary =
        "the account's token is revoked at the Cloud, also for requests under way; the Pad signs in again"
    public static let source = "identity.md 5; cloudkit-web-services.md 9 (AUTHENTICATION_FAILED)"

    public let spec: FaultSpec
    private let account: String?

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        account = try Parameters(spec, window: false, "person").text("person")
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    public func begin() -> [FaultAct] {
        account == nil ? command(PadCommand.RevokeIdentity()) : cloudCommand(.revoke, account: account)
    }
}
