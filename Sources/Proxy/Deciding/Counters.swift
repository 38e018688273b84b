import FleetModel
import Nemesis

/// What went through a proxy and what the faults made of it.
public struct Counters: Hashable, Sendable {
    /// Connections that were accepted; copies of requests come on their own and do not count.
    public var connections = 0
    /// Whole heads that were read: none on connections that only carry bytes.
    public var requests = 0
    public var responses = 0
    /// Bytes read from clients: all that TCP brings, heads and handshakes too, also of what a fault lost or answered.
    public var bytesUp = 0
    /// The same, read from the target, answers to copies included; what the proxy itself answers is not.
    public var bytesDown = 0
    /// Messages that were no HTTP/1.1 or could be read in two ways.
    public var refused = 0
    /// Connections that a fault could not look into, because they carry TLS or another protocol.
    public var unreadable = 0
    /// How many messages (or, on a connection that only carries bytes, portions) met which ending.
    public private(set) var endings: [String: Int] = [:]
    /// What a scenario may want to have reached (`DeliveryOutcome.mark`).
    public private(set) var marks: Set<String> = []

    mutating func note(_ outcome: DeliveryOutcome, of direction: NetworkMessage.Direction) {
        // A body may be shorter than what is let through of it.
        if case .truncated = outcome.ending {
        } else if let mark = outcome.mark(of: direction) {
            marks.insert(mark.rawValue)
        }
        switch outcome.ending {
        case .arrives: if outcome.latency > .zero || outcome.bytesPerSecond != nil { count("delayed") }
        case .lost: count("lost")
        case .refused: count("unreachable")
        case .handshakeFailed: count("handshake-failed")
        case .reset: count("reset")
        case .truncated: count("truncated")
        case .answered(let response): count("answered-\(response.status)")
        case .held: count("held")
        }
        if outcome.duplicate != nil { count("duplicated") }
    }
    /// A body was longer than what was let through of it.
    mutating func cutShort() { marks.insert(Mark.connectionBroken.rawValue) }
    mutating func count(_ ending: String) { endings[ending, default: 0] += 1 }

    /// One line for people and scripts.
    public var summary: String {
        let applied = endings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let faults =
            endings.isEmpty ? "faults=0" : "faults=\(endings.values.reduce(0, +)) \(applied.joined(separator: " "))"
        return
            "proxy  connections=\(connections) requests=\(requests) responses=\(responses) up=\(bytesUp)B down=\(bytesDown)B "
            + "refused=\(refused) unreadable=\(unreadable) \(faults)"
    }
}
