import FleetModel

/// A call, an alert or the control centre: the app on the screen is inactive for a while and never in the background.
public struct Interruption: PlainWindow {
    /// Scenarios write `interruption`; `suspend` takes the app off the screen.
    public static let name = "interruption"
    /// Something that happens to an app: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.appLife
    /// The app keeps running and stays in the foreground: inactive, then active, and never in the background.
    public static let summary =
        "the app on the screen is covered: it resigns active, and is active again at the end of the window; a reboot ends it"
    public static let source = "app-lifecycle.md 2 (interruption); S125, S126"
    /// 1 s to 1 min, ASSUMED.
    public static let lasting = Span.seconds(1) ... .minutes(1)
    /// A call, an alert or the control centre comes over the app in front.
    public static let begins = PadCommand.Interrupt().message
    /// What covered the app goes; one that has left the screen meanwhile stays away.
    public static let ends = PadCommand.InterruptEnded().message

    /// Window and iPads; there are no parameters.
    public let spec: FaultSpec
    /// Takes no parameters, so every window is possible.
    public init(checked spec: FaultSpec) { self.spec = spec }
}
