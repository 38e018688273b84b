import Foundation

/// Sync with queues, a group and semaphores. It imports Foundation alone and knows nothing of a testbed.
final class QueueSync: @unchecked Sendable {
    /// Sends one pair and says later, on any thread, whether it has arrived.
    typealias Send = @Sendable (_ key: String, _ text: String, _ completion: @escaping @Sendable (Bool) -> Void) -> Void
    private struct Change {
        let key: String
        let text: String
        let completion: @Sendable (Bool) -> Void
    }

    private let queue = DispatchQueue(label: "com.example.queues.sync", qos: .utility)
    private let senders = DispatchQueue(label: "com.example.queues.senders", attributes: .concurrent)
    private let lock = NSLock()
    private let send: Send
    private var pending: [Change] = []
    private var timer: DispatchSourceTimer?

    init(send: @escaping Send) { self.send = send }

    /// Flushes what is pending every five seconds.
    func start() {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + 5, repeating: 5, leeway: .seconds(1))
        timer.setEventHandler { [weak self] in self?.flush() }
        timer.resume()
        self.timer = timer
    }
    func add(_ key: String, _ text: String, completion: @escaping @Sendable (Bool) -> Void) {
        lock.lock()
        pending.append(Change(key: key, text: text, completion: completion))
        lock.unlock()
        // Changes that come together go together.
        queue.asyncAfter(deadline: .now() + .milliseconds(200)) { [weak self] in self?.flush() }
    }

    private func flush() {
        dispatchPrecondition(condition: .onQueue(queue))
        lock.lock()
        let batch = pending
        pending = []
        lock.unlock()
        let group = DispatchGroup()
        let slots = DispatchSemaphore(value: 2)
        for change in batch {
            slots.wait()
            senders.async(group: group) { [send] in
                let answered = DispatchSemaphore(value: 0)
                nonisolated(unsafe) var hasArrived = false
                send(change.key, change.text) { arrived in
                    hasArrived = arrived
                    answered.signal()
                }
                while answered.wait(timeout: .now() + 10) == .timedOut {}
                slots.signal()
                DispatchQueue.main.async { change.completion(hasArrived) }
            }
        }
        group.wait()
    }
}
