import CloudKit
import FleetModel
import PadApp
import Testing

/// A small app on a sync engine: texts by name in one zone.
@MainActor final class SyncedTexts: CKSyncEngineDelegate {
    var texts: [String: String] = [:]
    private var known: [String: CKRecord] = [:]
    private(set) var events: [String] = []
    private(set) var serialization: CKSyncEngine.State.Serialization?
    private(set) var failures: [String] = []
    private(set) var deletions: [CKDatabase.DatabaseChange.Deletion] = []
    /// What else is done in the delegate.
    var onEvent: (CKSyncEngine.Event, CKSyncEngine) async -> Void = { _, _ in }
    private(set) var engine: CKSyncEngine?

    func begin(
        _ database: CKDatabase, from state: CKSyncEngine.State.Serialization? = nil, automatically: Bool = false
    ) -> CKSyncEngine {
        var configuration = CKSyncEngine.Configuration(
            database: database, stateSerialization: state, delegate: self)
        configuration.automaticallySync = automatically
        let engine = CKSyncEngine(configuration)
        self.engine = engine
        return engine
    }
    func write(_ text: String, as name: String) {
        texts[name] = text
        engine?.state.add(pendingRecordZoneChanges: [.saveRecord(record(name).recordID)])
    }
    func remove(_ name: String) {
        texts[name] = nil
        engine?.state.add(pendingRecordZoneChanges: [.deleteRecord(record(name).recordID)])
    }

    /// Does something while the next batch is on its way.
    func whenSent(_ body: @escaping @MainActor () async -> Void) {
        onEvent = { [weak self] event, _ in
            guard case .willSendChanges = event else { return }
            self?.onEvent = { _, _ in }
            Task { @MainActor in
                // The request goes out after this event, without waiting for anything else.
                for _ in 0..<50 { await Task.yield() }
                await body()
            }
        }
    }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        events.append("\(event)")
        switch event {
        case .stateUpdate(let update): serialization = update.stateSerialization
        case .fetchedDatabaseChanges(let changes): deletions += changes.deletions
        case .fetchedRecordZoneChanges(let changes):
            for change in changes.modifications { take(change.record) }
            for deletion in changes.deletions { texts[deletion.recordID.recordName] = nil }
        case .sentRecordZoneChanges(let sent):
            for record in sent.savedRecords { known[record.recordID.recordName] = record }
            for failure in sent.failedRecordSaves {
                failures.append("\(failure.record.recordID.recordName) \(failure.error.code.rawValue)")
                guard let server = failure.error.serverRecord else { continue }
                let name = server.recordID.recordName
                let mine = texts[name] ?? ""
                take(server)
                texts[name] = "\(texts[name] ?? "")+\(mine)"
                syncEngine.state.add(pendingRecordZoneChanges: [.saveRecord(server.recordID)])
            }
        case .accountChange(let change):
            if case .signIn = change.changeType { break }
            (texts, known) = ([:], [:])
        default: break
        }
        await onEvent(event, syncEngine)
    }
    private func take(_ record: CKRecord) {
        known[record.recordID.recordName] = record
        texts[record.recordID.recordName] = record["text"]
    }
    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        let scope = context.options.scope
        let changes = syncEngine.state.pendingRecordZoneChanges.filter { scope.contains($0) }
        return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { id in
            await self.current(id.recordName)
        }
    }
    private func current(_ name: String) -> CKRecord? {
        guard let text = texts[name] else { return nil }
        let sent = known[name] ?? record(name)
        sent["text"] = text
        return sent
    }
}
