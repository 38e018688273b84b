import CloudKit
import FleetModel
import PadApp
import Testing

@Suite("CKRecord", .timeLimit(.minutes(20)))
struct CKRecordTests {
    @Test(
        "Assets: a file goes to the system by its path, a fetched one comes as a file, and goes back as it came (S225)")
    func assets() {
        let fetched: Value = ["fileChecksum": "c1", "size": 3, "path": "/caches/c1"]
        let pad = ScriptedPad { message in
            var record = message["save"]?.array?.first ?? .null
            record["recordChangeTag"] = "t1"
            record["fields"]?["photo"] = ["value": fetched, "type": "ASSETID"]
            return ["zone": message["zone"] ?? .null, "saved": [record], "deleted": [], "errors": .empty]
        }
        pad.run {
            let sent = record()
            sent["photo"] = CKAsset(fileURL: URL(fileURLWithPath: "/tmp/photo"))
            sent["pages"] = [CKAsset(fileURL: URL(fileURLWithPath: "/tmp/one"))]
            let back = try await database.save(sent)
            #expect((back["photo"] as? CKAsset)?.fileURL?.path == "/caches/c1")
            #expect((back["pages"] as? [CKAsset])?.map { $0.fileURL?.path } == ["/tmp/one"])
            let copy = record("n2")
            copy["photo"] = back["photo"]
            try await database.save(copy)
        }
        #expect(pad.sent()["fields"]?["photo"] == ["value": ["path": "/tmp/photo"], "type": "ASSETID"])
        #expect(pad.sent()["fields"]?["pages"] == ["value": [["path": "/tmp/one"]], "type": "ASSETID_LIST"])
        #expect(pad.sent(1)["fields"]?["photo"]?["value"] == fetched)
    }

    @Test("Assets: after a save their files are where they were, in the record that comes back too")
    func savedFiles() {
        let stored: Value = ["fileChecksum": "c1", "size": 3]
        let pad = ScriptedPad { message in
            var record = message["save"]?.array?.first ?? .null
            record["recordChangeTag"] = "t1"
            record["fields"] = [
                "photo": ["value": stored, "type": "ASSETID"],
                "pages": ["value": [stored, stored], "type": "ASSETID_LIST"],
                "other": ["value": stored, "type": "ASSETID"],
            ]
            return ["zone": message["zone"] ?? .null, "saved": [record], "deleted": [], "errors": .empty]
        }
        pad.run {
            let sent = record()
            sent["photo"] = CKAsset(fileURL: URL(fileURLWithPath: "/tmp/photo"))
            sent["pages"] = ["/tmp/one", "/tmp/two"].map { CKAsset(fileURL: URL(fileURLWithPath: $0)) }
            let back = try await database.save(sent)
            #expect((back["photo"] as? CKAsset)?.fileURL?.path == "/tmp/photo")
            #expect((back["pages"] as? [CKAsset])?.map { $0.fileURL?.path } == ["/tmp/one", "/tmp/two"])
            #expect((back["other"] as? CKAsset)?.fileURL == nil)
        }
    }

