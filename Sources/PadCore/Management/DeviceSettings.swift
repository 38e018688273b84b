import FleetModel

/// The items of the Settings command, and what DeviceInformation tells (shared-ipad.md 9.1, 9.2).
extension Management {
    /// Each item has its own status: one that cannot be does not keep the others.
    func changeSettings(_ request: Value) throws(ManagementError) -> Value {
        guard let items = request["Settings"]?.array else { throw .malformed("'Settings' is a list of items") }
        return ["Settings": .array(items.map(setting))]
    }

    private func setting(_ item: Value) -> Value {
        let name = item["Item"]?.string ?? ""
        do throws(ManagementError) {
            try change(name, item)
            kernel.saveState()
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
            guard kernel.state.management.isAwaitingConfiguration else {
                throw .malformed("\(deviceName) is configured; set ResidentUsers of SharedDeviceConfiguration")
            }
            try configure(["ResidentUsers": item[name] ?? .null])
        case "PasscodeLockGracePeriod":
            // ASSUMED: it cannot be set where nobody has a passcode.
            guard !kernel.state.management.configuration.temporarySessionOnly else {
                throw ManagementError(
                    code: 5015, domain: "MCPasscodeErrorDomain",
                    text: "\(deviceName) has guest sessions only, and guests have no passcode")
            }
            try configure(["PasscodePolicy": [name: item[name] ?? .null]])
        case "DiagnosticSubmission": kernel.state.management.submitsDiagnostics = try enabled(item)
        case "AppAnalytics": kernel.state.management.submitsAnalytics = try enabled(item)
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
        var configuration = kernel.state.management.configuration
        try configuration.take(item)
        kernel.state.management.configuration = configuration
        pad.protection.lockGraceChanged()
        pad.sessions.watchIdleness()
    }

    /// `ApplicationConfiguration {Identifier, Configuration?}`: apps read the dictionary in their defaults, whoever is signed in; without one
    /// it is taken back. Kept unencrypted, as the reference has it.
    private func configureApplication(_ item: Value) throws(ManagementError) {
        guard let bundle = item["Identifier"]?.string,
            let app = kernel.spec.apps.first(where: { $0.bundleID == bundle })
        else { throw .malformed("'Identifier' is the bundle identifier of an app") }
        guard item["Configuration"] == nil || item["Configuration"]?.object != nil else {
            throw .malformed("'Configuration' is a dictionary")
        }
        kernel.state.management.managedApps[bundle] = item["Configuration"] ?? .null
        if let person = pad.sessions.activePerson { pad.notices.tellSettings(app, person) }
    }

    // MARK: DeviceInformation

    /// Source: shared-ipad.md 9.2. Keys that are not modelled are left out, as unknown ones are.
    func deviceInformation(_ request: Value, _ side: ManagementSide) -> Value {
        let configuration = kernel.state.management.configuration
        var known: Value = [
            "UDID": .string(deviceName), "IsMultiUser": true, "MaximumResidentUsers": .int(Room.mostPeople),
            "EstimatedResidentUsers": .int(pad.residents.room.slots), "ResidentUsers": .int(pad.residents.people.count),
            "UserSessionTimeout": .int(configuration.userSessionTimeout),
            "TemporarySessionTimeout": .int(configuration.temporarySessionTimeout),
            "TemporarySessionOnly": .bool(configuration.temporarySessionOnly),
            "ManagedAppleIDDefaultDomains": .strings(configuration.managedAppleIDDefaultDomains),
            "SkipLanguageAndLocaleSetupForNewUsers": .bool(configuration.skipLanguageAndLocaleSetupForNewUsers),
            "AwaitingConfiguration": .bool(setup.isAwaitingConfiguration(side)),
            "DeviceCapacity": .double(Double(kernel.spec.capacity)),
            "AvailableDeviceCapacity": .double(Double(max(0, pad.storage.freeBytes)) / 1e9),
            "DiagnosticSubmissionEnabled": .bool(kernel.state.management.submitsDiagnostics),
            "AppAnalyticsEnabled": .bool(kernel.state.management.submitsAnalytics),
            // ASSUMED: nobody backs a Shared iPad up to iCloud, so that there is no LastCloudBackupDate; managed accounts buy nothing.
            "IsCloudBackupEnabled": false, "iTunesStoreAccountIsActive": false,
        ]
        if let quota = pad.residents.room.quota { known["QuotaSize"] = .int(quota) }
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
            let word = StableHash.of(kernel.spec.seed, deviceName, "push", person, String(part))
            return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }
        }
    }
}
