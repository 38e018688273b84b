import FleetModel

/// One direction of a link is dead while the other works: the Cloud hears and is not heard, or the reverse.
public struct OneWayCut: Fault {
    /// Seen from the iPad.
    public enum Direction: String, CaseIterable, Sendable {
        /// Requests vanish; pushes still come.
        case up
        /// Requests arrive and act; responses and pushes vanish.
        case down
    }
    /// Scenarios write `one-way-cut`; `partition` cuts both directions.
    public static let name = "one-way-cut"
    /// A fault of the line: bells make it no likelier in a swarm.
    public static let family = FaultFamily.network
    /// One whole direction, whatever the messages are.
    public static let reach = FaultReach.bytes
    /// A cut `up` leaves requests unheard, a cut `down` leaves them done; the requester sees the same silence.
    public static let summary =
        "one direction is dead (direction: up or down, seen from the iPad); heals at the end of its window"
    /// The page has that any packet may be lost; that a direction is dead is ours.
    public static let source = "app-lifecycle.md 15 (any packet may be lost), here all of one direction; S211"

    /// Window and iPads, with `direction`.
    public let spec: FaultSpec
    private let direction: Direction

    /// `direction` up or down, seen from the iPad (default up).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        direction = try Parameters(spec, window: true, "direction").choice("direction", .up)
    }

    /// 20 s to 6 min, either direction.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(20) ... .minutes(6), horizon: horizon, &draw)
        spec.parameters = ["direction": .string(draw.chance(0.5) ? "up" : "down")]
        return spec
    }

    /// Everything of the dead direction that would arrive is lost; the other is untouched.
    public func apply(to outcome: inout DeliveryOutcome, of message: NetworkMessage, _ draw: inout Draw) {
        let isUp = message.direction == .request
        guard selects(message), outcome.ending == .arrives, isUp == (direction == .up) else { return }
        outcome.ending = .lost
    }
}
