import Foundation
import PadApp

/// One database of a container. All calls go to the server at once: offline they fail, nothing is queued (S221, S256).
public final class CKDatabase: Sendable {
    public enum Scope: Int, Hashable, Sendable {
        case `public` = 1
        case `private` = 2
    }
    public let databaseScope: Scope
    let link: CloudLink

    init(container: String, scope: Scope) {
        databaseScope = scope
        link = CloudLink(container: container, database: scope == .public ? "public" : "private")
    }

    /// Where a stored operation of an earlier launch has to go.
    convenience init(container: String, named name: String?) {
        self.init(container: container, scope: name == "public" ? .public : .private)
    }

    /// Starts an operation.
    public func add(_ operation: CKDatabaseOperation) {
        operation.database = self
        operation.start()
    }

    // MARK: One record

    /// Saves one record if the server's has not changed.
    /// - Returns: the server's record with its new tag; save that one the next time.
    /// - Throws: `serverRecordChanged` with `serverRecord` to merge into; `unknownItem` when it was deleted elsewhere.
    @discardableResult public func save(_ record: CKRecord) async throws -> CKRecord {
        let results = try await modifyRecords(saving: [record], deleting: [])
        guard let result = results.saveResults[record.recordID] else {
            throw CKError(.internalError, message: "there is no answer for the record")
        }
        return try result.get()
    }
    /// - Throws: `unknownItem` when there is no such record.
    public func record(for recordID: CKRecord.ID) async throws -> CKRecord {
        guard let result = try await records(for: [recordID])[recordID] else {
            throw CKError(.internalError, message: "there is no answer for the record")
        }
        return try result.get()
    }
    /// Deletes a record, whatever its tag. A record that is gone already is no error.
    @discardableResult public func deleteRecord(withID recordID: CKRecord.ID) async throws -> CKRecord.ID {
        let results = try await modifyRecords(saving: [], deleting: [recordID])
        try results.deleteResults[recordID]?.get()
        return recordID
    }

    // MARK: Several records

    public func records(for ids: [CKRecord.ID]) async throws -> [CKRecord.ID: Result<CKRecord, any Error>] {
        try await records(for: ids, by: link)
    }
    func records(
        for ids: [CKRecord.ID], by link: CloudLink
    ) async throws -> [CKRecord.ID: Result<CKRecord, any Error>] {
        var results: [CKRecord.ID: Result<CKRecord, any Error>] = [:]
        for zoneID in ModifyRequest.zones(ids) {
            let answer = try await link.ask("ck.lookup", Self.lookup(ids, in: zoneID))
            results.merge(Self.found(answer, in: zoneID)) { _, newest in newest }
        }
        return results
    }
    static func lookup(_ ids: [CKRecord.ID], in zoneID: CKRecordZone.ID) -> Value {
        let names = ids.filter { $0.zoneID == zoneID }.map(\.recordName)
        return ["zone": .string(zoneID.zoneName), "names": .strings(names)]
    }
    static func found(_ answer: Value, in zoneID: CKRecordZone.ID) -> [CKRecord.ID: Result<CKRecord, any Error>] {
        var results: [CKRecord.ID: Result<CKRecord, any Error>] = [:]
        for wire in answer["records"]?.array ?? [] {
            if let record = CKRecord(wire: wire, zoneID: zoneID) { results[record.recordID] = .success(record) }
        }
        for pair in answer["errors"]?.object?.pairs ?? [] {
            results[CKRecord.ID(recordName: pair.key, zoneID: zoneID)] = .failure(CKError(link: pair.value))
        }
        return results
    }

    /// Saves and deletes records, one request for each zone they lie in.
    /// - Returns: a result for each item.
    /// - Throws: what befell an operation of one zone as a whole; with several zones such an error is given to each item of its zone.
    public func modifyRecords(
        saving: [CKRecord], deleting: [CKRecord.ID],
        savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged,
        atomically: Bool = true
    ) async throws -> (
        saveResults: [CKRecord.ID: Result<CKRecord, any Error>], deleteResults: [CKRecord.ID: Result<Void, any Error>]
    ) {
        var results:
            (
                saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
                deleteResults: [CKRecord.ID: Result<Void, any Error>]
            ) = ([:], [:])
        let requests = ModifyRequest.split(saving, deleting)
        for request in requests {
            let part: ModifyAnswer
            do {
                part = request.answer(try await link.ask("ck.modify", request.members(savePolicy, atomic: atomically)))
            } catch let error as CKError where requests.count > 1 {
                part = request.failed(error)
            }
            results.saveResults.merge(part.saveResults) { a, _ in a }
            results.deleteResults.merge(part.deleteResults) { a, _ in a }
        }
        return results
    }
}

/// The part of a modify operation that lies in one zone.
struct ModifyRequest {
    let zoneID: CKRecordZone.ID
    var saving: [CKRecord]
    var deleting: [CKRecord.ID]

    /// Zones in the order in which they first occur.
    static func zones(_ ids: [CKRecord.ID]) -> [CKRecordZone.ID] {
        var zones: [CKRecordZone.ID] = []
        for id in ids where !zones.contains(id.zoneID) { zones.append(id.zoneID) }
        return zones
    }
    static func split(_ saving: [CKRecord], _ deleting: [CKRecord.ID]) -> [ModifyRequest] {
        zones(saving.map(\.recordID) + deleting).map { zoneID in
            ModifyRequest(
                zoneID: zoneID, saving: saving.filter { $0.recordID.zoneID == zoneID },
                deleting: deleting.filter { $0.zoneID == zoneID })
        }
    }

    func members(_ policy: CKModifyRecordsOperation.RecordSavePolicy, atomic: Bool) -> Value {
        [
            "zone": .string(zoneID.zoneName), "policy": .int(policy.rawValue), "atomic": .bool(atomic),
            "save": .array(saving.map { $0.saved(allFields: policy == .allKeys) }),
            "delete": .strings(deleting.map(\.recordName)),
        ]
    }
    /// Every item fails for the same reason.
    func failed(_ error: CKError) -> ModifyAnswer { ModifyAnswer(error, saving: saving, deleting: deleting) }
    func answer(_ answer: Value) -> ModifyAnswer {
        ModifyAnswer(answer, saving: saving, deleting: deleting, zoneID: zoneID)
    }
}
