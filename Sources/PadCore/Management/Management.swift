import FleetModel

/// A definite no to a management command: what its answer's ErrorChain says (shared-ipad.md 9.3).
struct ManagementError: Error, Hashable {
    var code: Int
    var domain = "MCMDMErrorDomain"
    var text: String

    static func malformed(_ text: String) -> ManagementError { ManagementError(code: 12008, text: text) }

    var chain: Value {
        [
            [
                "ErrorCode": .int(code), "ErrorDomain": .string(domain), "LocalizedDescription": .string(text),
                "USEnglishDescription": .string(text),
            ]
        ]
    }
}

/// Device management: commands and answers with the keys of Apple's schema (shared-ipad.md 9).
///
/// Not modelled: the transport. A command is there when the World gives it, as one that the iPad has just polled.
extension Pad {
    /// `mdm.command`: `{CommandUUID, Command: {RequestType, ...}}`, answered by `{CommandUUID, UDID, Status, ...}`.
    func manage(_ command: Command) {
        var answer: Value = ["UDID": .string(deviceName), "Status": "Acknowledged"]
        if let id = command.message["CommandUUID"] { answer["CommandUUID"] = id }
        do throws(ManagementError) {
            guard let request = command.message["Command"], let type = request["RequestType"]?.string else {
                throw .malformed("a command needs 'Command' with its 'RequestType'")
            }
            for pair in try run(type, request).object?.pairs ?? [] { answer[pair.key] = pair.value }
        } catch {
            answer["Status"] = "Error"
            answer["ErrorChain"] = error.chain
        }
        reply(answer, to: command)
    }

    private func run(_ type: String, _ request: Value) throws(ManagementError) -> Value {
        switch type {
        case "DeviceInformation": return deviceInformation(request)
        case "UserList": return ["Users": .array(people.map(userEntry))]
        case "DeleteUser": try deleteUser(request)
        case "LogOutUser": logOutUser()
        case "DeviceLock": lockScreen()
        case "EraseDevice": eraseDevice()
        case "RemoveApplication": try removeApplication(request)
        case "InstallApplication": try installApplication(request)
        case "Settings": return try changeSettings(request)
        default: throw ManagementError(code: 12021, text: "\(deviceName) knows no request '\(type)'")
        }
        return .empty
    }

    // MARK: Settings

    /// Each item has its own status: one that cannot be does not keep the others.
    private func changeSettings(_ request: Value) throws(ManagementError) -> Value {
        guard let items = request["Settings"]?.array else { throw .malformed("'Settings' is a list of items") }
        return ["Settings": .array(items.map(setting))]
    }

    private func setting(_ item: Value) -> Value {
        let name = item["Item"]?.string ?? ""
        do throws(ManagementError) {
            guard name == "SharedDeviceConfiguration" else {
                throw ManagementError(
                    code: 28000, domain: "MCSettingsErrorDomain", text: "there is no setting '\(name)'")
            }
            var configuration = state.configuration
            try configuration.take(item)
            state.configuration = configuration
            saveState()
            lockGraceChanged()
            watchIdleness()
            return ["Item": .string(name), "Status": "Acknowledged"]
        } catch {
            return ["Item": .string(name), "Status": "Error", "ErrorChain": error.chain]
        }
    }

    /// Source: shared-ipad.md 9.2. Keys that are not modelled are left out, as unknown ones are.
    private func deviceInformation(_ request: Value) -> Value {
        let configuration = state.configuration
        var known: Value = [
            "UDID": .string(deviceName), "IsMultiUser": true, "MaximumResidentUsers": .int(Room.mostPeople),
            "EstimatedResidentUsers": .int(room.slots), "ResidentUsers": .int(people.count),
            "UserSessionTimeout": .int(configuration.userSessionTimeout),
            "TemporarySessionTimeout": .int(configuration.temporarySessionTimeout),
            "TemporarySessionOnly": .bool(configuration.temporarySessionOnly),
            "ManagedAppleIDDefaultDomains": .strings(configuration.managedAppleIDDefaultDomains),
            "SkipLanguageAndLocaleSetupForNewUsers": .bool(configuration.skipLanguageAndLocaleSetupForNewUsers),
            "AwaitingConfiguration": false, "DeviceCapacity": .double(Double(spec.capacity)),
        ]
        if let quota = room.quota { known["QuotaSize"] = .int(quota) }
        if let days = configuration.onlineAuthenticationGracePeriod {
            known["OnlineAuthenticationGracePeriod"] = .int(days)
        }
        var answer = Value.empty
        for name in request["Queries"]?.strings ?? [] { if let value = known[name] { answer[name] = value } }
        return ["QueryResponses": answer]
    }
}
