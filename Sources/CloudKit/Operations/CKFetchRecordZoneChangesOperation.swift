import Foundation
import PadApp

/// Fetches what changed in zones, page by page, until nothing more comes.
open class CKFetchRecordZoneChangesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// From where and how much of a zone is fetched.
    public final class ZoneConfiguration: NSObject, NSCopying, @unchecked Sendable {
        /// Where to begin; nil: at the beginning of the zone.
        public var previousServerChangeToken: CKServerChangeToken?
        /// 0: as many as the service likes to give at once.
        public var resultsLimit = 0
        /// Fields to fetch; nil: all of them, none: metadata alone.
        public var desiredKeys: [CKRecord.FieldKey]?
        public override init() {}
        /// 0 for no `resultsLimit`: as many as the service likes.
        public convenience init(
            previousServerChangeToken: CKServerChangeToken? = nil, resultsLimit: Int? = nil,
            desiredKeys: [CKRecord.FieldKey]? = nil
        ) {
            self.init()
            self.previousServerChangeToken = previousServerChangeToken
            self.resultsLimit = resultsLimit ?? 0
            self.desiredKeys = desiredKeys
        }
        public override var hash: Int { resultsLimit }
        public override var description: String {
            "<ZoneConfiguration: since \(previousServerChangeToken?.text ?? "-")>"
        }
        /// A configuration of its own with the same values.
        public func copy(with zone: NSZone? = nil) -> Any {
            ZoneConfiguration(
                previousServerChangeToken: previousServerChangeToken, resultsLimit: resultsLimit,
                desiredKeys: desiredKeys)
        }
    }
    /// The older name.
    public typealias ZoneOptions = ZoneConfiguration

    /// Zones to fetch, in this order; nil: none.
    public var recordZoneIDs: [CKRecordZone.ID]?
    /// A zone that is missing here is fetched whole, from its beginning.
    public var configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]?
    /// False: one page of each zone, and `moreComing` tells whether there is another.
    public var fetchAllChanges = true
    /// Called for each record that is new or changed, in the server's order. Always a success here: a zone fails as a whole.
    public var recordWasChangedBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
    /// Called for each record that is gone.
    public var recordWithIDWasDeletedBlock: ((CKRecord.ID, CKRecord.RecordType) -> Void)?
    /// A page is complete: store the token once its changes are durable.
    public var recordZoneChangeTokensUpdatedBlock: ((CKRecordZone.ID, CKServerChangeToken?, Data?) -> Void)?
    /// A zone is through: its newest token, or its error. `changeTokenExpired`: begin with nil and reconcile what the app keeps.
    public var recordZoneFetchResultBlock:
        (
            (
                CKRecordZone.ID,
                Result<
                    (serverChangeToken: CKServerChangeToken, clientChangeTokenData: Data?, moreComing: Bool), any Error
                >
            ) -> Void
        )?
    /// Called last. A `partialFailure` says which zones failed; the others are through.
    public var fetchRecordZoneChangesResultBlock: ((Result<Void, any Error>) -> Void)?
    /// Older form of `recordWasChangedBlock`.
    public var recordChangedBlock: ((CKRecord) -> Void)?
    /// Older form of `recordZoneFetchResultBlock`: zone, token, the client's own data, whether more is coming, error.
    public var recordZoneFetchCompletionBlock:
        ((CKRecordZone.ID, CKServerChangeToken?, Data?, Bool, (any Error)?) -> Void)?
    /// Older form of `fetchRecordZoneChangesResultBlock`.
    public var fetchRecordZoneChangesCompletionBlock: (((any Error)?) -> Void)?
    /// Older name of `configurationsByRecordZoneID`.
    public var optionsByRecordZoneID: [CKRecordZone.ID: ZoneOptions]? {
        get { configurationsByRecordZoneID }
        set { configurationsByRecordZoneID = newValue }
    }

    public override init() { super.init() }
    /// Fetches the zones' changes, each since its token.
    public convenience init(
        recordZoneIDs: [CKRecordZone.ID]? = nil,
        configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]? = nil
    ) {
        self.init()
        self.recordZoneIDs = recordZoneIDs
        self.configurationsByRecordZoneID = configurationsByRecordZoneID
    }
    /// The same by the older name.
    public convenience init(
        recordZoneIDs: [CKRecordZone.ID], optionsByRecordZoneID: [CKRecordZone.ID: ZoneOptions]?
    ) { self.init(recordZoneIDs: recordZoneIDs, configurationsByRecordZoneID: optionsByRecordZoneID) }

    override func begin() { Task { await run() } }
    private func run() async {
        var outcome = OperationOutcome()
        for zoneID in recordZoneIDs ?? [] where !isCancelled {
            do { try await fetch(zoneID) } catch {
                outcome.add(zoneID, Result<Void, any Error>.failure(error))
                ended(zoneID, .failure(error))
            }
        }
        finish {
            fetchRecordZoneChangesResultBlock?(outcome.result(of: self))
            fetchRecordZoneChangesCompletionBlock?(outcome.error(of: self))
        }
    }
    private func fetch(_ zoneID: CKRecordZone.ID) async throws {
        guard let database, let link else { return }
        let settings = configurationsByRecordZoneID?[zoneID]
        let limit = settings.flatMap { $0.resultsLimit > 0 ? $0.resultsLimit : nil }
        var token = settings?.previousServerChangeToken
        while true {
            let page = try await database.zoneChangesPage(
                zoneID, since: token, desiredKeys: settings?.desiredKeys, resultsLimit: limit, by: link)
            token = page.token
            for record in page.records {
                recordWasChangedBlock?(record.recordID, .success(record))
                recordChangedBlock?(record)
            }
            for gone in page.deletions { recordWithIDWasDeletedBlock?(gone.recordID, gone.recordType) }
            guard page.moreComing, fetchAllChanges, !isCancelled else {
                return ended(zoneID, .success((page.token, nil, page.moreComing)))
            }
            recordZoneChangeTokensUpdatedBlock?(zoneID, page.token, nil)
        }
    }
    private func ended(
        _ zoneID: CKRecordZone.ID,
        _ result: Result<
            (serverChangeToken: CKServerChangeToken, clientChangeTokenData: Data?, moreComing: Bool), any Error
        >
    ) {
        recordZoneFetchResultBlock?(zoneID, result)
        let (last, error) = result.parts
        recordZoneFetchCompletionBlock?(
            zoneID, last?.serverChangeToken, last?.clientChangeTokenData, last?.moreComing ?? false, error)
    }
}

