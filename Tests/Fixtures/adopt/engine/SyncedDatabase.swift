import CloudKit
import Foundation
import os

/// Contacts that a sync engine carries.
actor SyncedDatabase {
    struct Contact: Codable, Identifiable, Sendable {
        var id: String
        var name: String
        var lastKnownRecord: Data?
    }

    static let logger = Logger(subsystem: "com.example.contacts", category: "database")
    static let zoneName = "Contacts"

    private var contacts: [String: Contact] = [:]
    private var state: CKSyncEngine.State.Serialization?
    private var _engine: CKSyncEngine?
    private let url: URL

    init() throws {
        url = URL.documentsDirectory.appending(component: "contacts.json")
        if let data = try? Data(contentsOf: url) {
            contacts = try JSONDecoder().decode([String: Contact].self, from: data)
        }
    }

    var engine: CKSyncEngine {
        if let _engine { return _engine }
        var configuration = CKSyncEngine.Configuration(
            database: CKContainer.default().privateCloudDatabase, stateSerialization: state, delegate: self)
        configuration.automaticallySync = true
        let engine = CKSyncEngine(configuration)
        _engine = engine
        return engine
    }

    func save(_ contact: Contact) throws {
        contacts[contact.id] = contact
        try persist()
        let id = CKRecord.ID(recordName: contact.id, zoneID: CKRecordZone.ID(zoneName: Self.zoneName))
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
        Self.logger.info("saved \(contact.id, privacy: .public)")
    }

    private func persist() throws {
        let data = try JSONEncoder().encode(contacts)
        try data.write(to: url)
    }
}

extension SyncedDatabase: CKSyncEngineDelegate {
    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        switch event {
        case .stateUpdate(let event):
            state = event.stateSerialization
        case .accountChange(let event):
            handle(event)
        case .fetchedDatabaseChanges(let event):
            for deletion in event.deletions where deletion.zoneID.zoneName == Self.zoneName {
                contacts = [:]
            }
        case .fetchedRecordZoneChanges(let event):
            for modification in event.modifications {
                let record = modification.record
                contacts[record.recordID.recordName] = Contact(
                    id: record.recordID.recordName, name: record.encryptedValues["name"] ?? "",
                    lastKnownRecord: archived(record))
            }
            for deletion in event.deletions { contacts[deletion.recordID.recordName] = nil }
        case .sentRecordZoneChanges(let event):
            for failure in event.failedRecordSaves { resolve(failure) }
        case .sentDatabaseChanges, .willFetchChanges, .willFetchRecordZoneChanges, .didFetchRecordZoneChanges,
            .didFetchChanges,
            .willSendChanges, .didSendChanges:
            break
        @unknown default:
            Self.logger.error("unknown event: \(String(describing: event))")
        }
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        let scope = context.options.scope
        let changes = syncEngine.state.pendingRecordZoneChanges.filter { scope.contains($0) }
        let contacts = contacts
        return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { id in
            guard let contact = contacts[id.recordName] else {
                syncEngine.state.remove(pendingRecordZoneChanges: [.saveRecord(id)])
                return nil
            }
            let record = CKRecord(recordType: "Contact", recordID: id)
            record.encryptedValues["name"] = contact.name
            return record
        }
    }

    private func handle(_ event: CKSyncEngine.Event.AccountChange) {
        switch event.changeType {
        case .signIn: engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneName: Self.zoneName))])
        case .switchAccounts, .signOut: contacts = [:]
        @unknown default: break
        }
    }

    private func resolve(_ failure: CKSyncEngine.Event.SentRecordZoneChanges.FailedRecordSave) {
        let id = failure.record.recordID
        switch failure.error.code {
        case .serverRecordChanged:
            guard let server = failure.error.serverRecord else { return }
            contacts[id.recordName]?.lastKnownRecord = archived(server)
        case .zoneNotFound:
            engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: id.zoneID))])
        case .networkFailure, .networkUnavailable, .zoneBusy, .serviceUnavailable, .notAuthenticated,
            .operationCancelled:
            Self.logger.debug("retryable \(failure.error)")
        default:
            Self.logger.fault("gave up \(id)")
        }
    }

    private func archived(_ record: CKRecord) -> Data {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        record.encodeSystemFields(with: archiver)
        return archiver.encodedData
    }
}
