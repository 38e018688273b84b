import FleetModel

/// What can make faults happen: a `Fleet`. Each kind of `homeroom list faults` is a method of its name in one of the protocols below and in
/// `Fleet+NetworkFaults.swift`, and Docs/faults.md has its parameters. A test of this package compares both.
public protocol FaultMaking {
    /// A fault begins.
    /// - Parameters:
    ///   - ipads: whom it concerns; empty: all.
    ///   - span: how long it lasts; nil: until it is ended.
    func fault(_ kind: String, on ipads: [Int], for span: Duration?, with parameters: [String: Value]) async
}

/// Faults of the family identity.
public protocol IdentityFaults: FaultMaking {}
extension IdentityFaults {
    /// `identity-change`: the iCloud identity that apps see changes (to: other, none, unavailable, restricted); its own comes back at the end of
    /// its window.
    public func identityChange(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async
    {
        await fault("identity-change", on: ipads, for: span, with: parameters)
    }
    /// `delayed-notice`: as `identity-change`, but apps hear of it `delay` later; its own comes back, with its notice at once, at the end of the
    /// window.
    public func delayedNotice(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async
    {
        await fault("delayed-notice", on: ipads, for: span, with: parameters)
    }
    /// `documents-and-data-off`: iCloud Documents & Data is off: the account has neither identity token nor containers; on again at the end of
    /// its window.
    public func documentsAndDataOff(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:])
        async
    {
        await fault("documents-and-data-off", on: ipads, for: span, with: parameters)
    }
    /// `credential-revoked`: the account's token is revoked at the Cloud, also for requests under way; the Pad signs in again.
    public func credentialRevoked(_ ipads: Int..., with parameters: [String: Value] = [:]) async {
        await fault("credential-revoked", on: ipads, for: nil, with: parameters)
    }
    /// `same-person-twice`: the person takes these iPads too and opens `app` after 5 s; logged out at the end of the window.
    public func samePersonTwice(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:])
        async
    {
        await fault("same-person-twice", on: ipads, for: span, with: parameters)
    }
    /// `account-suspended`: iCloud and every sign-in that asks it refuse the account; given back at the end of its window, or when the Cloud
    /// starts again.
    public func accountSuspended(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:])
        async
    {
        await fault("account-suspended", on: ipads, for: span, with: parameters)
    }
}

/// Faults of the family people.
public protocol PeopleFaults: FaultMaking {}
extension PeopleFaults {
    /// `sign-out-with-uploads-pending`: the network is cut, then a forced log-out after `delay`; the network is repaired at the end of its window.
    public func signOutWithUploadsPending(
        _ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]
    ) async {
        await fault("sign-out-with-uploads-pending", on: ipads, for: span, with: parameters)
    }
    /// `user-switch-mid-edit`: a forced log-out after the iPad's next `hops` messages; nothing to heal.
    public func userSwitchMidEdit(_ ipads: Int..., with parameters: [String: Value] = [:]) async {
        await fault("user-switch-mid-edit", on: ipads, for: nil, with: parameters)
    }
    /// `user-switch-idle`: the person signs out as soon as all queues are empty and apps have nothing to do; forgotten at the end of the window.
    public func userSwitchIdle(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async
    {
        await fault("user-switch-idle", on: ipads, for: span, with: parameters)
    }
    /// `user-switch-background-task`: the person signs out as soon as an app holds a background task, for which the switch waits; forgotten at
    /// the end of the window.
    public func userSwitchBackgroundTask(
        _ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]
    ) async {
        await fault("user-switch-background-task", on: ipads, for: span, with: parameters)
    }
    /// `bell`: everybody at the iPads signs out in the same instant, as by hand; people with something left to do sign in again.
    public func bell(_ ipads: Int..., with parameters: [String: Value] = [:]) async {
        await fault("bell", on: ipads, for: nil, with: parameters)
    }
    /// `guest-timeout`: a guest's session ends as after `TemporarySessionTimeout`; nobody else is concerned.
    public func guestTimeout(_ ipads: Int..., with parameters: [String: Value] = [:]) async {
        await fault("guest-timeout", on: ipads, for: nil, with: parameters)
    }
    /// `no-free-slot`: only cached people have room, and only requests to accounts go out; room and network come back at the end of the window.
    public func noFreeSlot(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("no-free-slot", on: ipads, for: span, with: parameters)
    }
}

/// Faults of the family appLife.
public protocol AppFaults: FaultMaking {}
extension AppFaults {
    /// `app-kill`: the newest app dies without notice after the next `hops` messages, or an app right after the `nth` `call`; nothing to heal.
    public func appKill(_ ipads: Int..., with parameters: [String: Value] = [:]) async {
        await fault("app-kill", on: ipads, for: nil, with: parameters)
    }
    /// `crash`: as `app-kill`, but the app's own crash: an archive that it was restoring goes.
    public func crash(_ ipads: Int..., with parameters: [String: Value] = [:]) async {
        await fault("crash", on: ipads, for: nil, with: parameters)
    }
    /// `memory-kill`: the system ends an app without notice, a suspended one first (app); nothing to heal.
    public func memoryKill(_ ipads: Int..., with parameters: [String: Value] = [:]) async {
        await fault("memory-kill", on: ipads, for: nil, with: parameters)
    }
    /// `force-quit`: a person flicks an app away (app; else the foreground one): its background transfers are cancelled; nothing to heal.
    public func forceQuit(_ ipads: Int..., with parameters: [String: Value] = [:]) async {
        await fault("force-quit", on: ipads, for: nil, with: parameters)
    }
    /// `watchdog`: an app hangs and hears nothing; the person leaves it, and the system kills it when its allowance is over.
    public func watchdog(_ ipads: Int..., with parameters: [String: Value] = [:]) async {
        await fault("watchdog", on: ipads, for: nil, with: parameters)
    }
    /// `suspend`: the app on the screen leaves it and is suspended as soon as it may be; it comes back at the end of the window.
    public func suspend(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("suspend", on: ipads, for: span, with: parameters)
    }
    /// `lock`: the iPad is locked, with anybody signed in or nobody; unlocked at the end of its window, or before by the person with the passcode.
    public func lock(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("lock", on: ipads, for: span, with: parameters)
    }
    /// `interruption`: the app on the screen is covered: it resigns active, and is active again at the end of the window.
    public func interruption(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("interruption", on: ipads, for: span, with: parameters)
    }
    /// `memory-warning`: the system wants `bytes` of memory: suspended apps go, running ones get a warning and may die 2 s later; nothing to heal.
    public func memoryWarning(_ ipads: Int..., with parameters: [String: Value] = [:]) async {
        await fault("memory-warning", on: ipads, for: nil, with: parameters)
    }
    /// `app-upgrade`: another build of an app (app; else of all) is installed as `version`: it ends, its data stay; nothing to heal.
    public func appUpgrade(_ ipads: Int..., with parameters: [String: Value] = [:]) async {
        await fault("app-upgrade", on: ipads, for: nil, with: parameters)
    }
}

