import FleetModel
import Nemesis

/// What faults make of one iPad's messages, between its network stack and libcurl: the same fates as in the World, by the same draws.
///
/// It bends whole messages: pushes, and with a Cloud that is asked by https everything. What breaks in the middle of a message
/// needs somebody between the sockets (`SchoolNetwork`). A healthy link adds nothing: the machine's own network is the link.
struct Radio {
    enum Act {
        case send(HTTPRequest, exchange: UInt64)
        case arrive(Payload, exchange: UInt64)
        /// Something that a scenario may want to have reached.
        case mark(String)
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
    /// Messages so far by direction and cause.
    private var attempts: [String: Int] = [:]
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
        let fate = fate(.request, request.target, cause, request.body.count, now)
        let at = now + fate.latency
        if let name = fate.mark(of: .request) { add(.mark(name), at: now) }
        switch fate.ending {
        case .arrives: add(.send(request, exchange: exchange), at: at)
        case .held(let until): add(.send(request, exchange: exchange), at: max(until, at))
        case .lost: lose(exchange, now)
        case .refused, .handshakeFailed: end(exchange, .failure(.unreachable), at)
        case .reset, .truncated: end(exchange, .failure(.connectionLost), at)
        case .answered(let response):
            end(exchange, .response(response), at + fate.latency)
        }
        if let later = fate.duplicate, fate.ending == .arrives {
            copies += 1
            add(.send(request, exchange: copies), at: at + later)
        }
    }

    /// What libcurl made of it.
    mutating func ended(_ payload: Payload, exchange: UInt64, _ now: Instant) {
        guard let flight = flights[exchange] else { return }
        guard case .response(var response) = payload else { return end(exchange, payload, now) }
        if response.headers["Retry-After"] != nil { add(.mark("retry-after"), at: now) }
        var fate = fate(.response, flight.route, flight.cause, response.body.count, now)
        if flight.route == Self.pollRoute { bendPushes(&response, &fate, now) }
        if let name = fate.mark(of: .response) { add(.mark(name), at: now) }
        switch fate.ending {
        case .arrives: end(exchange, .response(response), now + fate.latency)
        case .held(let until): end(exchange, .response(response), max(until, now + fate.latency))
        case .lost, .refused, .handshakeFailed, .answered: return lose(exchange, now)
        case .reset, .truncated: return end(exchange, .failure(.connectionLost), now + fate.latency)
        }
        if let later = fate.duplicate {
            add(.arrive(.response(response), exchange: exchange), at: now + fate.latency + later)
        }
    }

    /// Each message of a poll has its own fate: some do not come, and all come as late as the latest.
    private mutating func bendPushes(_ response: inout HTTPResponse, _ fate: inout Fate, _ now: Instant) {
        guard let messages = response.json?["messages"]?.array, !messages.isEmpty else { return }
        var left: [Value] = []
        var latest = now + fate.latency
        for message in messages {
            let service = message["service"]?.string ?? ""
            let push = self.fate(.push, service, "push/\(service)/\(message["topic"]?.string ?? "")", 0, now)
            if let name = push.mark(of: .push) { add(.mark(name), at: now) }
            switch push.ending {
            case .arrives:
                if push.duplicate != nil { add(.mark("push-duplicated"), at: now) }
                if push.latency >= World.lateness { add(.mark("push-late"), at: now) }
                latest = max(latest, now + push.latency)
            case .held(let until): latest = max(latest, until)
            case .lost, .refused, .handshakeFailed, .answered, .reset, .truncated: continue
            }
            left += Array(repeating: message, count: push.duplicate == nil ? 1 : 2)
        }
        response = HTTPResponse(status: response.status, json: ["messages": .array(left)])
        fate.latency = latest - now
    }

    private mutating func end(_ exchange: UInt64, _ payload: Payload, _ instant: Instant) {
        flights[exchange] = nil
        add(.arrive(payload, exchange: exchange), at: instant)
    }
    private mutating func lose(_ exchange: UInt64, _ now: Instant) {
        end(exchange, .failure(.connectionLost), now + Self.patience)
    }

    // MARK: Fates

    private mutating func fate(
        _ direction: Passage.Direction, _ route: String, _ cause: String, _ bytes: Int, _ now: Instant
    ) -> Fate {
        let key = "\(direction.rawValue) \(cause)"
        let attempt = attempts[key, default: 0]
        attempts[key] = attempt + 1
        for (index, fault) in nemesis.faults.enumerated() {
            if fault.spec.from <= now, now < fault.spec.until { nemesis.begin(index) } else { nemesis.heal(index) }
        }
        var fate = nemesis.fate(
            of: Passage(
                direction: direction, pad: pad, route: route, cause: cause, attempt: attempt, at: now, bytes: bytes),
            seed: seed)
        if case .truncated(let most) = fate.ending, bytes <= most { fate.ending = .arrives }
        return fate
    }
}
