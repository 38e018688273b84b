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

/// Requests under way, tokens being renewed, and failures the iPad itself has to give.
struct NetworkState {
    var requests: [UInt64: Outgoing] = [:]
    var renewals: [Person: Renewal] = [:]
    /// Tasks that were refused on the iPad: certainly not sent.
    var refused: [NetworkTask] = []
}

/// The iPad's network stack: one account token a person, answers matched by exchange.
extension Pad {
    /// Source: app-lifecycle.md 7, timeoutIntervalForRequest.
    private static let timeout = Span.seconds(60)

    /// A guest's requests too: what a guest lacks is an account (shared-ipad.md 2).
    func canReachNetwork(as person: Person) -> Bool { !state.isAirplaneMode && state[holder(of: person)] != nil }
    func hasAccount(_ person: Person) -> Bool { state[holder(of: person)]?.isGuest == false }
    var suitsDiscretionary: Bool { state.isOnPower && state.isOnWiFi }

    func send(_ request: HTTPRequest, task: NetworkTask, cause: String, timeout: Span?) {
        guard canReachNetwork(as: task.person) else { return refuseToSend(task) }
        var request = request
        request.headers["X-Homeroom-Device"] = deviceName
        // People share an iPad: a name that two of them use must not share its luck.
        let name = cause.isEmpty || cause == task.name ? "\(task.person) \(task.service)/\(task.name)" : cause
        let exchange = newExchange()
        network.requests[exchange] = Outgoing(purpose: .daemon(task), request: request, cause: name)
        timers.set(.request(exchange), at: now + spec.real(timeout ?? Self.timeout))
        transmit(exchange)
    }

    /// Sends a request with the person's present token, or holds it until there is one.
    func transmit(_ exchange: UInt64) {
        guard var outgoing = network.requests[exchange], case .daemon(let task) = outgoing.purpose else { return }
        outgoing.isHeld = network.renewals[task.person] != nil
        if !outgoing.isHeld, hasAccount(task.person) {
            outgoing.request.headers["Authorization"] = "Bearer \(bearer(of: task.person) ?? "")"
        }
        network.requests[exchange] = outgoing
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
        let exchange = newExchange()
        network.requests[exchange] = Outgoing(purpose: purpose, request: request, cause: cause)
        timers.set(.request(exchange), at: now + spec.real(timeout))
        emit(Output(to: .cloud, .request(request), exchange: exchange, cause: cause))
    }
    /// Best effort: the token of a person who leaves for good, or whose credential is revoked.
    func sendSignOut(_ person: Person) {
        guard canReachNetwork(as: person), hasAccount(person), let token = bearer(of: person), !token.isEmpty else {
            return
        }
        sendAccounts(
            "signout", .empty, purpose: .signOut, token: token, id: "signout/\(deviceName)/\(state.signIns)/\(person)",
            cause: "signout \(person)")
    }

    // MARK: Ends

    func requestEnded(_ exchange: UInt64, _ reply: NetworkReply) {
        // A second copy of a response, or one that came after the timeout, finds nobody.
        guard let outgoing = network.requests[exchange] else { return }
        if case .daemon(let task) = outgoing.purpose, case .response(let response) = reply, response.isTokenRefusal,
            hasAccount(task.person)
        {
            guard outgoing.isSecondTry else { return holdForRenewal(exchange, task.person) }
        }
        finish(exchange, reply)
    }

    func finish(_ exchange: UInt64, _ reply: NetworkReply) {
        guard let outgoing = network.requests.removeValue(forKey: exchange) else { return }
        timers.cancel(.request(exchange))
        needsSettling = true
        switch outgoing.purpose {
        case .daemon(let task):
            markRefusal(reply)
            if let daemon = daemonOf[task.service] { give(reply, to: task, daemon) }
            purgeWhatIsDue()
        case .signIn: signInAnswered(reply)
        case .renewal(let person): renewalAnswered(person, reply)
        case .signOut: break
        case .poll(let number): pollEnded(number, reply)
        case .management(let side): managementAnswered(side, reply)
        }
    }

    /// Hands a reply to its daemon; the mark `upload-after-sign-out` is reached when it emptied a queue of somebody who is gone.
    private func give(_ reply: NetworkReply, to task: NetworkTask, _ daemon: any Daemon) {
        let name = "upload-after-sign-out"
        guard session.person != holder(of: task.person), !reachedMarks.contains(name),
            case .response(let response) = reply,
            response.isSuccess
        else { return daemon.reply(reply, to: task, self) }
        let before = daemon.pending(of: task.person).count
        daemon.reply(reply, to: task, self)
        if daemon.pending(of: task.person).count < before { mark(name) }
    }

    /// Refusals of the service that a scenario can be about.
    private func markRefusal(_ reply: NetworkReply) {
        guard case .response(let response) = reply, response.status >= 400 else { return }
        switch response.json?["serverErrorCode"]?.string {
        case "ZONE_BUSY": mark("zone-busy")
        case "QUOTA_EXCEEDED": mark("quota-refused")
        default: break
        }
    }

    func requestTimedOut(_ exchange: UInt64) {
        // What was held had been answered by 401: it certainly did nothing.
        finish(exchange, .failure(network.requests[exchange]?.isHeld == true ? .unreachable : .connectionLost))
    }

    func isOnItsWay(_ task: NetworkTask) -> Bool {
        network.requests.values.contains { $0.purpose == .daemon(task) && !$0.isHeld }
    }
    func forget(_ task: NetworkTask) {
        forgetRequests { $0 == .daemon(task) }
        network.refused.removeAll { $0 == task }
    }
    func forgetRequests(_ matches: (Outgoing.Purpose) -> Bool) {
        for (exchange, outgoing) in network.requests where matches(outgoing.purpose) {
            network.requests[exchange] = nil
            timers.cancel(.request(exchange))
        }
    }
    func forgetNetwork(of person: Person) {
        network.renewals[person] = nil
        timers.cancel(.renewal(person))
        network.refused.removeAll { $0.person == person }
        forgetRequests { purpose in
            switch purpose {
            case .daemon(let task): task.person == person
            case .renewal(person): true
            default: false
            }
        }
    }

    // MARK: Airplane mode

    /// Everything under way breaks; nobody knows what the Cloud has seen of it.
    func breakConnections() {
        for exchange in network.requests.keys.sorted() { requestTimedOut(exchange) }
    }

    private func refuseToSend(_ task: NetworkTask) {
        network.refused.append(task)
        // A moment later: who sends must not get the answer before it has returned.
        timers.setIfAbsent(.refusals, at: now + .milliseconds(1))
    }
    func giveRefusals() {
        let refused = network.refused
        network.refused = []
        needsSettling = true
        for task in refused { daemonOf[task.service]?.reply(.failure(.unreachable), to: task, self) }
    }

    // MARK: Push

    private static let services = ["kvs": "kvs", "record": "ck", "document": "docs", "keychain": "keychain"]

    /// The courier's message goes to the daemon of its service, if the person is on this iPad. It may be late, double or never come.
    func pushed(_ message: Message) {
        guard !state.isAirplaneMode else { return }
        if message["service"] == "mdm" { return managementPushed(message) }
        guard let person = message["account"]?.string, accounts.contains(person),
            let service = message["service"]?.string.flatMap({ Self.services[$0] })
        else { return }
        // Apps are told of the account that is signed in; the others' changes come when they are.
        if service == "ck", !isPresent(person) { return }
        needsSettling = true
        daemonOf[service]?.pushed(message, person: person, self)
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
