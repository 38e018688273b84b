import FleetModel

/// An administrator logs out whoever is logged in.
public struct LogOutUser: Fault {
    public static let name = "log-out-user"
    public static let family = FaultFamily.administration
    public static let summary =
        "an administrator logs out the person who is logged in, `polled` through the management server; nothing to heal"
    public static let source = "shared-ipad.md 9.3 (LogOutUser)"

    public let spec: FaultSpec
    private let isPolled: Bool

    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        isPolled = try Parameters(spec, window: false, "polled").flag("polled", false)
    }

    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    public func begin() -> [FaultAct] { manage("LogOutUser", isPolled: isPolled) }
}

extension Fault {
    /// A management command: as if the iPad had just got it, or `isPolled` with a push and the iPad's own poll, over a network that
    /// other faults bend.
    func manage(_ type: String, _ request: Value = .empty, isPolled: Bool) -> [FaultAct] {
        var request = request
        request["RequestType"] = .string(type)
        guard isPolled else {
            return command(PadCommand.Manage(id: spec.id, request))
        }
        return spec.pads.map { number in
            let device = ParticipantID.pad(number).description
            let body: Value = [
                "device": .string(device), "CommandUUID": .string("\(spec.id)/\(device)"), "Command": request,
            ]
            return .command(.cloud, CloudCommand.mdm.message(body))
        }
    }
}
