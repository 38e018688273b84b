import FleetModel

/// A sign-out while an app has asked for time in the background: the switch waits for it, up to its limit.
public struct UserSwitchBackgroundTask: PlainWindow {
    /// Scenarios write `user-switch-background-task`; `user-switch-idle` waits for the opposite moment.
    public static let name = "user-switch-background-task"
    /// Something that people do: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.people
    /// An app that ends its task in time has lost nothing; after the limit it is ended unheard.
    public static let summary =
        "the person signs out as soon as an app holds a background task, for which the switch waits; forgotten after the window or a reboot"
    public static let source = "shared-ipad.md 4 (step 3), app-lifecycle.md 4; S24"
    /// 20 s to 5 min in which the moment may come, ASSUMED.
    public static let lasting = Span.seconds(20) ... .minutes(5)
    /// One switch is enough to see it, and a swarm has `bell` for many at once.
    public static let isOfOneIPad = true
    /// The iPad waits for the first moment at which an app holds a background task.
    public static let begins = PadCommand.SignOutWhen("backgroundTask").message
    /// The iPad forgets the wish; a switch that has begun goes on.
    public static let ends = PadCommand.SignOutWhen(nil).message

    /// Window and iPads; there are no parameters.
    public let spec: FaultSpec
    /// Takes no parameters, so every window is possible.
    public init(checked spec: FaultSpec) { self.spec = spec }
}
