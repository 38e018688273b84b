import FleetModel

/// A connection to the management server: the iPad's own, or that of whoever is logged in (shared-ipad.md 9).
enum ManagementSide: Hashable {
    case device
    case person(Person)
}

/// What an iPad owes its management server on one connection.
struct ManagementChannel: Hashable, FieldGroup {
    /// It shall ask for commands: a push came, or it can do now what it could not.
    var isWanted = false
    /// NotNow was the last that it said: it asks by itself when it can. After any other answer it waits for a push.
    var isPutOff = false
    /// The server has to be told first that the connection can be used, and that a set-up waits for it.
    var mustCheckIn = false
    /// What became of the last command, until the server has it: it is told again after a broken connection.
    var result: Value?

    var isIdle: Bool { !isWanted && !mustCheckIn && result == nil }

    init() {}
    mutating func visit(_ fields: inout Fields) {
        fields.unless(false, "checkIn", &mustCheckIn)
        fields.unless(false, "putOff", &isPutOff)
        fields.optional("result", &result)
        fields.unless(false, "wanted", &isWanted)
    }
}

/// A connection's present request, or the pause after one that failed; gone with the process.
struct ManagementLink: Hashable {
    var exchange: UInt64?
    var isCheckIn = false
    /// A push came while the answer was awaited: what the server says now may not know of it.
    var isPushed = false
    var failures = 0
    var isResting = false
}

/// The transport of device management (shared-ipad.md 9): woken by a push, the iPad asks, does what it is given, tells what became of
/// it, and so on until the server has no more.
///
/// Whoever logs in has a connection too: a TokenUpdate opens it (shared-ipad.md 9, user channel opt-in), and then what waits there for the
/// person is asked for, whether or not a push for it ever came. ASSUMED: so it is on each iPad whose server has been heard of, once; one
/// that was never called has no server. Pauses after broken connections are ASSUMED too. Not modelled: enrolment, certificates.
final class ManagementChannels: PadService {
    let kernel: Kernel
    private var managementLinks: [ManagementSide: ManagementLink] = [:]
    /// Of the person who is logged in, where there is a server.
    private var userChannel: (person: Person, channel: ManagementChannel)?
    /// After a log-out by an administrator commands are put off until then.
    private var managementPausedUntil = Instant.zero

    init(_ kernel: Kernel) { self.kernel = kernel }

    private static let patience = Span.seconds(60)
    private static let longestPause: Int64 = 60

    subscript(side: ManagementSide) -> ManagementChannel? {
        get {
            switch side {
            case .device: kernel.state.management.channel
            case .person(let person): person == userChannel?.person ? userChannel?.channel : nil
            }
        }
        set {
            switch side {
            case .device: kernel.state.management.channel = newValue ?? ManagementChannel()
            case .person(let person): userChannel = newValue.map { (person: person, channel: $0) }
            }
        }
    }

    /// Several pushes are as good as the last; one for somebody who is not logged in finds nobody.
    func managementPushed(_ message: Message) {
        if !kernel.state.management.hasServer { kernel.state.management.hasServer = true }
        guard let person = message["person"]?.string else { return askServer(.device) }
        guard pad.sessions.activePerson == person, kernel.state[person]?.isGuest == false else { return }
        if userChannel == nil { userChannel = (person, ManagementChannel()) }
        askServer(.person(person))
    }
    /// At each log-in of an account.
    func openUserChannel(_ person: Person) {
        guard kernel.state.management.hasServer || pad.management.setup.isHolding,
            kernel.state[person]?.isGuest == false
        else {
            return
        }
        var channel = ManagementChannel()
        channel.mustCheckIn = true
        userChannel = (person, channel)
        talk(.person(person))
    }
    private func askServer(_ side: ManagementSide) {
        self[side]?.isWanted = true
        if managementLinks[side]?.exchange != nil { managementLinks[side]?.isPushed = true }
        talk(side)
    }
    /// The network may be back, the passcode was given, the time after a log-out is over.
    func resumeManagement(isAbleNow: Bool = false) {
        for side in [.device] + (userChannel.map { [ManagementSide.person($0.person)] } ?? []) {
            if isAbleNow, !isManagementPaused, self[side]?.isPutOff == true { self[side]?.isWanted = true }
            talk(side)
        }
    }

    // MARK: Conversation

    /// Says what is to be said, unless an answer is awaited or the pause after a failure is not over.
    func talk(_ side: ManagementSide) {
        guard let channel = self[side], !channel.isIdle, !kernel.state.device.isAirplaneMode, kernel.isRunning
        else { return }
        var link = managementLinks[side] ?? ManagementLink()
        guard link.exchange == nil, !link.isResting else { return }
        var body = named(side)
        link.isCheckIn = channel.mustCheckIn
        if link.isCheckIn {
            body["MessageType"] = "TokenUpdate"
            body["AwaitingConfiguration"] = .bool(pad.management.setup.isAwaitingConfiguration(side))
        } else if let result = channel.result {
            for pair in result.object?.pairs ?? [] { body[pair.key] = pair.value }
        } else {
            // It stays wanted until the answer is there: who is restarted meanwhile asks again.
            body["Status"] = "Idle"
        }
        link.exchange = sendManagement(body, to: link.isCheckIn ? "checkin" : "connect", side)
        managementLinks[side] = link
    }
    /// Source: shared-ipad.md 9, user channel on Shared iPad.
    private func named(_ side: ManagementSide) -> Value {
        guard case .person(let person) = side else { return ["UDID": .string(deviceName)] }
        return [
            "UDID": .string(deviceName), "UserID": "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
            "UserShortName": .string(person), "UserLongName": .string(person),
        ]
    }
    private func sendManagement(_ body: Value, to verb: String, _ side: ManagementSide) -> UInt64 {
        var request = HTTPRequest("PUT", "/mdm/v1/\(verb)", body: body.jsonBytes)
        request.headers["Content-Type"] = "application/x-apple-aspen-mdm"
        request.headers["X-Homeroom-Device"] = deviceName
        return pad.network.sendPlain(
            request, cause: "mdm \(verb) \(body["CommandUUID"]?.string ?? body["UserShortName"]?.string ?? "")",
            until: now + kernel.spec.real(Self.patience)
        ) { _ in .management(side) }
    }

