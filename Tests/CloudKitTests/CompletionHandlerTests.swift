import CloudKit
import FleetModel
import PadApp
import Testing

/// The completion-handler forms of containers and databases. Each asks the iPad what its `async` form asks, and is given what that returns.
@Suite("Completion handlers", .timeLimit(.minutes(20))) struct CompletionHandlerTests {
    /// One call in two forms; both tell a story.
    private struct Pair: Sendable {
        var name: String
        var older: @MainActor @Sendable (@escaping @Sendable (String) -> Void) -> Void
        var newer: @MainActor @Sendable () async throws -> String
    }
    private static func text(_ value: Any?, _ error: (any Error)?) -> String {
        if let error { return "error \((error as? CKError)?.code.rawValue ?? 0)" }
        return text(value)
    }
    private static func text<T>(_ result: Result<T, any Error>) -> String {
        switch result {
        case .success(let value): text(value)
        case .failure(let error): text(nil, error)
        }
    }
    private static func text(_ value: Any?) -> String {
        switch value {
        case let record as CKRecord: "record \(record.recordID.recordName) \(record.allKeys())"
        case let subscription as CKSubscription: "subscription \(subscription.subscriptionID)"
        case let identity as CKUserIdentity: "identity \(identity.userRecordID?.recordName ?? "")"
        case let list as [CKRecord]: "\(list.map { text($0) })"
        case let list as [CKSubscription]: "\(list.map { text($0) })"
        case let list as [CKUserIdentity]: "\(list.map { text($0) })"
        case let found as [CKRecord.ID: Result<CKRecord, any Error>]: "\(found.map { text($0.value) }.sorted())"
        case let found as [CKRecordZone.ID: Result<CKRecordZone, any Error>]: "\(found.map { text($0.value) }.sorted())"
        case let found as [String: Result<CKSubscription, any Error>]: "\(found.map { text($0.value) }.sorted())"
        case let found as [String: CKUserIdentity]: "\(found.map { text($0.value) }.sorted())"
        case let found as [CKRecord.ID: CKUserIdentity]: "\(found.map { text($0.value) }.sorted())"
        case let status as CKAccountStatus: "status \(status.rawValue)"
        case let status as CKContainer.ApplicationPermissionStatus: "permission \(status.rawValue)"
        case let value?: "\(value)"
        case nil: "nothing"
        }
    }

    @MainActor private static var container: CKContainer { .default() }
    private static let id = record("n1").recordID
    private static let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
    /// Where the second page begins.
    @MainActor private static func cursor() async throws -> CKQueryOperation.Cursor {
        guard let next = try await database.records(matching: query, inZoneWith: zone, resultsLimit: 3).queryCursor
        else { throw CKError(.internalError) }
        return next
    }

    private static let pairs: [Pair] = [
        Pair(name: "accountStatus") { told in
            container.accountStatus { told(text($0, $1)) }
        } newer: {
            text(try await container.accountStatus())
        },
        Pair(name: "userRecordID") { told in
            container.fetchUserRecordID { told(text($0, $1)) }
        } newer: {
            text(try await container.userRecordID())
        },
        Pair(name: "longLivedIDs") { told in
            container.fetchAllLongLivedOperationIDs { told(text($0, $1)) }
        } newer: {
            text(try await container.allLongLivedOperationIDs())
        },
        Pair(name: "longLived") { told in
            container.fetchLongLivedOperation(withID: "x") { told(text($0?.operationID, $1)) }
        } newer: {
            text(try await container.longLivedOperation(for: "x")?.operationID)
        },
        Pair(name: "permission") { told in
            container.status(forApplicationPermission: .userDiscoverability) { told(text($0, $1)) }
        } newer: {
            text(try await container.applicationPermissionStatus(for: .userDiscoverability))
        },
        Pair(name: "requestPermission") { told in
            container.requestApplicationPermission(.userDiscoverability) { told(text($0, $1)) }
        } newer: {
            text(try await container.requestApplicationPermission(.userDiscoverability))
        },
        Pair(name: "allIdentities") { told in
            container.discoverAllIdentities { told(text($0, $1)) }
        } newer: {
            text(try await container.allUserIdentitiesFromContacts())
        },
        Pair(name: "byEmail") { told in
            container.discoverUserIdentity(withEmailAddress: "o@example.com") { told(text($0, $1)) }
        } newer: {
            text(try await container.userIdentity(forEmailAddress: "o@example.com"))
        },
        Pair(name: "byPhone") { told in
            container.discoverUserIdentity(withPhoneNumber: "1") { told(text($0, $1)) }
        } newer: {
            text(try await container.userIdentity(forPhoneNumber: "1"))
        },
        Pair(name: "byRecord") { told in
            container.discoverUserIdentity(withUserRecordID: id) { told(text($0, $1)) }
        } newer: {
            text(try await container.userIdentity(forUserRecordID: id))
        },
        Pair(name: "byEmails") { told in
            container.discoverUserIdentities(forEmailAddresses: ["o@example.com"]) { told(text($0)) }
        } newer: {
            text(try await container.userIdentities(forEmailAddresses: ["o@example.com"]))
        },
        Pair(name: "byPhones") { told in
            container.discoverUserIdentities(forPhoneNumbers: ["1"]) { told(text($0)) }
        } newer: {
            text(try await container.userIdentities(forPhoneNumbers: ["1"]))
        },
        Pair(name: "byRecords") { told in
            container.discoverUserIdentities(forUserRecordIDs: [id]) { told(text($0)) }
        } newer: {
            text(try await container.userIdentities(forUserRecordIDs: [id]))
        },

        Pair(name: "record") { told in
            database.fetch(withRecordID: id) { told(text($0, $1)) }
        } newer: {
            text(try await database.record(for: id))
        },
        Pair(name: "records") { told in
            database.fetch(withRecordIDs: [id], desiredKeys: ["a"]) { told(text($0)) }
        } newer: {
            text(try await database.records(for: [id], desiredKeys: ["a"]))
        },
        Pair(name: "save") { told in
            database.save(record("n1")) { told(text($0, $1)) }
        } newer: {
            text(try await database.save(record("n1")))
        },
        Pair(name: "delete") { told in
            database.delete(withRecordID: id) { told(text($0, $1)) }
        } newer: {
            text(try await database.deleteRecord(withID: id))
        },
        Pair(name: "modify") { told in
            database.modifyRecords(saving: [record("n1")], deleting: [], savePolicy: .allKeys, atomically: false) {
                told(text($0.map(\.saveResults)))
            }
        } newer: {
            text(
                try await database.modifyRecords(
                    saving: [record("n1")], deleting: [], savePolicy: .allKeys, atomically: false
                ).saveResults)
        },
        Pair(name: "perform") { told in
            database.perform(query, inZoneWith: zone) { told(text($0, $1)) }
        } newer: {
            text(try await database.records(matching: query, inZoneWith: zone) as [CKRecord])
        },
        Pair(name: "query") { told in
            database.fetch(withQuery: query, inZoneWith: zone, desiredKeys: ["a"], resultsLimit: 3) {
                told(text($0.map { $0.matchResults.map(\.0) }))
            }
        } newer: {
            text(
                try await database.records(
                    matching: query, inZoneWith: zone, desiredKeys: ["a"], resultsLimit: 3
                ).matchResults.map(\.0))
        },
        Pair(name: "cursor") { told in
            Task { @MainActor in
                do {
                    database.fetch(withCursor: try await cursor(), resultsLimit: 4) {
                        told(text($0.map { $0.matchResults.map(\.0) }))
                    }
                } catch { told(text(nil, error)) }
            }
        } newer: {
            text(
                try await database.records(continuingMatchFrom: try await cursor(), resultsLimit: 4)
                    .matchResults.map(\.0))
        },
        Pair(name: "zones") { told in
            database.fetchAllRecordZones { told(text($0, $1)) }
        } newer: {
            text(try await database.allRecordZones())
        },
        Pair(name: "zone") { told in
            database.fetch(withRecordZoneID: zone) { told(text($0, $1)) }
        } newer: {
            text(try await database.recordZone(for: zone))
        },
        Pair(name: "zoneIDs") { told in
            database.fetch(withRecordZoneIDs: [zone]) { told(text($0)) }
        } newer: {
            text(try await database.recordZones(for: [zone]))
        },
        Pair(name: "saveZone") { told in
            database.save(CKRecordZone(zoneID: zone)) { told(text($0, $1)) }
        } newer: {
            text(try await database.save(CKRecordZone(zoneID: zone)))
        },
        Pair(name: "deleteZone") { told in
            database.delete(withRecordZoneID: zone) { told(text($0, $1)) }
        } newer: {
            text(try await database.deleteRecordZone(withID: zone))
        },
        Pair(name: "modifyZones") { told in
            database.modifyRecordZones(saving: [CKRecordZone(zoneID: zone)], deleting: []) {
                told(text($0.map(\.saveResults)))
            }
        } newer: {
            text(try await database.modifyRecordZones(saving: [CKRecordZone(zoneID: zone)], deleting: []).saveResults)
        },
        Pair(name: "databaseChanges") { told in
            database.fetchDatabaseChanges(since: nil, resultsLimit: 5) { told(text($0.map(\.changeToken))) }
        } newer: {
            text(try await database.databaseChanges(since: nil, resultsLimit: 5).changeToken)
        },
        Pair(name: "zoneChanges") { told in
            database.fetchRecordZoneChanges(inZoneWith: zone, since: nil, desiredKeys: ["a"]) {
                told(text($0.map { $0.modificationResultsByID.mapValues { $0.map(\.record) } }))
            }
        } newer: {
            text(
                try await database.recordZoneChanges(inZoneWith: zone, since: nil, desiredKeys: ["a"])
                    .modificationResultsByID.mapValues { $0.map(\.record) })
        },
        Pair(name: "subscriptions") { told in
            database.fetchAllSubscriptions { told(text($0, $1)) }
        } newer: {
            text(try await database.allSubscriptions())
        },
        Pair(name: "subscription") { told in
            database.fetch(withSubscriptionID: "s1") { told(text($0, $1)) }
        } newer: {
            text(try await database.subscription(for: "s1"))
        },
        Pair(name: "subscriptionIDs") { told in
            database.fetch(withSubscriptionIDs: ["s1"]) { told(text($0)) }
        } newer: {
            text(try await database.subscriptions(for: ["s1"]))
        },
        Pair(name: "saveSubscription") { told in
            database.save(CKDatabaseSubscription(subscriptionID: "s1")) { told(text($0, $1)) }
        } newer: {
            text(try await database.save(CKDatabaseSubscription(subscriptionID: "s1")))
        },
        Pair(name: "deleteSubscription") { told in
            database.delete(withSubscriptionID: "s1") { told(text($0, $1)) }
        } newer: {
            text(try await database.deleteSubscription(withID: "s1"))
        },
        Pair(name: "modifySubscriptions") { told in
            database.modifySubscriptions(saving: [CKDatabaseSubscription(subscriptionID: "s1")], deleting: []) {
                told(text($0.map(\.saveResults)))
            }
        } newer: {
            text(
                try await database.modifySubscriptions(
                    saving: [CKDatabaseSubscription(subscriptionID: "s1")], deleting: []
                ).saveResults)
        },
    ]

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

    @Test("The shared database refuses every request in words, and asks the iPad for nothing")
    func shared() {
        let pad = ScriptedPad { Self.answer($0) }
        let story = Story()
        pad.run {
            let shared = CKContainer.default().database(with: .shared)
            #expect(shared === CKContainer.default().sharedCloudDatabase && shared.databaseScope == .shared)
            do { _ = try await shared.databaseChanges(since: nil) } catch let error as CKError {
                #expect(error.code == .badDatabase && error.localizedDescription.contains("sharing is not modelled"))
            }
            let operation = CKModifyRecordsOperation(recordsToSave: [record()])
            operation.isLongLived = true
            operation.modifyRecordsResultBlock = { story.add(Self.text($0)) }
            shared.add(operation)
        }
        #expect(pad.asked.isEmpty && story.lines == ["error 24"])
    }
}
