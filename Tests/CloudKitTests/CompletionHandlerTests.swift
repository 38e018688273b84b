import FleetModel
import PadApp
import Testing

@testable import CloudKit

/// The completion-handler forms of containers and databases. Each asks the iPad what its `async` form asks, and is given what that returns.
@Suite("Completion handlers", .timeLimit(.minutes(20))) struct CompletionHandlerTests {
    private static func answer(_ message: Message) -> Value {
        let wire: Value = [
            "recordName": "n1", "recordType": "Note", "recordChangeTag": "t1",
            "fields": ["a": ["value": 1, "type": "INT64"], "b": ["value": 2, "type": "INT64"]],
        ]
        switch message.name {
        case "ck.accountStatus": return ["accountStatus": 1]
        case "ck.userRecordID": return ["recordName": "_me"]
        case "ck.permission": return ["status": 3]
        case "ck.discover":
            return [
                "users": [
                    [
                        "userRecordName": "_omar",
                        "lookupInfo": ["emailAddress": "o@example.com", "phoneNumber": "1", "userRecordName": "n1"],
                    ]
                ]
            ]
        case "ck.lookup": return ["records": [wire], "errors": .empty]
        case "ck.query": return ["records": [wire], "cursor": "c1"]
        case "ck.modify": return savesAll(message)
        case "ck.zones": return ["saved": message["save"] ?? [], "deleted": [], "errors": .empty]
        case "ck.fetchZones": return ["zones": ["Notes"], "errors": .empty]
        case "ck.databaseChanges": return ["zones": [], "deleted": [], "token": "k", "moreComing": false]
        case "ck.zoneChanges": return ["records": [wire], "deleted": [], "token": "k", "moreComing": false]
        case "ck.subscriptions":
            return ["subscriptions": [["subscriptionID": "s1", "subscriptionType": "database"]], "errors": .empty]
        default: return .empty
        }
    }
    /// Without what differs from request to request.
    private static func questions(_ pad: ScriptedPad) -> [String] {
        pad.asked.map { message in
            var body = message.body
            body["op"] = nil
            return "\(message.name) \(body.json)"
        }
    }

    @Test(
        "Both forms ask the same of the iPad, and give the same or fail alike", arguments: 0..<pairs.count,
        [false, true])
    func sameStory(_ index: Int, fails: Bool) {
        let pair = Self.pairs[index]
        let pads = (0..<2).map { _ in ScriptedPad { fails ? ["error": failure(4)] : Self.answer($0) } }
        let (older, newer) = (Story(), Story())
        pads[0].run {
            await withCheckedContinuation { continuation in
                pair.older { text in
                    older.add(text)
                    continuation.resume()
                }
            }
        }
        pads[1].run {
            do { newer.add(try await pair.newer()) } catch { newer.add(Self.text(nil, error)) }
        }
        #expect(older.lines == newer.lines, "\(pair.name)")
        #expect(Self.questions(pads[0]) == Self.questions(pads[1]), "\(pair.name)")
        let isAsked = !["longLivedIDs", "longLived"].contains(pair.name)
        #expect(isAsked == !pads[0].asked.isEmpty, "\(pair.name)")
        if fails, isAsked, pair.name != "modifySubscriptions" { #expect(older.lines == ["error 4"], "\(pair.name)") }
    }

    @Test("A handler is called after the method has returned")
    func later() {
        let story = Story()
        ScriptedPad { Self.answer($0) }.run {
            await withCheckedContinuation { continuation in
                database.fetch(withRecordID: Self.id) { _, _ in
                    story.add("handler")
                    continuation.resume()
                }
                story.add("returned")
            }
        }
        #expect(story.lines == ["returned", "handler"])
    }

    @Test("Settings for some requests: a database and a container with a configuration or a group")
    func configured() {
        let pad = ScriptedPad { Self.answer($0) }
        pad.run {
            let settings = CKOperation.Configuration()
            settings.qualityOfService = .utility
            settings.timeoutIntervalForResource = 20
            _ = try await database.configuredWith(configuration: settings) { try await $0.record(for: Self.id) }
            let group = CKOperationGroup()
            group.defaultConfiguration.timeoutIntervalForRequest = 7
            _ = try await CKContainer.default().configuredWith(group: group) {
                try await $0.privateCloudDatabase.record(for: Self.id)
            }
            database.configuredWith(configuration: settings) { database in
                let operation = CKFetchRecordsOperation(recordIDs: [Self.id])
                operation.timeoutIntervalForResource = 30
                database.add(operation)
            }
            _ = try await database.record(for: Self.id)
        }
        let told = pad.asked.map { message in ["qos", "requestTimeout", "resourceTimeout"].map { message[$0] } }
        #expect(
            told == [["utility", nil, 20.0], [nil, 7.0, nil], ["utility", nil, 30.0], [nil, nil, nil]])
    }

    @Test("The shared database asks as such, and names a zone with its owner; a long-lived operation too")
    func shared() {
        let pad = ScriptedPad { Self.answer($0) }
        pad.run {
            let shared = CKContainer.default().database(with: .shared)
            #expect(shared === CKContainer.default().sharedCloudDatabase && shared.databaseScope == .shared)
            let theirs = CKRecordZone.ID(zoneName: "Notes", ownerName: "_maya")
            let operation = CKModifyRecordsOperation(recordsToSave: [record("n1", in: theirs)])
            operation.isLongLived = true
            await withCheckedContinuation { end in
                operation.modifyRecordsResultBlock = { _ in end.resume() }
                shared.add(operation)
            }
            #expect(CKRecordZone.ID(link: "_maya/A/B") == CKRecordZone.ID(zoneName: "A/B", ownerName: "_maya"))
            #expect(CKRecordZone.ID(link: "A/B") == CKRecordZone.ID(zoneName: "A/B"))
        }
        #expect(pad.asked.map { $0["database"] } == ["shared"] && pad.asked.map { $0["zone"] } == ["_maya/Notes"])
    }
}
