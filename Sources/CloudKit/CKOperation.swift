import Foundation
import PadApp

/// A request with settings and callbacks. It starts when it is added to a database or container; there are no queues.
open class CKOperation: @unchecked Sendable {
    public typealias ID = String

    public final class Configuration: @unchecked Sendable {
        /// The system goes on with the operation after the app is gone, and keeps its results for 24 h.
        public var isLongLived = false
        /// Kept for the app; scheduling by it is not modelled.
        public var qualityOfService = QualityOfService.default
        public init() {}
    }

    /// Names the operation for the system; unique for each operation of this person and app.
    public internal(set) lazy var operationID: ID = UUID().uuidString
    public var configuration: Configuration! = Configuration()
    public var isLongLived: Bool {
        get { configuration.isLongLived }
        set { configuration.isLongLived = newValue }
    }
    public var qualityOfService: QualityOfService {
        get { configuration.qualityOfService }
        set { configuration.qualityOfService = newValue }
    }
    /// The system has taken the operation over: from now on it goes on without the app.
    public var longLivedOperationWasPersistedBlock: (() -> Void)?
    /// Called last.
    public var completionBlock: (() -> Void)?
    public private(set) var isCancelled = false
    public private(set) var isFinished = false

    public init() {}

    /// The answer is not waited for any more; what was sent may still happen.
    public func cancel() { isCancelled = true }

    func start() {}
    /// Ends the operation once; false when it has ended already.
    func finish(_ callbacks: () -> Void) {
        guard !isFinished else { return }
        isFinished = true
        callbacks()
        completionBlock?()
    }
}

/// An operation on one database.
open class CKDatabaseOperation: CKOperation, @unchecked Sendable {
    public var database: CKDatabase?
}

