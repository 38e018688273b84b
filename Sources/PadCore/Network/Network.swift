import FleetModel

/// A request that left and has not ended.
struct Outgoing {
    enum Purpose: Hashable {
        case daemon(NetworkTask)
        case signIn
        case renewal(Person)
        /// Nobody waits for its answer.
        case signOut
        /// For pushes; its own number, so that an earlier one can be told from a later.
        case poll(UInt64)
        case management(ManagementSide)
    }
    var purpose: Purpose
    var request: HTTPRequest
    var cause: String
    /// Sent again after a 401 with a new token: a second 401 is final.
    var isSecondTry = false
    /// Waits for a new account token.
    var isHeld = false
}

/// The iPad's network stack: one account token a person, answers matched by exchange.
final class Network: PadService {
    let kernel: Kernel
    let renewals: TokenRenewals
    let push: PushPolling
    /// Requests under way.
    private(set) var requests: [UInt64: Outgoing] = [:]
    /// Tasks that were refused on the iPad: certainly not sent.
    private var refused: [NetworkTask] = []
    /// Launches that want to hear when the network comes and goes.
    private var watchers: Set<Int> = []

    init(_ kernel: Kernel) {
        self.kernel = kernel
        renewals = TokenRenewals(kernel)
        push = PushPolling(kernel)
    }

    /// Source: app-lifecycle.md 7, timeoutIntervalForRequest.
    private static let timeout = Span.seconds(60)

    /// A guest's requests too: what a guest lacks is an account (shared-ipad.md 2).
    func canReachNetwork(as person: Person) -> Bool {
        !kernel.state.device.isAirplaneMode && kernel.state[pad.accounts.holder(of: person)] != nil
    }
    func hasAccount(_ person: Person) -> Bool { kernel.state[pad.accounts.holder(of: person)]?.isGuest == false }
    var suitsDiscretionary: Bool { kernel.state.device.isOnPower && kernel.state.device.isOnWiFi }

    func send(_ request: HTTPRequest, task: NetworkTask, cause: String, timeout: Span?) {
        guard canReachNetwork(as: task.person) else { return refuseToSend(task) }
        var request = request
        request.headers["X-Homeroom-Device"] = deviceName
        // People share an iPad: a name that two of them use must not share its luck.
        let name = cause.isEmpty || cause == task.name ? "\(task.person) \(task.service)/\(task.name)" : cause
        let exchange = newExchange()
        requests[exchange] = Outgoing(purpose: .daemon(task), request: request, cause: name)
        kernel.timers.set(.request(exchange), at: now + kernel.spec.real(timeout ?? Self.timeout))
        transmit(exchange)
    }

    /// Sends a request with the person's present token, or holds it until there is one.
    func transmit(_ exchange: UInt64) {
        guard var outgoing = requests[exchange], case .daemon(let task) = outgoing.purpose else { return }
        outgoing.isHeld = renewals.isRenewing(task.person)
        if !outgoing.isHeld, hasAccount(task.person) {
            outgoing.request.headers["Authorization"] = "Bearer \(pad.accounts.bearer(of: task.person) ?? "")"
        }
        requests[exchange] = outgoing
        if !outgoing.isHeld {
            emit(Output(to: .cloud, .request(outgoing.request), exchange: exchange, cause: outgoing.cause))
        }
    }

