import FleetModel

/// A sign-out while an app has asked for time in the background: the switch waits for it, up to its limit.
public struct UserSwitchBackgroundTask: Fault {
    public static let name = "user-switch-background-task"
    public static let family = FaultFamily.people
    public static let summary =
        "the person signs out at the first moment of the window at which an app holds a background task; forgotten at the end of the window"
    public static let source =
        "shared-ipad.md 4 (step 3), app-lifecycle.md 4; design.md 4 (user switch: background task held)"

    public let spec: FaultSpec

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        _ = try Parameters(spec, window: true)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        var spec = Drawn.window(
            id: id, kind: name, pads: pads, lasting: .seconds(20) ... .minutes(5), horizon: horizon, &draw)
        spec.pads = draw.pick(pads).map { [$0] } ?? []
        return spec
    }

    public func begin() -> [FaultAct] { command("session.signOutWhen", ["moment": "backgroundTask"]) }
    public func heal() -> [FaultAct] { command("session.signOutWhen", ["moment": .null]) }
}
