import FleetModel

/// A first sign-in that waits for the accounts service.
struct SignInAttempt {
    var command: Command
    var person: Person
    /// Requests sent so far.
    var tries = 0
    /// Part of the request id: stable over the tries.
    var number: Int64
}

/// Signing in (shared-ipad.md 3).
extension Pad {
    /// ASSUMED: a person gives up after so many tries of so long each.
    private static let triesMax = 4
    private static let patience = Span.seconds(15)
    private static let pause = Span.seconds(2)

    func personSignsIn(_ command: Command) {
        guard let person = command.message["person"]?.string, !person.isEmpty else {
            return refuse(command, "'person' is missing: say who signs in")
        }
        switch session {
        case .leaving: return queuedSignIns.append(command)
        // The passcode of whoever has the session opens a locked iPad.
        case .active(person):
            guard heldSignIns != nil else { return unlock(command) }
            openLock()
            return admitted(command)
        case .active(let other): return refuseSignIn(command, person, "\(other) is signed in")
        case .none: break
        }
        guard signIn == nil else { return refuseSignIn(command, person, "somebody else is signing in") }
        guard !state.isAwaitingConfiguration else { return waitForConfiguration(command) }
        if command.message["guest"]?.bool == true { return guestSignsIn(command, person) }
        guard !state.configuration.temporarySessionOnly else {
            return refuseSignIn(command, person, "this iPad offers guest sessions only")
        }
        if state[person] != nil, !mustAskOnline(person) {
            begin(person, first: false)
            return admitted(command)
        }
        // Whether room can be made is known before the network is asked; nobody is evicted for a sign-in that then fails.
        if people.isEmpty { state.inForce = state.configuration }
        guard state[person] != nil || people.count < slots || evictionCandidate() != nil else {
            mark("no-free-slot")
            return refuseSignIn(command, person, "no free slot: all \(people.count) cached people have data to sync")
        }
        state.signIns += 1
        signIn = SignInAttempt(command: command, person: person, number: state.signIns)
        sendSignIn()
    }

    func sendSignIn() {
        guard let attempt = signIn else { return }
        guard !state.isAirplaneMode else {
            return refuseSignIn("\(whyOnline(attempt.person)) needs the network: airplane mode is on")
        }
        signIn?.tries += 1
        sendAccounts(
            "signin", ["account": .string(attempt.person), "device": .string(deviceName)], purpose: .signIn,
            id: "signin/\(deviceName)/\(attempt.number)", cause: "signin \(attempt.person)", timeout: Self.patience)
    }

    func signInAnswered(_ reply: NetworkReply) {
        guard let attempt = signIn else { return }
        switch SignInAnswer(reply) {
        case .granted(let token, let account): admit(attempt, token: token, account: account)
        case .denied(let reason):
            mark("account-refused")
            refuseSignIn(reason)
        case .later(let hint):
            guard attempt.tries < Self.triesMax else {
                return refuseSignIn("\(whyOnline(attempt.person)) needs the network")
            }
            timers.set(.signInRetry, at: now + max(Self.pause, min(hint, Self.patience)))
        }
    }

    private func admit(_ attempt: SignInAttempt, token: String, account: String) {
        signIn = nil
        let person = attempt.person
        if let index = state.index(of: person) {
            (state.residents[index].token, state.residents[index].authenticated) = (token, now)
            saveState()
            begin(person, first: false)
            return admitted(attempt.command)
        }
        if people.count >= slots {
            guard let victim = evictionCandidate() else {
                return refuseSignIn(
                    attempt.command, person, "no free slot: all \(people.count) cached people have data to sync")
            }
            remove(victim, reason: "eviction")
        }
        // Left over from a sign-in that a power cut undid: nobody's data.
        wipe(person)
        state.residents.append(
            SystemState.Resident(person: person, token: token, account: account, authenticated: now))
        saveState()
        begin(person, first: true)
        admitted(attempt.command)
    }

    /// Source: shared-ipad.md 3, OnlineAuthenticationGracePeriod: within it a cached person's passcode is enough.
    private func mustAskOnline(_ person: Person) -> Bool {
        guard let days = state.configuration.onlineAuthenticationGracePeriod, let resident = state[person] else {
            return false
        }
        return days == 0 || now - resident.authenticated > .hours(24 * Int64(days))
    }
    private func whyOnline(_ person: Person) -> String {
        state[person] == nil ? "a first sign-in on this iPad" : "a sign-in after the grace period"
    }

    func begin(_ person: Person, first: Bool) {
        session = .active(person)
        timedOut = nil
        isProtectedDataAvailable = true
        if let index = state.index(of: person) { state.residents[index].isPurgeDue = false }
        var detail: Value = ["first": .bool(first)]
        if state[person]?.isGuest == true { detail["guest"] = true }
        note(Note(.signedIn, person: person, detail: detail))
        lockGrace = .seconds(Int64(state.configuration.passcodeLockGracePeriod))
        boundVolumes()
        if let lastPerson, lastPerson != person { mark("user-switched") }
        tell(.signedIn(person))
        holdForSetup(person)
        openUserChannel(person)
        watchFetches()
    }

    /// Ends a sign-in that is under way.
    func refuseSignIn(_ reason: String) {
        guard let attempt = signIn else { return }
        signIn = nil
        timers.cancel(.signInRetry)
        forgetRequests { $0 == .signIn }
        refuseSignIn(attempt.command, attempt.person, reason)
    }
    func refuseSignIn(_ command: Command, _ person: Person, _ reason: String) {
        note(Note(.signInRefused, person: person, detail: ["reason": .string(reason)]))
        refuse(command, reason)
    }
}

/// What the accounts service said.
enum SignInAnswer {
    case granted(token: String, account: String)
    case denied(String)
    /// No usable answer; `hint`: when the service wants to be asked again.
    case later(Span)

    init(_ reply: NetworkReply) {
        guard case .response(let response) = reply else { self = .later(.zero); return }
        if response.isSuccess, let token = response.json?["token"]?.string,
            let account = response.json?["identity"]?.string
        {
            self = .granted(token: token, account: account)
        } else if response.status == 401, response.json?["serverErrorCode"] != nil {
            self = .denied(response.json?["reason"]?.string ?? "the account is unknown")
        } else {
            // A busy service, a captive portal's page, a content filter's 403: nothing is known about the account.
            self = .later(response.retryAfter ?? .zero)
        }
    }
}
