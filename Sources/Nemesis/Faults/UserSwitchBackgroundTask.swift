import FleetModel

/// A sign-out while an app has asked for time in the background: the switch waits for it, up to its limit.
public struct UserSwitchBackgroundTask: PlainWindow {
    public static let name = "user-switch-background-task"
    public static let family = FaultFamily.people
    public static let summary =
        "the person signs out as soon as an app holds a background task, for which the switch waits; forgotten at the end of the window"
    public static let source = "shared-ipad.md 4 (step 3), app-lifecycle.md 4; S24"
    public static let lasting = Span.seconds(20) ... .minutes(5)
    public static let isOfOneIPad = true
    public static let begins = PadCommand.SignOutWhen("backgroundTask").message
    public static let ends = PadCommand.SignOutWhen(nil).message

    public let spec: FaultSpec
    public init(checked spec: FaultSpec) { self.spec = spec }
}
