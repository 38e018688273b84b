import FleetModel

/// An administrator logs out whoever is logged in.
public struct LogOutUser: Fault {
    /// Scenarios write `log-out-user`; `user-switch-mid-edit` forces the same log-out at a counted message.
    public static let name = "log-out-user"
    /// An administrator's decision: a swarm draws it only when it is named.
    public static let family = FaultFamily.administration
    /// What waits in the person's queues stays on the iPad and is sent later.
    public static let summary =
        "an administrator logs out the person who is logged in, `polled` through the management server; nothing to heal"
    /// The page has the command; who gives it, and when, is ours.
    public static let source = "shared-ipad.md 9.3 (LogOutUser)"

    /// An event on each of its iPads, with `polled`.
    public let spec: FaultSpec
    private let isPolled: Bool

    /// `polled` sends it by push and poll instead of at once (default false).
    public init(_ spec: FaultSpec) throws(FaultProblem) {
        self.spec = spec
        isPolled = try Parameters(spec, window: false, "polled").flag("polled", false)
    }

    /// One iPad.
    public static func drawn(id: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        Drawn.event(id: id, kind: name, pads: pads, horizon: horizon, &draw)
    }

    /// The management command `LogOutUser`, to the iPads or through the Cloud.
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