    /// A request to the accounts service, which is the system's own business.
    func sendAccounts(
        _ verb: String, _ body: Value, purpose: Outgoing.Purpose, token: String? = nil, id: String, cause: String,
        timeout: Span = .seconds(30)
    ) {
        var request = HTTPRequest(post: "/accounts/v1/\(verb)", json: body)
        request.headers["X-Homeroom-Device"] = deviceName
        request.headers["X-Homeroom-Request"] = id
        if let token { request.headers["Authorization"] = "Bearer \(token)" }
        sendPlain(request, cause: cause, until: now + kernel.spec.real(timeout)) { _ in purpose }
    }
    /// A request that needs no token, or has it already.
    /// - Parameter purpose: made of the number of the exchange, which is returned.
    @discardableResult func sendPlain(
        _ request: HTTPRequest, cause: String, until: Instant, purpose: (UInt64) -> Outgoing.Purpose
    ) -> UInt64 {
        let exchange = newExchange()
        requests[exchange] = Outgoing(purpose: purpose(exchange), request: request, cause: cause)
        kernel.timers.set(.request(exchange), at: until)
        emit(Output(to: .cloud, .request(request), exchange: exchange, cause: cause))
        return exchange
    }
    /// Best effort: the token of a person who leaves for good, or whose credential is revoked.
    func sendSignOut(_ person: Person) {
        guard canReachNetwork(as: person), hasAccount(person), let token = pad.accounts.bearer(of: person),
            !token.isEmpty
        else {
            return
        }
        sendAccounts(
            "signout", .empty, purpose: .signOut, token: token,
            id: "signout/\(deviceName)/\(kernel.state.counters.signIns)/\(person)",
            cause: "signout \(person)")
    }

    // MARK: Ends

    func requestEnded(_ exchange: UInt64, _ reply: NetworkReply) {
        // A second copy of a response, or one that came after the timeout, finds nobody.
        guard let outgoing = requests[exchange] else { return }
        if case .daemon(let task) = outgoing.purpose, case .response(let response) = reply, response.isTokenRefusal,
            hasAccount(task.person)
        {
            guard outgoing.isSecondTry else { return renewals.holdForRenewal(exchange, task.person) }
        }
        finish(exchange, reply)
    }

    func finish(_ exchange: UInt64, _ reply: NetworkReply) {
        guard let outgoing = requests.removeValue(forKey: exchange) else { return }
        kernel.timers.cancel(.request(exchange))
        kernel.needsSettling = true
        switch outgoing.purpose {
        case .daemon(let task):
            markRefusal(reply)
            give(reply, to: task)
            pad.storage.localData.purgeWhatIsDue()
        case .signIn: pad.sessions.signIns.signInAnswered(reply)
        case .renewal(let person): renewals.renewalAnswered(person, reply)
        case .signOut: break
        case .poll(let number): push.pollEnded(number, reply)
        case .management(let side): pad.management.channels.managementAnswered(side, reply)
        }
    }

    /// Hands a reply to its daemon; the mark `upload-after-sign-out` is reached when it emptied a queue of somebody who is gone.
    private func give(_ reply: NetworkReply, to task: NetworkTask) {
        let mark = Mark.uploadAfterSignOut
        guard pad.sessions.person != pad.accounts.holder(of: task.person), !kernel.reachedMarks.contains(mark),
            case .response(let response) = reply,
            response.isSuccess
        else { return pad.daemons.reply(reply, to: task) }
        let before = pad.daemons.waiting(of: task)
        pad.daemons.reply(reply, to: task)
        if pad.daemons.waiting(of: task) < before { self.mark(mark) }
    }

    /// Refusals of the service that a scenario can be about.
    private func markRefusal(_ reply: NetworkReply) {
        guard case .response(let response) = reply, response.status >= 400 else { return }
        switch response.json?["serverErrorCode"]?.string {
        case "ZONE_BUSY": mark(.zoneBusy)
        case "QUOTA_EXCEEDED": mark(.quotaRefused)
        default: break
        }
    }

    func requestTimedOut(_ exchange: UInt64) {
        // What was held had been answered by 401: it certainly did nothing.
        finish(exchange, .failure(requests[exchange]?.isHeld == true ? .unreachable : .connectionLost))
    }

