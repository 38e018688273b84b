import FleetModel

/// All faults by name. A new fault is one file in `Faults/` and one line here.
public enum FaultRegistry {
    /// In the order of `homeroom list faults` and of the draws of a swarm.
    public static let all: [any Fault.Type] = [
        Latency.self, Jitter.self, LossOfRequest.self, LossOfResponse.self, Duplicate.self, OneWayCut.self,
        Partition.self, Hold.self, AirplaneMode.self,
        Bandwidth.self, Reorder.self, Reset.self, Truncation.self, NthRequest.self, NameFailure.self,
        HandshakeFailure.self,
        CaptivePortal.self, ContentFilter.self, TooManyRequests.self,
        ServiceUnavailable.self, ZoneBusy.self, PartialFailure.self, StaleIndex.self, CloudCrash.self, PushLost.self,
        PushLate.self, PushDuplicated.self, QuotaExceeded.self, ChangeTokenExpired.self,
        ZoneDeleted.self,
        IdentityChange.self, DelayedNotice.self, DocumentsAndDataOff.self, CredentialRevoked.self, SamePersonTwice.self,
        AccountSuspended.self,
        SignOutWithUploadsPending.self, UserSwitchMidEdit.self, UserSwitchIdle.self,
        UserSwitchBackgroundTask.self, Bell.self, GuestTimeout.self, NoFreeSlot.self, LogOutUser.self,
        AppKill.self, Crash.self, MemoryKill.self, ForceQuit.self, Watchdog.self, Suspend.self, Lock.self,
        Interruption.self, MemoryWarning.self, AppUpgrade.self,
        Reboot.self, PowerCut.self, LowSpacePurge.self, Purge.self, DocumentEvicted.self, DiskFull.self,
        OnBattery.self, NoWiFi.self, EvictPerson.self, DeleteUser.self, EraseDevice.self,
        ClockSkew.self, ClockDrift.self, ClockJump.self,
    ]

    /// Nil for a kind that there is not.
    public static func named(_ name: String) -> (any Fault.Type)? { all.first { $0.name == name } }

    /// As scenarios write them, in the order of `all`.
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
