import FleetModel

/// All faults by name. A new fault is one file in `Faults/` and one line here.
public enum FaultRegistry {
    public static let all: [any Fault.Type] = [
        Latency.self, Jitter.self, LossOfRequest.self, LossOfResponse.self, Duplicate.self, OneWayCut.self,
        Partition.self, Hold.self, AirplaneMode.self,
        Bandwidth.self, Reorder.self, Reset.self, Truncation.self, NthRequest.self, NameFailure.self,
        HandshakeFailure.self,
        CaptivePortal.self, ContentFilter.self, TooManyRequests.self,
        ServiceUnavailable.self, CloudCrash.self, PushLost.self, QuotaExceeded.self, ChangeTokenExpired.self,
        ZoneDeleted.self,
        IdentityChange.self, DocumentsAndDataOff.self, CredentialRevoked.self,
        SignOutWithUploadsPending.self, UserSwitchMidEdit.self, LogOutUser.self,
        AppKill.self, MemoryKill.self, ForceQuit.self, Lock.self, MemoryWarning.self, AppUpgrade.self,
        Reboot.self, PowerCut.self, LowSpacePurge.self, DocumentEvicted.self, DeleteUser.self, EraseDevice.self,
        ClockSkew.self,
    ]

    public static func named(_ name: String) -> (any Fault.Type)? { all.first { $0.name == name } }

    public static var names: [String] { all.map { $0.name } }

    /// Makes the fault of a specification.
    /// - Throws: `FaultProblem` for an unknown kind or an impossible parameter.
    public static func make(_ spec: FaultSpec) throws(FaultProblem) -> any Fault {
        guard let type = named(spec.kind) else {
            throw FaultProblem("fault", "there is no fault '\(spec.kind)'; see `homeroom list faults`")
        }
        return try type.init(spec)
    }
}
