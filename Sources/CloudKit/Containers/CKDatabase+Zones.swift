import Foundation
import PadApp

extension CKDatabase {
    /// Makes a custom zone; one that is there already is no error.
    @discardableResult public func save(_ zone: CKRecordZone) async throws -> CKRecordZone {
        let results = try await modifyRecordZones(saving: [zone], deleting: [])
        return try results.saveResults[zone.zoneID]?.get() ?? zone
    }
    /// Deletes a zone and its records.
    @discardableResult public func deleteRecordZone(withID zoneID: CKRecordZone.ID) async throws -> CKRecordZone.ID {
        let results = try await modifyRecordZones(saving: [], deleting: [zoneID])
        try results.deleteResults[zoneID]?.get()
        return zoneID
    }
    public func modifyRecordZones(saving: [CKRecordZone], deleting: [CKRecordZone.ID]) async throws -> (
        saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
        deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
    ) { try await modifyRecordZones(saving: saving, deleting: deleting, by: link) }
    func modifyRecordZones(saving: [CKRecordZone], deleting: [CKRecordZone.ID], by link: CloudLink) async throws -> (
        saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
        deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
    ) {
        let answer = try await link.ask(
            "ck.zones", ["save": .strings(saving.map(\.zoneID.zoneName)), "delete": .strings(deleting.map(\.zoneName))])
        let errors = answer["errors"]?.object ?? Value.Object()
        var saves: [CKRecordZone.ID: Result<CKRecordZone, any Error>] = [:]
        var deletes: [CKRecordZone.ID: Result<Void, any Error>] = [:]
        for zone in saving {
            saves[zone.zoneID] = errors[zone.zoneID.zoneName].map { .failure(CKError(link: $0)) } ?? .success(zone)
        }
        for id in deleting { deletes[id] = errors[id.zoneName].map { .failure(CKError(link: $0)) } ?? .success(()) }
        return (saves, deletes)
    }

    /// - Throws: `zoneNotFound`, or `userDeletedZone` when the person erased it.
    public func recordZone(for zoneID: CKRecordZone.ID) async throws -> CKRecordZone {
        guard let result = try await recordZones(for: [zoneID])[zoneID] else {
            throw CKError(.internalError, message: "there is no answer for the zone")
        }
        return try result.get()
    }
    public func recordZones(
        for ids: [CKRecordZone.ID]
    ) async throws -> [CKRecordZone.ID: Result<CKRecordZone, any Error>] {
        ids.isEmpty ? [:] : try await zones(ids, by: link)
    }
    /// All zones of the database, the default zone among them.
    public func allRecordZones() async throws -> [CKRecordZone] {
        try await zones([], by: link).keys.sorted { $0.zoneName < $1.zoneName }.map(CKRecordZone.init(zoneID:))
    }
    /// - Parameter ids: none: all.
    func zones(
        _ ids: [CKRecordZone.ID], by link: CloudLink
    ) async throws -> [CKRecordZone.ID: Result<CKRecordZone, any Error>] {
        let answer = try await link.ask(
            "ck.fetchZones", ids.isEmpty ? .empty : ["names": .strings(ids.map(\.zoneName))])
        var results: [CKRecordZone.ID: Result<CKRecordZone, any Error>] = [:]
        for name in answer["zones"]?.strings ?? [] {
            let zone = CKRecordZone(zoneName: name)
            results[zone.zoneID] = .success(zone)
        }
        for pair in answer["errors"]?.object?.pairs ?? [] {
            results[CKRecordZone.ID(zoneName: pair.key)] = .failure(CKError(link: pair.value))
        }
        return results
    }

    /// What became of a record or zone that is not a change of content.
    public enum DatabaseChange {
        public struct Modification: Hashable, Sendable { public var zoneID: CKRecordZone.ID }
        public struct Deletion: Hashable, Sendable {
            /// Why a zone is gone (cloudkit-framework.md 3). Raw values are Apple's.
            public enum Reason: Int, Hashable, Sendable {
                /// An app did it.
                case deleted = 0
                /// The person erased the app's data in Settings: delete what is kept, do not send it again.
                case purged
                case encryptedDataReset
            }
            public var zoneID: CKRecordZone.ID
            public var reason: Reason
        }
    }
    public enum RecordZoneChange {
        public struct Modification: Sendable { public var record: CKRecord }
        public struct Deletion: Hashable, Sendable {
            public var recordID: CKRecord.ID
            public var recordType: CKRecord.RecordType
        }
    }

