import FleetModel
import Nemesis

/// One connection through the proxy: two sockets, and what decides about their bytes.
final class Connection {
    /// Nil for a copy of a request, which nobody waits for.
    let client: Side?
    let target: Side
    let slot: Int
    /// One of the three decides.
    var stream: Stream?
    var conversation: Conversation?
    /// Reads the answer to a copy, to know when it is over.
    var copy: Framer?
    private var isInterim = false
    /// The earliest timer that is set.
    var armed: Instant?

    init(client: Side?, target: Side, slot: Int) {
        (self.client, self.target, self.slot) = (client, target, slot)
    }

    subscript(end: End) -> Side? { end == .client ? client : target }

    /// Bytes that may wait for one end before the other is read no further: as a TCP window, it bounds memory and throughput.
    static let outboxMax = 256 << 10

    /// Whether bytes of this end are welcome.
    func wants(_ end: End) -> Bool {
        if let other = self[end.other], other.outbox.count >= Self.outboxMax { return false }
        if let stream { return stream.wants(end) }
        guard let conversation else { return true }
        // What the proxy itself answers costs no bytes of the target: a client that does not read would make them wait without bound.
        if end == .client, let client, client.outbox.count >= Self.outboxMax { return false }
        return conversation.wants(end)
    }

    func received(
        _ input: UnsafeRawBufferPointer, from end: End, now: Instant, _ faults: inout Faults, _ orders: inout Orders
    ) {
        stream?.received(input, from: end, now: now, &faults, &orders)
        conversation?.received(input, from: end, now: now, &faults, &orders)
        if copy != nil, copyIsAnswered(input) { orders.finish(.target, .orderly, at: now) }
    }
    func ended(_ end: End, now: Instant, _ orders: inout Orders) {
        stream?.ended(end, now: now, &orders)
        conversation?.ended(end, now: now, &orders)
        if copy != nil { orders.finish(.target, .orderly, at: now) }
    }
    func failed(_ end: End, now: Instant, _ orders: inout Orders) {
        stream?.failed(end, now: now, &orders)
        conversation?.failed(end, now: now, &orders)
    }
    func faultsChanged(now: Instant, _ faults: inout Faults, _ orders: inout Orders) {
        stream?.faultsChanged(now: now, &faults, &orders)
        conversation?.faultsChanged(now: now, &faults, &orders)
    }

    /// What is no HTTP is answered too.
    private func copyIsAnswered(_ input: UnsafeRawBufferPointer) -> Bool {
        var at = 0
        do throws(FramingProblem) {
            while let piece = try copy?.next(input, &at) {
                if case .head(let head, _) = piece { isInterim = head.isInterim }
                if piece == .end, !isInterim { return true }
            }
            return false
        } catch { return true }
    }

    /// Whether nothing can reach the client any more and everything meant for the target is on its way.
    var isOver: Bool {
        guard target.isOver || target.isFinished || target.isGone else { return false }
        return client?.isOver ?? true
    }
}
