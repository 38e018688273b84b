import FleetModel

/// A sign-out while nothing is under way: nothing waits in a queue, no app has asked for time.
public struct UserSwitchIdle: PlainWindow {
    /// Scenarios write `user-switch-idle`; `user-switch-mid-edit` cuts into what an app is doing.
    public static let name = "user-switch-idle"
    /// Something that people do: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.people
    /// The easiest of all switches: what is lost here is lost by the switch itself.
    public static let summary =
        "the person signs out as soon as all queues are empty and apps have nothing to do; forgotten after the window or a reboot"
    public static let source = "shared-ipad.md 4 (nothing left to sync); S26"
    /// 20 s to 3 min in which the moment may come, ASSUMED.
    public static let lasting = Span.seconds(20) ... .minutes(3)
    /// One switch is enough to see it, and a swarm has `bell` for many at once.
    public static let isOfOneIPad = true
    /// The iPad waits for the first moment at which nothing is under way.
    public static let begins = PadCommand.SignOutWhen("idle").message
    /// The iPad forgets the wish; a switch that has begun goes on.
    public static let ends = PadCommand.SignOutWhen(nil).message

    /// Window and iPads; there are no parameters.
    public let spec: FaultSpec
    /// Takes no parameters, so every window is possible.
    public init(checked spec: FaultSpec) { self.spec = spec }
}
