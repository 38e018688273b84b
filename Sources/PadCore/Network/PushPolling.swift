import FleetModel

/// How pushes come where nobody routes them: the iPad asks for them by a long poll, one at a time for all its people.
///
/// Off unless the specification says `push: {poll: SECONDS}`, the time after which a poll without an answer is given up. In a virtual
/// network the World delivers pushes by itself. Source: Docs/cloud-api.md, "Pushes to iPads"; that iPads poll is ours, Apple's keep
/// one connection to APNs (ASSUMED: no app can tell the difference).
struct PushChannel {
    /// The poll under way, and the sessions that it was made with.
    var exchange: UInt64?
    var sessions: [String] = []
    /// Polls that failed one after another.
    var failures = 0
    /// The pause after a failure.
    var isResting = false
}

final class PushPolling: PadService {
    let kernel: Kernel
    private var pushChannel = PushChannel()

    init(_ kernel: Kernel) { self.kernel = kernel }

    /// The longest pause after a failed poll. ASSUMED.
    private static let longestPause: Int64 = 60

    /// Keeps one poll under way, with the sessions of all who are cached here. Called at the end of each step.
    func keepPolling() {
        guard let patience = kernel.spec.pushPatience, kernel.isRunning, !kernel.state.device.isAirplaneMode
        else { return }
        let sessions = pad.accounts.accounts.filter(pad.network.hasAccount).compactMap(pad.accounts.bearer).filter {
            !$0.isEmpty
        }
        if sessions != pushChannel.sessions {
            // Whoever came or went changes what is asked for; the service ends the earlier poll.
            if let exchange = pushChannel.exchange { pad.network.forgetRequests { $0 == .poll(exchange) } }
            kernel.timers.cancel(.poll)
            pushChannel = PushChannel(sessions: sessions)
        }
        guard !sessions.isEmpty, pushChannel.exchange == nil, !pushChannel.isResting else { return }
        var request = HTTPRequest(post: "/push/v1/poll", json: ["sessions": .strings(sessions)])
        request.headers["X-Homeroom-Device"] = deviceName
        // The service holds it for a time of the machine, in compressed time too.
        pushChannel.exchange = pad.network.sendPlain(
            request, cause: "push", until: now + kernel.spec.machineTime(patience)
        ) { .poll($0) }
    }

    /// What came is handed to its daemons; the next poll follows at once, after a failure a while later.
    func pollEnded(_ exchange: UInt64, _ reply: NetworkReply) {
        guard pushChannel.exchange == exchange else { return }
        pushChannel.exchange = nil
        guard case .response(let response) = reply, response.isSuccess,
            let messages = response.json?["messages"]?.array
        else {
            pushChannel.failures += 1
            pushChannel.isResting = true
            let pause = min(Self.longestPause, 1 << Int64(min(pushChannel.failures, 10)))
            return kernel.timers.set(.poll, at: now + .seconds(pause))
        }
        pushChannel.failures = 0
        for body in messages { pad.network.pushed(Message("push", body)) }
    }
    /// The pause is over.
    func pollAgain() { pushChannel.isResting = false }
}
