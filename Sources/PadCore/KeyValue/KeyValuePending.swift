import FleetModel

/// What of a person's key-value stores still waits.
extension KeyValueDaemon {
    /// The system fetches the pairs, and an app cannot tell an empty store from one that nothing has come to yet (S23).
    func missing(for app: AppIdentity, _ pad: any PadServices) -> String? {
        guard let store = present(app, pad), store.cloud.sent != nil || store.cloud.needsPoll && mayFetch(store, pad)
        else {
            return nil
        }
        return "the iPad had not heard from the Cloud what is in the key-value store \(store.name)"
    }
    func unheard(of person: Person, _ pad: any PadServices) -> [PendingItem] {
        order.filter { $0.volume.person == person }.compactMap { store in
            guard store.cloud.needsPoll, store.cloud.retry.attempt > 0, mayFetch(store, pad) else { return nil }
            return PendingItem(
                what: "key-value answer for \(store.name)",
                waitsFor: "retry at \(store.cloud.retry.notBefore.wallClock)", tokens: [])
        }
    }
    func pending(of person: Person) -> [PendingItem] {
        let sets = unopened.filter { $0.app.account == person }
        let closed = PendingItem(
            what: "key-value sets of \(sets.count) keys", waitsFor: "room on the iPad",
            tokens: sets.flatMap { EditPayload.scan($0.set.value).tokens })
        return (sets.isEmpty ? [] : [closed]) + pendingInStores(of: person)
    }
    private func pendingInStores(of person: Person) -> [PendingItem] {
        order.filter { $0.volume.person == person }.flatMap { store in
            var items: [PendingItem] = []
            if let at = store.flushAt {
                items.append(
                    PendingItem(
                        what: "key-value flush of \(store.unflushed.count) keys of \(store.name)",
                        waitsFor: "the flush at \(at)",
                        tokens: store.unflushed.flatMap(\.tokens)))
            }
            if !store.queue.isEmpty {
                let waitsFor =
                    store.cloud.sent != nil
                    ? "answer"
                    : store.cloud.retry.attempt > 0 ? "retry at \(store.cloud.retry.notBefore.wallClock)" : room(store)
                items.append(
                    PendingItem(
                        what: "key-value upload of \(store.queue.count) keys of \(store.name)", waitsFor: waitsFor,
                        tokens: store.queue.flatMap(\.tokens)))
            }
            return items
        }
    }
    private func room(_ store: KeyValueStore) -> String {
        store.cloud.budget.opensAt.map { "network, and the upload budget at \($0)" } ?? "network"
    }
    func queuedTokens(of person: Person) -> [Token] {
        order.filter { $0.volume.person == person }.flatMap { $0.queue + $0.unflushed }.flatMap(\.tokens)
    }
}
