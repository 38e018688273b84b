import FleetModel

/// What goes to the Cloud and comes from it (key-value-store.md 3).
extension KeyValueDaemon {
    /// Sends for every store that has something to send or to ask and may.
    func syncAll(_ pad: any PadServices) {
        for store in order where store.cloud.sent == nil && (store.cloud.needsPoll || mayUpload(store, pad)) {
            guard store.cloud.retry.isDue(at: pad.now), mayFetch(store, pad) else { continue }
            send(store, pad)
        }
        reschedule(pad)
    }
    /// Whether its account is one that can be asked for, now or when the next try is due.
    func mayFetch(_ store: KeyValueStore, _ pad: any PadServices) -> Bool {
        pad.canReachNetwork(as: store.volume.person) && pad.keepsSyncing(store.volume.person)
    }
    private func mayUpload(_ store: KeyValueStore, _ pad: any PadServices) -> Bool {
        !store.queue.isEmpty && store.cloud.budget.isOpen(at: pad.now)
    }
    private func send(_ store: KeyValueStore, _ pad: any PadServices) {
        let writes = mayUpload(store, pad) ? store.queue : []
        if !writes.isEmpty { store.cloud.budget.used(at: pad.now) }
        store.cloud.sent = writes
        store.cloud.needsPoll = false
        var request = HTTPRequest(
            post: "/kvs/v1/\(store.name)/sync",
            json: ["since": .int(store.since), "writes": .array(writes.map(\.body))])
        if !writes.isEmpty {
            // The same writes have the same id, however often they are sent.
            request.headers["X-Homeroom-Request"] =
                "kvs/\(pad.deviceName)/"
                + String(
                    writes.reduce(StableHash()) { hash, write in
                        var hash = hash
                        hash.add(write.key)
                        hash.add(UInt64(bitPattern: write.stamp))
                        return hash
                    }.value, radix: 16)
        }
        let task = task(store)
        pad.send(request, task: task, cause: writes.lazy.flatMap(\.tokens).first ?? task.name)
    }
    private func task(_ store: KeyValueStore) -> NetworkTask {
        NetworkTask(
            service: Self.service, person: store.volume.person, name: "sync/\(store.name)",
            attempt: store.cloud.retry.attempt
        )
    }

    func reply(_ reply: NetworkReply, to task: NetworkTask, _ pad: any PadServices) {
        guard let store = order.first(where: { $0.cloud.sent != nil && self.task($0) == task }) else { return }
        // An incoming change flushes (key-value-store.md 3).
        flush(store, pad)
        if case .response(let response) = reply, response.isSuccess,
            let answer = response.json.flatMap(KeyValueAnswer.init(fieldValue:)),
            take(answer.changes, answer.sequence, store, pad)
        {
            store.cloud.retry.succeeded()
        } else {
            if case .response(let response) = reply {
                store.cloud.retry.failed(at: pad.now, response)
            } else {
                store.cloud.retry.failed(at: pad.now)
            }
            store.cloud.needsPoll = true
        }
        store.cloud.sent = nil
        syncAll(pad)
    }
    /// False when the disk is full; the same answer will be asked for again.
    private func take(_ changes: [KeyValueWrite], _ sequence: Int64, _ store: KeyValueStore, _ pad: any PadServices)
        -> Bool
    {
        let reason = store.reason
        var changed = Value.Object()
        guard pad.attempt("an answer to \(store.name)", { changed = try store.merge(changes, sequence: sequence) })
        else { return false }
        // The end of an initial sync or of a change of account is told also when no value changed: apps wait for it.
        guard !changed.isEmpty || reason != .server else { return true }
        for app in users(of: store, pad) {
            pad.post(KeyValueMessages.Changed(reason: reason, values: changed).message, exchange: 0, to: app)
        }
        return true
    }
}

/// The Cloud's answer to `/kvs/v1/STORE/sync`.
private struct KeyValueAnswer: FieldGroup {
    var changes: [KeyValueWrite] = []
    var sequence: Int64 = 0
    init() {}
    mutating func visit(_ fields: inout Fields) {
        fields.required("changes", &changes)
        fields.required("seq", &sequence)
    }
}
