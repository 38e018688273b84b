import Foundation

/// The manager that many apps have: one object, one serial queue, everything goes through it.
final class SyncManager: @unchecked Sendable {
    /// A queue holds no state of its own, so apps that share a process may share it.
    private static let queue = DispatchQueue(label: "com.example.manager.sync", qos: .userInitiated)
    private let store = NSUbiquitousKeyValueStore.default
    private var cache: [String: String] = [:]

    func start() {
        Self.queue.async { [self] in load() }
        NotificationCenter.default.addObserver(
            forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification, object: store, queue: nil
        ) { [weak self] _ in
            guard let self else { return }
            Self.queue.async { self.load() }
        }
    }
    func set(_ key: String, _ text: String, completion: @escaping @Sendable (Bool) -> Void) {
        Self.queue.async { [self] in
            cache[key] = text
            store.set(text, forKey: key)
            let isKept = store.synchronize()
            RunLoop.main.perform { completion(isKept) }
        }
    }
    /// Read from any thread: the queue is the lock.
    var words: [String: String] { Self.queue.sync { cache } }

    private func load() {
        dispatchPrecondition(condition: .onQueue(Self.queue))
        for key in store.dictionaryRepresentation.keys { cache[key] = store.string(forKey: key) }
    }
}
