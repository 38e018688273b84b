import FleetModel

/// The iPad is locked: the app leaves the screen, and after a while protected files are shut.
public struct Lock: PlainWindow {
    /// Scenarios write `lock`; `suspend` is another app in front, with the files open.
    public static let name = "lock"
    /// Something that happens to an app: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.appLife
    /// 10 s after the lock and its grace, protected files cannot be opened; nothing of them is lost.
    public static let summary =
        "the iPad is locked, with anybody signed in or nobody; unlocked at the end of its window, or before by the person with the passcode"
    /// The pages have the callbacks, the classes of protection and `DeviceLock`; how long a pause is is ASSUMED.
    public static let source = "app-lifecycle.md 2, 10; shared-ipad.md 9 (DeviceLock); S186, S190"
    /// 2 s to 5 min, ASSUMED.
    public static let lasting = Span.seconds(2) ... .minutes(5)
    /// The iPad locks, as by its sleep button.
    public static let begins = PadCommand.Lock().message
    /// The passcode: the app comes back to the screen.
    public static let ends = PadCommand.Unlock().message

    /// Window and iPads; there are no parameters.
    public let spec: FaultSpec
    /// Takes no parameters, so every window is possible.
    public init(checked spec: FaultSpec) { self.spec = spec }
}
