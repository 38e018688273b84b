import FleetModel

/// Signing in, with an account or as a guest (shared-ipad.md 2, 3).
final class SignIns: PadService {
    let kernel: Kernel
    private(set) var signIn: SignInAttempt?
    /// Those who came while somebody was on the way out.
    private var queuedSignIns: [Command] = []

    init(_ kernel: Kernel) { self.kernel = kernel }

    /// A volume of its own and no account: iCloud, keychain sync and key-value sync are denied, the network is not, and all of the volume
    /// goes at the end, unsent uploads too (shared-ipad.md 2, 5). ASSUMED: takes no slot.
    func guestSignsIn(_ command: Command, _ guest: Person) {
        guard kernel.state[guest] == nil else {
            return refuseSignIn(command, guest, "\(guest) has an account on this iPad; a guest needs another name")
        }
        pad.storage.wipe(guest)
        kernel.state.residents.append(
            SystemState.Resident(person: guest, token: "", account: "", iCloud: .none, isGuest: true))
        kernel.saveState()
        pad.sessions.begin(guest, first: true)
        done(command)
    }

    /// ASSUMED: a person gives up after so many tries of so long each.
    private static let triesMax = 4
    private static let patience = Span.seconds(15)
    private static let pause = Span.seconds(2)

    func personSignsIn(_ command: Command) {
        let person = command.asked(PadCommand.SignIn.self).person
        guard !person.isEmpty else {
            return refuse(command, "'person' is missing: say who signs in")
        }
        switch pad.sessions.session {
        case .leaving: return queuedSignIns.append(command)
        // The passcode of whoever has the session opens a locked iPad.
        case .active(person):
            guard pad.management.setup.isHolding else { return pad.protection.unlock(command) }
            pad.protection.openLock()
            return pad.management.setup.admitted(command)
        case .active(let other): return refuseSignIn(command, person, "\(other) is signed in")
        case .none: break
        }
        guard signIn == nil else { return refuseSignIn(command, person, "somebody else is signing in") }
        guard !kernel.state.management.isAwaitingConfiguration else {
            return pad.management.setup.waitForConfiguration(command)
        }
        if command.asked(PadCommand.SignIn.self).guest == true { return guestSignsIn(command, person) }
        guard !kernel.state.management.configuration.temporarySessionOnly else {
            return refuseSignIn(command, person, "this iPad offers guest sessions only")
        }
        if kernel.state[person] != nil, !mustAskOnline(person) {
            pad.sessions.begin(person, first: false)
            return pad.management.setup.admitted(command)
        }
        // Whether room can be made is known before the network is asked; nobody is evicted for a sign-in that then fails.
        if pad.residents.people.isEmpty { kernel.state.management.inForce = kernel.state.management.configuration }
        guard
            kernel.state[person] != nil || pad.residents.people.count < pad.residents.slots
                || pad.residents.evictionCandidate() != nil
        else {
            mark(.noFreeSlot)
            return refuseSignIn(
                command, person, "no free slot: all \(pad.residents.people.count) cached people have data to sync")
        }
        kernel.state.counters.signIns += 1
        signIn = SignInAttempt(command: command, person: person, number: kernel.state.counters.signIns)
        sendSignIn()
    }

    /// The iPad is free: those who came meanwhile sign in, the first of them first.
    func nextPlease() {
        let next = queuedSignIns
        queuedSignIns = []
        for command in next { personSignsIn(command) }
    }
    func ends(_ ending: Ending) {
        guard case .life(let reason) = ending else { return }
        if let attempt = signIn {
            signIn = nil
            refuse(attempt.command, reason)
        }
        for command in queuedSignIns { refuse(command, reason) }
        queuedSignIns = []
    }

    func sendSignIn() {
        guard let attempt = signIn else { return }
        guard !kernel.state.device.isAirplaneMode else {
            return refuseSignIn("\(whyOnline(attempt.person)) needs the network: airplane mode is on")
        }
        signIn?.tries += 1
        pad.network.sendAccounts(
            "signin", ["account": .string(attempt.person), "device": .string(deviceName)], purpose: .signIn,
            id: "signin/\(deviceName)/\(attempt.number)", cause: "signin \(attempt.person)", timeout: Self.patience)
    }

