import Foundation
import PadApp

/// Saves and deletes records, with a save policy, in one commit where the zone can do that.
///
/// A long-lived operation must stay within one zone here.
open class CKModifyRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// What to compare and what to send. Raw values are Apple's.
    public enum RecordSavePolicy: Int, Hashable, Sendable {
        /// Compares tags; sends changed fields.
        case ifServerRecordUnchanged = 0
        /// Compares nothing; sends changed fields: other fields survive.
        case changedKeys
        /// Compares nothing; sends every field: what others wrote there is gone.
        case allKeys
    }

    /// Records to save; nil: none. More than the service takes at once is `limitExceeded`.
    public var recordsToSave: [CKRecord]?
    /// Records to delete, whatever their tags; nil: none. One that is gone already is no error.
    public var recordIDsToDelete: [CKRecord.ID]?
    /// What to compare and what to send; the safe one unless set.
    public var savePolicy = RecordSavePolicy.ifServerRecordUnchanged
    /// Whether all of a zone's items happen or none. It has an effect in custom zones only.
    public var isAtomic = true
    /// What fetches of changes give back as the app's own (`clientChangeTokenData`). Kept for the app alone: no answer here has it.
    public var clientChangeTokenData: Data?
    /// How much of a record is saved. Only the end of the way is known here: 1, before the record's result (ASSUMED).
    public var perRecordProgressBlock: ((CKRecord, Double) -> Void)?
    /// Called for each record that was to be saved, with the server's copy: keep its system fields for the next save.
    public var perRecordSaveBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
    /// Called for each record that was to be deleted.
    public var perRecordDeleteBlock: ((CKRecord.ID, Result<Void, any Error>) -> Void)?
    /// Called last. A `partialFailure` says which items failed; `serverResponseLost`: all of it may have happened.
    public var modifyRecordsResultBlock: ((Result<Void, any Error>) -> Void)?
    /// Older form of `perRecordSaveBlock`: with an error the record that was to be saved.
    public var perRecordCompletionBlock: ((CKRecord, (any Error)?) -> Void)?
    /// Older form of `modifyRecordsResultBlock`.
    public var modifyRecordsCompletionBlock: (([CKRecord]?, [CKRecord.ID]?, (any Error)?) -> Void)?

    public override init() { super.init() }
    /// Saves and deletes, in one request for each zone.
    public convenience init(recordsToSave: [CKRecord]? = nil, recordIDsToDelete: [CKRecord.ID]? = nil) {
        self.init()
        self.recordsToSave = recordsToSave
        self.recordIDsToDelete = recordIDsToDelete
    }

    override func begin() {
        guard let link else { return }
        if kept != nil {
            return ask(RecordMessages.Attach.name, .empty) { self.answered($0) { self.storedAnswer($0) } }
        }
        let requests = ModifyRequest.split(recordsToSave ?? [], recordIDsToDelete ?? [])
        guard let first = requests.first else { return end([], nil) }
        guard settings.isLongLived else { return send(requests[...], link, done: []) }
        guard requests.count == 1 else {
            return end(
                nil,
                CKError(.invalidArguments, message: "a long-lived operation must stay in one zone; make one for each"))
        }
        ask(RecordMessages.Modify.name, first.members(savePolicy, atomic: isAtomic)) {
            self.answered($0) { first.answer($0) }
        }
    }

    private func answered(_ answer: Result<Value, CKError>, _ read: (Value) -> ModifyAnswer) {
        switch answer {
        case .success(let value): end([read(value)], nil)
        case .failure(let error): end(nil, error)
        }
    }
    /// Zone by zone: the next one is sent when the one before is answered; a zone that fails does not stop the others.
    private func send(_ requests: ArraySlice<ModifyRequest>, _ link: CloudLink, done: [ModifyAnswer]) {
        guard let request = requests.first else { return end(done, nil) }
        link.ask(RecordMessages.Modify.name, request.members(savePolicy, atomic: isAtomic)) { answer in
            switch answer {
            case .success(let value): self.send(requests.dropFirst(), link, done: done + [request.answer(value)])
            case .failure(let error) where requests.count == 1 && done.isEmpty: self.end(nil, error)
            case .failure(let error): self.send(requests.dropFirst(), link, done: done + [request.failed(error)])
            }
        }
    }
    /// What was saved is known by the answer alone.
    private func storedAnswer(_ answer: Value) -> ModifyAnswer {
        let zone = answer["zone"]?.string ?? CKRecordZone.ID.defaultZoneName
        return ModifyAnswer(answer, saving: [], deleting: [], zoneID: CKRecordZone.ID(link: zone))
    }

    private func end(_ answers: [ModifyAnswer]?, _ error: CKError?) {
        finish {
            var (outcome, saved, deleted) = (OperationOutcome(error), [CKRecord](), [CKRecord.ID]())
            for answer in answers ?? [] where !isCancelled {
                for id in answer.savedIDs {
                    guard let result = answer.saveResults[id] else { continue }
                    outcome.add(id, result)
                    if let record = tell(id, result) { saved.append(record) }
                }
                for id in answer.deletedIDs {
                    guard let result = answer.deleteResults[id] else { continue }
                    outcome.add(id, result)
                    perRecordDeleteBlock?(id, result)
                    if case .success = result { deleted.append(id) }
                }
            }
            modifyRecordsResultBlock?(outcome.result(of: self))
            modifyRecordsCompletionBlock?(saved, deleted, outcome.error(of: self))
        }
    }
    /// - Returns: the record that was saved.
    private func tell(_ id: CKRecord.ID, _ result: Result<CKRecord, any Error>) -> CKRecord? {
        let (record, error) = result.parts
        if let record { perRecordProgressBlock?(record, 1) }
        perRecordSaveBlock?(id, result)
        if let block = perRecordCompletionBlock,
            let about = record ?? recordsToSave?.first(where: { $0.recordID == id })
        {
            block(about, error)
        }
        return record
    }
}
