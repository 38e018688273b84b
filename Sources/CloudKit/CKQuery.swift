import PadApp
import Ubiquity

/// Finds records of one type by their fields. Everything else finds them by name (S110).
public final class CKQuery: @unchecked Sendable {
    public let recordType: CKRecord.RecordType
    public let predicate: NSPredicate
    public var sortDescriptors: [NSSortDescriptor]?

    public init(recordType: CKRecord.RecordType, predicate: NSPredicate) {
        self.recordType = recordType
        self.predicate = predicate
    }

    /// The query dictionary of cloudkit-web-services.md 8.9; nil when nothing matches (`FALSEPREDICATE`), whatever there is.
    /// - Throws: `invalidArguments` for a predicate that CloudKit does not take.
    func wire() throws(CKError) -> Value? {
        guard let filters = try QueryFilters.of(predicate) else { return nil }
        return [
            "recordType": .string(recordType), "filterBy": .array(filters),
            "sortBy": .array((sortDescriptors ?? []).compactMap(\.wire)),
        ]
    }
}

/// Runs a query, one page of results for each operation.
open class CKQueryOperation: CKDatabaseOperation, @unchecked Sendable {
    /// Where the next page begins; belongs to its query and zone.
    public final class Cursor: Sendable {
        let query: CKQuery
        let zoneID: CKRecordZone.ID?
        let text: String
        init(_ query: CKQuery, _ zoneID: CKRecordZone.ID?, _ text: String) {
            (self.query, self.zoneID, self.text) = (query, zoneID, text)
        }
    }
    /// As many as the service likes to give at once.
    public static let maximumResults = 0

    public var query: CKQuery?
    public var cursor: Cursor?
    /// Nil: all zones of a private database, the default zone of the public one (cloudkit-framework.md 6).
    public var zoneID: CKRecordZone.ID?
    public var resultsLimit = CKQueryOperation.maximumResults
    /// Fields to fetch; nil: all of them.
    public var desiredKeys: [CKRecord.FieldKey]?
    public var recordMatchedBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
    public var queryResultBlock: ((Result<Cursor?, any Error>) -> Void)?

    public override init() {}
    public convenience init(query: CKQuery) {
        self.init()
        self.query = query
    }
    public convenience init(cursor: Cursor) {
        self.init()
        self.cursor = cursor
    }

    override func start() {
        guard let database else { return }
        Task {
            let answer = await database.page(query, cursor, zoneID, desiredKeys, resultsLimit)
            finish {
                guard !isCancelled else {
                    queryResultBlock?(.failure(CKError(.operationCancelled, message: "cancelled")))
                    return
                }
                if case .success(let page) = answer {
                    for record in page.records { recordMatchedBlock?(record.recordID, .success(record)) }
                }
                queryResultBlock?(answer.map(\.cursor).mapError { $0 as any Error })
            }
        }
    }
}

/// Fetches records by name.
open class CKFetchRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
    public var recordIDs: [CKRecord.ID]?
    public var perRecordResultBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
    public var fetchRecordsResultBlock: ((Result<Void, any Error>) -> Void)?

    public init(recordIDs: [CKRecord.ID] = []) { self.recordIDs = recordIDs }

    override func start() {
        guard let database else { return }
        Task {
            var errors: [AnyHashable: any Error] = [:]
            var failure: (any Error)?
            do {
                let found = try await database.records(for: recordIDs ?? [])
                for id in recordIDs ?? [] where !isCancelled {
                    guard let result = found[id] else { continue }
                    if case .failure(let error) = result { errors[id] = error }
                    perRecordResultBlock?(id, result)
                }
                if !errors.isEmpty { failure = CKError.partial(errors) }
            } catch { failure = error }
            if isCancelled { failure = CKError(.operationCancelled, message: "cancelled") }
            finish { fetchRecordsResultBlock?(failure.map { .failure($0) } ?? .success(())) }
        }
    }
}

extension CKDatabase {
    struct QueryPage {
        var records: [CKRecord]
        var cursor: CKQueryOperation.Cursor?
        var results: [(CKRecord.ID, Result<CKRecord, any Error>)] {
            records.map { record -> (CKRecord.ID, Result<CKRecord, any Error>) in (record.recordID, .success(record)) }
        }
    }

    /// The first records that match, and where the others begin.
    /// - Throws: `invalidArguments` for a predicate, field or index that the service does not take.
    public func records(
        matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?
    ) {
        let page = try await page(query, nil, zoneID, desiredKeys, resultsLimit).get()
        return (page.results, page.cursor)
    }
    /// The page after `queryCursor`.
    public func records(
        continuingMatchFrom queryCursor: CKQueryOperation.Cursor, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?
    ) {
        let page = try await page(nil, queryCursor, nil, desiredKeys, resultsLimit).get()
        return (page.results, page.cursor)
    }

    func page(
        _ query: CKQuery?, _ cursor: CKQueryOperation.Cursor?, _ zoneID: CKRecordZone.ID?,
        _ desiredKeys: [CKRecord.FieldKey]?, _ limit: Int
    ) async -> Result<QueryPage, CKError> {
        guard let query = cursor?.query ?? query else {
            return .failure(CKError(.invalidArguments, message: "the operation has neither a query nor a cursor"))
        }
        let zoneID = cursor?.zoneID ?? zoneID
        do {
            // The service has no filter that says no: it is not asked.
            guard let wire = try query.wire() else { return .success(QueryPage(records: [], cursor: nil)) }
            var members: Value = ["query": wire]
            members["zone"] = zoneID.map { .string($0.zoneName) }
            members["cursor"] = cursor.map { .string($0.text) }
            members["desiredKeys"] = desiredKeys.map(Value.strings)
            if limit > 0 { members["limit"] = .int(limit) }
            let answer = try await link.ask("ck.query", members)
            let records = (answer["records"]?.array ?? []).compactMap { wire in
                let own = wire["zoneID"]?["zoneName"]?.string.map { CKRecordZone.ID(zoneName: $0) }
                return CKRecord(wire: wire, zoneID: own ?? zoneID ?? .default)
            }
            let next = answer["cursor"]?.string.map { CKQueryOperation.Cursor(query, zoneID, $0) }
            return .success(QueryPage(records: records, cursor: next))
        } catch {
            return .failure(error as? CKError ?? CKError(.internalError, message: "\(error)"))
        }
    }
}