/// Saves and deletes records, with a save policy, in one commit where the zone can do that.
///
/// A long-lived operation must stay within one zone here, and within 200 items when atomic.
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

    public var recordsToSave: [CKRecord]?
    public var recordIDsToDelete: [CKRecord.ID]?
    public var savePolicy = RecordSavePolicy.ifServerRecordUnchanged
    public var isAtomic = true
    public var perRecordSaveBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
    public var perRecordDeleteBlock: ((CKRecord.ID, Result<Void, any Error>) -> Void)?
    public var modifyRecordsResultBlock: ((Result<Void, any Error>) -> Void)?
    /// Taken up from an earlier launch: ask for the stored results instead of sending.
    var isAttached = false

    public init(recordsToSave: [CKRecord]? = nil, recordIDsToDelete: [CKRecord.ID]? = nil) {
        self.recordsToSave = recordsToSave
        self.recordIDsToDelete = recordIDsToDelete
    }

    override func start() {
        guard !isCancelled else { return end(nil, CKError(.operationCancelled, message: "cancelled before it began")) }
        guard let link = database?.link else { return }
        if isAttached {
            return link.ask("ck.attach", op: operationID) { self.answered($0) { self.storedAnswer($0) } }
        }
        let requests = ModifyRequest.split(recordsToSave ?? [], recordIDsToDelete ?? [])
        guard !requests.isEmpty else { return end([], nil) }
        if isLongLived { startLongLived(requests, link) } else { send(requests[...], link, done: []) }
    }

    private func startLongLived(_ requests: [ModifyRequest], _ link: CloudLink) {
        guard requests.count == 1, let request = requests.first else {
            return end(
                nil,
                CKError(.invalidArguments, message: "a long-lived operation must stay in one zone; make one for each"))
        }
        link.ask("ck.modify", request.members(savePolicy, atomic: isAtomic), op: operationID, longLived: true) {
            answer in
            self.answered(answer) { request.answer($0) }
        }
        // A call reaches the Pad after what was posted before: once it is answered, the journal has the operation.
        if let persisted = longLivedOperationWasPersistedBlock,
            !CloudLink.longLivedOperations(named: operationID).isEmpty
        {
            persisted()
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
        link.ask("ck.modify", request.members(savePolicy, atomic: isAtomic)) { answer in
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
        return ModifyAnswer(answer, saving: [], deleting: [], zoneID: CKRecordZone.ID(zoneName: zone))
    }

    private func end(_ answers: [ModifyAnswer]?, _ error: CKError?) {
        finish {
            guard !isCancelled else {
                modifyRecordsResultBlock?(
                    .failure(CKError(.operationCancelled, message: "cancelled; what was sent may have happened")))
                return
            }
            var errors: [AnyHashable: any Error] = [:]
            for answer in answers ?? [] {
                for id in answer.savedIDs { if let result = answer.saveResults[id] { perRecordSaveBlock?(id, result) } }
                for id in answer.deletedIDs {
                    if let result = answer.deleteResults[id] { perRecordDeleteBlock?(id, result) }
                }
                errors.merge(answer.partialError?.partialErrorsByItemID ?? [:]) { a, _ in a }
            }
            let failure = error ?? (errors.isEmpty ? nil : .partial(errors))
            modifyRecordsResultBlock?(failure.map { .failure($0) } ?? .success(()))
        }
    }
}

/// Fetches what changed in zones, page by page, until nothing more comes.
open class CKFetchRecordZoneChangesOperation: CKDatabaseOperation, @unchecked Sendable {
    public struct ZoneConfiguration: Sendable {
        public var previousServerChangeToken: CKServerChangeToken?
        public var resultsLimit: Int?
        public init(previousServerChangeToken: CKServerChangeToken? = nil, resultsLimit: Int? = nil) {
            self.previousServerChangeToken = previousServerChangeToken
            self.resultsLimit = resultsLimit
        }
    }

    public var recordZoneIDs: [CKRecordZone.ID]?
    public var configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]?
    public var recordWasChangedBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
    public var recordWithIDWasDeletedBlock: ((CKRecord.ID, CKRecord.RecordType) -> Void)?
    /// A page is complete: store the token once its changes are durable.
    public var recordZoneChangeTokensUpdatedBlock: ((CKRecordZone.ID, CKServerChangeToken?, Data?) -> Void)?
    public var recordZoneFetchResultBlock:
        (
            (
                CKRecordZone.ID,
                Result<
                    (serverChangeToken: CKServerChangeToken, clientChangeTokenData: Data?, moreComing: Bool), any Error
                >
            ) -> Void
        )?
    public var fetchRecordZoneChangesResultBlock: ((Result<Void, any Error>) -> Void)?

    public init(
        recordZoneIDs: [CKRecordZone.ID]? = nil,
        configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]? = nil
    ) {
        self.recordZoneIDs = recordZoneIDs
        self.configurationsByRecordZoneID = configurationsByRecordZoneID
    }

    override func start() {
        Task { await run() }
    }
    private func run() async {
        var errors: [AnyHashable: any Error] = [:]
        for zoneID in recordZoneIDs ?? [] where !isCancelled {
            do { try await fetch(zoneID) } catch {
                errors[zoneID] = error
                recordZoneFetchResultBlock?(zoneID, .failure(error))
            }
        }
        finish {
            let cancelled = CKError(.operationCancelled, message: "cancelled; tokens that were given are good")
            let failure: CKError? = isCancelled ? cancelled : errors.isEmpty ? nil : .partial(errors)
            fetchRecordZoneChangesResultBlock?(failure.map { .failure($0) } ?? .success(()))
        }
    }
    private func fetch(_ zoneID: CKRecordZone.ID) async throws {
        guard let database else { return }
        let settings = configurationsByRecordZoneID?[zoneID]
        var token = settings?.previousServerChangeToken
        while true {
            let page = try await database.zoneChangesPage(zoneID, since: token, resultsLimit: settings?.resultsLimit)
            token = page.token
            for record in page.records { recordWasChangedBlock?(record.recordID, .success(record)) }
            for gone in page.deletions { recordWithIDWasDeletedBlock?(gone.recordID, gone.recordType) }
            guard page.moreComing, !isCancelled else {
                recordZoneFetchResultBlock?(zoneID, .success((page.token, nil, page.moreComing)))
                return
            }
            recordZoneChangeTokensUpdatedBlock?(zoneID, page.token, nil)
        }
    }
}
