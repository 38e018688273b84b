import FleetModel

/// The items of the Settings command, and what DeviceInformation tells (shared-ipad.md 9.1, 9.2).
extension Pad {
    /// Each item has its own status: one that cannot be does not keep the others.
    func changeSettings(_ request: Value) throws(ManagementError) -> Value {
        guard let items = request["Settings"]?.array else { throw .malformed("'Settings' is a list of items") }
        return ["Settings": .array(items.map(setting))]
    }

    private func setting(_ item: Value) -> Value {
        let name = item["Item"]?.string ?? ""
        do throws(ManagementError) {
            try change(name, item)
            saveState()
            return ["Item": .string(name), "Status": "Acknowledged"]
        } catch {
            return ["Item": .string(name), "Status": "Error", "ErrorChain": error.chain]
        }
    }

    private func change(_ name: String, _ item: Value) throws(ManagementError) {
        switch name {
        case "SharedDeviceConfiguration": try configure(item)
        case "MaximumResidentUsers":
            // Deprecated since 13.4, and only while the iPad awaits its configuration. ASSUMED: the code.
            guard state.isAwaitingConfiguration else {
                throw .malformed("\(deviceName) is configured; set ResidentUsers of SharedDeviceConfiguration")
            }
            try configure(["ResidentUsers": item[name] ?? .null])
        case "PasscodeLockGracePeriod":
            // ASSUMED: it cannot be set where nobody has a passcode.
            guard !state.configuration.temporarySessionOnly else {
                throw ManagementError(
                    code: 5015, domain: "MCPasscodeErrorDomain",
                    text: "\(deviceName) has guest sessions only, and guests have no passcode")
            }
            try configure(["PasscodePolicy": [name: item[name] ?? .null]])
        case "DiagnosticSubmission": state.submitsDiagnostics = try enabled(item)
        case "AppAnalytics": state.submitsAnalytics = try enabled(item)
        case "ApplicationConfiguration": try configureApplication(item)
        default:
            throw ManagementError(code: 28000, domain: "MCSettingsErrorDomain", text: "there is no setting '\(name)'")
        }
    }
    private func enabled(_ item: Value) throws(ManagementError) -> Bool {
        guard let flag = item["Enabled"]?.bool else { throw .malformed("'Enabled' is true or false") }
        return flag
    }
    private func configure(_ item: Value) throws(ManagementError) {
        var configuration = state.configuration
        try configuration.take(item)
        state.configuration = configuration
        lockGraceChanged()
        watchIdleness()
    }

    // MARK: Managed configuration of apps

    private static let managedKey = "com.apple.configuration.managed"

    /// `ApplicationConfiguration {Identifier, Configuration?}`: apps read the dictionary in their defaults, whoever is signed in; without one
    /// it is taken back. Kept unencrypted, as the reference has it.
    private func configureApplication(_ item: Value) throws(ManagementError) {
        guard let bundle = item["Identifier"]?.string, let app = spec.apps.first(where: { $0.bundleID == bundle })
        else { throw .malformed("'Identifier' is the bundle identifier of an app") }
        guard item["Configuration"] == nil || item["Configuration"]?.object != nil else {
            throw .malformed("'Configuration' is a dictionary")
        }
        state.managedApps[bundle] = item["Configuration"] ?? .null
        if let person = session.activePerson { tellSettings(app, person) }
    }
    /// The newest notice says all that is to be taken.
    func tellSettings(_ app: AppManifest, _ person: Person) {
        let values = settingsToTake(app.bundleID, person) ?? .empty
        give(notice: ["name": "NSUserDefaultsDidChange", "values": values], to: app.name)
    }
    /// What a launch finds in its defaults: what the person changed in Settings, and what the administrator configured.
    func settingsToTake(_ bundle: String, _ person: Person) -> Value? {
        var settings = state[person]?.settings[bundle] ?? .empty
        if let managed = state.managedApps[bundle] { settings[Self.managedKey] = managed }
        return settings == .empty ? nil : settings
    }

    // MARK: DeviceInformation

    /// Source: shared-ipad.md 9.2. Keys that are not modelled are left out, as unknown ones are.
    func deviceInformation(_ request: Value, _ side: ManagementSide) -> Value {
        let configuration = state.configuration
        var known: Value = [
            "UDID": .string(deviceName), "IsMultiUser": true, "MaximumResidentUsers": .int(Room.mostPeople),
            "EstimatedResidentUsers": .int(room.slots), "ResidentUsers": .int(people.count),
            "UserSessionTimeout": .int(configuration.userSessionTimeout),
            "TemporarySessionTimeout": .int(configuration.temporarySessionTimeout),
            "TemporarySessionOnly": .bool(configuration.temporarySessionOnly),
            "ManagedAppleIDDefaultDomains": .strings(configuration.managedAppleIDDefaultDomains),
            "SkipLanguageAndLocaleSetupForNewUsers": .bool(configuration.skipLanguageAndLocaleSetupForNewUsers),
            "AwaitingConfiguration": .bool(isAwaitingConfiguration(side)),
            "DeviceCapacity": .double(Double(spec.capacity)),
            "AvailableDeviceCapacity": .double(Double(max(0, freeBytes)) / 1e9),
            "DiagnosticSubmissionEnabled": .bool(state.submitsDiagnostics),
            "AppAnalyticsEnabled": .bool(state.submitsAnalytics),
            // ASSUMED: nobody backs a Shared iPad up to iCloud, so that there is no LastCloudBackupDate; managed accounts buy nothing.
            "IsCloudBackupEnabled": false, "iTunesStoreAccountIsActive": false,
        ]
        if let quota = room.quota { known["QuotaSize"] = .int(quota) }
        if let days = configuration.onlineAuthenticationGracePeriod {
            known["OnlineAuthenticationGracePeriod"] = .int(days)
        }
        if case .person(let person) = side { known["PushToken"] = .data(pushToken(of: person)) }
        var answer = Value.empty
        for name in request["Queries"]?.strings ?? [] { if let value = known[name] { answer[name] = value } }
        return ["QueryResponses": answer]
    }
    /// ASSUMED: one for each person on each iPad, always the same, 32 bytes.
    private func pushToken(of person: Person) -> [UInt8] {
        (0..<4).flatMap { part in
            let word = StableHash.of(spec.seed, deviceName, "push", person, String(part))
            return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }
        }
    }
}