    func signInAnswered(_ reply: NetworkReply) {
        guard let attempt = signIn else { return }
        switch SignInAnswer(reply) {
        case .granted(let token, let account): admit(attempt, token: token, account: account)
        case .denied(let reason):
            mark(.accountRefused)
            refuseSignIn(reason)
        case .later(let hint):
            guard attempt.tries < Self.triesMax else {
                return refuseSignIn("\(whyOnline(attempt.person)) needs the network")
            }
            kernel.timers.set(.signInRetry, at: now + max(Self.pause, min(hint, Self.patience)))
        }
    }

    private func admit(_ attempt: SignInAttempt, token: String, account: String) {
        signIn = nil
        let person = attempt.person
        if let index = kernel.state.index(of: person) {
            (kernel.state.residents[index].token, kernel.state.residents[index].authenticated) = (token, now)
            kernel.saveState()
            pad.sessions.begin(person, first: false)
            return pad.management.setup.admitted(attempt.command)
        }
        if pad.residents.people.count >= pad.residents.slots {
            guard let victim = pad.residents.evictionCandidate() else {
                return refuseSignIn(
                    attempt.command, person,
                    "no free slot: all \(pad.residents.people.count) cached people have data to sync")
            }
            pad.residents.remove(victim, reason: .eviction)
        }
        // Left over from a sign-in that a power cut undid: nobody's data.
        pad.storage.wipe(person)
        kernel.state.residents.append(
            SystemState.Resident(person: person, token: token, account: account, authenticated: now))
        kernel.saveState()
        pad.sessions.begin(person, first: true)
        pad.management.setup.admitted(attempt.command)
    }

    /// Source: shared-ipad.md 3, OnlineAuthenticationGracePeriod: within it a cached person's passcode is enough.
    private func mustAskOnline(_ person: Person) -> Bool {
        guard let days = kernel.state.management.configuration.onlineAuthenticationGracePeriod,
            let resident = kernel.state[person]
        else {
            return false
        }
        return days == 0 || now - resident.authenticated > .hours(24 * Int64(days))
    }
    private func whyOnline(_ person: Person) -> String {
        kernel.state[person] == nil ? "a first sign-in on this iPad" : "a sign-in after the grace period"
    }

    /// Ends a sign-in that is under way.
    func refuseSignIn(_ reason: String) {
        guard let attempt = signIn else { return }
        signIn = nil
        kernel.timers.cancel(.signInRetry)
        pad.network.forgetRequests { $0 == .signIn }
        refuseSignIn(attempt.command, attempt.person, reason)
    }
    func refuseSignIn(_ command: Command, _ person: Person, _ reason: String) {
        note(Note(.signInRefused, person: person, detail: ["reason": .string(reason)]))
        refuse(command, reason)
    }
}

/// A first sign-in that waits for the accounts service.
struct SignInAttempt {
    var command: Command
    var person: Person
    /// Requests sent so far.
    var tries = 0
    /// Part of the request id: stable over the tries.
    var number: Int64
}

/// What the accounts service said.
enum SignInAnswer {
    case granted(token: String, account: String)
    case denied(String)
    /// No usable answer; `hint`: when the service wants to be asked again.
    case later(Span)

    init(_ reply: NetworkReply) {
        guard case .response(let response) = reply else { self = .later(.zero); return }
        let answer = AccountAnswer(lenient: response.json ?? .empty)
        if response.isSuccess, let token = answer.token, let account = answer.identity {
            self = .granted(token: token, account: account)
        } else if response.status == 401, answer.serverErrorCode != nil {
            self = .denied(answer.reason ?? "the account is unknown")
        } else {
            // A busy service, a captive portal's page, a content filter's 403: nothing is known about the account.
            self = .later(response.retryAfter ?? .zero)
        }
    }
}

extension SignIns {
    func checkInvariants() throws(BrokenInvariant) {
        guard !kernel.isDown else { return }
        try invariant(
            signIn == nil || pad.sessions.session == .none,
            "\(signIn?.person ?? "") signs in while somebody has the session")
        if case .leaving = pad.sessions.session { return }
        try invariant(queuedSignIns.isEmpty, "\(queuedSignIns.count) wait to sign in, and nobody is on the way out")
    }
}

/// What the accounts service answers (Docs/cloud-api.md).
struct AccountAnswer: FieldGroup {
    /// Stable name of the account.
    var identity: String?
    var reason: String?
    var serverErrorCode: String?
    var token: String?
    init() {}
    mutating func visit(_ fields: inout Fields) {
        fields.optional("identity", &identity)
        fields.optional("reason", &reason)
        fields.optional("serverErrorCode", &serverErrorCode)
        fields.optional("token", &token)
    }
}
