import FleetModel

/// Every slot holds somebody whose work has not gone up yet, so nobody can be removed and a new person cannot sign in.
public struct NoFreeSlot: Fault {
    public static let name = "no-free-slot"
    public static let family = FaultFamily.people
    public static let reach = FaultReach.messages
    public static let summary =
        "the iPad has room for nobody else and its queues reach nobody: who is new is turned away while everybody cached has "
        + "data to sync; room and network come back at the end of the window"
    public static let source = "shared-ipad.md 7 (no free slot: the new login fails); design.md 4"

    public let spec: FaultSpec

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        _ = try Parameters(spec, window: true)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.window(id: id, kind: name, pads: pads, lasting: .seconds(30) ... .minutes(4), horizon: horizon, &draw)
    }

    public func begin() -> [FaultAct] { command("session.squeeze", ["on": true]) }
    public func heal() -> [FaultAct] { command("session.squeeze", ["on": false]) }

    /// Everything but accounts: who is turned away is turned away for want of room.
    public func bend(_ fate: inout Fate, of passage: Passage, _ draw: inout Draw) {
        guard passage.direction == .request, selects(passage), !passage.route.hasPrefix("/accounts/"),
            fate.ending == .arrives
        else { return }
        fate.ending = .lost
    }
}
