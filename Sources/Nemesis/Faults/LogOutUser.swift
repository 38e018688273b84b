import FleetModel

/// An administrator logs out whoever is logged in.
public struct LogOutUser: Fault {
    public static let name = "log-out-user"
    public static let family = FaultFamily.administration
    public static let summary = "an administrator logs out whoever is logged in; nothing to heal"
    public static let source = "shared-ipad.md 9.3 (LogOutUser)"

    public let spec: FaultSpec

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        _ = try Parameters(spec, window: false)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    public func begin() -> [FaultAct] { manage("LogOutUser") }
}

extension Fault {
    /// A management command, as if the iPad had just polled it.
    func manage(_ type: String, _ request: Value = .empty) -> [FaultAct] {
        var request = request
        request["RequestType"] = .string(type)
        return command("mdm.command", ["CommandUUID": .string(spec.id), "Command": request])
    }
}
