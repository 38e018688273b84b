import FleetModel

/// The system makes room: a cached person who is not signed in and has nothing left to sync goes.
public struct EvictPerson: Fault {
    /// Scenarios write `evict-person`; `delete-user` is an administrator's and can be forced.
    public static let name = "evict-person"
    /// Something that happens to the iPad: a swarm moves half of its draws close to a bell.
    public static let family = FaultFamily.device
    /// Nothing is lost: a person with anything to send, or signed in, is never taken.
    public static let summary = "a cached person goes to make room, only with nothing left to sync; nothing to heal"
    /// The page has whom eviction may take; that it comes without a new person at the door is ours.
    public static let source = "shared-ipad.md 7 (eviction); S7"

    /// An event on each of its iPads, with `person`.
    public let spec: FaultSpec
    private let person: Person?

    /// `person` who is to go (else the one who was away longest).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        person = try Parameters(spec, window: false, "person").text("person")
    }

    /// One iPad, which chooses the person.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    /// `session.evict`; where nobody may go, nothing changes.
    public func begin() -> [FaultAct] { command(PadCommand.Evict(person: person)) }
}
