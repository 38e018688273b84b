import FleetModel
import Nemesis

/// One HTTP/1.1 connection through the proxy, decided: bytes come in at either end, orders come out.
///
/// The requests' half is in `Conversation+Requests`, the responses' in `Conversation+Responses`. Messages pass as they are, byte by byte, as
/// soon as their head is known; an outcome is drawn when a message starts its way, as the World does. HTTP/1.1 answers in order, so a message that
/// is lost takes what comes behind it along: the client gives up and connects anew.
struct Conversation {
    /// A request that waits for its response.
    struct Exchange {
        var method = Head.Method.other
        var route = ""
        var cause = ""
        var run: String?
        var asksUpgrade = false
        /// What the proxy itself will answer, in its turn; `closes`: nothing can follow it on this connection.
        var answer: (bytes: [UInt8], at: Instant, closes: Bool)?
    }
    /// What becomes of the rest of a message.
    enum Treatment {
        case pass
        case swallow
        /// So many bytes of the body still pass.
        case truncate(left: Int)
    }
    /// One direction.
    struct Way {
        var framer: Framer
        var lane = Lane()
        var treatment = Treatment.pass
        var latency = Span.zero
        var rate: Int?
        var notBefore = Instant.zero
        /// Nothing passes any more.
        var isMute = false

        mutating func follow(_ outcome: DeliveryOutcome) {
            (latency, rate, treatment, notBefore) = (outcome.latency, outcome.bytesPerSecond, .pass, .zero)
            if case .held(let until) = outcome.ending { notBefore = until }
        }
    }

    /// Requests that may wait for their responses at once; more are not read.
    static let waitingMax = 64
    /// Longest request that can be sent twice.
    static let copyBytesMax = 1 << 20

    var up = Way(framer: Framer(.request))
    var down = Way(framer: Framer(.response))
    var waiting: [Exchange] = []
    /// The exchange whose response is being read.
    var answered = Exchange()
    /// The iPad of the newest request.
    var pad: Int
    /// What was read from the client behind a request that has to be answered first.
    private var unread: [UInt8] = []
    /// The request under way, when it shall come twice, and how much later.
    var copy: (bytes: [UInt8], later: Span)?
    /// Set when this is no HTTP any more: everything is bytes.
    var stream: Stream?
    private var gone: Set<End> = []
    private var isFirst = true

    /// - Parameter pad: the iPad that the client's address tells, or 0.
    init(pad: Int) { self.pad = pad }

    /// Whether bytes of this end are welcome.
    func wants(_ end: End) -> Bool {
        if let stream { return stream.wants(end) }
        return end == .target || unread.isEmpty
    }
    /// Whether the next request has to wait until another one is answered.
    var isFull: Bool { waiting.count >= Self.waitingMax || waiting.last?.asksUpgrade == true }
    /// Whether the client can still get an answer to what it sends.
    var isMute: Bool { up.isMute || down.isMute }

    mutating func received(
        _ input: UnsafeRawBufferPointer, from end: End, now: Instant, _ faults: inout Faults, _ orders: inout Orders
    ) {
        if isFirst, end == .client, let byte = input.first {
            isFirst = false
            // A TLS handshake: what is said behind it is nobody else's business.
            if byte == 0x16 {
                faults.counters.unreadable += 1
                becomeStream()
            }
        }
        if stream != nil {
            stream?.received(input, from: end, now: now, &faults, &orders)
        } else if end == .client {
            readRequests(input, now, &faults, &orders)
        } else {
            readResponses(input, now, &faults, &orders)
            readOn(now, &faults, &orders)
        }
    }

    mutating func faultsChanged(now: Instant, _ faults: inout Faults, _ orders: inout Orders) {
        stream?.faultsChanged(now: now, &faults, &orders)
    }

    private mutating func readRequests(
        _ input: UnsafeRawBufferPointer, _ now: Instant, _ faults: inout Faults, _ orders: inout Orders
    ) {
        let used = requests(input, now, &faults, &orders)
        if used < input.count { unread = Array(input[used...]) }
    }
    /// Something was answered: what the client sent meanwhile has its turn.
    private mutating func readOn(_ now: Instant, _ faults: inout Faults, _ orders: inout Orders) {
        guard !unread.isEmpty, !isFull || stream != nil else { return }
        let bytes = unread
        unread = []
        var own = Orders()
        bytes.withUnsafeBytes { received($0, from: .client, now: now, &faults, &own) }
        for order in own.list { orders.add(order, from: bytes) }
        if unread.isEmpty, gone.contains(.client) { ended(.client, now: now, &orders) }
    }

    /// From here on both directions carry another protocol.
    mutating func becomeStream() { stream = Stream(pad: pad, up: up.lane, down: down.lane) }

    // MARK: Ends

    /// The peer at this end sends no more.
    mutating func ended(_ end: End, now: Instant, _ orders: inout Orders) {
        gone.insert(end)
        if stream != nil {
            stream?.ended(end, now: now, &orders)
        } else if isMute {
            // The client gave up waiting. An end at the target does not reach a client that hears nothing.
            if end == .client { tearDown(now, &orders) }
        } else if end == .client {
            if unread.isEmpty { orders.finish(.target, .orderly, at: up.lane.release(now: now)) }
        } else {
            orders.finish(.client, .orderly, at: down.lane.release(now: now))
        }
    }
    /// The connection broke at this end.
    mutating func failed(_ end: End, now: Instant, _ orders: inout Orders) {
        gone.insert(end)
        if stream != nil {
            stream?.failed(end, now: now, &orders)
        } else if end == .client {
            orders.finish(.target, .reset, at: up.lane.release(now: now))
        } else if !isMute {
            orders.finish(.client, .reset, at: down.lane.release(now: now))
        }
    }
    private mutating func tearDown(_ now: Instant, _ orders: inout Orders) {
        orders.finish(.client, .orderly, at: down.lane.release(now: now))
        orders.finish(.target, .reset, at: now)
    }
    /// A message was lost: its client hears nothing for so long, then the connection is gone.
    func giveUp(_ patience: Span?, _ now: Instant, _ orders: inout Orders) {
        guard let patience else { return }
        orders.finish(.client, .reset, at: now + patience)
        orders.finish(.target, .orderly, at: now + patience)
    }
    /// The connection ends for both; nothing that comes later is looked at.
    mutating func over(_ how: Finish, at: Instant, _ target: Finish, _ orders: inout Orders, now: Instant) {
        (up.isMute, down.isMute) = (true, true)
        orders.finish(.client, how, at: max(at, down.lane.release(now: now)))
        orders.finish(.target, target, at: target == .reset ? now : up.lane.release(now: now))
    }

    // MARK: Bytes

    /// Bytes of a message that passes.
    static func pass(_ bytes: Bytes, to end: End, _ way: inout Way, _ now: Instant, _ orders: inout Orders) {
        way.lane.release(bytes.count, now: now, latency: way.latency, rate: way.rate, notBefore: way.notBefore) {
            part, at in
            switch bytes {
            case .input(let range):
                orders.send(
                    end, .input(range.lowerBound + part.lowerBound..<range.lowerBound + part.upperBound), at: at)
            case .own(let own):
                orders.send(end, .own(part.count == own.count ? own : Array(own[part])), at: at)
            }
        }
    }
}
