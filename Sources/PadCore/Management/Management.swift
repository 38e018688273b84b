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
/// A command comes by a poll (`ManagementChannel`), or at once by the World, without a network between and never put off.
final class Management: PadService {
    let kernel: Kernel
    let channels: ManagementChannels
    let setup: SetupAssistant

    init(_ kernel: Kernel) {
        self.kernel = kernel
        channels = ManagementChannels(kernel)
        setup = SetupAssistant(kernel)
    }

    /// `mdm.command`: `{CommandUUID, UserShortName?, Command: {RequestType, ...}}`, answered by `{CommandUUID, UDID, Status, ...}`.
    func manage(_ command: Command) {
        let person = command.message["UserShortName"]?.string
        var answer = carryOut(command.message.body, person.map(ManagementSide.person) ?? .device)
        answer["UDID"] = .string(deviceName)
        reply(answer, to: command)
    }

    /// - Returns: `{CommandUUID, Status, ...}`; CommandFormatError for what is no command at all.
    func carryOut(_ message: Value, _ side: ManagementSide) -> Value {
        var answer: Value = ["Status": "Acknowledged"]
        if let id = message["CommandUUID"] { answer["CommandUUID"] = id }
        guard let request = message["Command"], let type = request["RequestType"]?.string else {
            answer["Status"] = "CommandFormatError"
            answer["ErrorChain"] = ManagementError.malformed("a command needs 'Command' with its 'RequestType'").chain
            return answer
        }
        do throws(ManagementError) {
            guard request["RequestRequiresNetworkTether"]?.bool != true else {
                throw ManagementError(code: 12081, text: "\(deviceName) is not on a tethered network")
            }
            for pair in try run(type, request, side).object?.pairs ?? [] { answer[pair.key] = pair.value }
        } catch {
            answer["Status"] = "Error"
            answer["ErrorChain"] = error.chain
        }
        return answer
    }

    private func run(_ type: String, _ request: Value, _ side: ManagementSide) throws(ManagementError) -> Value {
        if case .person(let person) = side { return try run(type, request, of: person) }
        switch type {
        case "DeviceInformation": return deviceInformation(request, side)
        case "UserList": return ["Users": .array(pad.residents.people.map(userEntry))]
        case "DeleteUser": try deleteUser(request)
        case "LogOutUser": logOutUser()
        case "DeviceLock": pad.protection.lockScreen()
        case "EraseDevice": eraseDevice()
        case "RemoveApplication": try removeApplication(request)
        case "InstallApplication": try installApplication(request)
        case "Settings": return try changeSettings(request)
        case "ScheduleOSUpdate": return try updateSystem()
        case "DeviceConfigured": setup.deviceConfigured()
        default: throw ManagementError(code: 12021, text: "\(deviceName) knows no request '\(type)'")
        }
        return .empty
    }
    /// Of the commands for whoever is logged in those that are known here (shared-ipad.md 9).
    private func run(_ type: String, _ request: Value, of person: Person) throws(ManagementError) -> Value {
        guard pad.sessions.activePerson == person else {
            throw ManagementError(code: 12071, text: "\(person) is not logged in on \(deviceName)")
        }
        guard kernel.state[person]?.isGuest == false else {
            throw ManagementError(code: 12076, text: "\(person) is a guest: a temporary session has no user channel")
        }
        switch type {
        case "DeviceInformation": return deviceInformation(request, .person(person))
        case "UserConfigured": setup.userConfigured()
        default: throw ManagementError(code: 12021, text: "'\(type)' is no request of the user channel")
        }
        return .empty
    }

    /// `ScheduleOSUpdate`, never while somebody is logged in (shared-ipad.md 9.3). ASSUMED: there is no newer system.
    private func updateSystem() throws(ManagementError) -> Value {
        if let person = pad.sessions.person {
            throw ManagementError(code: 12077, text: "\(person) is logged in on \(deviceName): log out first")
        }
        return ["UpdateResults": []]
    }
}
