import FleetModel

/// A call, an alert or the control centre: the app on the screen is inactive for a while and never in the background.
public struct Interruption: PlainWindow {
    public static let name = "interruption"
    public static let family = FaultFamily.appLife
    public static let summary =
        "the app on the screen is covered: it resigns active, and is active again at the end of the window"
    public static let source = "app-lifecycle.md 2 (interruption); S125, S126"
    public static let lasting = Span.seconds(1) ... .minutes(1)
    public static let begins = PadCommand.Interrupt().message
    public static let ends = PadCommand.InterruptEnded().message

    public let spec: FaultSpec
    public init(checked spec: FaultSpec) { self.spec = spec }
}
