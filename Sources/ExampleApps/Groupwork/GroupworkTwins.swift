import CloudKit
import Ubiquity

/// Groupwork with one mistake: the text of a page stays on the iPad when the person has no part in it any more, for nobody told the
/// shelf to let go of it.
final class GroupworkKeepsPages: Groupwork {
    nonisolated override class var declaration: AppDeclaration { groupworkDeclaration("groupwork-keeps-pages") }
    override class var storeType: PageStore.Type { Store.self }

    private final class Store: PageStore, @unchecked Sendable {
        override func lost(_ zoneID: CKRecordZone.ID) {}
    }
}

/// Groupwork with one mistake: everything is saved to the private database, as before the app could share. Who made a page does not notice;
/// what others write on it goes to a zone of their own.
final class GroupworkPrivate: Groupwork {
    nonisolated override class var declaration: AppDeclaration { groupworkDeclaration("groupwork-private") }
    override class var storeType: PageStore.Type { Store.self }

    private final class Store: PageStore, @unchecked Sendable {
        override func save(
            _ record: CKRecord, at home: PageHome, completion: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
        ) {
            if home.isMine { return super.save(record, at: home, completion: completion) }
            let database = container.privateCloudDatabase
            let zoneID = CKRecordZone.ID(zoneName: home.zoneID.zoneName)
            let copy = CKRecord(
                recordType: record.recordType, recordID: CKRecord.ID(recordName: PageHome.recordName, zoneID: zoneID))
            copy["lines"] = record["lines"]
            database.save(CKRecordZone(zoneID: zoneID)) { zone, error in
                guard zone != nil else { return completion(nil, error) }
                database.modifyRecords(saving: [copy], deleting: [], savePolicy: .allKeys) { results in
                    switch results.flatMap({ $0.saveResults[copy.recordID] ?? .success(copy) }) {
                    case .success(let saved): completion(saved, nil)
                    case .failure(let error): completion(nil, error)
                    }
                }
            }
        }
    }
}
