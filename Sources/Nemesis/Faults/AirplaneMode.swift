import FleetModel

/// Somebody switches airplane mode on: the Pad itself sends nothing, and knows it.
public struct AirplaneMode: Fault {
    public static let name = "airplane-mode"
    public static let family = FaultFamily.network
    public static let reach = FaultReach.bytes
    public static let summary = "airplane mode is on; switched off at the end of its window"
    public static let source = "design.md 4; identity.md 2 (the account stays signed in)"

    public let spec: FaultSpec

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        _ = try Parameters(spec, window: true)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.window(id: id, kind: name, pads: pads, lasting: .seconds(20) ... .minutes(10), horizon: horizon, &draw)
    }

    /// The Pad sends nothing by itself; a client that knows of no airplane mode is told at once.
    public func bend(_ fate: inout Fate, of passage: Passage, _ draw: inout Draw) {
        guard passage.direction == .request, selects(passage), fate.ending == .arrives else { return }
        fate.ending = .refused
    }

    public func begin() -> [FaultAct] { command("device.airplane", ["on": true]) }
    public func heal() -> [FaultAct] { command("device.airplane", ["on": false]) }
}
