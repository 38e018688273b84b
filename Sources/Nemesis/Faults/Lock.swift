import FleetModel

/// The iPad is locked: the app leaves the screen, and after a while protected files are shut.
public struct Lock: PlainWindow {
    public static let name = "lock"
    public static let family = FaultFamily.appLife
    public static let summary =
        "the iPad is locked, with anybody signed in or nobody; unlocked at the end of its window, or before by the person with the passcode"
    public static let source = "app-lifecycle.md 2, 10; shared-ipad.md 9 (DeviceLock); S186, S190"
    public static let lasting = Span.seconds(2) ... .minutes(5)
    public static let begins = PadCommand.Lock().message
    public static let ends = PadCommand.Unlock().message

    public let spec: FaultSpec
    public init(checked spec: FaultSpec) { self.spec = spec }
}
