import FleetModel

/// A new account token that is being asked for in the background.
struct Renewal: Hashable {
    var tries = 0
    /// Part of the request id.
    var number: Int64
}

/// A dead account token (fault `credential-revoked`): queues pause, the system signs in again by itself, queues go on.
/// ASSUMED: on a managed iPad no person is asked for a password in this case.
final class TokenRenewals: PadService {
    let kernel: Kernel
    private var renewals: [Person: Renewal] = [:]

    init(_ kernel: Kernel) { self.kernel = kernel }

    func isRenewing(_ account: Person) -> Bool { renewals[account] != nil }
    func forget(_ account: Person) {
        renewals[account] = nil
        kernel.timers.cancel(.renewal(account))
    }

    func holdForRenewal(_ exchange: UInt64, _ person: Person) {
        pad.network.hold(exchange)
        guard renewals[person] == nil else { return }
        // The answer may be to a request that left with an older token; then the present one is tried first.
        let used = pad.network.requests[exchange]?.request.headers["Authorization"]
        if let token = pad.accounts.bearer(of: person), used != "Bearer \(token)" {
            return pad.network.transmit(exchange)
        }
        kernel.state.counters.signIns += 1
        renewals[person] = Renewal(number: kernel.state.counters.signIns)
        sendRenewal(person)
    }

    func sendRenewal(_ person: Person) {
        guard let renewal = renewals[person] else { return }
        renewals[person]?.tries += 1
        guard !kernel.state.device.isAirplaneMode else { return retryRenewal(person, renewal, .zero) }
        pad.network.sendAccounts(
            "signin", ["account": .string(person), "device": .string(deviceName)], purpose: .renewal(person),
            id: "signin/\(deviceName)/\(renewal.number)", cause: "renewal \(person)")
    }

    func renewalAnswered(_ person: Person, _ reply: NetworkReply) {
        guard let renewal = renewals[person] else { return }
        switch SignInAnswer(reply) {
        case .granted(let token, _):
            renewals[person] = nil
            pad.accounts.setBearer(token, of: person)
            kernel.saveState()
            for exchange in pad.network.held(of: person) { pad.network.transmit(exchange) }
        case .denied:
            mark(.accountRefused)
            renewals[person] = nil
            let refusal = HTTPResponse(
                status: 401,
                json: ["serverErrorCode": "AUTHENTICATION_FAILED", "reason": "the account refuses to sign in again"])
            for exchange in pad.network.held(of: person) { pad.network.finish(exchange, .response(refusal)) }
        case .later(let hint): retryRenewal(person, renewal, hint)
        }
    }
    private func retryRenewal(_ person: Person, _ renewal: Renewal, _ hint: Span) {
        kernel.timers.set(.renewal(person), at: now + max(hint, .seconds(min(120, 2 << Int64(min(renewal.tries, 10))))))
    }
}
