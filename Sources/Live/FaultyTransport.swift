import FleetModel
import Nemesis

/// What faults make of one iPad's messages, between its network stack and libcurl: the same outcomes as in the World, by the same draws.
///
/// It bends whole messages: pushes, and with a Cloud that is asked by https everything. What breaks in the middle of a message
/// needs somebody between the sockets (`SchoolNetwork`). A healthy link adds nothing: the machine's own network is the link.
struct FaultyTransport {
    enum Act {
        case send(HTTPRequest, exchange: UInt64)
        case arrive(Payload, exchange: UInt64)
        /// Something that a scenario may want to have reached.
        case mark(Mark)
    }
    /// A request that has not ended.
    private struct Flight {
        var route: String
        var cause: String
    }
    private var nemesis: Nemesis
    private let pad: Int
    private let seed: UInt64
    private var flights: [UInt64: Flight] = [:]
    private var attempts = AttemptCounter(most: 10_000)
    /// What happens when, in the order of time.
    private var due: [(at: Instant, act: Act)] = []
    /// Numbers of second copies, whose answers nobody waits for.
    private var copies: UInt64 = 1 << 56
    /// What is sent from now on is lost, and nobody says so: calm has begun, and this iPad is outside the core.
    var isOffline = false

    /// After which the network stack gives a message up that a fault has lost. Source: app-lifecycle.md 7, timeoutIntervalForRequest; the
    /// stack's own limit is longer at more than 60 times the speed, because it also bounds real work.
    static let patience = Span.seconds(60)
    private static let pollRoute = "/push/v1/poll"

    /// - Parameters:
    ///   - pads: how many iPads the run has; a fault without iPads concerns them all.
    ///   - stormEnd: faults end here at the latest.
    init(faults: [FaultSpec], pad: Int, pads: Int, stormEnd: Instant, seed: UInt64) throws(Nemesis.Problem) {
        nemesis = try Nemesis(
            specs: faults, link: LinkModel(least: .zero, most: .zero, bytesPerSecond: 0), pads: Array(1...max(pads, 1)),
            stormEnd: stormEnd)
        self.pad = pad
        self.seed = seed
    }

    /// When `take` has something next.
    var next: Instant? { due.first?.at }
    /// What is due by now.
    mutating func take(_ now: Instant) -> [Act] {
        let count = due.firstIndex { $0.at > now } ?? due.count
        defer { due.removeFirst(count) }
        return due[..<count].map(\.act)
    }
    private mutating func add(_ act: Act, at instant: Instant) {
        let place = due.lastIndex { $0.at <= instant }.map { $0 + 1 } ?? 0
        due.insert((instant, act), at: place)
    }

    // MARK: Messages

    /// A request of the network stack.
    mutating func send(_ request: HTTPRequest, exchange: UInt64, cause: String, _ now: Instant) {
        guard !isOffline else { return }
        flights[exchange] = Flight(route: request.target, cause: cause)
        let outcome = outcome(.request, request.target, cause, request.body.count, now)
        if let name = outcome.mark(of: .request) { add(.mark(name), at: now) }
        let arrivals = outcome.arrivals(of: .request, at: now)
        if arrivals.isEmpty { lose(exchange, now) }
        for (index, coming) in arrivals.enumerated() {
            switch coming.content {
            case .message where index == 0: add(.send(request, exchange: exchange), at: coming.at)
            case .message:
                copies += 1
                add(.send(request, exchange: copies), at: coming.at)
            case .failure(let failure): end(exchange, .failure(failure), coming.at)
            case .response(let response): end(exchange, .response(response), coming.at)
            }
        }
    }

    /// What libcurl made of it.
    mutating func ended(_ payload: Payload, exchange: UInt64, _ now: Instant) {
        guard let flight = flights[exchange] else { return }
        guard case .response(var response) = payload else { return end(exchange, payload, now) }
        if response.headers["Retry-After"] != nil { add(.mark(.retryAfter), at: now) }
        var outcome = outcome(.response, flight.route, flight.cause, response.body.count, now)
        if flight.route == Self.pollRoute { bendPushes(&response, &outcome, now) }
        if let name = outcome.mark(of: .response) { add(.mark(name), at: now) }
        let arrivals = outcome.arrivals(of: .response, at: now)
        if arrivals.isEmpty { lose(exchange, now) }
        for coming in arrivals {
            let payload: Payload =
                if case .failure(let failure) = coming.content { .failure(failure) } else { .response(response) }
            end(exchange, payload, coming.at)
        }
    }

    /// Each message of a poll has its own outcome: some do not come, and all come as late as the latest.
    private mutating func bendPushes(_ response: inout HTTPResponse, _ outcome: inout DeliveryOutcome, _ now: Instant) {
        guard let messages = response.json?["messages"]?.array, !messages.isEmpty else { return }
        var left: [Value] = []
        var latest = now + outcome.latency
        for message in messages {
            let service = message["service"]?.string ?? ""
            let push = self.outcome(.push, service, "push/\(service)/\(message["topic"]?.string ?? "")", 0, now)
            if let name = push.mark(of: .push) { add(.mark(name), at: now) }
            if push.ending == .arrives, push.duplicate != nil { add(.mark(.pushDuplicated), at: now) }
            if push.isLate { add(.mark(.pushLate), at: now) }
            let arrivals = push.arrivals(of: .push, at: now)
            // A copy comes with the poll that its message comes with.
            if let first = arrivals.first { latest = max(latest, first.at) }
            left += arrivals.map { _ in message }
        }
        response = HTTPResponse(status: response.status, json: ["messages": .array(left)])
        outcome.latency = latest - now
    }

    private mutating func end(_ exchange: UInt64, _ payload: Payload, _ instant: Instant) {
        flights[exchange] = nil
        add(.arrive(payload, exchange: exchange), at: instant)
    }
    private mutating func lose(_ exchange: UInt64, _ now: Instant) {
        end(exchange, .failure(.connectionLost), now + Self.patience)
    }

    // MARK: Fates

    private mutating func outcome(
        _ direction: NetworkMessage.Direction, _ route: String, _ cause: String, _ bytes: Int, _ now: Instant
    ) -> DeliveryOutcome {
        let attempt = attempts.next(direction, pad: pad, cause: cause)
        for (index, fault) in nemesis.faults.enumerated() {
            if fault.spec.from <= now, now < fault.spec.until { nemesis.begin(index) } else { nemesis.heal(index) }
        }
        var outcome = nemesis.outcome(
            of: NetworkMessage(
                direction: direction, pad: pad, route: route, cause: cause, attempt: attempt, at: now, bytes: bytes),
            seed: seed)
        if case .truncated(let most) = outcome.ending, bytes <= most { outcome.ending = .arrives }
        return outcome
    }
}
