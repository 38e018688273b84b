import FleetModel

/// Every slot holds somebody whose work has not gone up yet, so nobody can be removed and a new person cannot sign in.
public struct NoFreeSlot: PlainWindow {
    public static let name = "no-free-slot"
    public static let family = FaultFamily.people
    public static let reach = FaultReach.messages
    public static let summary =
        "only cached people have room, and only requests to accounts go out; room and network come back at the end of the window"
    public static let source = "shared-ipad.md 7 (no free slot: the new login fails)"
    public static let lasting = Span.seconds(30) ... .minutes(4)
    public static let begins = PadCommand.Squeeze(on: true).message
    public static let ends = PadCommand.Squeeze(on: false).message

    public let spec: FaultSpec
    public init(checked spec: FaultSpec) { self.spec = spec }

    /// Everything but accounts: who is turned away is turned away for want of room.
    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        guard message.direction == .request, selects(message), !message.route.hasPrefix("/accounts/"),
            outcome.ending == .arrives
        else { return }
        outcome.ending = .lost
    }
}
