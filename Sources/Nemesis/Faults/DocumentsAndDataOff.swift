import FleetModel

/// The person switches Documents & Data off in Settings: the account stays, its documents and their token are gone for apps.
public struct DocumentsAndDataOff: PlainWindow {
    /// Scenarios write `documents-and-data-off`; with `identity-change` to `none` the whole account is gone.
    public static let name = "documents-and-data-off"
    /// Something that happens to an account: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.identity
    /// The CloudKit account may stay available: only the token and the ubiquity containers go.
    public static let summary =
        "iCloud Documents & Data is off: the account has neither identity token nor containers; on again at the end of its window"
    /// The page has the nil token; how long somebody leaves it off is ASSUMED.
    public static let source = "identity.md 2; S80"
    /// 10 s to 4 min, ASSUMED.
    public static let lasting = Span.seconds(10) ... .minutes(4)
    /// The person switches Documents & Data off.
    public static let begins = PadCommand.ChangeIdentity(to: "withoutDocuments").message
    /// The account's own identity comes back, with token and containers.
    public static let ends = PadCommand.ChangeIdentity(to: "own").message

    /// Window and iPads; there are no parameters.
    public let spec: FaultSpec
    /// Takes no parameters, so every window is possible.
    public init(checked spec: FaultSpec) { self.spec = spec }
}
