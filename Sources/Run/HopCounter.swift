import FleetModel
import Nemesis

/// What the nemesis wants done after so many more messages between an iPad and its apps: keyed by count, never by time.
package struct HopCounter {
    package enum Act {
        case command(Message)
        /// The end of the app whose message it was.
        case kill(KillReason)
    }
    private var waiting: [(left: Int, act: Act)] = []

    package init() {}
    package var isEmpty: Bool { waiting.isEmpty }
    package mutating func add(_ act: Act, after hops: Int) { waiting.append((hops, act)) }

    /// Counts one message.
    /// - Returns: what falls due before it, in the order in which it was added.
    package mutating func count() -> [Act] {
        guard !waiting.isEmpty else { return [] }
        for index in waiting.indices { waiting[index].left -= 1 }
        defer { waiting.removeAll { $0.left <= 0 } }
        return waiting.filter { $0.left <= 0 }.map(\.act)
    }
}
