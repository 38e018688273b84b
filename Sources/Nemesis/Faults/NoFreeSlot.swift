import FleetModel

/// Every slot holds somebody whose work has not gone up yet, so nobody can be removed and a new person cannot sign in.
public struct NoFreeSlot: PlainWindow {
    /// Scenarios write `no-free-slot`.
    public static let name = "no-free-slot"
    /// About people: who may sign in. A swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.people
    /// It looks at each request's route, so that sign-ins still reach the Cloud.
    public static let reach = FaultReach.messages
    /// A new person's login is refused and nothing is lost; people who are cached sign in as always.
    public static let summary =
        "only cached people have room, and only requests to accounts go out; ends with the window or a reboot"
    public static let source = "shared-ipad.md 7 (no free slot: the new login fails)"
    /// 30 s to 4 min, ASSUMED.
    public static let lasting = Span.seconds(30) ... .minutes(4)
    /// No slot beyond those of the people who are cached.
    public static let begins = PadCommand.Squeeze(on: true).message
    /// The iPad's own number of slots again.
    public static let ends = PadCommand.Squeeze(on: false).message

    /// Window and iPads; there are no parameters.
    public let spec: FaultSpec
    /// Takes no parameters, so every window is possible.
    public init(checked spec: FaultSpec) { self.spec = spec }

    /// Everything but accounts: who is turned away is turned away for want of room.
    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard message.direction == .request, selects(message), !message.route.hasPrefix("/accounts/"),
            outcome.ending == .arrives
        else { return }
        outcome.ending = .lost
    }
}
