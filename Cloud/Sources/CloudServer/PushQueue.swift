import FleetModel
import Synchronization

/// Pushes to iPads that wait for their next poll, in memory: they are hints, and whoever misses some fetches changes anyway.
final class PushQueue: Sendable {
    private struct State {
        /// By device and account, oldest first.
        var waiting: [String: [Person: [Value]]] = [:]
        /// The latest poll of each device.
        var polls: [String: UInt64] = [:]
    }
    private let state = Mutex(State())
    /// Of one device and account; the oldest go first.
    private static let waitingMax = 100
    /// Devices that are remembered.
    private static let devicesMax = 100_000

    /// The bell of a device.
    static func bell(_ device: String) -> String { "push/\(device)" }

    /// Stands for the iPad itself: calls of its management server are nobody's.
    static let itself: Person = ""

    /// A hint that waits already is not added again.
    func add(_ body: Value, for device: String) {
        let account = body["account"]?.string ?? Self.itself
        state.withLock { state in
            guard state.waiting[device] != nil || state.waiting.count < Self.devicesMax else { return }
            var queue = state.waiting[device]?[account] ?? []
            guard !queue.contains(body) else { return }
            queue.append(body)
            if queue.count > Self.waitingMax { queue.removeFirst() }
            state.waiting[device, default: [:]][account] = queue
        }
    }

    /// A new poll of a device, which ends the one before: only the newest is heard.
    func begin(_ device: String) -> UInt64 {
        state.withLock { state in
            if state.polls.count >= Self.devicesMax { state.polls.removeAll() }
            let number = (state.polls[device] ?? 0) + 1
            state.polls[device] = number
            return number
        }
    }

    /// What waits for these accounts on a device.
    /// - Returns: nil for a poll that is not the newest of its device any more.
    func take(for accounts: [Person], on device: String, by poll: UInt64) -> [Value]? {
        state.withLock { state in
            guard state.polls[device] == poll else { return nil }
            guard var queues = state.waiting[device] else { return [] }
            let taken = accounts.flatMap { queues.removeValue(forKey: $0) ?? [] }
            state.waiting[device] = queues.isEmpty ? nil : queues
            return taken
        }
    }
}