/// Faults of the family device.
public protocol DeviceFaults: FaultMaking {}
extension DeviceFaults {
    /// `reboot`: an orderly restart; the iPad is back after `outage`.
    public func reboot(_ ipads: Int..., with parameters: [String: Value] = [:]) async {
        await fault("reboot", on: ipads, for: nil, with: parameters)
    }
    /// `power-cut`: un-synced writes are lost or torn and the iPad is gone; it boots after `outage`.
    public func powerCut(_ ipads: Int..., with parameters: [String: Value] = [:]) async {
        await fault("power-cut", on: ipads, for: nil, with: parameters)
    }
    /// `low-space-purge`: local data is purged as low space does (person, app; else the system chooses); nothing to heal.
    public func lowSpacePurge(_ ipads: Int..., with parameters: [String: Value] = [:]) async {
        await fault("low-space-purge", on: ipads, for: nil, with: parameters)
    }
    /// `purge`: local data of apps that allow it go for everybody who is signed out, once nothing of theirs waits; nothing to heal.
    public func purge(_ ipads: Int..., with parameters: [String: Value] = [:]) async {
        await fault("purge", on: ipads, for: nil, with: parameters)
    }
    /// `document-evicted`: space is short: documents that iCloud has and that are not in use lose their local data (bytes); nothing to heal.
    public func documentEvicted(_ ipads: Int..., with parameters: [String: Value] = [:]) async {
        await fault("document-evicted", on: ipads, for: nil, with: parameters)
    }
    /// `disk-full`: the disk has `free` bytes left and refuses more with NSFileWriteOutOfSpaceError 640; the space comes back at the end of the
    /// window.
    public func diskFull(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("disk-full", on: ipads, for: span, with: parameters)
    }
    /// `on-battery`: the iPad has no power: discretionary transfers (also those begun in the background) wait; on the charger again at the end
    /// of its window.
    public func onBattery(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("on-battery", on: ipads, for: span, with: parameters)
    }
    /// `no-wifi`: the iPad has no Wi-Fi but a cellular network: discretionary transfers wait, the rest goes on; there again at the end of its window.
    public func noWifi(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("no-wifi", on: ipads, for: span, with: parameters)
    }
    /// `evict-person`: a cached person goes to make room, only with nothing left to sync; nothing to heal.
    public func evictPerson(_ ipads: Int..., with parameters: [String: Value] = [:]) async {
        await fault("evict-person", on: ipads, for: nil, with: parameters)
    }
}

/// Faults of the family clock.
public protocol ClockFaults: FaultMaking {}
extension ClockFaults {
    /// `clock-skew`: the iPad's clock is off (offset, drift in ppb); set right at the end of its window.
    public func clockSkew(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("clock-skew", on: ipads, for: span, with: parameters)
    }
    /// `clock-drift`: the iPad's clock runs fast or slow from what it shows at first; set right at the end of its window.
    public func clockDrift(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("clock-drift", on: ipads, for: span, with: parameters)
    }
    /// `clock-jump`: the clock jumps by `by`, and back and forth again each `every`; set right at the end of its window.
    public func clockJump(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("clock-jump", on: ipads, for: span, with: parameters)
    }
}

/// Faults of the family administration.
public protocol AdministrationFaults: FaultMaking {}
extension AdministrationFaults {
    /// `log-out-user`: an administrator logs out the person who is logged in, `polled` through the management server; nothing to heal.
    public func logOutUser(_ ipads: Int..., with parameters: [String: Value] = [:]) async {
        await fault("log-out-user", on: ipads, for: nil, with: parameters)
    }
    /// `delete-user`: an administrator deletes a cached person (person; else all), with `force` also what was not sent yet; `polled` through the
    /// management server; nothing to heal.
    public func deleteUser(_ ipads: Int..., with parameters: [String: Value] = [:]) async {
        await fault("delete-user", on: ipads, for: nil, with: parameters)
    }
    /// `erase-device`: an administrator erases the iPad: everybody on it, and what was not sent yet; `polled` through the management server;
    /// nothing to heal.
    public func eraseDevice(_ ipads: Int..., with parameters: [String: Value] = [:]) async {
        await fault("erase-device", on: ipads, for: nil, with: parameters)
    }
}

extension Fleet: NetworkFaults, CloudFaults, IdentityFaults, PeopleFaults, AppFaults, DeviceFaults, ClockFaults,
    AdministrationFaults
{}
