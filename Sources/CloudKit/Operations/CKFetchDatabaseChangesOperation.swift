import Foundation
import PadApp

/// Fetches which zones of a database changed, page by page (cloudkit-framework.md 10).
open class CKFetchDatabaseChangesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// Where to begin; nil: at the beginning of the database.
    public var previousServerChangeToken: CKServerChangeToken?
    /// 0: as many as the service likes to give at once.
    public var resultsLimit = 0
    /// False: one page, and `moreComing` tells whether there is another.
    public var fetchAllChanges = true
    /// Something in the zone changed, or it is new. The zone's own changes take another operation.
    public var recordZoneWithIDChangedBlock: ((CKRecordZone.ID) -> Void)?
    /// The zone is gone. Also called for the two reasons below where they have no block.
    public var recordZoneWithIDWasDeletedBlock: ((CKRecordZone.ID) -> Void)?
    /// The person erased the app's data in Settings: delete what is kept of the zone, do not send it again (cloudkit-framework.md 3).
    public var recordZoneWithIDWasPurgedBlock: ((CKRecordZone.ID) -> Void)?
    /// The person reset the keys of encrypted data, and the zone went with them.
    public var recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock: ((CKRecordZone.ID) -> Void)?
    /// A page is complete: store the token once what came with it is durable.
    public var changeTokenUpdatedBlock: ((CKServerChangeToken) -> Void)?
    /// Called last, with the newest token; a failure carries none, so the last of `changeTokenUpdatedBlock` counts.
    public var fetchDatabaseChangesResultBlock:
        ((Result<(serverChangeToken: CKServerChangeToken, moreComing: Bool), any Error>) -> Void)?
    /// Older form of `fetchDatabaseChangesResultBlock`.
    public var fetchDatabaseChangesCompletionBlock: ((CKServerChangeToken?, Bool, (any Error)?) -> Void)?

    public override init() { super.init() }
    /// Fetches what changed since the token.
    public convenience init(previousServerChangeToken: CKServerChangeToken? = nil) {
        self.init()
        self.previousServerChangeToken = previousServerChangeToken
    }

    override func begin() { Task { await run() } }
    private func run() async {
        let result: Result<(serverChangeToken: CKServerChangeToken, moreComing: Bool), any Error>
        do {
            let last = try await pages()
            result = isCancelled ? .failure(Self.cancelled) : .success(last)
        } catch {
            result = .failure(isCancelled ? Self.cancelled : error)
        }
        finish {
            fetchDatabaseChangesResultBlock?(result)
            let (last, error) = result.parts
            fetchDatabaseChangesCompletionBlock?(last?.serverChangeToken, last?.moreComing ?? false, error)
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
