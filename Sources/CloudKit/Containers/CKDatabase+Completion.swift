import Foundation

/// Each method is the `async` one that it names, with a completion handler (`Completion`).
extension CKDatabase {
    // MARK: Records

    /// `record(for:)` with a handler.
    @preconcurrency public func fetch(
        withRecordID recordID: CKRecord.ID, completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
    ) { Completion.call(completionHandler) { try await self.record(for: recordID) } }
    /// `records(for:desiredKeys:)` with a handler.
    @preconcurrency public func fetch(
        withRecordIDs recordIDs: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil,
        completionHandler:
            @escaping @Sendable (Result<[CKRecord.ID: Result<CKRecord, any Error>], any Error>) -> Void
    ) { Completion.call(completionHandler) { try await self.records(for: recordIDs, desiredKeys: desiredKeys) } }
    /// `save(_:)` with a handler.
    @preconcurrency public func save(
        _ record: CKRecord, completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
    ) { Completion.call(completionHandler) { try await self.save(record) } }
    /// `deleteRecord(withID:)` with a handler.
    @preconcurrency public func delete(
        withRecordID recordID: CKRecord.ID, completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void
    ) { Completion.call(completionHandler) { try await self.deleteRecord(withID: recordID) } }
    /// `modifyRecords(saving:deleting:savePolicy:atomically:)` with a handler.
    @preconcurrency public func modifyRecords(
        saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
        savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true,
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
                        deleteResults: [CKRecord.ID: Result<Void, any Error>]
                    ), any Error
                >
            ) -> Void
    ) {
        Completion.call(completionHandler) {
            try await self.modifyRecords(
                saving: recordsToSave, deleting: recordIDsToDelete, savePolicy: savePolicy, atomically: atomically)
        }
    }

    // MARK: Queries

    /// All that matches on the first page; the oldest form, which has no cursor.
    @preconcurrency public func perform(
        _ query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?,
        completionHandler: @escaping @Sendable ([CKRecord]?, (any Error)?) -> Void
    ) { Completion.call(completionHandler) { try await self.records(matching: query, inZoneWith: zoneID) } }
    /// As `perform(_:inZoneWith:completionHandler:)`.
    public func records(matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?) async throws -> [CKRecord] {
        let limit = CKQueryOperation.maximumResults
        let page = try await records(matching: query, inZoneWith: zoneID, desiredKeys: nil, resultsLimit: limit)
        return try page.matchResults.map { try $0.1.get() }
    }
    /// `records(matching:inZoneWith:desiredKeys:resultsLimit:)` with a handler.
    @preconcurrency public func fetch(
        withQuery query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults,
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
                        queryCursor: CKQueryOperation.Cursor?
                    ), any Error
                >
            ) -> Void
    ) {
        Completion.call(completionHandler) {
            try await self.records(
                matching: query, inZoneWith: zoneID, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
        }
    }
    /// `records(continuingMatchFrom:desiredKeys:resultsLimit:)` with a handler.
    @preconcurrency public func fetch(
        withCursor queryCursor: CKQueryOperation.Cursor, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults,
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
                        queryCursor: CKQueryOperation.Cursor?
                    ), any Error
                >
            ) -> Void
    ) {
        Completion.call(completionHandler) {
            try await self.records(
                continuingMatchFrom: queryCursor, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
        }
    }

    // MARK: Zones

    /// `allRecordZones()` with a handler.
    @preconcurrency public func fetchAllRecordZones(
        completionHandler: @escaping @Sendable ([CKRecordZone]?, (any Error)?) -> Void
    ) { Completion.call(completionHandler) { try await self.allRecordZones() } }
    /// `recordZone(for:)` with a handler.
    @preconcurrency public func fetch(
        withRecordZoneID zoneID: CKRecordZone.ID,
        completionHandler: @escaping @Sendable (CKRecordZone?, (any Error)?) -> Void
    ) { Completion.call(completionHandler) { try await self.recordZone(for: zoneID) } }
    /// `recordZones(for:)` with a handler.
    @preconcurrency public func fetch(
        withRecordZoneIDs zoneIDs: [CKRecordZone.ID],
        completionHandler:
            @escaping @Sendable (Result<[CKRecordZone.ID: Result<CKRecordZone, any Error>], any Error>) -> Void
    ) { Completion.call(completionHandler) { try await self.recordZones(for: zoneIDs) } }
    /// `save(_:)` of a zone with a handler.
    @preconcurrency public func save(
        _ zone: CKRecordZone, completionHandler: @escaping @Sendable (CKRecordZone?, (any Error)?) -> Void
    ) { Completion.call(completionHandler) { try await self.save(zone) } }
    /// `deleteRecordZone(withID:)` with a handler.
    @preconcurrency public func delete(
        withRecordZoneID zoneID: CKRecordZone.ID,
        completionHandler: @escaping @Sendable (CKRecordZone.ID?, (any Error)?) -> Void
    ) { Completion.call(completionHandler) { try await self.deleteRecordZone(withID: zoneID) } }
    /// `modifyRecordZones(saving:deleting:)` with a handler.
    @preconcurrency public func modifyRecordZones(
        saving recordZonesToSave: [CKRecordZone], deleting recordZoneIDsToDelete: [CKRecordZone.ID],
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
                        deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
                    ), any Error
                >
            ) -> Void
    ) {
        Completion.call(completionHandler) {
            try await self.modifyRecordZones(saving: recordZonesToSave, deleting: recordZoneIDsToDelete)
        }
    }

    // MARK: Changes

    /// `databaseChanges(since:resultsLimit:)` with a handler.
    @preconcurrency public func fetchDatabaseChanges(
        since changeToken: CKServerChangeToken?, resultsLimit: Int? = nil,
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        modifications: [DatabaseChange.Modification], deletions: [DatabaseChange.Deletion],
                        changeToken: CKServerChangeToken, moreComing: Bool
                    ), any Error
                >
            ) -> Void
    ) {
        Completion.call(completionHandler) {
            try await self.databaseChanges(since: changeToken, resultsLimit: resultsLimit)
        }
    }
    /// `recordZoneChanges(inZoneWith:since:desiredKeys:resultsLimit:)` with a handler.
    @preconcurrency public func fetchRecordZoneChanges(
        inZoneWith zoneID: CKRecordZone.ID, since changeToken: CKServerChangeToken?,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil,
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        modificationResultsByID: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>],
                        deletions: [RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
                    ), any Error
                >
            ) -> Void
    ) {
        Completion.call(completionHandler) {
            try await self.recordZoneChanges(
                inZoneWith: zoneID, since: changeToken, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
        }
    }

    // MARK: Subscriptions

    /// `allSubscriptions()` with a handler.
    @preconcurrency public func fetchAllSubscriptions(
        completionHandler: @escaping @Sendable ([CKSubscription]?, (any Error)?) -> Void
    ) { Completion.call(completionHandler) { try await self.allSubscriptions() } }
    /// `subscription(for:)` with a handler.
    @preconcurrency public func fetch(
        withSubscriptionID subscriptionID: CKSubscription.ID,
        completionHandler: @escaping @Sendable (CKSubscription?, (any Error)?) -> Void
    ) { Completion.call(completionHandler) { try await self.subscription(for: subscriptionID) } }
    /// `subscriptions(for:)` with a handler.
    @preconcurrency public func fetch(
        withSubscriptionIDs subscriptionIDs: [CKSubscription.ID],
        completionHandler:
            @escaping @Sendable (Result<[CKSubscription.ID: Result<CKSubscription, any Error>], any Error>) -> Void
    ) { Completion.call(completionHandler) { try await self.subscriptions(for: subscriptionIDs) } }
    /// `save(_:)` of a subscription with a handler.
    @preconcurrency public func save(
        _ subscription: CKSubscription,
        completionHandler: @escaping @Sendable (CKSubscription?, (any Error)?) -> Void
    ) { Completion.call(completionHandler) { try await self.save(subscription) } }
    /// `deleteSubscription(withID:)` with a handler.
    @preconcurrency public func delete(
        withSubscriptionID subscriptionID: CKSubscription.ID,
        completionHandler: @escaping @Sendable (String?, (any Error)?) -> Void
    ) { Completion.call(completionHandler) { try await self.deleteSubscription(withID: subscriptionID) } }
    /// `modifySubscriptions(saving:deleting:)` with a handler.
    @preconcurrency public func modifySubscriptions(
        saving subscriptionsToSave: [CKSubscription], deleting subscriptionIDsToDelete: [CKSubscription.ID],
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
                        deleteResults: [CKSubscription.ID: Result<Void, any Error>]
                    ), any Error
                >
            ) -> Void
    ) {
        Completion.call(completionHandler) {
            try await self.modifySubscriptions(saving: subscriptionsToSave, deleting: subscriptionIDsToDelete)
        }
    }
}
