import CloudKit
import FleetModel
import PadApp
import Testing

@Suite("CKOperation", .timeLimit(.minutes(20))) struct CKOperationTests {
    @Test("Configuration: Apple's defaults; the operation's word wins over the group's, the group's over the default")
    func configuration() {
        let pad = ScriptedPad { savesAll($0) }
        pad.run {
            let plain = CKModifyRecordsOperation(recordsToSave: [record("n0")])
            #expect(plain.qualityOfService == .default && plain.timeoutIntervalForRequest == 60)
            #expect(plain.timeoutIntervalForResource == 604_800 && !plain.isLongLived)
            #expect(plain.configuration.allowsCellularAccess && plain.container == nil)
            database.add(plain)
            let group = CKOperationGroup()
            group.defaultConfiguration.qualityOfService = .utility
            group.defaultConfiguration.timeoutIntervalForRequest = 5
            for said in [false, true] {
                let operation = CKModifyRecordsOperation(recordsToSave: [record("n1")])
                operation.group = group
                if said {
                    operation.configuration.qualityOfService = .default
                    operation.timeoutIntervalForResource = 3600
                }
                database.add(operation)
            }
            let fetch = CKFetchRecordsOperation(recordIDs: [record().recordID])
            fetch.qualityOfService = .background
            fetch.configuration.container = CKContainer(identifier: "iCloud.com.example.other")
            CKContainer.default().add(fetch)
        }
        let members = ["qos", "requestTimeout", "resourceTimeout"]
        let told = pad.asked.map { message in members.map { message[$0] } }
        #expect(
            told == [
                [nil, nil, nil], ["utility", 5.0, nil], [nil, 5.0, 3600.0], ["background", nil, nil],
            ])
        #expect(pad.asked.last?["container"] == "iCloud.com.example.other")
    }

    @Test("Errors: the keys of Apple's userInfo; the ancestor is the copy that both changed")
    func errors() {
        #expect(CKErrorRetryAfterKey == "CKRetryAfter")
        let server: Value = [
            "recordName": "n1", "recordType": "Note", "recordChangeTag": "t2", "fields": ["text": ["value": "theirs"]],
        ]
        let pad = ScriptedPad { message in
            guard message.name == "ck.modify" else {
                let mine: Value = [
                    "recordName": "n1", "recordType": "Note", "recordChangeTag": "t1",
                    "fields": ["text": ["value": "before"]],
                ]
                return ["records": [mine], "errors": .empty]
            }
            return message["zone"] == "Notes"
                ? [
                    "saved": [], "deleted": [],
                    "errors": ["n1": failure(14, ["serverRecord": server, "retryAfter": 3])],
                ]
                : ["error": failure(26, ["encryptedDataReset": true])]
        }
        pad.run {
            let mine = try await database.record(for: record().recordID)
            mine["text"] = "mine"
            do { try await database.save(mine) } catch let error as CKError {
                func text(_ key: String) -> String? { (error.userInfo[key] as? CKRecord)?["text"] as? String }
                #expect(text(CKRecordChangedErrorAncestorRecordKey) == "before")
                #expect(text(CKRecordChangedErrorClientRecordKey) == "mine")
                #expect(text(CKRecordChangedErrorServerRecordKey) == "theirs")
                #expect(error.ancestorRecord?.recordChangeTag == "t1")
                #expect(error.userInfo[CKErrorRetryAfterKey] as? Double == 3)
                #expect(error.userInfo[CKErrorUserDidResetEncryptedDataKey] == nil)
            }
            let gone = record("n1", in: CKRecordZone.ID(zoneName: "Gone"))
            do { try await database.save(gone) } catch let error as CKError {
                #expect(error.code == .zoneNotFound && error.ancestorRecord == nil)
                #expect(error.userInfo[CKErrorUserDidResetEncryptedDataKey] as? Bool == true)
            }
        }
    }

    @Test("Database changes: pages until the end, or one; why a zone is gone", arguments: [true, false])
    func databaseChanges(all: Bool) {
        let pad = ScriptedPad { message in
            message["token"] == .null
                ? ["zones": ["A"], "deleted": [], "token": "k1", "moreComing": true]
                : [
                    "zones": [], "deleted": ["B", "C", "D"], "reasons": ["C": "purged", "D": "encryptedDataReset"],
                    "token": "k2", "moreComing": false,
                ]
        }
        let story = Story()
        pad.run {
            let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: nil)
            operation.fetchAllChanges = all
            operation.resultsLimit = 3
            operation.recordZoneWithIDChangedBlock = { story.add("+\($0.zoneName)") }
            operation.recordZoneWithIDWasDeletedBlock = { story.add("-\($0.zoneName)") }
            operation.recordZoneWithIDWasPurgedBlock = { story.add("purged \($0.zoneName)") }
            operation.recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock = { story.add("reset \($0.zoneName)") }
            operation.changeTokenUpdatedBlock = { _ in story.add("token") }
            await withCheckedContinuation { continuation in
                operation.fetchDatabaseChangesResultBlock = { result in
                    story.add("more \((try? result.get())?.moreComing ?? true)")
                    continuation.resume()
                }
                database.add(operation)
            }
        }
        let rest = ["-B", "purged C", "reset D", "token", "more false"]
        #expect(story.lines == ["+A", "token"] + (all ? rest : ["more true"]))
        #expect(pad.asked.map { $0["limit"] } == (all ? [3, 3] : [3]))
    }

    @Test("Cancel: a long-lived operation that was cancelled before is not handed over (changes, fetch, query)")
    func cancelledBeforeHandOver() {
        let pad = ScriptedPad()
        let story = Story()
        pad.run {
            let save = CKModifyRecordsOperation(recordsToSave: [record()])
            let fetch = CKFetchRecordsOperation(recordIDs: [record().recordID])
            let query = CKQueryOperation(query: CKQuery(recordType: "Note", predicate: NSPredicate(value: true)))
            save.modifyRecordsResultBlock = { story.add("save \(Self.isCancelled($0))") }
            fetch.fetchRecordsResultBlock = { story.add("fetch \(Self.isCancelled($0))") }
            query.queryResultBlock = { story.add("query \(Self.isCancelled($0))") }
            for operation in [save, fetch, query] as [CKDatabaseOperation] {
                operation.isLongLived = true
                operation.longLivedOperationWasPersistedBlock = { story.add("persisted") }
                operation.cancel()
                database.add(operation)
            }
        }
        #expect(pad.asked.isEmpty && story.lines == ["save true", "fetch true", "query true"])
    }
    private static func isCancelled<T>(_ result: Result<T, any Error>) -> Bool {
        if case .failure(let error as CKError) = result { error.code == .operationCancelled } else { false }
    }

    @Test("Zone changes: only one page of each zone when not all are wanted")
    func onePage() {
        let pad = ScriptedPad { _ in ["records": [], "deleted": [], "token": "k", "moreComing": true] }
        let story = Story()
        pad.run {
            let operation = CKFetchRecordZoneChangesOperation(recordZoneIDs: [zone])
            operation.fetchAllChanges = false
            operation.recordZoneFetchResultBlock = { _, result in
                story.add("more \((try? result.get())?.moreComing ?? false)")
            }
            await withCheckedContinuation { continuation in
                operation.completionBlock = { continuation.resume() }
                database.add(operation)
            }
        }
        #expect(story.lines == ["more true"] && pad.asked.count == 1)
    }

    @Test("Progress: each record that was saved or fetched, before its result")
    func progress() {
        let pad = ScriptedPad { message in
            message.name == "ck.lookup"
                ? [
                    "records": [["recordName": "n1", "recordType": "Note", "recordChangeTag": "t"]],
                    "errors": ["n2": failure(11)],
                ] : savesAll(message)
        }
        let story = Story()
        pad.run {
            let save = CKModifyRecordsOperation(recordsToSave: [record("n1")])
            save.perRecordProgressBlock = { story.add("saving \($0.recordID.recordName) \($1)") }
            save.perRecordSaveBlock = { id, _ in story.add("saved \(id.recordName)") }
            database.add(save)
            let fetch = CKFetchRecordsOperation(recordIDs: [record("n1").recordID, record("n2").recordID])
            fetch.perRecordProgressBlock = { story.add("fetching \($0.recordName) \($1)") }
            fetch.perRecordResultBlock = { id, _ in story.add("fetched \(id.recordName)") }
            await withCheckedContinuation { continuation in
                fetch.completionBlock = { continuation.resume() }
                database.add(fetch)
            }
        }
        #expect(
            story.lines == ["saving n1 1.0", "saved n1", "fetching n1 1.0", "fetched n1", "fetched n2"])
    }
}
