import FleetModel

/// The person looks at something else for a while: the app is suspended, and no code of it runs until it comes back.
public struct Suspend: PlainWindow {
    public static let name = "suspend"
    public static let family = FaultFamily.appLife
    public static let summary =
        "the app on the screen leaves it and is suspended as soon as it may be; it comes back at the end of the window"
    public static let source = "app-lifecycle.md 1, 2 and 4; S127, S132, S135; that it comes back is ASSUMED"
    public static let lasting = Span.seconds(2) ... .minutes(3)
    public static let begins = PadCommand.Suspend().message
    public static let ends = PadCommand.Resume().message

    public let spec: FaultSpec
    public init(checked spec: FaultSpec) { self.spec = spec }
}