    @Test("Fields: every kind goes to the server and comes back")
    func kinds() {
        let pad = ScriptedPad { savesAll($0) }
        pad.run {
            let sent = record()
            let day = Date(timeIntervalSince1970: 1_788_249_600.25)
            sent["text"] = "hello"
            sent["count"] = 3
            sent["ratio"] = 0.5
            sent["whole"] = 2.0
            sent["done"] = true
            sent["data"] = Data([0, 255])
            sent["day"] = day
            sent["parent"] = CKRecord.Reference(
                recordID: CKRecord.ID(recordName: "p", zoneID: zone), action: .deleteSelf)
            sent["tags"] = ["a", "b"]
            sent["marks"] = [1, 2]
            let back = try await database.save(sent)
            #expect(back["text"] as? String == "hello")
            #expect(back["count"] as? Int == 3)
            #expect(back["ratio"] as? Double == 0.5)
            #expect(back["whole"] as? Double == 2)
            #expect(back["done"] as? Bool == true)
            #expect(back["data"] as? Data == Data([0, 255]))
            #expect(back["day"] as? Date == day)
            #expect((back["parent"] as? CKRecord.Reference) == (sent["parent"] as? CKRecord.Reference))
            #expect(back["tags"] as? [String] == ["a", "b"])
            #expect((back["marks"] as? [NSNumber])?.map(\.intValue) == [1, 2])
            #expect(back["absent"] == nil)
        }
        let types = ["text", "count", "ratio", "whole", "done", "data", "day", "parent", "tags", "marks"].map {
            pad.sent()["fields"]?[$0]?["type"]?.string
        }
        #expect(
            types == [
                "STRING", "INT64", "DOUBLE", "DOUBLE", "INT64", "BYTES", "TIMESTAMP", "REFERENCE", "STRING_LIST",
                "INT64_LIST",
            ])
    }

    @Test(
        "Changes: a new record sends all, a known one what changed; a removed field goes as null (each policy) (S259)",
        arguments: [0, 1, 2])
    func changes(policy: Int) throws {
        let pad = ScriptedPad { savesAll($0, tag: "t2") }
        let savePolicy = try #require(CKModifyRecordsOperation.RecordSavePolicy(rawValue: policy))
        pad.run {
            let new = record()
            new["a"] = 1
            new["b"] = 2
            let known = try await database.save(new)
            #expect(known.changedKeys() == [] && known.allKeys() == ["a", "b"])
            known["b"] = nil
            known["c"] = 3
            #expect(known.changedKeys() == ["b", "c"])
            let results = try await database.modifyRecords(saving: [known], deleting: [], savePolicy: savePolicy)
            #expect(results.saveResults.count == 1)
        }
        #expect(pad.sent(0)["fields"]?.object?.keys == ["a", "b"])
        #expect(pad.sent(0)["recordChangeTag"] == nil)
        #expect(pad.sent(1)["recordChangeTag"] == "t2")
        #expect(pad.asked.last?["policy"] == .int(policy))
        #expect(pad.sent(1)["fields"]?.object?.keys == (policy == 2 ? ["a", "c"] : ["b", "c"]))
        if policy != 2 { #expect(pad.sent(1)["fields"]?["b"]?["value"] == .null) }
    }

    @Test("Identifier: left out, a UUID and the default zone are filled in (S245)")
    func identifiers() {
        ScriptedPad().run {
            let records = [CKRecord(recordType: "Note"), CKRecord(recordType: "Note")]
            #expect(records[0].recordID.recordName != records[1].recordID.recordName)
            #expect(records.allSatisfy { UUID(uuidString: $0.recordID.recordName) != nil })
            #expect(records.allSatisfy { $0.recordID.zoneID == .default })
        }
    }

    @Test("Reference: made from a record or from its identifier, the same (S249)")
    func references() {
        ScriptedPad().run {
            let parent = record("p")
            let made = CKRecord.Reference(record: parent, action: .deleteSelf)
            #expect(made == CKRecord.Reference(recordID: parent.recordID, action: .deleteSelf))
            #expect(made.recordID == parent.recordID)
        }
    }

    @Test("System fields: archived and read back, a later save compares the tag")
    func systemFields() {
        let pad = ScriptedPad { savesAll($0, tag: "t7") }
        pad.run {
            let saved = try await database.save(record())
            let archiver = NSKeyedArchiver(requiringSecureCoding: true)
            saved.encodeSystemFields(with: archiver)
            archiver.finishEncoding()
            let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
            unarchiver.requiresSecureCoding = true
            let back = try #require(CKRecord(coder: unarchiver))
            #expect(back.recordID == saved.recordID && back.recordType == "Note")
            #expect(back.recordChangeTag == "t7" && back.modificationDate == saved.modificationDate)
            #expect(back.modificationDate?.timeIntervalSince1970 == 1_788_249_600)
            back["text"] = "new"
            try await database.save(back)
        }
        #expect(pad.sent(1)["recordChangeTag"] == "t7")
        #expect(pad.sent(1)["fields"]?.object?.keys == ["text"])
    }

    @Test("Change token: archived and read back")
    func token() {
        let pad = ScriptedPad { _ in ["zones": [], "deleted": [], "token": "k1", "moreComing": false] }
        pad.run {
            let token = try await database.databaseChanges(since: nil).changeToken
            let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
            let back = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: data)
            #expect(back == token)
            _ = try await database.databaseChanges(since: back)
        }
        #expect(pad.asked.map { $0["token"] } == [.null, "k1"])
    }

    @Test("Error codes: names and numbers agree with the table of codes")
    func codes() {
        #expect(ErrorTable.cloudKit.map(\.code) == CKError.Code.allCases.map(\.rawValue))
        #expect(ErrorTable.cloudKit.map(\.name) == CKError.Code.allCases.map { "\($0)" })
        // What is refused before anything leaves the iPad, or as a whole, certainly did not happen.
        for code in [8, 16, 17, 18, 28, 32, 35] { #expect(ErrorTable.cloudKit(code).outcome == .fail, "\(code)") }
        #expect(ErrorTable.cloudKit(34).outcome == .info)
        #expect(CKError.Code.allCases.map(\.rawValue) == Array(1...37))
    }

    @Test("Push payload: zone and database notifications are told apart")
    func notification() {
        let zonePush: Value = ["ck": ["cid": "iCloud.a", "fet": ["sid": "s", "zid": "Notes"]]]
        #expect(CKRecordZoneNotification(fromRemoteNotificationDictionary: zonePush)?.recordZoneID == zone)
        #expect(
            CKNotification(fromRemoteNotificationDictionary: ["ck": ["met": ["sid": "s"]]])?.notificationType
                == .database)
        #expect(CKNotification(fromRemoteNotificationDictionary: ["aps": 1]) == nil)
    }

    @Test("Query notification: its type, the record with its zone, and why it fired, from the payload (S275)")
    func queryNotification() {
        func read(_ query: Value) -> CKQueryNotification? {
            CKNotification(fromRemoteNotificationDictionary: ["ck": ["cid": "iCloud.a", "p": 1, "qry": query]])
                as? CKQueryNotification
        }
        let found = read(["sid": "s", "zid": "Notes", "rid": "note-1", "fo": 3, "dbs": 1])
        #expect(found?.notificationType == .query && found?.subscriptionID == "s")
        #expect(found?.isPruned == true && found?.databaseScope == .public && found?.recordFields == nil)
        #expect(found?.recordID == CKRecord.ID(recordName: "note-1", zoneID: zone))
        #expect(found?.queryNotificationReason == .recordDeleted)
        let hostile = read(["sid": 4, "rid": [], "fo": .int(Int64.max)])
        #expect(
            hostile?.notificationType == .query && hostile?.recordID == nil
                && hostile?.queryNotificationReason == .recordUpdated)
    }
}
