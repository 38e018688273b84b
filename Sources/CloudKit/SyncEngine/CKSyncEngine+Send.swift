import PadApp

/// A send: `willSendChanges`, zones, batches of records until the delegate has none, `didSendChanges`.
///
/// What is sent stays pending until its answer: a power cut between sends it again. A batch with an error that the engine itself waits out is
/// the last one, else the delegate would give it again at once.
extension CKSyncEngine {
    func send(_ options: SendChangesOptions, _ reason: SyncReason) async throws {
        let context = SendChangesContext(reason: reason, options: options)
        let link = link(options.operationGroup)
        await deliver(.willSendChanges(Event.WillSendChanges(context: context)))
        var failure = await sendZones(context, link)
        do {
            while failure == nil, let batch = try await next(context) { failure = await send(batch, link) }
        } catch { failure = CKError(error) }
        await deliver(.didSendChanges(Event.DidSendChanges(context: context)))
        await deliverState()
        if let failure { throw failure }
    }
    private func next(_ context: SendChangesContext) async throws -> RecordZoneChangeBatch? {
        try checkCancelled()
        let batch = await asDelegate {
            await configuration.delegate.nextRecordZoneChangeBatch(context, syncEngine: self)
        }
        return batch?.changes.isEmpty == true ? nil : batch
    }

    /// - Returns: an error that the engine waits out.
    private func sendZones(_ context: SendChangesContext, _ link: CloudLink) async -> CKError? {
        let changes = state.value.databaseChanges.filter { context.options.scope.contains(zoneID: $0.zoneID) }
        guard !changes.isEmpty else { return nil }
        var (saves, deletes): ([CKRecordZone], [CKRecordZone.ID]) = ([], [])
        for change in changes {
            switch change {
            case .saveZone(let zone): saves.append(zone)
            case .deleteZone(let id): deletes.append(id)
            }
        }
        var (event, waited) = (Event.SentDatabaseChanges(), SyncAnswers())
        do {
            let results = try await database.modifyRecordZones(saving: saves, deleting: deletes, by: link)
            for zone in saves {
                switch waited.look(results.saveResults[zone.zoneID]) {
                case .success(let saved): event.savedZones.append(saved)
                case .failure(let error): event.failedZoneSaves.append(.init(zone: zone, error: error))
                }
            }
            for id in deletes {
                switch waited.look(results.deleteResults[id]) {
                case .success: event.deletedZoneIDs.append(id)
                case .failure(let error): event.failedZoneDeletes[id] = error
                }
            }
        } catch {
            let error = waited.look(error)
            event.failedZoneSaves = saves.map { .init(zone: $0, error: error) }
            for id in deletes { event.failedZoneDeletes[id] = error }
        }
        let kept = Set(
            event.failedZoneSaves.filter { SyncFailure.isRetried($0.error) }.map(\.zone.zoneID)
                + event.failedZoneDeletes.filter { SyncFailure.isRetried($0.value) }.map(\.key))
        state.change { $0.remove(changes.filter { !kept.contains($0.zoneID) }) }
        await deliver(.sentDatabaseChanges(event))
        await deliverState()
        return waited.first
    }

    /// - Returns: an error that the engine waits out.
    private func send(_ batch: RecordZoneChangeBatch, _ link: CloudLink) async -> CKError? {
        state.change { $0.begin(batch.changes.map(\.recordID)) }
        var (event, waited) = (Event.SentRecordZoneChanges(), SyncAnswers())
        do {
            let results = try await database.modifyRecords(
                batch.recordsToSave, batch.recordIDsToDelete, .ifServerRecordUnchanged, batch.atomicByZone, by: link)
            for record in batch.recordsToSave {
                switch waited.look(results.saveResults[record.recordID]) {
                case .success(let saved): event.savedRecords.append(saved)
                case .failure(let error): event.failedRecordSaves.append(.init(record: record, error: error))
                }
            }
            for id in batch.recordIDsToDelete {
                switch waited.look(results.deleteResults[id]) {
                case .success: event.deletedRecordIDs.append(id)
                case .failure(let error): event.failedRecordDeletes[id] = error
                }
            }
        } catch {
            let error = waited.look(error)
            event.failedRecordSaves = batch.recordsToSave.map { .init(record: $0, error: error) }
            for id in batch.recordIDsToDelete { event.failedRecordDeletes[id] = error }
        }
        let kept = Set(
            event.failedRecordSaves.filter { SyncFailure.isRetried($0.error) }.map(\.record.recordID)
                + event.failedRecordDeletes.filter { SyncFailure.isRetried($0.value) }.map(\.key))
        state.change { $0.settle(batch.changes.filter { !kept.contains($0.recordID) }) }
        await deliver(.sentRecordZoneChanges(event))
        await deliverState()
        return waited.first
    }
}

/// The answers to the items of a request.
private struct SyncAnswers {
    /// The first error that the engine waits out.
    private(set) var first: CKError?

    mutating func look<T>(_ result: Result<T, any Error>?) -> Result<T, CKError> {
        switch result {
        case .success(let value)?: .success(value)
        case .failure(let error)?: .failure(look(error))
        case nil: .failure(CKError(.internalError, message: "there is no answer for the item"))
        }
    }
    mutating func look(_ error: any Error) -> CKError {
        let error = CKError(error)
        if SyncFailure.isRetried(error) { first = first ?? error }
        return error
    }
}
