import Foundation
import PadApp

/// Fetches records by name. A long-lived operation must stay within one zone here.
open class CKFetchRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// Records to fetch; nil or none: the operation succeeds without asking.
    public var recordIDs: [CKRecord.ID]?
    /// Fields to fetch; nil: all of them, none: metadata alone.
    public var desiredKeys: [CKRecord.FieldKey]?
    /// How much of a record is here. Only the end of the way is known: 1, before the record's result (ASSUMED).
    public var perRecordProgressBlock: ((CKRecord.ID, Double) -> Void)?
    /// Called for each record in the order of `recordIDs`; `unknownItem` for one that does not exist.
    public var perRecordResultBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
    /// Called last. A `partialFailure` says which records failed; the others were fetched.
    public var fetchRecordsResultBlock: ((Result<Void, any Error>) -> Void)?
    /// Older form of `perRecordResultBlock`.
    public var perRecordCompletionBlock: ((CKRecord?, CKRecord.ID?, (any Error)?) -> Void)?
    /// Older form of `fetchRecordsResultBlock`.
    public var fetchRecordsCompletionBlock: (([CKRecord.ID: CKRecord]?, (any Error)?) -> Void)?
    /// The person's own record is asked for, whose name is not known yet.
    private var isOfCurrentUser = false

    public required override init() { super.init() }
    /// Fetches these records, in one request for each zone.
    public convenience init(recordIDs: [CKRecord.ID] = []) {
        self.init()
        self.recordIDs = recordIDs
    }
    /// Fetches the person's own record.
    public class func fetchCurrentUserRecordOperation() -> Self {
        let operation = self.init()
        operation.isOfCurrentUser = true
        return operation
    }

    override func begin() {
        guard let database, let link else { return }
        if let kept {
            let zoneID = CKRecordZone.ID(link: kept["zone"]?.string ?? CKRecordZone.ID.defaultZoneName)
            return ask(RecordMessages.Attach.name, .empty) {
                self.end($0.map { CKDatabase.found($0, in: zoneID) }, nil)
            }
        }
        if settings.isLongLived, !isOfCurrentUser {
            let ids = recordIDs ?? []
            let zones = ModifyRequest.zones(ids)
            guard let zoneID = zones.first, zones.count == 1 else {
                let message = "a long-lived operation must stay in one zone; make one for each"
                return end(.failure(CKError(.invalidArguments, message: message)), ids)
            }
            return ask(RecordMessages.Lookup.name, CKDatabase.lookup(ids, in: zoneID)) {
                self.end($0.map { CKDatabase.found($0, in: zoneID) }, ids)
            }
        }
        Task {
            do {
                if isOfCurrentUser { recordIDs = [try await CKContainer.userRecordID(by: link)] }
                let ids = recordIDs ?? []
                end(.success(try await database.records(for: ids, by: link)), ids)
            } catch {
                end(.failure(CKError(error)), recordIDs)
            }
        }
    }
    /// - Parameter ids: in the order of the callbacks; nil: by name.
    private func end(
        _ answer: Result<[CKRecord.ID: Result<CKRecord, any Error>], CKError>, _ ids: [CKRecord.ID]?
    ) {
        finish {
            var (outcome, records) = (OperationOutcome(), [CKRecord.ID: CKRecord]())
            switch answer {
            case .failure(let error): outcome.fail(error)
            case .success(let found):
                for id in ids ?? found.keys.sorted(by: { $0.recordName < $1.recordName }) where !isCancelled {
                    guard let result = found[id]?.map({ $0.keeping(desiredKeys) }) else { continue }
                    outcome.add(id, result)
                    let (record, error) = result.parts
                    if record != nil { perRecordProgressBlock?(id, 1) }
                    perRecordResultBlock?(id, result)
                    perRecordCompletionBlock?(record, id, error)
                    records[id] = record
                }
            }
            fetchRecordsResultBlock?(outcome.result(of: self))
            fetchRecordsCompletionBlock?(records, outcome.error(of: self))
        }
    }
}
