import CloudKit
import Foundation
import GRDB

/// The engine's delegate.
actor CardSync: CKSyncEngineDelegate {
    private let box: Box
    private var running: CKSyncEngine?
    /// Whether all that the server had was fetched since launch.
    private(set) var isUpToDate = false
    /// Counts changes of the account: what was begun before one belongs to nobody here.
    private(set) var account = 0

    init(box: Box) { self.box = box }

    var engine: CKSyncEngine {
        get throws {
            if let running { return running }
            let made = CKSyncEngine(
                CKSyncEngine.Configuration(
                    database: CKContainer.default().privateCloudDatabase, stateSerialization: try box.state(),
                    delegate: self))
            running = made
            return made
        }
    }

    /// Sends what waits from an earlier launch, and fetches.
    func start() async {
        do {
            let engine = try engine
            let waiting = try await box.cards().filter(\.isDirty).map(\.recordID)
            engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Card.zone))])
            engine.state.add(pendingRecordZoneChanges: waiting.map { .saveRecord($0) })
        } catch { print("the box cannot be read: \(error)") }
        await fetch()
    }
    func fetch() async {
        do {
            try await engine.fetchChanges()
            isUpToDate = true
        } catch { print("not fetched: \(error)") }
    }
    /// - Returns: whether the server has the card now.
    func send(_ id: CKRecord.ID) async -> Bool {
        do {
            let engine = try engine
            engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
            try await engine.sendChanges()
            return try await box.card(id.recordName)?.isDirty != true
        } catch { return false }
    }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        do { try await handle(event, syncEngine) } catch { print("\(event) is not kept: \(error)") }
    }
    private func handle(_ event: CKSyncEngine.Event, _ engine: CKSyncEngine) async throws {
        switch event {
        case .stateUpdate(let update): try await box.keep(update.stateSerialization)
        case .accountChange(let change):
            if case .signIn = change.changeType {
                engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Card.zone))])
                let waiting = try await box.cards().filter(\.isDirty).map(\.recordID)
                engine.state.add(pendingRecordZoneChanges: waiting.map { .saveRecord($0) })
            } else {
                account += 1
                isUpToDate = false
                try await box.empty()
            }
        case .fetchedDatabaseChanges(let changes):
            for deletion in changes.deletions where deletion.zoneID == Card.zone { try await zoneIsGone(engine) }
        case .fetchedRecordZoneChanges(let changes):
            try await box.take(
                changes.modifications.map(\.record), deleted: changes.deletions.map(\.recordID))
        case .sentRecordZoneChanges(let sent): try await took(sent, engine)
        default: break
        }
    }

    private func took(_ sent: CKSyncEngine.Event.SentRecordZoneChanges, _ engine: CKSyncEngine) async throws {
        for record in sent.savedRecords {
            // Another text may have been written meanwhile: that one waits still.
            try await box.change(record.recordID.recordName) { $0.merge(record) }
        }
        for failure in sent.failedRecordSaves {
            let id = failure.record.recordID
            switch failure.error.code {
            case .serverRecordChanged:
                guard let server = failure.error.serverRecord else { continue }
                try await box.change(id.recordName) { $0.merge(server) }
                if try await box.card(id.recordName)?.isDirty == true {
                    engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
                }
            case .zoneNotFound, .userDeletedZone: try await zoneIsGone(engine)
            case .unknownItem:
                try await box.change(id.recordName) { $0.systemFields = nil }
                engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
            default: break  // the engine tries again what passes by itself
            }
        }
    }
    private func zoneIsGone(_ engine: CKSyncEngine) async throws {
        engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Card.zone))])
        for card in try await box.cards() {
            try await box.change(card.id) { ($0.systemFields, $0.isDirty) = (nil, true) }
            engine.state.add(pendingRecordZoneChanges: [.saveRecord(card.recordID)])
        }
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        let pending = syncEngine.state.pendingRecordZoneChanges.filter { context.options.scope.contains($0) }
        let box = self.box
        return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: pending) { id in
            guard let card = try? await box.card(id.recordName) else {
                syncEngine.state.remove(pendingRecordZoneChanges: [.saveRecord(id)])
                return nil
            }
            return card.record
        }
    }
}
