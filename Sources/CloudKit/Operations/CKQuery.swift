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
        /// The query dictionary that was sent.
        let query: Value
        let zoneID: CKRecordZone.ID?
        let text: String
        init(_ query: Value, _ zoneID: CKRecordZone.ID?, _ text: String) {
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
        do throws(CKError) {
            guard let asked = try question() else {
                return end(.success(CKDatabase.QueryPage(records: [], cursor: nil)))
            }
            ask("ck.query", asked.members) { self.end($0.map { database.page($0, of: asked) }) }
        } catch { end(.failure(error)) }
    }
    private func question() throws(CKError) -> CKDatabase.QueryQuestion? {
        // One of an earlier launch: what it had asked is with the system.
        if let kept {
            return CKDatabase.QueryQuestion(
                wire: kept["query"] ?? .empty, zoneID: kept["zone"]?.string.map { CKRecordZone.ID(zoneName: $0) })
        }
        return try CKDatabase.QueryQuestion(query, cursor, zoneID, desiredKeys, resultsLimit)
    }
    private func end(_ answer: Result<CKDatabase.QueryPage, CKError>) {
        finish {
            guard !isCancelled else {
                queryResultBlock?(.failure(Self.cancelled))
                return
            }
            if case .success(let page) = answer {
                for record in page.records { recordMatchedBlock?(record.recordID, .success(record)) }
            }
            queryResultBlock?(answer.map(\.cursor).mapError { $0 as any Error })
        }
    }
}

/// Fetches records by name. A long-lived operation must stay within one zone here.
open class CKFetchRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
    public var recordIDs: [CKRecord.ID]?
    /// How much of a record is here. Only the end of the way is known: 1, before the record's result (ASSUMED).
    public var perRecordProgressBlock: ((CKRecord.ID, Double) -> Void)?
    public var perRecordResultBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
    public var fetchRecordsResultBlock: ((Result<Void, any Error>) -> Void)?

    public init(recordIDs: [CKRecord.ID] = []) { self.recordIDs = recordIDs }

    override func start() {
        guard let database, let link else { return }
        let ids = recordIDs ?? []
        if let kept {
            let zoneID = CKRecordZone.ID(zoneName: kept["zone"]?.string ?? CKRecordZone.ID.defaultZoneName)
            return ask("ck.attach", .empty) { self.end($0.map { CKDatabase.found($0, in: zoneID) }, nil) }
        }
        if settings.isLongLived {
            let zones = ModifyRequest.zones(ids)
            guard let zoneID = zones.first, zones.count == 1 else {
                let message = "a long-lived operation must stay in one zone; make one for each"
                return end(.failure(CKError(.invalidArguments, message: message)), ids)
            }
            return ask("ck.lookup", CKDatabase.lookup(ids, in: zoneID)) {
                self.end($0.map { CKDatabase.found($0, in: zoneID) }, ids)
            }
        }
        Task {
            do {
                end(.success(try await database.records(for: ids, by: link)), ids)
            } catch {
                end(.failure(error as? CKError ?? CKError(.internalError, message: "\(error)")), ids)
            }
        }
    }
    /// - Parameter ids: in the order of the callbacks; nil: by name.
    private func end(
        _ answer: Result<[CKRecord.ID: Result<CKRecord, any Error>], CKError>, _ ids: [CKRecord.ID]?
    ) {
        finish {
            switch answer {
            case .failure(let error): fetchRecordsResultBlock?(result(error))
            case .success(let found):
                var errors: [AnyHashable: any Error] = [:]
                for id in ids ?? found.keys.sorted(by: { $0.recordName < $1.recordName }) where !isCancelled {
                    guard let result = found[id] else { continue }
                    if case .failure(let error) = result { errors[id] = error } else { perRecordProgressBlock?(id, 1) }
                    perRecordResultBlock?(id, result)
                }
                fetchRecordsResultBlock?(result(errors.isEmpty ? nil : CKError.partial(errors)))
            }
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
    /// What one page is asked with.
    struct QueryQuestion {
        let wire: Value
        let zoneID: CKRecordZone.ID?
        var members = Value.empty

        init(wire: Value, zoneID: CKRecordZone.ID?) { (self.wire, self.zoneID) = (wire, zoneID) }
        /// Nil when nothing matches: the service has no filter that says no, it is not asked.
        init?(
            _ query: CKQuery?, _ cursor: CKQueryOperation.Cursor?, _ zoneID: CKRecordZone.ID?,
            _ desiredKeys: [CKRecord.FieldKey]?, _ limit: Int
        ) throws(CKError) {
            if let cursor {
                self.init(wire: cursor.query, zoneID: cursor.zoneID ?? zoneID)
            } else if let query {
                guard let wire = try query.wire() else { return nil }
                self.init(wire: wire, zoneID: zoneID)
            } else {
                throw CKError(.invalidArguments, message: "the operation has neither a query nor a cursor")
            }
            members["query"] = wire
            members["zone"] = self.zoneID.map { .string($0.zoneName) }
            members["cursor"] = cursor.map { .string($0.text) }
            members["desiredKeys"] = desiredKeys.map(Value.strings)
            if limit > 0 { members["limit"] = .int(limit) }
        }
    }

    /// The first records that match, and where the others begin.
    /// - Throws: `invalidArguments` for a predicate, field or index that the service does not take.
    public func records(
        matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?
    ) { try await page(QueryQuestion(query, nil, zoneID, desiredKeys, resultsLimit)) }
    /// The page after `queryCursor`.
    public func records(
        continuingMatchFrom queryCursor: CKQueryOperation.Cursor, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?
    ) { try await page(QueryQuestion(nil, queryCursor, nil, desiredKeys, resultsLimit)) }

    private func page(_ question: QueryQuestion?) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?
    ) {
        guard let question else { return ([], nil) }
        let found = page(try await link.ask("ck.query", question.members), of: question)
        return (found.results, found.cursor)
    }
    func page(_ answer: Value, of question: QueryQuestion) -> QueryPage {
        let records = (answer["records"]?.array ?? []).compactMap { wire in
            let own = wire["zoneID"]?["zoneName"]?.string.map { CKRecordZone.ID(zoneName: $0) }
            return CKRecord(wire: wire, zoneID: own ?? question.zoneID ?? .default)
        }
        let next = answer["cursor"]?.string.map { CKQueryOperation.Cursor(question.wire, question.zoneID, $0) }
        return QueryPage(records: records, cursor: next)
    }
}
