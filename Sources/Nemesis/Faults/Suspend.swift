import FleetModel

/// The person looks at something else for a while: the app is suspended, and no code of it runs until it comes back.
public struct Suspend: PlainWindow {
    /// Scenarios write `suspend`; `interruption` leaves the app in the foreground.
    public static let name = "suspend"
    /// Something that happens to an app: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.appLife
    /// The app gets its callbacks and its background tasks their time before it stops.
    public static let summary =
        "the app on the screen leaves it and is suspended as soon as it may be; back after the window, unless a reboot came"
    public static let source = "app-lifecycle.md 1, 2 and 4; S127, S132, S135; that it comes back is ASSUMED"
    /// 2 s to 3 min, ASSUMED.
    public static let lasting = Span.seconds(2) ... .minutes(3)
    /// The person leaves the app in front.
    public static let begins = PadCommand.Suspend().message
    /// The person comes back to it, unless another app is in front meanwhile.
    public static let ends = PadCommand.Resume().message

    /// Window and iPads; there are no parameters.
    public let spec: FaultSpec
    /// Takes no parameters, so every window is possible.
    public init(checked spec: FaultSpec) { self.spec = spec }
}
