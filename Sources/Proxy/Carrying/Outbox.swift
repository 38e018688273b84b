import DequeModule
import FleetModel

/// What has to be sent to one end, in order, each part when its instant has come; last of all the end of the stream.
struct Outbox {
    private struct Part {
        var bytes: [UInt8]
        var offset = 0
        var at: Instant
    }
    private var parts = Deque<Part>()
    /// Bytes that wait.
    private(set) var count = 0
    /// How and when the stream ends; nothing is taken after it.
    private(set) var finish: (how: Finish, at: Instant)?

    /// Whether nothing waits and nothing will end.
    var isEmpty: Bool { parts.isEmpty && finish == nil }
    /// When the next part or the end is due.
    var due: Instant? { parts.first?.at ?? finish?.at }

    mutating func add(_ bytes: [UInt8], at: Instant) {
        guard finish == nil, !bytes.isEmpty else { return }
        parts.append(Part(bytes: bytes, at: at))
        count += bytes.count
    }
    /// The first end stays.
    mutating func end(_ how: Finish, at: Instant) { if finish == nil { finish = (how, at) } }

    /// Hands out parts that are due until one is not taken whole.
    /// - Parameter send: tells how many bytes were taken, or a negative error number.
    /// - Returns: the error number that stopped it; 0 when nothing that is due is left, or when not all was taken.
    mutating func flush(now: Instant, _ send: (UnsafeRawBufferPointer) -> Int) -> Int {
        while let part = parts.first, part.at <= now {
            let taken = part.bytes.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[part.offset...])) }
            guard taken >= 0 else { return taken }
            count -= taken
            guard part.offset + taken < part.bytes.count else { parts.removeFirst(); continue }
            parts[0].offset += taken
            return 0
        }
        return 0
    }
    /// The end, when all before it is sent and its instant has come.
    func finishDue(now: Instant) -> Finish? { parts.isEmpty ? finish.flatMap { $0.at <= now ? $0.how : nil } : nil }
}
