import CloudKit
import FleetModel
import PadApp

/// Every method of containers and databases that has a completion handler, next to its `async` form.
extension CompletionHandlerTests {
    /// One call in two forms; both tell a story.
    struct Pair: Sendable {
        var name: String
        var older: @MainActor @Sendable (@escaping @Sendable (String) -> Void) -> Void
        var newer: @MainActor @Sendable () async throws -> String
    }
    static func text(_ value: Any?, _ error: (any Error)?) -> String {
        if let error { return "error \((error as? CKError)?.code.rawValue ?? 0)" }
        return text(value)
    }
    static func text<T>(_ result: Result<T, any Error>) -> String {
        switch result {
        case .success(let value): text(value)
        case .failure(let error): text(nil, error)
        }
    }
    static func text(_ value: Any?) -> String {
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
    static let id = record("n1").recordID
    private static let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
    /// Where the second page begins.
    @MainActor private static func cursor() async throws -> CKQueryOperation.Cursor {
        guard let next = try await database.records(matching: query, inZoneWith: zone, resultsLimit: 3).queryCursor
        else { throw CKError(.internalError) }
        return next
    }

    static let pairs: [Pair] = [
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
}
