import CloudKit
import FleetModel
import PadApp
import Testing

/// The blocks of Apple's older interface next to the newer ones, on one operation: they must tell one story.
@Suite("Older blocks", .timeLimit(.minutes(20))) struct OlderBlocksTests {
    private static func name(_ error: (any Error)?) -> String {
        guard let error = error as? CKError else { return error.map { "\($0)" } ?? "ok" }
        let items = (error.partialErrorsByItemID ?? [:]).map { key, error in
            "\((key.base as? CKRecord.ID)?.recordName ?? (key.base as? CKRecordZone.ID)?.zoneName ?? "\(key)")="
                + "\((error as? CKError)?.code.rawValue ?? 0)"
        }
        return "\(error.code.rawValue)" + (items.isEmpty ? "" : " [\(items.sorted().joined(separator: ","))]")
    }
    private static func name<T>(_ result: Result<T, any Error>) -> String {
        if case .failure(let error) = result { name(error) } else { "ok" }
    }
    private static let wire: Value = ["recordName": "n1", "recordType": "Note", "recordChangeTag": "t1"]

    /// Runs an operation to its end.
    @MainActor private static func run(_ operation: CKDatabaseOperation) async {
        await withCheckedContinuation { continuation in
            operation.completionBlock = { continuation.resume() }
            database.add(operation)
        }
    }

    @Test("Modify records: what was saved and deleted, and of what failed each item's own error")
    func modifyRecords() {
        let pad = ScriptedPad { message in
            var answer = savesAll(message)
            answer["saved"] = .array((answer["saved"]?.array ?? []).filter { $0["recordName"] == "n1" })
            answer["deleted"] = ["d1"]
            answer["errors"] = ["n2": failure(14), "d2": failure(10)]
            return answer
        }
        let story = Story()
        pad.run {
            let operation = CKModifyRecordsOperation(
                recordsToSave: [record("n1"), record("n2")],
                recordIDsToDelete: [record("d1").recordID, record("d2").recordID])
            operation.perRecordSaveBlock = { story.add("new \($0.recordName) \(Self.name($1))") }
            operation.perRecordCompletionBlock = { story.add("old \($0.recordID.recordName) \(Self.name($1))") }
            operation.modifyRecordsResultBlock = { story.add("new \(Self.name($0))") }
            operation.modifyRecordsCompletionBlock = { saved, deleted, error in
                let names = [saved?.map(\.recordID.recordName) ?? ["-"], deleted?.map(\.recordName) ?? ["-"]]
                story.add("old \(names) \(Self.name(error))")
            }
            await Self.run(operation)
        }
        #expect(
            story.lines == [
                "new n1 ok", "old n1 ok", "new n2 14", "old n2 14", "new 2 [d2=10,n2=14]",
                "old [[\"n1\"], [\"d1\"]] 2 [d2=10,n2=14]",
            ])
    }

    @Test(
        "Modify records: an error of the whole, and a cancelled operation, reach both kinds", arguments: [true, false])
    func whole(cancelled: Bool) {
        let pad = ScriptedPad { _ in ["error": failure(26)] }
        let story = Story()
        pad.run {
            let operation = CKModifyRecordsOperation(recordsToSave: [record("n1")])
            operation.modifyRecordsResultBlock = { story.add("new \(Self.name($0))") }
            operation.modifyRecordsCompletionBlock = { saved, deleted, error in
                story.add("old \(saved?.count ?? -1) \(deleted?.count ?? -1) \(Self.name(error))")
            }
            if cancelled { operation.cancel() }
            await Self.run(operation)
        }
        #expect(story.lines == (cancelled ? ["new 20", "old 0 0 20"] : ["new 26", "old 0 0 26"]))
    }

    @Test("Fetch records: each with its name, all by their names")
    func fetchRecords() {
        let pad = ScriptedPad { _ in ["records": [Self.wire], "errors": ["n2": failure(11)]] }
        let story = Story()
        pad.run {
            let operation = CKFetchRecordsOperation(recordIDs: [record("n1").recordID, record("n2").recordID])
            operation.perRecordResultBlock = { story.add("new \($0.recordName) \(Self.name($1))") }
            operation.perRecordCompletionBlock = { found, id, error in
                story.add("old \(id?.recordName ?? "-") \(found != nil) \(Self.name(error))")
            }
            operation.fetchRecordsResultBlock = { story.add("new \(Self.name($0))") }
            operation.fetchRecordsCompletionBlock = { found, error in
                story.add("old \(found?.keys.map(\.recordName) ?? []) \(Self.name(error))")
            }
            await Self.run(operation)
        }
        #expect(
            story.lines == [
                "new n1 ok", "old n1 true ok", "new n2 11", "old n2 false 11", "new 2 [n2=11]",
                "old [\"n1\"] 2 [n2=11]",
            ])
    }

    @Test("The person's own record is fetched without its name")
    func currentUser() {
        let pad = ScriptedPad { message in
            message.name == "ck.userRecordID"
                ? ["recordName": "_me"]
                : [
                    "records": [["recordName": "_me", "recordType": "Users", "recordChangeTag": "t"]], "errors": .empty,
                ]
        }
        let story = Story()
        pad.run {
            let operation = CKFetchRecordsOperation.fetchCurrentUserRecordOperation()
            operation.fetchRecordsCompletionBlock = { found, error in
                story.add("\(found?.values.map(\.recordType) ?? []) \(Self.name(error))")
            }
            await Self.run(operation)
        }
        #expect(story.lines == ["[\"Users\"] ok"] && pad.asked.last?["names"] == ["_me"])
    }

    @Test("Query: each record, then the cursor or the error", arguments: [true, false])
    func query(isRight: Bool) {
        let pad = ScriptedPad { _ in
            isRight ? ["records": [Self.wire], "cursor": "c1"] : ["error": failure(12)]
        }
        let story = Story()
        pad.run {
            let operation = CKQueryOperation(query: CKQuery(recordType: "Note", predicate: NSPredicate(value: true)))
            operation.recordMatchedBlock = { story.add("new \($0.recordName) \(Self.name($1))") }
            operation.recordFetchedBlock = { story.add("old \($0.recordID.recordName)") }
            operation.queryResultBlock = { story.add("new \(Self.name($0))") }
            operation.queryCompletionBlock = { story.add("old \($0 != nil) \(Self.name($1))") }
            await Self.run(operation)
        }
        #expect(
            story.lines == (isRight ? ["new n1 ok", "old n1", "new ok", "old true ok"] : ["new 12", "old false 12"]))
    }

    @Test("Zones: made, deleted and fetched")
    func zones() {
        let pad = ScriptedPad { message in
            message.name == "ck.zones"
                ? ["saved": ["A"], "deleted": ["C"], "errors": ["B": failure(15)]]
                : ["zones": ["A"], "errors": ["B": failure(26)]]
        }
        let story = Story()
        pad.run {
            let ids = ["A", "B", "C"].map { CKRecordZone.ID(zoneName: $0) }
            let make = CKModifyRecordZonesOperation(
                recordZonesToSave: ids.prefix(2).map(CKRecordZone.init(zoneID:)), recordZoneIDsToDelete: [ids[2]])
            make.modifyRecordZonesResultBlock = { story.add("new \(Self.name($0))") }
            make.modifyRecordZonesCompletionBlock = { saved, deleted, error in
                let names = [saved?.map(\.zoneID.zoneName) ?? [], deleted?.map(\.zoneName) ?? []]
                story.add("old \(names) \(Self.name(error))")
            }
            await Self.run(make)
            let fetch = CKFetchRecordZonesOperation(recordZoneIDs: Array(ids.prefix(2)))
            fetch.fetchRecordZonesResultBlock = { story.add("new \(Self.name($0))") }
            fetch.fetchRecordZonesCompletionBlock = { zones, error in
                story.add("old \(zones?.keys.map(\.zoneName) ?? []) \(Self.name(error))")
            }
            await Self.run(fetch)
            let all = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
            await Self.run(all)
        }
        #expect(
            story.lines == [
                "new 2 [B=15]", "old [[\"A\"], [\"C\"]] 2 [B=15]", "new 2 [B=26]", "old [\"A\"] 2 [B=26]",
            ])
        #expect(pad.asked.last?["names"] == nil)
    }

    @Test("Changes of zones: records, tokens, each zone's end and the whole's")
    func zoneChanges() {
        let pad = ScriptedPad { message in
            guard message["zone"] == "Notes" else { return ["error": failure(26)] }
            return message["token"] == .null
                ? ["records": [Self.wire], "deleted": [], "token": "k1", "moreComing": true]
                : [
                    "records": [], "deleted": [["recordName": "n9", "recordType": "Note"]], "token": "k2",
                    "moreComing": false,
                ]
        }
        let story = Story()
        pad.run {
            let options = CKFetchRecordZoneChangesOperation.ZoneOptions()
            let operation = CKFetchRecordZoneChangesOperation(
                recordZoneIDs: [zone, CKRecordZone.ID(zoneName: "Gone")], optionsByRecordZoneID: [zone: options])
            operation.recordWasChangedBlock = { story.add("new \($0.recordName) \(Self.name($1))") }
            operation.recordChangedBlock = { story.add("old \($0.recordID.recordName)") }
            operation.recordWithIDWasDeletedBlock = { story.add("gone \($0.recordName) \($1)") }
            operation.recordZoneChangeTokensUpdatedBlock = { id, token, _ in
                story.add("token \(id.zoneName) \(token != nil)")
            }
            operation.recordZoneFetchResultBlock = { story.add("new \($0.zoneName) \(Self.name($1))") }
            operation.recordZoneFetchCompletionBlock = { id, token, data, more, error in
                let (hasToken, hasData) = (token != nil, data != nil)
                story.add("old \(id.zoneName) \(hasToken) \(hasData) \(more) \(Self.name(error))")
            }
            operation.fetchRecordZoneChangesResultBlock = { story.add("new \(Self.name($0))") }
            operation.fetchRecordZoneChangesCompletionBlock = { story.add("old \(Self.name($0))") }
            await Self.run(operation)
        }
        #expect(
            story.lines == [
                "new n1 ok", "old n1", "token Notes true", "gone n9 Note", "new Notes ok",
                "old Notes true false false ok", "new Gone 26", "old Gone false false false 26", "new 2 [Gone=26]",
                "old 2 [Gone=26]",
            ])
    }

    @Test("Changes of a database: token and whether more is coming, or the error", arguments: [true, false])
    func databaseChanges(isRight: Bool) {
        let pad = ScriptedPad { _ in
            isRight ? ["zones": ["A"], "deleted": [], "token": "k1", "moreComing": false] : ["error": failure(21)]
        }
        let story = Story()
        pad.run {
            let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: nil)
            operation.fetchDatabaseChangesResultBlock = { story.add("new \(Self.name($0))") }
            operation.fetchDatabaseChangesCompletionBlock = { story.add("old \($0 != nil) \($1) \(Self.name($2))") }
            await Self.run(operation)
        }
        #expect(story.lines == (isRight ? ["new ok", "old true false ok"] : ["new 21", "old false false 21"]))
    }

    @Test("The oldest fetch of changes: one page, and whether there is more")
    func recordChanges() {
        let pad = ScriptedPad { _ in
            [
                "records": [Self.wire], "deleted": [["recordName": "n9", "recordType": "Note"]], "token": "k1",
                "moreComing": true,
            ]
        }
        let story = Story()
        pad.run {
            let operation = CKFetchRecordChangesOperation(recordZoneID: zone, previousServerChangeToken: nil)
            operation.recordChangedBlock = { story.add($0.recordID.recordName) }
            operation.recordWithIDWasDeletedBlock = { story.add("gone \($0.recordName)") }
            operation.fetchRecordChangesCompletionBlock = { token, _, error in
                story.add("\(token != nil) \(Self.name(error))")
            }
            await Self.run(operation)
            story.add("\(operation.moreComing)")
        }
        #expect(story.lines == ["n1", "gone n9", "true ok", "true"])
    }

    @Test("Subscriptions: saved, deleted and fetched")
    func subscriptions() {
        let pad = ScriptedPad { message in
            switch message.name {
            case "ck.subscribe": message["subscription"]?["subscriptionID"] == "s2" ? ["error": failure(15)] : .empty
            case "ck.subscriptions":
                [
                    "subscriptions": [["subscriptionID": "s1", "subscriptionType": "database"]],
                    "errors": ["s2": failure(11)],
                ]
            default: .empty
            }
        }
        let story = Story()
        pad.run {
            let modify = CKModifySubscriptionsOperation(
                subscriptionsToSave: ["s1", "s2"].map { CKDatabaseSubscription(subscriptionID: $0) },
                subscriptionIDsToDelete: ["s3"])
            modify.modifySubscriptionsResultBlock = { story.add("new \(Self.name($0))") }
            modify.modifySubscriptionsCompletionBlock = { saved, deleted, error in
                story.add("old \(saved?.map(\.subscriptionID) ?? []) \(deleted ?? []) \(Self.name(error))")
            }
            await Self.run(modify)
            let fetch = CKFetchSubscriptionsOperation(subscriptionIDs: ["s1", "s2"])
            fetch.fetchSubscriptionsResultBlock = { story.add("new \(Self.name($0))") }
            fetch.fetchSubscriptionCompletionBlock = { found, error in
                story.add("old \(found?.keys.sorted() ?? []) \(Self.name(error))")
            }
            await Self.run(fetch)
        }
        #expect(
            story.lines == [
                "new 2 [s2=15]", "old [\"s1\"] [\"s3\"] 2 [s2=15]", "new 2 [s2=11]", "old [\"s1\"] 2 [s2=11]",
            ])
    }

    @Test("People: those who may be found, by what they were looked for with")
    func people() {
        let pad = ScriptedPad { _ in
            ["users": [["userRecordName": "_omar", "lookupInfo": ["emailAddress": "omar@example.com"]]]]
        }
        let story = Story()
        pad.run {
            let some = CKDiscoverUserIdentitiesOperation(
                userIdentityLookupInfos: [.init(emailAddress: "omar@example.com")])
            some.userIdentityDiscoveredBlock = {
                story.add("\($0.userRecordID?.recordName ?? "") \($1.emailAddress ?? "")")
            }
            some.discoverUserIdentitiesCompletionBlock = { story.add("some \(Self.name($0))") }
            CKContainer.default().add(some)
            let all = CKDiscoverAllUserIdentitiesOperation()
            all.userIdentityDiscoveredBlock = { story.add($0.userRecordID?.recordName ?? "") }
            await withCheckedContinuation { continuation in
                all.discoverAllUserIdentitiesCompletionBlock = {
                    story.add("all \(Self.name($0))")
                    continuation.resume()
                }
                CKContainer.default().add(all)
            }
        }
        #expect(story.lines == ["_omar omar@example.com", "some ok", "_omar", "all ok"])
    }
}
