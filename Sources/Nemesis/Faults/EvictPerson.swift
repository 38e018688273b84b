import FleetModel

/// The system makes room: a cached person who is not signed in and has nothing left to sync goes.
public struct EvictPerson: Fault {
    public static let name = "evict-person"
    public static let family = FaultFamily.device
    public static let summary = "a cached person goes to make room, only with nothing left to sync; nothing to heal"
    public static let source = "shared-ipad.md 7 (eviction); S7"

    public let spec: FaultSpec
    private let person: Person?

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        person = try Parameters(spec, window: false, "person").text("person")
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    public func begin() -> [FaultAct] { command(PadCommand.Evict(person: person)) }
}
