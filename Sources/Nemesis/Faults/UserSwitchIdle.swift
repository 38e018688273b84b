import FleetModel

/// A sign-out while nothing is under way: nothing waits in a queue, no app has asked for time.
public struct UserSwitchIdle: Fault {
    public static let name = "user-switch-idle"
    public static let family = FaultFamily.people
    public static let summary =
        "the person signs out at the first moment of the window at which nothing is under way; forgotten at the end of the window"
    public static let source = "shared-ipad.md 4; design.md 4 (user switch: idle)"

    public let spec: FaultSpec

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        _ = try Parameters(spec, window: true)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(20) ... .minutes(3), horizon: horizon, &draw)
        spec.pads = draw.pick(pads).map { [$0] } ?? []
        return spec
    }

    public func begin() -> [FaultAct] { command("session.signOutWhen", ["moment": "idle"]) }
    public func heal() -> [FaultAct] { command("session.signOutWhen", ["moment": .null]) }
}
