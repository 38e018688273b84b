import FleetModel

/// A new account token that is being asked for in the background.
struct Renewal: Hashable {
    var tries = 0
    /// Part of the request id.
    var number: Int64
}

/// A dead account token (fault `credential-revoked`): queues pause, the system signs in again by itself, queues go on.
/// ASSUMED: on a managed iPad no person is asked for a password in this case.
extension Pad {
    func holdForRenewal(_ exchange: UInt64, _ person: Person) {
        network.requests[exchange]?.isHeld = true
        network.requests[exchange]?.isSecondTry = true
        guard network.renewals[person] == nil else { return }
        // The answer may be to a request that left with an older token; then the present one is tried first.
        let used = network.requests[exchange]?.request.headers["Authorization"]
        if let token = bearer(of: person), used != "Bearer \(token)" { return transmit(exchange) }
        state.signIns += 1
        network.renewals[person] = Renewal(number: state.signIns)
        sendRenewal(person)
    }

    func sendRenewal(_ person: Person) {
        guard let renewal = network.renewals[person] else { return }
        network.renewals[person]?.tries += 1
        guard !state.isAirplaneMode else { return retryRenewal(person, renewal, .zero) }
        sendAccounts(
            "signin", ["account": .string(person), "device": .string(deviceName)], purpose: .renewal(person),
            id: "signin/\(deviceName)/\(renewal.number)", cause: "renewal \(person)")
    }

    func renewalAnswered(_ person: Person, _ reply: NetworkReply) {
        guard let renewal = network.renewals[person] else { return }
        switch SignInAnswer(reply) {
        case .granted(let token, _):
            network.renewals[person] = nil
            setBearer(token, of: person)
            saveState()
            for exchange in held(person) { transmit(exchange) }
        case .denied:
            mark("account-refused")
            network.renewals[person] = nil
            let refusal = HTTPResponse(
                status: 401,
                json: ["serverErrorCode": "AUTHENTICATION_FAILED", "reason": "the account refuses to sign in again"])
            for exchange in held(person) { finish(exchange, .response(refusal)) }
        case .later(let hint): retryRenewal(person, renewal, hint)
        }
    }
    private func retryRenewal(_ person: Person, _ renewal: Renewal, _ hint: Span) {
        timers.set(.renewal(person), at: now + max(hint, .seconds(min(120, 2 << Int64(min(renewal.tries, 10))))))
    }

    private func held(_ person: Person) -> [UInt64] {
        network.requests.filter {
            if case .daemon(let task) = $0.value.purpose { task.person == person && $0.value.isHeld } else { false }
        }.keys.sorted()
    }
}
