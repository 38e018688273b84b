import FleetModel

/// The person switches Documents & Data off in Settings: the account stays, its documents and their token are gone for apps.
public struct DocumentsAndDataOff: PlainWindow {
    public static let name = "documents-and-data-off"
    public static let family = FaultFamily.identity
    public static let summary =
        "iCloud Documents & Data is off: the account has neither identity token nor containers; on again at the end of its window"
    public static let source = "identity.md 2; S80"
    public static let lasting = Span.seconds(10) ... .minutes(4)
    public static let begins = PadCommand.ChangeIdentity(to: "withoutDocuments").message
    public static let ends = PadCommand.ChangeIdentity(to: "own").message

    public let spec: FaultSpec
    public init(checked spec: FaultSpec) { self.spec = spec }
}
