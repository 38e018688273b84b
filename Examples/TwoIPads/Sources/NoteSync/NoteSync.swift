import CloudKit
import Foundation

/// Notes of one person: kept in a file, synced by hand with one zone of the private database, as many apps do it.
public actor NoteSync {
    private struct Note: Codable {
        var text: String
        /// The record without its fields, as the server had it last; nil before the first save.
        var systemFields: Data?
        /// Whether the server does not have this text yet.
        var isDirty: Bool
    }
    private struct Box: Codable {
        var notes: [String: Note] = [:]
        var token: Data?
        var isZoneMade = false
    }

    private var box = Box()
    private var isSyncing = false
    private let file: URL
    private let savePolicy: CKModifyRecordsOperation.RecordSavePolicy
    private let database = CKContainer.default().privateCloudDatabase
    private let zone = CKRecordZone(zoneName: "Notes")

    public init(savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged) throws {
        self.savePolicy = savePolicy
        let folder = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)[0]
        file = folder.appendingPathComponent("notes.json")
        if let data = FileManager.default.contents(atPath: file.path) {
            box = try JSONDecoder().decode(Box.self, from: data)
        }
    }

    /// Every note's text, by its name.
    public var texts: [String: String] { box.notes.mapValues(\.text) }

    /// Keeps what was written, and sends it when the network is there.
    public func write(_ text: String, to name: String) throws {
        box.notes[name, default: Note(text: text, isDirty: true)].text = text
        box.notes[name]?.isDirty = true
        try keep()
        Task { await sync() }
    }

    /// Fetches and sends until both sides have the same, and tries again for as long as that takes.
    public func sync() async {
        guard !isSyncing else { return }
        isSyncing = true
        defer { isSyncing = false }
        var pause = 2
        while true {
            do {
                try await makeZone()
                repeat {
                    try await fetch()
                    try await send()
                } while box.notes.values.contains { $0.isDirty }
                return
            } catch {
                let wanted = (error as? CKError)?.retryAfterSeconds ?? 0
                try? await Task.sleep(for: .seconds(max(Double(pause), wanted)))
                pause = min(60, pause * 2)
            }
        }
    }

    private func makeZone() async throws {
        guard !box.isZoneMade else { return }
        let subscription = CKDatabaseSubscription(subscriptionID: "notes")
        let info = CKSubscription.NotificationInfo()
        info.shouldSendContentAvailable = true
        subscription.notificationInfo = info
        _ = try await database.modifyRecordZones(saving: [zone], deleting: [])
        _ = try await database.modifySubscriptions(saving: [subscription], deleting: [])
        box.isZoneMade = true
        try keep()
    }

    private func fetch() async throws {
        var isMore = true
        while isMore {
            let token = try box.token.flatMap {
                try NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: $0)
            }
            let changes = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: token)
            for result in changes.modificationResultsByID.values { merge(try result.get().record) }
            box.token = try NSKeyedArchiver.archivedData(
                withRootObject: changes.changeToken, requiringSecureCoding: true)
            try keep()
            isMore = changes.moreComing
        }
    }

    private func send() async throws {
        let waiting = box.notes.filter { $0.value.isDirty }
        guard !waiting.isEmpty else { return }
        let records = waiting.sorted { $0.key < $1.key }.map { record(of: $0.value, named: $0.key) }
        let results = try await database.modifyRecords(
            saving: records, deleting: [], savePolicy: savePolicy, atomically: false)
        for (id, result) in results.saveResults {
            switch result {
            case .success(let record): saved(record, as: waiting[id.recordName]?.text)
            case .failure(let error as CKError) where error.code == .serverRecordChanged:
                if let record = error.serverRecord { merge(record) }
            case .failure(let error): throw error
            }
        }
        try keep()
    }

    /// The server has this text; what was written since then is still to be sent.
    private func saved(_ record: CKRecord, as text: String?) {
        let name = record.recordID.recordName
        box.notes[name]?.systemFields = Self.systemFields(of: record)
        if box.notes[name]?.text == text { box.notes[name]?.isDirty = false }
    }
    /// What the server has. Two texts that were written apart both stay, one below the other.
    private func merge(_ record: CKRecord) {
        let name = record.recordID.recordName
        guard let theirs = record["text"] as? String else { return }
        var note = box.notes[name] ?? Note(text: theirs, isDirty: false)
        if !note.isDirty || note.text == theirs {
            (note.text, note.isDirty) = (theirs, false)
        } else if savePolicy == .ifServerRecordUnchanged, !note.text.contains(theirs) {
            note.text = theirs.contains(note.text) ? theirs : theirs + "\n" + note.text
        }
        note.systemFields = Self.systemFields(of: record)
        box.notes[name] = note
    }

    private func record(of note: Note, named name: String) -> CKRecord {
        let id = CKRecord.ID(recordName: name, zoneID: zone.zoneID)
        let record = note.systemFields.flatMap { try? NSKeyedUnarchiver(forReadingFrom: $0) }.flatMap(CKRecord.init)
        let known = record ?? CKRecord(recordType: "Note", recordID: id)
        known["text"] = note.text
        return known
    }
    private static func systemFields(of record: CKRecord) -> Data {
        let coder = NSKeyedArchiver(requiringSecureCoding: true)
        record.encodeSystemFields(with: coder)
        return coder.encodedData
    }

    private func keep() throws {
        let data = try JSONEncoder().encode(box)
        try data.write(to: file)
    }
}
