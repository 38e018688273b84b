import Foundation
import PadApp

extension CKDatabase {
    /// What became of a record or zone that is not a change of content.
    public enum DatabaseChange {
        /// Something in the zone changed, or the zone is new: fetch its changes.
        public struct Modification: Hashable, Sendable { public var zoneID: CKRecordZone.ID }
        /// A zone is gone.
        public struct Deletion: Hashable, Sendable {
            /// Why a zone is gone (cloudkit-framework.md 3). Raw values are Apple's.
            public enum Reason: Int, Hashable, Sendable {
                /// An app did it.
                case deleted = 0
                /// The person erased the app's data in Settings: delete what is kept, do not send it again.
                case purged
                /// The person reset the keys of encrypted data, and the zone went with them (cloudkit-framework.md 3).
                case encryptedDataReset
            }
            /// The zone that is gone.
            public var zoneID: CKRecordZone.ID
            /// What an app may do with what it keeps of the zone.
            public var reason: Reason
            /// The older question: whether the person erased the app's data.
            public var purged: Bool { reason == .purged }
        }
    }
    /// What became of a record. A change of content comes with the whole record.
    public enum RecordZoneChange {
        /// A record as the server has it now, new or changed.
        public struct Modification: Sendable { public var record: CKRecord }
        /// A record is gone. The app may never have had it.
        public struct Deletion: Hashable, Sendable {
            /// The record that is gone.
            public var recordID: CKRecord.ID
            /// Its type; empty where the server does not say it.
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
        let answer = try await link.ask(RecordMessages.DatabaseChanges.name, Self.page(token, resultsLimit))
        let deletions = (answer["deleted"]?.strings ?? []).map { name -> DatabaseChange.Deletion in
            let reason: DatabaseChange.Deletion.Reason =
                switch answer["reasons"]?[name]?.string {
                case "purged"?: .purged
                case "encryptedDataReset"?: .encryptedDataReset
                default: .deleted
                }
            return .init(zoneID: CKRecordZone.ID(link: name), reason: reason)
        }
        return (
            (answer["zones"]?.strings ?? []).map { .init(zoneID: CKRecordZone.ID(link: $0)) }, deletions,
            try Self.token(answer), answer["moreComing"]?.bool ?? false
        )
    }

    /// One page of what changed in a custom zone after a token; nil: from the beginning. Go on while `moreComing`.
    /// - Throws: `changeTokenExpired`: drop the token, fetch from nil, and reconcile what the app keeps.
    public func recordZoneChanges(
        inZoneWith zoneID: CKRecordZone.ID, since token: CKServerChangeToken?,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil
    ) async throws -> (
        modificationResultsByID: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>],
        deletions: [RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
    ) {
        let page = try await zoneChangesPage(
            zoneID, since: token, desiredKeys: desiredKeys, resultsLimit: resultsLimit, by: link)
        let results = page.records.map {
            ($0.recordID, Result<RecordZoneChange.Modification, any Error>.success(.init(record: $0)))
        }
        return (
            Dictionary(results, uniquingKeysWith: { _, newest in newest }), page.deletions, page.token, page.moreComing
        )
    }

    /// The same page with records in the server's order.
    func zoneChangesPage(
        _ zoneID: CKRecordZone.ID, since token: CKServerChangeToken?, desiredKeys: [CKRecord.FieldKey]?,
        resultsLimit: Int?, by link: CloudLink
    ) async throws -> (
        records: [CKRecord], deletions: [RecordZoneChange.Deletion], token: CKServerChangeToken, moreComing: Bool
    ) {
        var members = Self.page(token, resultsLimit)
        members["zone"] = .string(zoneID.link)
        let answer = try await link.ask(RecordMessages.ZoneChanges.name, members)
        let deletions = (answer["deleted"]?.array ?? []).compactMap { entry -> RecordZoneChange.Deletion? in
            guard let name = entry["recordName"]?.string else { return nil }
            return .init(
                recordID: CKRecord.ID(recordName: name, zoneID: zoneID), recordType: entry["recordType"]?.string ?? "")
        }
        let records = (answer["records"]?.array ?? []).compactMap {
            CKRecord.of(wire: $0, zoneID: zoneID)?.keeping(desiredKeys)
        }
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
