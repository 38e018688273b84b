import CloudKit
import Ubiquity

/// What the service had and has: results of an earlier launch, pages of changes, the subscription.
extension NoteSync {
    /// Takes the results of operations that an earlier launch left with the system. They may be older than what the shelf knows, so they
    /// only tell what the server had; the present comes with the next fetch. What could not be saved is still dirty and meets its
    /// conflict anew.
    func resume() async {
        for id in (try? await CKContainer.default().allLongLivedOperationIDs()) ?? [] {
            guard
                let operation = try? await CKContainer.default().longLivedOperation(for: id)
                    as? CKModifyRecordsOperation
            else { continue }
            operation.perRecordSaveBlock = { [weak self] id, result in
                guard case .success(let record) = result else { return }
                MainActor.assumeIsolated { self?.hadArrived(record) }
            }
            database.add(operation)
        }
    }
    private func hadArrived(_ record: CKRecord) {
        let name = record.recordID.recordName
        guard var note = shelf.notes[name], note.isDirty else { return }
        NoteRecord.had(&note, record)
        shelf.put(note, as: name)
        try? shelf.save()
    }

    /// - Returns: whether there was anything in them.
    func fetchPages() async throws -> Bool {
        var hasNews = false
        let isFromTheStart = shelf.token == nil
        var seen: Set<String> = []
        while true {
            guard isSignedIn else { throw CKError(.notAuthenticated) }
            let page = try await database.recordZoneChanges(inZoneWith: NoteRecord.zone.zoneID, since: shelf.token)
            for case (let id, .success(let change)) in page.modificationResultsByID.sorted(by: {
                $0.key.recordName < $1.key.recordName
            }) {
                take(change.record)
                seen.insert(id.recordName)
            }
            for deletion in page.deletions { forget(deletion.recordID.recordName) }
            hasNews = hasNews || !page.modificationResultsByID.isEmpty || !page.deletions.isEmpty
            shelf.token = page.changeToken
            try? shelf.save()
            guard page.moreComing else { break }
        }
        guard isFromTheStart else { return hasNews }
        // After an expired token the server lists all it has: what it does not list is gone there.
        for name in shelf.notes.keys.sorted() where !seen.contains(name) { forget(name) }
        try? shelf.save()
        return hasNews
    }

    /// Deleted at the server; an edit that it has not seen stays.
    private func forget(_ name: String) {
        guard var note = shelf.notes[name], note.systemFields != nil else { return }
        guard note.isDirty else { return shelf.put(nil, as: name) }
        note.base = []
        note.systemFields = nil
        note.modified = nil
        shelf.put(note, as: name)
        sendSoon()
    }

    /// The zone, and a silent push for everything that happens in it.
    func subscribe() async {
        guard await makeZone() == nil else { return }
        let subscription = CKRecordZoneSubscription(zoneID: NoteRecord.zone.zoneID, subscriptionID: "notebook")
        let info = CKSubscription.NotificationInfo()
        info.shouldSendContentAvailable = true
        subscription.notificationInfo = info
        _ = try? await database.save(subscription)
    }
}
