import Foundation
import PadApp

/// Fetches which zones of a database changed, page by page (cloudkit-framework.md 10).
open class CKFetchDatabaseChangesOperation: CKDatabaseOperation, @unchecked Sendable {
    public var previousServerChangeToken: CKServerChangeToken?
    /// 0: as many as the service likes to give at once.
    public var resultsLimit = 0
    /// False: one page, and `moreComing` tells whether there is another.
    public var fetchAllChanges = true
    public var recordZoneWithIDChangedBlock: ((CKRecordZone.ID) -> Void)?
    public var recordZoneWithIDWasDeletedBlock: ((CKRecordZone.ID) -> Void)?
    /// The person erased the app's data in Settings: delete what is kept of the zone, do not send it again (cloudkit-framework.md 3).
    public var recordZoneWithIDWasPurgedBlock: ((CKRecordZone.ID) -> Void)?
    public var recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock: ((CKRecordZone.ID) -> Void)?
    /// A page is complete: store the token once what came with it is durable.
    public var changeTokenUpdatedBlock: ((CKServerChangeToken) -> Void)?
    public var fetchDatabaseChangesResultBlock:
        ((Result<(serverChangeToken: CKServerChangeToken, moreComing: Bool), any Error>) -> Void)?

    public init(previousServerChangeToken: CKServerChangeToken? = nil) {
        self.previousServerChangeToken = previousServerChangeToken
    }

    override func start() { Task { await run() } }
    private func run() async {
        do {
            let last = try await pages()
            finish { fetchDatabaseChangesResultBlock?(isCancelled ? .failure(Self.cancelled) : .success(last)) }
        } catch {
            finish { fetchDatabaseChangesResultBlock?(.failure(isCancelled ? Self.cancelled : error)) }
        }
    }
    private func pages() async throws -> (serverChangeToken: CKServerChangeToken, moreComing: Bool) {
        guard let database, let link else { throw CKError(.internalError, message: "the operation has no database") }
        var token = previousServerChangeToken
        while !isCancelled {
            let page = try await database.databaseChanges(
                since: token, resultsLimit: resultsLimit > 0 ? resultsLimit : nil, by: link)
            token = page.changeToken
            for change in page.modifications { recordZoneWithIDChangedBlock?(change.zoneID) }
            for deletion in page.deletions { tell(deletion) }
            changeTokenUpdatedBlock?(page.changeToken)
            guard page.moreComing, fetchAllChanges else { return (page.changeToken, page.moreComing) }
        }
        throw Self.cancelled
    }
    private func tell(_ deletion: CKDatabase.DatabaseChange.Deletion) {
        switch deletion.reason {
        case .purged: (recordZoneWithIDWasPurgedBlock ?? recordZoneWithIDWasDeletedBlock)?(deletion.zoneID)
        case .encryptedDataReset:
            (recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock ?? recordZoneWithIDWasDeletedBlock)?(
                deletion.zoneID)
        case .deleted: recordZoneWithIDWasDeletedBlock?(deletion.zoneID)
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
    /// False: one page of each zone, and `moreComing` tells whether there is another.
    public var fetchAllChanges = true
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

    override func start() { Task { await run() } }
    private func run() async {
        var errors: [AnyHashable: any Error] = [:]
        for zoneID in recordZoneIDs ?? [] where !isCancelled {
            do { try await fetch(zoneID) } catch {
                errors[zoneID] = error
                recordZoneFetchResultBlock?(zoneID, .failure(error))
            }
        }
        finish { fetchRecordZoneChangesResultBlock?(result(errors.isEmpty ? nil : CKError.partial(errors))) }
    }
    private func fetch(_ zoneID: CKRecordZone.ID) async throws {
        guard let database, let link else { return }
        let settings = configurationsByRecordZoneID?[zoneID]
        var token = settings?.previousServerChangeToken
        while true {
            let page = try await database.zoneChangesPage(
                zoneID, since: token, resultsLimit: settings?.resultsLimit, by: link)
            token = page.token
            for record in page.records { recordWasChangedBlock?(record.recordID, .success(record)) }
            for gone in page.deletions { recordWithIDWasDeletedBlock?(gone.recordID, gone.recordType) }
            guard page.moreComing, fetchAllChanges, !isCancelled else {
                recordZoneFetchResultBlock?(zoneID, .success((page.token, nil, page.moreComing)))
                return
            }
            recordZoneChangeTokensUpdatedBlock?(zoneID, page.token, nil)
        }
    }
}
