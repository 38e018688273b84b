import CloudKit
import FleetModel
import PadApp
import Testing

@Suite("CKDatabase", .timeLimit(.minutes(20)))
struct CKDatabaseTests {
    @Test("Container: named after the app; every request says so")
    func container() {
        let pad = ScriptedPad { message in
            message.name == "ck.accountStatus" ? ["accountStatus": 1] : ["recordName": "_ab"]
        }
        pad.run {
            let status = try await CKContainer.default().accountStatus()
            let person = try await CKContainer.default().userRecordID()
            #expect(status == .available)
            #expect(person.recordName == "_ab")
        }
        #expect(
            pad.asked.allSatisfy { $0["container"] == "iCloud.com.example.notebook" && $0["database"] == "private" })
        #expect(pad.asked.map { $0["op"] } == ["1", "2"])
    }

    @Test("Containers: the app's own by default, any number of others by name (S229)")
    func containers() {
        let pad = ScriptedPad { _ in ["recordName": "_ab"] }
        pad.run {
            let others = ["iCloud.com.example.shared", "iCloud.com.example.third"].map(CKContainer.init(identifier:))
            for container in [CKContainer.default()] + others {
                _ = try await container.userRecordID()
            }
        }
        #expect(
            pad.asked.map { $0["container"] } == [
                "iCloud.com.example.notebook", "iCloud.com.example.shared", "iCloud.com.example.third",
            ])
    }

    @Test("Save: conflict, the error carries the server's and the app's record")
    func conflict() {
        let server: Value = [
            "recordName": "n1", "recordType": "Note", "recordChangeTag": "t9", "fields": ["text": ["value": "theirs"]],
        ]
        let pad = ScriptedPad { _ in
            ["saved": [], "deleted": [], "errors": ["n1": failure(14, ["serverRecord": server])]]
        }
        pad.run {
            let mine = record()
            do {
                try await database.save(mine)
                Issue.record("a conflict was saved")
            } catch CKError.serverRecordChanged {
            }
            do { try await database.save(mine) } catch let error as CKError {
                #expect(error.serverRecord?["text"] as? String == "theirs")
                #expect(error.serverRecord?.recordChangeTag == "t9")
                #expect(error.serverRecord?.recordID.zoneID == zone)
                #expect(error.clientRecord === mine)
            }
        }
    }

    @Test("Request: refused as a whole, thrown with its hint", arguments: [3, 4, 6, 9, 27])
    func refused(code: Int) {
        let pad = ScriptedPad { _ in ["error": failure(code, ["retryAfter": 30])] }
        pad.run {
            do {
                try await database.save(record())
                Issue.record("a refusal was saved")
            } catch let error as CKError {
                #expect(error.code.rawValue == code)
                #expect(error.retryAfterSeconds == 30)
            }
        }
    }

    @Test("Modify: two zones, one request each; one that fails leaves the other's results")
    func zones() {
        let other = CKRecordZone.ID(zoneName: "Other")
        let pad = ScriptedPad { $0["zone"] == "Other" ? ["error": failure(26)] : savesAll($0) }
        pad.run {
            let results = try await database.modifyRecords(
                saving: [record("n1", in: other), record("n2")], deleting: [CKRecord.ID(recordName: "n3", zoneID: zone)]
            )
            #expect(throws: CKError.self) {
                try results.saveResults[CKRecord.ID(recordName: "n1", zoneID: other)]?.get()
            }
            let saved = try results.saveResults[CKRecord.ID(recordName: "n2", zoneID: zone)]?.get()
            #expect(saved?.recordChangeTag == "t1")
            #expect(results.deleteResults.count == 1)
        }
        #expect(pad.asked.map { $0["zone"] } == ["Other", "Notes"])
    }

    @Test("Convenience calls: the app goes on before the answer, which comes later as a result or an error (S255)")
    func asynchronous() {
        let pad = ScriptedPad { message in
            message.name == "ck.lookup" ? ["records": [], "errors": ["n1": failure(11)]] : savesAll(message)
        }
        let story = Story()
        pad.run {
            let save = Task {
                _ = try await database.save(record())
                story.add("saved")
            }
            let fetch = Task {
                do { _ = try await database.record(for: record().recordID) } catch CKError.unknownItem {
                    story.add("missing")
                }
            }
            await Task.yield()
            // Both are asked and neither is answered: nothing came back within the call.
            story.add("goes on")
            try await save.value
            try await fetch.value
        }
        #expect(story.lines == ["goes on", "saved", "missing"])
        #expect(pad.asked.map(\.name) == ["ck.modify", "ck.lookup"])
    }

    @Test("Fetch: found and missing records (S111, S258)")
    func fetch() {
        let pad = ScriptedPad { _ in
            [
                "records": [["recordName": "n1", "recordType": "Note", "recordChangeTag": "t"]],
                "errors": ["n2": failure(11)],
            ]
        }
        pad.run {
            let found = try await database.record(for: record("n1").recordID)
            #expect(found.recordChangeTag == "t")
            await #expect(throws: CKError.self) { try await database.record(for: record("n2").recordID) }
        }
    }

    @Test("Record: made and changed in memory, nothing leaves before an operation is added (S32)")
    func explicit() {
        let pad = ScriptedPad { savesAll($0) }
        pad.run {
            let note = record()
            note["text"] = "one"
            note["text"] = "two"
            _ = CKModifyRecordsOperation(recordsToSave: [note])
        }
        #expect(pad.asked.isEmpty)
        pad.run { try await database.save(record()) }
        #expect(pad.asked.map(\.name) == ["ck.modify"])
    }

    @Test("Save: by an operation or by a convenience call, the same is asked and comes back (S119, S254)")
    func families() {
        func story(byOperation: Bool) -> (asked: [Value], tag: String?) {
            let pad = ScriptedPad { savesAll($0) }
            let tags = Story()
            pad.run {
                let note = record()
                note["text"] = "one"
                if byOperation {
                    await withCheckedContinuation { continuation in
                        let operation = CKModifyRecordsOperation(recordsToSave: [note])
                        operation.perRecordSaveBlock = { tags.add((try? $1.get())?.recordChangeTag ?? "none") }
                        operation.completionBlock = { continuation.resume() }
                        database.add(operation)
                    }
                } else {
                    tags.add(try await database.save(note).recordChangeTag ?? "none")
                }
            }
            let asked = pad.asked.map { message in
                var body = message.body
                body["op"] = "any"
                return body
            }
            return (asked, tags.lines.first)
        }
        let (operation, convenience) = (story(byOperation: true), story(byOperation: false))
        #expect(operation.asked.count == 1 && operation.tag == "t1")
        #expect(operation.asked == convenience.asked && operation.tag == convenience.tag)
    }

    @Test("Zone changes: operation follows the pages; tokens come after their records")
    func changes() {
        let pad = ScriptedPad { message in
            let isFirst = message["token"] == .null
            let changed: Value = ["recordName": isFirst ? "n1" : "n2", "recordType": "Note", "recordChangeTag": "t"]
            return [
                "records": [changed], "deleted": isFirst ? [] : [["recordName": "n0", "recordType": "Note"]],
                "token": isFirst ? "k1" : "k2", "moreComing": .bool(isFirst),
            ]
        }
        pad.run {
            let story = Story()
            let operation = CKFetchRecordZoneChangesOperation(recordZoneIDs: [zone])
            operation.recordWasChangedBlock = { id, _ in story.add(id.recordName) }
            operation.recordWithIDWasDeletedBlock = { id, type in story.add("-\(id.recordName) \(type)") }
            operation.recordZoneChangeTokensUpdatedBlock = { _, _, _ in story.add("token") }
            operation.recordZoneFetchResultBlock = { _, result in
                story.add("zone \((try? result.get())?.moreComing ?? true)")
            }
            await withCheckedContinuation { continuation in
                operation.fetchRecordZoneChangesResultBlock = { result in
                    story.add("end \((try? result.get()) != nil)")
                    continuation.resume()
                }
                database.add(operation)
            }
            #expect(story.lines == ["n1", "token", "n2", "-n0 Note", "zone false", "end true"])
        }
        #expect(pad.asked.map { $0["token"] } == [.null, "k1"])
    }

    @Test("Zone changes: token expired, the zone's result and the operation's say so")
    func expired() {
        let pad = ScriptedPad { _ in ["error": failure(21)] }
        pad.run {
            let operation = CKFetchRecordZoneChangesOperation(recordZoneIDs: [zone])
            let result = await withCheckedContinuation { continuation in
                operation.fetchRecordZoneChangesResultBlock = { continuation.resume(returning: $0) }
                database.add(operation)
            }
            guard case .failure(let error) = result, let partial = (error as? CKError)?.partialErrorsByItemID?[zone]
            else {
                Issue.record("no error for the zone")
                return
            }
            #expect((partial as? CKError)?.code == .changeTokenExpired)
        }
    }

    @Test("Zones and subscriptions: what is asked of the Pad")
    func zonesAndSubscriptions() {
        let pad = ScriptedPad {
            $0.name == "ck.zones" ? ["saved": ["Notes"], "deleted": [], "errors": .empty] : .empty
        }
        pad.run {
            try await database.save(CKRecordZone(zoneID: zone))
            let subscription = CKRecordZoneSubscription(zoneID: zone, subscriptionID: "s1")
            subscription.notificationInfo = CKSubscription.NotificationInfo()
            subscription.notificationInfo?.shouldSendContentAvailable = true
            try await database.save(subscription)
        }
        #expect(pad.asked[0]["save"] == ["Notes"])
        #expect(pad.asked[1]["subscription"]?["subscriptionType"] == "zone")
        #expect(pad.asked[1]["subscription"]?["zoneID"]?["zoneName"] == "Notes")
        #expect(pad.asked[1]["subscription"]?["notificationInfo"]?["shouldSendContentAvailable"] == true)
    }

    @Test("Query subscription: type, filters, reasons and zone are asked for; one that nothing matches is refused here")
    func querySubscription() {
        let pad = ScriptedPad()
        pad.run {
            let every = CKQuerySubscription(
                recordType: "Note", predicate: NSPredicate(format: "n > 1"), subscriptionID: "s1",
                options: [.firesOnRecordCreation, .firesOnRecordDeletion])
            try await database.save(every)
            let once = CKQuerySubscription(
                recordType: "Note", predicate: NSPredicate(value: true), options: [.firesOnRecordUpdate, .firesOnce])
            once.zoneID = zone
            try await database.save(once)
            let none = CKQuerySubscription(
                recordType: "Note", predicate: NSPredicate(value: false), options: .firesOnRecordUpdate)
            do {
                try await database.save(none)
                Issue.record("nothing matches, and it was saved")
            } catch { #expect((error as? CKError)?.code == .invalidArguments) }
        }
        #expect(pad.asked.count == 2)
        let (every, once) = (pad.asked[0]["subscription"], pad.asked[1]["subscription"])
        #expect(every?["subscriptionType"] == "query" && every?["query"]?["recordType"] == "Note")
        #expect(every?["query"]?["filterBy"]?.array?.first?["comparator"] == "GREATER_THAN")
        #expect(every?["firesOn"] == ["create", "delete"] && every?["firesOnce"] == false && every?["zoneID"] == nil)
        #expect(once?["firesOn"] == ["update"] && once?["firesOnce"] == true)
        #expect(once?["zoneID"]?["zoneName"] == "Notes" && once?["query"]?["filterBy"] == [])
    }

    @Test(
        "Answers: nonsense from the Pad is an error or an empty result, never a trap",
        arguments: [
            .null, .empty, [], "text", ["error": 1], ["error": ["code": "x"]], ["error": ["code": .int(Int64.max)]],
            ["saved": 1, "errors": []], ["saved": [1, .empty], "errors": ["n1": 1]], ["records": [.null], "token": 7],
            ["records": 1, "deleted": [1], "token": "k", "moreComing": "x"], ["accountStatus": .int(Int64.min)],
        ] as [Value])
    func nonsense(answer: Value) {
        let pad = ScriptedPad { _ in answer }
        pad.run {
            _ = try? await database.save(record())
            _ = try? await database.record(for: record().recordID)
            _ = try? await database.deleteRecord(withID: record().recordID)
            _ = try? await database.save(CKRecordZone(zoneID: zone))
            _ = try? await database.recordZoneChanges(inZoneWith: zone, since: nil)
            _ = try? await database.databaseChanges(since: nil)
            _ = try? await CKContainer.default().accountStatus()
            _ = try? await CKContainer.default().userRecordID()
        }
    }
}

/// What callbacks were called, in order.
final class Story: @unchecked Sendable {
    private(set) var lines: [String] = []
    func add(_ line: String) { lines.append(line) }
}
