import CloudKit
import FleetModel
import PadApp
import Testing

extension OlderBlocksTests {
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
