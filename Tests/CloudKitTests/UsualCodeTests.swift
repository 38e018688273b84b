import CloudKit
import FleetModel
import PadApp
import Testing

/// Lines as sync code has them everywhere, in the spelling of its years. They have to compile as they stand; what they do is looked at where it
/// says something.
@Suite("Usual lines of sync code", .timeLimit(.minutes(20))) struct UsualCodeTests {
    private static func server(_ message: Message) -> Value {
        switch message.name {
        case "ck.accountStatus": ["accountStatus": 1]
        case "ck.userRecordID": ["recordName": "_me"]
        case "ck.query", "ck.zoneChanges":
            [
                "records": [["recordName": "n1", "recordType": "Note", "recordChangeTag": "t"]], "deleted": [],
                "token": "k", "moreComing": false,
            ]
        case "ck.databaseChanges": ["zones": ["Notes"], "deleted": [], "token": "k", "moreComing": false]
        case "ck.lookup":
            ["records": [["recordName": "n1", "recordType": "Note", "recordChangeTag": "t"]], "errors": .empty]
        default: savesAll(message)
        }
    }

    @Test("Records: made, filled, read, kept") func records() {
        ScriptedPad().run {
            let zoneID = CKRecordZone.ID(zoneName: "Notes", ownerName: CKCurrentUserDefaultName)
            let recordID = CKRecord.ID(recordName: UUID().uuidString, zoneID: zoneID)
            let record = CKRecord(recordType: "Note", recordID: recordID)
            record["title"] = "Groceries" as CKRecordValue
            record["count"] = NSNumber(value: 3)
            record.setValue("text", forKey: "body")
            record.setObject(Date() as NSDate, forKey: "edited")
            record["folder"] = CKRecord.Reference(
                recordID: CKRecord.ID(recordName: "f", zoneID: zoneID), action: .deleteSelf)
            record.parent = CKRecord.Reference(recordID: CKRecord.ID(recordName: "f", zoneID: zoneID), action: .none)
            guard let title = record["title"] as? String, let count = record["count"] as? Int else {
                _ = Issue.record("not read back")
                return
            }
            #expect(title == "Groceries" && count == 3 && record.value(forKey: "body") as? String == "text")
            for key in record.allKeys() { record[key] = record.object(forKey: key) as CKRecordValue? }
            for (key, value) in record { #expect(!key.isEmpty && "\(value)" != "") }
            let coder = NSKeyedArchiver(requiringSecureCoding: true)
            coder.requiresSecureCoding ? record.encodeSystemFields(with: coder) : ()
            coder.finishEncoding()
            let reader = try NSKeyedUnarchiver(forReadingFrom: coder.encodedData)
            reader.requiresSecureCoding = true
            #expect(
                CKRecord(coder: reader)?.recordID == recordID
                    && record.recordID != CKRecord(recordType: "Note").recordID)
            var seen = Set<CKRecord.ID>()
            #expect(seen.insert(recordID).inserted && [recordID: record][recordID] === record)
            let grouped = Dictionary(grouping: [record]) { $0.recordID.zoneID }
            #expect(grouped[zoneID]?.count == 1)
        }
    }

    @Test("Operations of ten years: blocks, queues, priorities") func operations() {
        let pad = ScriptedPad { Self.server($0) }
        let story = Story()
        pad.run {
            let database = CKContainer(identifier: "iCloud.com.example.notebook").privateCloudDatabase
            let createZone = CKModifyRecordZonesOperation(
                recordZonesToSave: [CKRecordZone(zoneID: zone)], recordZoneIDsToDelete: nil)
            createZone.modifyRecordZonesCompletionBlock = { (_, _, error) in
                if let error = error as? CKError, error.code == .partialFailure { return }
                story.add("zone")
            }
            let modify = CKModifyRecordsOperation(recordsToSave: [record("n1")], recordIDsToDelete: nil)
            modify.savePolicy = .changedKeys
            modify.isAtomic = true
            modify.qualityOfService = .userInitiated
            modify.queuePriority = .veryHigh
            modify.addDependency(createZone)
            modify.perRecordCompletionBlock = { record, error in
                story.add("\(record.recordID.recordName) \(error == nil)")
            }
            modify.modifyRecordsCompletionBlock = { (saved, deleted, error) in
                guard error == nil else { return }
                story.add("saved \(saved?.count ?? 0) \(modify.isCancelled)")
            }
            database.add(createZone)
            database.add(modify)
            let options = CKFetchRecordZoneChangesOperation.ZoneConfiguration()
            options.previousServerChangeToken = nil
            let changes = CKFetchRecordZoneChangesOperation(
                recordZoneIDs: [zone], configurationsByRecordZoneID: [zone: options])
            changes.fetchAllChanges = true
            changes.recordChangedBlock = { record in story.add("changed \(record.recordID.recordName)") }
            changes.recordWithIDWasDeletedBlock = { (recordID, recordType) in }
            changes.recordZoneChangeTokensUpdatedBlock = { (zoneID, token, data) in }
            changes.recordZoneFetchCompletionBlock = { (zoneID, token, data, moreComing, error) in
                story.add("token \(token != nil)")
            }
            changes.addDependency(modify)
            let query = CKQueryOperation(
                query: CKQuery(recordType: "Note", predicate: NSPredicate(format: "n > %@", 3)))
            query.desiredKeys = ["title"]
            query.resultsLimit = 50
            query.recordFetchedBlock = { record in story.add("found \(record.recordID.recordName)") }
            query.addDependency(changes)
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                changes.fetchRecordZoneChangesCompletionBlock = { error in story.add("changes \(error == nil)") }
                query.queryCompletionBlock = { cursor, error in continuation.resume() }
                CKContainer(identifier: "iCloud.com.example.notebook").add(changes)
                database.add(query)
            }
        }
        #expect(
            story.lines == [
                "zone", "n1 true", "saved 1 false", "changed n1", "token true", "changes true", "found n1",
            ])
    }

    @Test("Handlers and awaits on containers and databases") func calls() {
        let story = Story()
        ScriptedPad { Self.server($0) }.run {
            let container = CKContainer.default()
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                container.accountStatus { status, error in
                    switch status {
                    case .available: story.add("available")
                    case .noAccount, .restricted, .couldNotDetermine, .temporarilyUnavailable: break
                    @unknown default: break
                    }
                    container.fetchUserRecordID { recordID, error in
                        story.add(recordID?.recordName ?? "")
                        container.privateCloudDatabase.fetch(withRecordID: record("n1").recordID) { found, error in
                            story.add("\(found != nil)")
                            continuation.resume()
                        }
                    }
                }
            }
            let (results, cursor) = try await container.privateCloudDatabase.records(
                matching: CKQuery(recordType: "Note", predicate: NSPredicate(value: true)))
            story.add("\(results.compactMap { try? $0.1.get() }.count) \(cursor == nil)")
            let (saved, _) = try await container.privateCloudDatabase.modifyRecords(
                saving: [record("n1")], deleting: [], savePolicy: .ifServerRecordUnchanged, atomically: false)
            for (id, result) in saved {
                switch result {
                case .success(let record): story.add("saved \(record.recordChangeTag ?? "")")
                case .failure(let error): story.add("\(id) \(error)")
                }
            }
        }
        #expect(story.lines == ["available", "_me", "true", "1 true", "saved t1"])
    }

    @Test("Errors, as handlers take them apart") func errors() {
        func plan(_ error: any Error) -> String {
            guard let ckError = error as? CKError else { return "unknown" }
            if let seconds = ckError.retryAfterSeconds { return "retry after \(Int(seconds))" }
            if let seconds = ckError.userInfo[CKErrorRetryAfterKey] as? Double { return "retry after \(seconds)" }
            if ckError.code == CKError.Code.serverRecordChanged, let server = ckError.serverRecord {
                return "merge \(server.recordID.recordName)"
            }
            switch ckError.code {
            case .zoneNotFound, .userDeletedZone: return "zone"
            case .changeTokenExpired: return "token"
            case .limitExceeded: return "split"
            case .partialFailure:
                let dictionary = ckError.userInfo[CKPartialErrorsByItemIDKey] as? NSDictionary
                return "partial \(dictionary?.count ?? 0) \(ckError.partialErrorsByItemID?.count ?? 0)"
            case .networkFailure, .networkUnavailable, .serviceUnavailable, .requestRateLimited, .zoneBusy:
                return "later"
            default: return "\(ckError.errorCode)"
            }
        }
        let server = record("n1")
        #expect(
            plan(CKError(.serverRecordChanged, userInfo: [CKRecordChangedErrorServerRecordKey: server])) == "merge n1")
        #expect(plan(CKError(.zoneBusy, userInfo: [CKErrorRetryAfterKey: 2.0])) == "retry after 2")
        let items: [AnyHashable: any Error] = [server.recordID: CKError(.unknownItem)]
        #expect(plan(CKError(.partialFailure, userInfo: [CKPartialErrorsByItemIDKey: items])) == "partial 1 1")
        #expect(plan(NSError(domain: CKErrorDomain, code: CKError.internalError.rawValue)) == "unknown")
        #expect((CKError(.badContainer) as NSError).code == CKError.Code.badContainer.rawValue)
    }

    @Test("Pushes and subscriptions") func pushes() {
        ScriptedPad { Self.server($0) }.run {
            let subscription = CKDatabaseSubscription(subscriptionID: "private-changes")
            let notificationInfo = CKSubscription.NotificationInfo()
            notificationInfo.shouldSendContentAvailable = true
            subscription.notificationInfo = notificationInfo
            let operation = CKModifySubscriptionsOperation(
                subscriptionsToSave: [subscription], subscriptionIDsToDelete: [])
            operation.modifySubscriptionsCompletionBlock = { _, _, error in #expect(error == nil) }
            operation.qualityOfService = .utility
            CKContainer.default().privateCloudDatabase.add(operation)
            let query = CKQuerySubscription(
                recordType: "Note", predicate: NSPredicate(value: true), subscriptionID: "notes",
                options: [.firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion])
            #expect(query.subscriptionType == .query && query.querySubscriptionOptions.contains(.firesOnRecordUpdate))
            let userInfo: [AnyHashable: Any] = [
                "ck": ["cid": "iCloud.a", "met": ["sid": "private-changes", "dbs": 2]]
            ]
            guard let notification = CKNotification(fromRemoteNotificationDictionary: userInfo) else {
                _ = Issue.record("no notification")
                return
            }
            #expect(
                notification.notificationType == .database && notification.subscriptionID == subscription.subscriptionID
            )
            let changed = CKDatabaseNotification(fromRemoteNotificationDictionary: userInfo)
            #expect(changed?.databaseScope == .private)
            #expect(Notification.Name.CKAccountChanged.rawValue == "CKAccountChanged")
        }
    }
}
