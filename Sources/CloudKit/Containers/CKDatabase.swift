import Foundation
import PadApp

/// One database of a container. All calls go to the server at once: offline they fail, nothing is queued (S221, S256).
///
/// Each method has a completion-handler form (`CKDatabase+Completion.swift`) that calls the `async` one.
public final class CKDatabase: NSObject, @unchecked Sendable {
    /// Raw values are Apple's.
    public enum Scope: Int, Hashable, Sendable {
        /// One for all people of the app; it counts on the app's space.
        case `public` = 1
        /// The signed-in person's own; it counts on their space.
        case `private` = 2
        /// Zones that others share with the person, each by its owner's name. Zones are not made here (`badDatabase`).
        case shared = 3
    }
    /// Whose data it holds.
    public let databaseScope: Scope
    let link: CloudLink
    /// What counts for operations and requests that say nothing of their own; nil: Apple's defaults.
    let configuration: CKOperation.Configuration?

    init(container: String, scope: Scope, configuration: CKOperation.Configuration? = nil) {
        databaseScope = scope
        var link = CloudLink(container: container, database: Self.names[scope] ?? "private")
        if let configuration { link.settings = configuration.members }
        self.link = link
        self.configuration = configuration
    }
    private static let names: [Scope: String] = [.public: "public", .private: "private", .shared: "shared"]

    /// Where a stored operation of an earlier launch has to go.
    convenience init(container: String, named name: String?) {
        self.init(container: container, scope: Self.names.first { $0.value == name }?.key ?? .private)
    }

    public override var hash: Int { link.container.hashValue &+ databaseScope.rawValue }
    public override var description: String { "<CKDatabase: \(link.database) of \(link.container)>" }

    /// Starts an operation, as soon as those that it depends on have ended.
    public func add(_ operation: CKDatabaseOperation) {
        operation.database = self
        operation.startWhenReady()
    }

    /// Gives `body` this database with other settings than Apple's defaults. Source: CKDatabase, Configuring Database Requests.
    public func configuredWith<R>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil, body: (CKDatabase) throws -> R
    ) rethrows -> R { try body(configured(configuration, group)) }
    /// As the form without `await`, for a body that waits.
    public func configuredWith<R>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        isolation: isolated (any Actor)? = #isolation, body: (CKDatabase) async throws -> R
    ) async rethrows -> R { try await body(configured(configuration, group)) }
    func configured(_ configuration: CKOperation.Configuration?, _ group: CKOperationGroup?) -> CKDatabase {
        let configuration = (configuration ?? CKOperation.Configuration()).over(group?.defaultConfiguration)
        return CKDatabase(container: link.container, scope: databaseScope, configuration: configuration)
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

    /// - Parameter desiredKeys: fields of each record; nil: all of them, none: metadata alone. All of them travel (ASSUMED: an app cannot
    ///   tell but by the time).
    public func records(
        for ids: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil
    ) async throws -> [CKRecord.ID: Result<CKRecord, any Error>] {
        try await records(for: ids, by: link).mapValues { $0.map { $0.keeping(desiredKeys) } }
    }
    func records(
        for ids: [CKRecord.ID], by link: CloudLink
    ) async throws -> [CKRecord.ID: Result<CKRecord, any Error>] {
        var results: [CKRecord.ID: Result<CKRecord, any Error>] = [:]
        for zoneID in ModifyRequest.zones(ids) {
            let answer = try await link.ask(RecordMessages.Lookup.name, Self.lookup(ids, in: zoneID))
            results.merge(Self.found(answer, in: zoneID)) { _, newest in newest }
        }
        return results
    }
    static func lookup(_ ids: [CKRecord.ID], in zoneID: CKRecordZone.ID) -> Value {
        let names = ids.filter { $0.zoneID == zoneID }.map(\.recordName)
        return ["zone": .string(zoneID.link), "names": .strings(names)]
    }
    static func found(_ answer: Value, in zoneID: CKRecordZone.ID) -> [CKRecord.ID: Result<CKRecord, any Error>] {
        var results: [CKRecord.ID: Result<CKRecord, any Error>] = [:]
        for wire in answer["records"]?.array ?? [] {
            if let record = CKRecord.of(wire: wire, zoneID: zoneID) { results[record.recordID] = .success(record) }
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
    ) { try await modifyRecords(saving, deleting, savePolicy, atomically, by: link) }
    func modifyRecords(
        _ saving: [CKRecord], _ deleting: [CKRecord.ID], _ savePolicy: CKModifyRecordsOperation.RecordSavePolicy,
        _ atomically: Bool, by link: CloudLink
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
                part = request.answer(
                    try await link.ask(RecordMessages.Modify.name, request.members(savePolicy, atomic: atomically)))
            } catch let error as CKError where requests.count > 1 {
                part = request.failed(error)
            }
            results.saveResults.merge(part.saveResults) { a, _ in a }
            results.deleteResults.merge(part.deleteResults) { a, _ in a }
        }
        return results
    }
}