/// The oldest way to fetch the changes of one zone, which Apple has deprecated; what it does is
/// `CKFetchRecordZoneChangesOperation` with one page.
open class CKFetchRecordChangesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The zone to fetch; nil: the default zone, which has no changes to fetch.
    public var recordZoneID: CKRecordZone.ID?
    /// Where to begin; nil: at the beginning of the zone.
    public var previousServerChangeToken: CKServerChangeToken?
    /// Fields to fetch; nil: all of them, none: metadata alone.
    public var desiredKeys: [String]?
    /// 0: as many as the service likes to give at once.
    public var resultsLimit = 0
    /// Called for each record that is new or changed, in the server's order.
    public var recordChangedBlock: ((CKRecord) -> Void)?
    /// Called for each record that is gone.
    public var recordWithIDWasDeletedBlock: ((CKRecord.ID) -> Void)?
    /// Called last: the newest token, nil, and no error; or nothing but an error.
    public var fetchRecordChangesCompletionBlock: ((CKServerChangeToken?, Data?, (any Error)?) -> Void)?
    /// After the last block: whether another operation has to fetch the rest.
    public private(set) var moreComing = false

    public override init() { super.init() }
    /// Fetches one page of the zone's changes since the token.
    public convenience init(recordZoneID: CKRecordZone.ID, previousServerChangeToken: CKServerChangeToken?) {
        self.init()
        self.recordZoneID = recordZoneID
        self.previousServerChangeToken = previousServerChangeToken
    }

    override func begin() {
        guard let database, let link else { return }
        Task {
            do {
                let page = try await database.zoneChangesPage(
                    recordZoneID ?? .default, since: previousServerChangeToken, desiredKeys: desiredKeys,
                    resultsLimit: resultsLimit > 0 ? resultsLimit : nil, by: link)
                for record in page.records { recordChangedBlock?(record) }
                for gone in page.deletions { recordWithIDWasDeletedBlock?(gone.recordID) }
                moreComing = page.moreComing
                finish { fetchRecordChangesCompletionBlock?(page.token, nil, nil) }
            } catch {
                finish { fetchRecordChangesCompletionBlock?(nil, nil, error) }
            }
        }
    }
}