    func managementAnswered(_ side: ManagementSide, _ reply: NetworkReply) {
        let link = managementLinks.removeValue(forKey: side) ?? ManagementLink()
        guard let channel = self[side] else { return }
        let answer = ManagementAnswer(reply)
        if !link.isCheckIn, channel.result == nil, answer.isUnderstood { self[side]?.isWanted = link.isPushed }
        switch answer {
        case .broken: return restManagement(side, after: link.failures + 1)
        case .unwelcome where link.isCheckIn: return self[side] = nil
        case .unwelcome: return restManagement(side, after: link.failures + 1)
        case .end where link.isCheckIn:
            self[side]?.mustCheckIn = false
            self[side]?.isWanted = true
        case .end: self[side]?.result = nil
        case .command(let message) where !link.isCheckIn:
            self[side]?.result = nil
            // Nothing is said before the result, whatever the command leads to.
            managementLinks[side] = ManagementLink(isResting: true)
            let result = result(of: message, side)
            managementLinks[side] = nil
            // The session or the whole iPad may be another one now.
            self[side]?.result = result
            self[side]?.isPutOff = result["Status"] == "NotNow"
        case .command: return restManagement(side, after: link.failures + 1)
        }
        kernel.saveState()
        talk(side)
    }
    /// What was to be said is said again.
    private func restManagement(_ side: ManagementSide, after failures: Int) {
        managementLinks[side] = ManagementLink(failures: failures, isResting: true)
        kernel.timers.set(.management(side), at: now + .seconds(min(Self.longestPause, 1 << Int64(min(failures, 10)))))
    }
    func managementRested(_ side: ManagementSide) {
        managementLinks[side]?.isResting = false
        // The pause after a failure had the timer of the pause after a log-out.
        if isManagementPaused, self[side]?.isPutOff == true {
            kernel.timers.set(.management(side), at: managementPausedUntil)
        }
        resumeManagement(isAbleNow: true)
    }
    private func forgetUserChannel() {
        guard let person = userChannel?.person else { return }
        userChannel = nil
        managementLinks[.person(person)] = nil
        kernel.timers.cancel(.management(.person(person)))
        pad.network.forgetRequests { $0 == .management(.person(person)) }
    }

    func ends(_ ending: Ending) {
        switch ending {
        case .session, .loginScreen, .life: forgetUserChannel()
        case .launch, .account: break
        }
    }

    // MARK: NotNow

    /// After a log-out by an administrator.
    func pause() { managementPausedUntil = now + Self.managementPause }
    func endPause() { managementPausedUntil = .zero }

    /// Never put off. Source: shared-ipad.md 9, of those that are known here. ASSUMED: all others are, where the iPad is not able, but for the
    /// two that somebody waits for in Setup Assistant.
    private static let promptCommands = [
        "DeviceInformation", "DeviceLock", "EraseDevice", "UserConfigured", "DeviceConfigured",
    ]
    /// Source: shared-ipad.md 9.3, LogOutUser: "up to 2 min afterwards". ASSUMED: always that long.
    private static let managementPause = Span.seconds(120)

    /// What a command that came by a poll is answered.
    private func result(of message: Value, _ side: ManagementSide) -> Value {
        let type = message["Command"]?["RequestType"]?.string
        guard let type, !Self.promptCommands.contains(type), isSealed || isManagementPaused else {
            return pad.management.carryOut(message, side)
        }
        if isManagementPaused { kernel.timers.set(.management(side), at: managementPausedUntil) }
        var answer: Value = ["Status": "NotNow"]
        if let id = message["CommandUUID"] { answer["CommandUUID"] = id }
        return answer
    }
    /// Locked by the person who is signed in; at the login screen nothing that commands need is.
    private var isSealed: Bool { pad.sessions.person != nil && !pad.protection.isProtectedDataAvailable }
    private var isManagementPaused: Bool { now < managementPausedUntil }
}

/// What a management server said.
private enum ManagementAnswer {
    /// An empty body: no more commands.
    case end
    case command(Value)
    /// 410: no requests on this connection, until the next session.
    case unwelcome
    /// Nobody knows what became of what was said: no answer, or that of somebody on the way.
    case broken

    var isUnderstood: Bool {
        switch self {
        case .end, .command: true
        case .unwelcome, .broken: false
        }
    }

    init(_ reply: NetworkReply) {
        guard case .response(let response) = reply else { self = .broken; return }
        switch response.status {
        case 410: self = .unwelcome
        case 200 where response.body.isEmpty: self = .end
        case 200: self = response.json.flatMap { $0.object == nil ? nil : .command($0) } ?? .broken
        default: self = .broken
        }
    }
}
