import FleetModel

/// What happens on the iPad while an app is suspended and is handed over when its code runs again (app-lifecycle.md 8).
final class Notices: PadService {
    let kernel: Kernel
    let local: LocalNotifications

    init(_ kernel: Kernel) {
        self.kernel = kernel
        local = LocalNotifications(kernel)
    }

    /// The kinds of notices that the system queues, by group; names without the ending `Notification`.
    /// Source: app-lifecycle.md 8. The last group comes by `identity.change`.
    static let noticeGroups: [(topic: String, names: [String])] = [
        ("accessory", ["EAAccessoryDidConnect", "EAAccessoryDidDisconnect"]),
        ("orientation", ["UIDeviceOrientationDidChange"]),
        ("time", ["UIApplicationSignificantTimeChange"]),
        ("battery", ["UIDeviceBatteryLevelDidChange", "UIDeviceBatteryStateDidChange"]),
        ("proximity", ["UIDeviceProximityStateDidChange"]),
        (
            "protected data",
            ["UIApplicationProtectedDataWillBecomeUnavailable", "UIApplicationProtectedDataDidBecomeAvailable"]
        ),
        ("screens", ["UIScreenDidConnect", "UIScreenDidDisconnect", "UIScreenModeDidChange"]),
        ("settings", ["NSUserDefaultsDidChange"]),
        ("locale", ["NSCurrentLocaleDidChange"]),
        ("status bar", ["UIApplicationDidChangeStatusBarFrame"]),
        ("iCloud account", ["NSUbiquityIdentityDidChange"]),
    ]

    /// `device.notice {name, info?, app?}`.
    func notice(_ command: Command) {
        let wish = command.asked(PadCommand.GiveNotice.self)
        guard Self.noticeGroups.dropLast().contains(where: { $0.names.contains(wish.notice) }) else {
            return refuse(command, "there is no notice '\(wish.notice)' to give; see Docs/pad-commands.md")
        }
        guard pad.sessions.activePerson != nil else { return refuse(command, "nobody is signed in") }
        give(notice: AppMessages.Notice { ($0.notice, $0.info) = (wish.notice, wish.info) }, to: wish.app)
        done(command)
    }

    /// To every live launch of the session, or to one app's. The newest of a name says all. A launch that is being loaded finds changed
    /// settings in what it is told at its beginning.
    func give(notice: AppMessages.Notice, to app: AppName? = nil) {
        for launch in pad.apps.launches where app == nil || pad.apps[launch]?.identity.app == app {
            if notice.values != nil, pad.apps[launch]?.process == .starting { continue }
            pad.apps.queue(notice, to: launch)
        }
        kernel.needsSettling = true
    }

    // MARK: Settings

    /// `settings.change {app, key, value}`: the person changes an app's setting in Settings. The app hears of it when its code runs; one
    /// that does not run finds it at its next launch (S182). ASSUMED: the change is kept until the app has taken it.
    func changeSetting(_ command: Command) {
        guard let change = command.whole(PadCommand.ChangeSetting.self),
            let manifest = pad.catalogue.manifest(of: change.app)
        else { return refuse(command, "'app' and 'key' are needed: say which setting of which app") }
        guard let person = pad.sessions.activePerson, let index = kernel.state.index(of: person) else {
            return refuse(command, "nobody is signed in")
        }
        var changed = kernel.state.residents[index].settings[manifest.bundleID] ?? .empty
        changed[change.key] = change.value
        kernel.state.residents[index].settings[manifest.bundleID] = changed
        kernel.saveState()
        tellSettings(manifest, person)
        done(command)
    }
    /// `app.settingsTaken {values}`: the app has written them to its own defaults. What the person changed once more meanwhile is kept.
    func settingsTaken(_ message: Message, _ app: AppIdentity) -> Value {
        guard let taken = try? AppMessages.SettingsTaken(message).values else {
            return LinkError.malformed("'values' of app.settingsTaken must hold the settings that were taken").body
        }
        guard let index = kernel.state.index(of: app.person),
            var kept = kernel.state.residents[index].settings[app.bundle]?.object
        else { return .empty }
        for pair in taken.pairs where kept[pair.key] == pair.value { kept[pair.key] = nil }
        kernel.state.residents[index].settings[app.bundle] = kept.isEmpty ? nil : .object(kept)
        kernel.saveState()
        return .empty
    }

    // MARK: Managed configuration of apps

    private static let managedKey = "com.apple.configuration.managed"
    /// The newest notice says all that is to be taken.
    func tellSettings(_ app: AppManifest, _ person: Person) {
        let values = settingsToTake(app.bundleID, person)?.object ?? Value.Object()
        give(notice: AppMessages.Notice { ($0.notice, $0.values) = ("NSUserDefaultsDidChange", values) }, to: app.name)
    }
    /// What a launch finds in its defaults: what the person changed in Settings, and what the administrator configured.
    func settingsToTake(_ bundle: String, _ person: Person) -> Value? {
        var settings = kernel.state[person]?.settings[bundle] ?? .empty
        if let managed = kernel.state.management.managedApps[bundle] { settings[Self.managedKey] = managed }
        return settings == .empty ? nil : settings
    }
}
