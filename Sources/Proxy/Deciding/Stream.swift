import FleetModel
import Nemesis

/// A connection that carries bytes and no messages we know: TLS, another protocol, or HTTP that no fault wants to look into.
///
/// Bytes of a stream cannot vanish one by one: what a fault loses waits until the fault heals, as TCP sends it again (ASSUMED: nobody gave up).
struct Stream {
    private var up = Lane()
    private var down = Lane()
    /// Bytes that wait for a fault to heal; nothing more is read from that end.
    private var waiting: [End: [UInt8]] = [:]
    private var ended: Set<End> = []
    private var isOver = false
    var pad: Int
    /// What the first byte from the client says.
    private var isHandshake: Bool?

    init(pad: Int, up: Lane = Lane(), down: Lane = Lane()) {
        self.pad = pad
        self.up = up
        self.down = down
    }

    /// Whether bytes of this end are welcome.
    func wants(_ end: End) -> Bool { waiting[end] == nil }
    /// Whether the edge may hand on bytes of this end by itself as long as no fault is active.
    func isClear(_ end: End, now: () -> Instant) -> Bool {
        guard waiting.isEmpty, !isOver else { return false }
        let last = (end == .client ? up : down).last
        return last == .zero || last <= now()
    }

    mutating func received(
        _ input: UnsafeRawBufferPointer, from end: End, now: Instant, _ faults: inout Faults, _ orders: inout Orders
    ) {
        guard !isOver, !input.isEmpty else { return }
        if end == .client, isHandshake == nil { isHandshake = input[0] == 0x16 }
        let outcome = faults.portion(end == .client ? .request : .response, pad: pad, now: now)
        switch outcome.ending {
        case .arrives, .answered: pass(input.count, from: end, now, outcome, .zero, &orders)
        case .held(let until): pass(input.count, from: end, now, outcome, until, &orders)
        case .lost, .truncated: waiting[end] = Array(input)
        case .refused, .reset: over(.reset, now + outcome.latency, &orders)
        case .handshakeFailed:
            if isHandshake == true { orders.send(.client, .own(Self.alert), at: now + outcome.latency) }
            over(.orderly, now + outcome.latency, &orders)
        }
    }

    /// A fault has begun or healed: what waits is asked about again.
    mutating func faultsChanged(now: Instant, _ faults: inout Faults, _ orders: inout Orders) {
        for end in End.allCases {
            guard let bytes = waiting.removeValue(forKey: end) else { continue }
            var own = Orders()
            bytes.withUnsafeBytes { received($0, from: end, now: now, &faults, &own) }
            for order in own.list { orders.add(order, from: bytes) }
            if waiting[end] == nil, ended.contains(end) { finish(end, now, &orders) }
        }
    }

    /// The peer at this end sends no more.
    mutating func ended(_ end: End, now: Instant, _ orders: inout Orders) {
        ended.insert(end)
        if waiting[end] == nil, !isOver { finish(end, now, &orders) }
    }
    /// The connection broke at this end.
    mutating func failed(_ end: End, now: Instant, _ orders: inout Orders) {
        isOver = true
        let at = end == .client ? up.release(now: now) : down.release(now: now)
        orders.finish(end.other, .reset, at: at)
    }

    private mutating func pass(
        _ count: Int, from end: End, _ now: Instant, _ outcome: DeliveryOutcome, _ notBefore: Instant,
        _ orders: inout Orders
    ) {
        var lane = end == .client ? up : down
        lane.release(count, now: now, latency: outcome.latency, rate: outcome.bytesPerSecond, notBefore: notBefore) {
            orders.send(end.other, .input($0), at: $1)
        }
        if end == .client { up = lane } else { down = lane }
    }
    private mutating func finish(_ end: End, _ now: Instant, _ orders: inout Orders) {
        let at = end == .client ? up.release(now: now) : down.release(now: now)
        orders.finish(end.other, .orderly, at: at)
    }
    private mutating func over(_ how: Finish, _ at: Instant, _ orders: inout Orders) {
        isOver = true
        orders.finish(.client, how, at: at)
        orders.finish(.target, .reset, at: at)
    }

    /// TLS 1.2 and 1.3: alert, fatal, handshake_failure (RFC 8446, 6).
    private static let alert: [UInt8] = [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28]
}

extension Orders {
    /// An order about an input that will be gone: its bytes become its own.
    mutating func add(_ order: Order, from input: some Collection<UInt8>) {
        switch order {
        case .send(let end, .input(let range), let at):
            send(end, .own(Array(input.dropFirst(range.lowerBound).prefix(range.count))), at: at)
        case .send(let end, let bytes, let at): send(end, bytes, at: at)
        case .finish(let end, let how, let at): finish(end, how, at: at)
        case .again(let bytes, let at): again(bytes, at: at)
        }
    }
}