    /// One page of the zones that changed after a token; nil: from the beginning.
    public func databaseChanges(since token: CKServerChangeToken?, resultsLimit: Int? = nil) async throws -> (
        modifications: [DatabaseChange.Modification], deletions: [DatabaseChange.Deletion],
        changeToken: CKServerChangeToken,
        moreComing: Bool
    ) { try await databaseChanges(since: token, resultsLimit: resultsLimit, by: link) }
    func databaseChanges(since token: CKServerChangeToken?, resultsLimit: Int?, by link: CloudLink) async throws -> (
        modifications: [DatabaseChange.Modification], deletions: [DatabaseChange.Deletion],
        changeToken: CKServerChangeToken, moreComing: Bool
    ) {
        let answer = try await link.ask("ck.databaseChanges", Self.page(token, resultsLimit))
        let deletions = (answer["deleted"]?.strings ?? []).map { name -> DatabaseChange.Deletion in
            let reason: DatabaseChange.Deletion.Reason =
                switch answer["reasons"]?[name]?.string {
                case "purged"?: .purged
                case "encryptedDataReset"?: .encryptedDataReset
                default: .deleted
                }
            return .init(zoneID: CKRecordZone.ID(zoneName: name), reason: reason)
        }
        return (
            (answer["zones"]?.strings ?? []).map { .init(zoneID: CKRecordZone.ID(zoneName: $0)) }, deletions,
            try Self.token(answer), answer["moreComing"]?.bool ?? false
        )
    }

    /// One page of what changed in a custom zone after a token; nil: from the beginning. Go on while `moreComing`.
    /// - Throws: `changeTokenExpired`: drop the token, fetch from nil, and reconcile what the app keeps.
    public func recordZoneChanges(
        inZoneWith zoneID: CKRecordZone.ID, since token: CKServerChangeToken?, resultsLimit: Int? = nil
    ) async throws -> (
        modificationResultsByID: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>],
        deletions: [RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
    ) {
        let page = try await zoneChangesPage(zoneID, since: token, resultsLimit: resultsLimit, by: link)
        let results = page.records.map {
            ($0.recordID, Result<RecordZoneChange.Modification, any Error>.success(.init(record: $0)))
        }
        return (
            Dictionary(results, uniquingKeysWith: { _, newest in newest }), page.deletions, page.token, page.moreComing
        )
    }

    /// The same page with records in the server's order.
    func zoneChangesPage(
        _ zoneID: CKRecordZone.ID, since token: CKServerChangeToken?, resultsLimit: Int?, by link: CloudLink
    ) async throws -> (
        records: [CKRecord], deletions: [RecordZoneChange.Deletion], token: CKServerChangeToken, moreComing: Bool
    ) {
        var members = Self.page(token, resultsLimit)
        members["zone"] = .string(zoneID.zoneName)
        let answer = try await link.ask("ck.zoneChanges", members)
        let deletions = (answer["deleted"]?.array ?? []).compactMap { entry -> RecordZoneChange.Deletion? in
            guard let name = entry["recordName"]?.string else { return nil }
            return .init(
                recordID: CKRecord.ID(recordName: name, zoneID: zoneID), recordType: entry["recordType"]?.string ?? "")
        }
        let records = (answer["records"]?.array ?? []).compactMap { CKRecord(wire: $0, zoneID: zoneID) }
        return (records, deletions, try Self.token(answer), answer["moreComing"]?.bool ?? false)
    }

    private static func page(_ token: CKServerChangeToken?, _ limit: Int?) -> Value {
        var members: Value = ["token": .optional(token?.text)]
        members["limit"] = limit.map { .int($0) }
        return members
    }
    private static func token(_ answer: Value) throws -> CKServerChangeToken {
        guard let text = answer["token"]?.string else { throw CKError(.internalError, message: "no change token came") }
        return CKServerChangeToken(text)
    }
}
