import FleetModel

/// A sign-out while nothing is under way: nothing waits in a queue, no app has asked for time.
public struct UserSwitchIdle: PlainWindow {
    public static let name = "user-switch-idle"
    public static let family = FaultFamily.people
    public static let summary =
        "the person signs out as soon as all queues are empty and apps have nothing to do; forgotten at the end of the window"
    public static let source = "shared-ipad.md 4 (nothing left to sync); S26"
    public static let lasting = Span.seconds(20) ... .minutes(3)
    public static let isOfOneIPad = true
    public static let begins = PadCommand.SignOutWhen("idle").message
    public static let ends = PadCommand.SignOutWhen(nil).message

    public let spec: FaultSpec
    public init(checked spec: FaultSpec) { self.spec = spec }
}
