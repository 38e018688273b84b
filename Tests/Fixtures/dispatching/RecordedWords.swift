import CloudKit
import Foundation
import Ubiquity

/// The words of an app as records of one zone; what is shown is kept behind a lock.
final class RecordedWords: @unchecked Sendable {
    private let database = CKContainer.default().privateCloudDatabase
    private let zone = CKRecordZone(zoneName: "Words")
    private let lock = NSLock()
    private var shown: [String: String] = [:]
    private var token: CKServerChangeToken?

    func save(_ key: String, _ text: String, completion: @escaping @Sendable (Bool) -> Void) {
        let record = CKRecord(recordType: "Word", recordID: CKRecord.ID(recordName: key, zoneID: zone.zoneID))
        record["text"] = text
        let operation = CKModifyRecordsOperation(recordsToSave: [record], recordIDsToDelete: nil)
        operation.savePolicy = .allKeys
        operation.modifyRecordsResultBlock = { result in
            if case .success = result { completion(true) } else { completion(false) }
        }
        database.add(operation)
    }
    func show(_ key: String, _ text: String) { lock.withLock { shown[key] = text } }
    /// Makes the zone if it is missing, and shows what other iPads have written.
    func fetch() {
        Task { [database, zone] in
            _ = try? await database.save(zone)
            while let page = try? await database.recordZoneChanges(inZoneWith: zone.zoneID, since: token) {
                for (id, result) in page.modificationResultsByID {
                    if let text = try? result.get().record["text"] as? String { show(id.recordName, text) }
                }
                token = page.changeToken
                if !page.moreComing { break }
            }
        }
    }
    func visibleState() -> VisibleState {
        let words = lock.withLock { shown }
        return VisibleState(words.keys.sorted().map { Item(id: $0, kind: "word", text: words[$0] ?? "") })
    }
}