    func isOnItsWay(_ task: NetworkTask) -> Bool {
        requests.values.contains { $0.purpose == .daemon(task) && !$0.isHeld }
    }
    func forget(_ task: NetworkTask) {
        forgetRequests { $0 == .daemon(task) }
        refused.removeAll { $0 == task }
    }
    func forgetRequests(_ matches: (Outgoing.Purpose) -> Bool) {
        for (exchange, outgoing) in requests where matches(outgoing.purpose) {
            requests[exchange] = nil
            kernel.timers.cancel(.request(exchange))
        }
    }
    private func forgetNetwork(of person: Person) {
        renewals.forget(person)
        refused.removeAll { $0.person == person }
        forgetRequests { purpose in
            switch purpose {
            case .daemon(let task): task.person == person
            case .renewal(person): true
            default: false
            }
        }
    }

    func ends(_ ending: Ending) {
        switch ending {
        case .account(let account): forgetNetwork(of: account)
        case .launch(let launch): watchers.remove(launch)
        case .session, .loginScreen, .life: break
        }
    }

    // MARK: A new token

    /// Waits for a new token, and is sent once more with it.
    func hold(_ exchange: UInt64) {
        requests[exchange]?.isHeld = true
        requests[exchange]?.isSecondTry = true
    }
    /// What waits for a new token of an account.
    func held(of account: Person) -> [UInt64] {
        requests.filter {
            if case .daemon(let task) = $0.value.purpose { task.person == account && $0.value.isHeld } else { false }
        }.keys.sorted()
    }

    // MARK: Airplane mode

    /// Everything under way breaks; nobody knows what the Cloud has seen of it.
    func breakConnections() {
        for exchange in requests.keys.sorted() { requestTimedOut(exchange) }
    }

    private func refuseToSend(_ task: NetworkTask) {
        refused.append(task)
        // A moment later: who sends must not get the answer before it has returned.
        kernel.timers.setIfAbsent(.refusals, at: now + .milliseconds(1))
    }
    func giveRefusals() {
        let refused = self.refused
        self.refused = []
        kernel.needsSettling = true
        for task in refused { pad.daemons.reply(.failure(.unreachable), to: task) }
    }

    // MARK: Reachability

    /// `app.watchNetwork`: the app hears of each change from now on.
    func watch(_ launch: Int) -> Value {
        watchers.insert(launch)
        return ["satisfied": .bool(!kernel.state.device.isAirplaneMode)]
    }
    /// Apps that watch the network hear that it has come or gone (S201). ASSUMED: the iPad knows of its own switch only; a network that
    /// leads nowhere is found out by requests.
    func tellReachability() {
        for launch in watchers.sorted() {
            pad.apps.giveEvent(
                Message(AppMessages.NetworkPath.name, ["satisfied": .bool(!kernel.state.device.isAirplaneMode)]),
                to: launch)
        }
    }

    // MARK: Push

    private static let services = ["kvs": "kvs", "record": "ck", "document": "docs", "keychain": "keychain"]

    /// The courier's message goes to the daemon of its service, if the person is on this iPad. It may be late, double or never come.
    func pushed(_ message: Message) {
        guard !kernel.state.device.isAirplaneMode else { return }
        let push = PushTopic(lenient: message.body)
        if push.service == "mdm" { return pad.management.channels.managementPushed(message) }
        guard let person = push.account, pad.accounts.accounts.contains(person),
            let service = push.service.flatMap({ Self.services[$0] })
        else { return }
        // Apps are told of the account that is signed in; the others' changes come when they are.
        if service == "ck", !pad.accounts.isPresent(person) { return }
        kernel.needsSettling = true
        pad.daemons.pushed(message, to: service, person)
    }
}

extension HTTPResponse {
    /// The account token is dead. A captive portal's or a filter's page does not count: it has no error object.
    var isTokenRefusal: Bool { status == 401 && json?["serverErrorCode"] != nil }
    /// How long the service wants to be left alone, in its header or its error object; at most an hour, a lie must not stop a
    /// queue for ever.
    var retryAfter: Span? {
        let seconds = headers["Retry-After"].flatMap { Int64($0) } ?? (isSuccess ? nil : json?["retryAfter"]?.int)
        guard let seconds, seconds > 0 else { return nil }
        return .seconds(min(seconds, 3600))
    }
}
