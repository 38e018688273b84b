import Foundation
import PadApp

/// Makes and deletes custom zones.
open class CKModifyRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// Zones to make; nil: none. One that is there already is no error.
    public var recordZonesToSave: [CKRecordZone]?
    /// Zones to delete with all their records; nil: none.
    public var recordZoneIDsToDelete: [CKRecordZone.ID]?
    /// Called for each zone that was to be made.
    public var perRecordZoneSaveBlock: ((CKRecordZone.ID, Result<CKRecordZone, any Error>) -> Void)?
    /// Called for each zone that was to be deleted.
    public var perRecordZoneDeleteBlock: ((CKRecordZone.ID, Result<Void, any Error>) -> Void)?
    /// Called last. A `partialFailure` says which zones failed; the others are done.
    public var modifyRecordZonesResultBlock: ((Result<Void, any Error>) -> Void)?
    /// Older form of `modifyRecordZonesResultBlock`.
    public var modifyRecordZonesCompletionBlock: (([CKRecordZone]?, [CKRecordZone.ID]?, (any Error)?) -> Void)?

    public override init() { super.init() }
    /// Makes and deletes zones in one request.
    public convenience init(recordZonesToSave: [CKRecordZone]? = nil, recordZoneIDsToDelete: [CKRecordZone.ID]? = nil) {
        self.init()
        self.recordZonesToSave = recordZonesToSave
        self.recordZoneIDsToDelete = recordZoneIDsToDelete
    }

    override func begin() {
        guard let database, let link else { return }
        let (saves, deletes) = (recordZonesToSave ?? [], recordZoneIDsToDelete ?? [])
        Task {
            var (outcome, saved, deleted) = (OperationOutcome(), [CKRecordZone](), [CKRecordZone.ID]())
            do {
                let results = try await database.modifyRecordZones(saving: saves, deleting: deletes, by: link)
                for zone in saves where !isCancelled {
                    guard let result = results.saveResults[zone.zoneID] else { continue }
                    outcome.add(zone.zoneID, result)
                    perRecordZoneSaveBlock?(zone.zoneID, result)
                    if let zone = result.parts.value { saved.append(zone) }
                }
                for id in deletes where !isCancelled {
                    guard let result = results.deleteResults[id] else { continue }
                    outcome.add(id, result)
                    perRecordZoneDeleteBlock?(id, result)
                    if case .success = result { deleted.append(id) }
                }
            } catch { outcome.fail(error) }
            finish {
                modifyRecordZonesResultBlock?(outcome.result(of: self))
                modifyRecordZonesCompletionBlock?(saved, deleted, outcome.error(of: self))
            }
        }
    }
}

/// Fetches zones by name, or all of a database.
open class CKFetchRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// Nil: all zones.
    public var recordZoneIDs: [CKRecordZone.ID]?
    /// Called for each zone in the order of `recordZoneIDs`, else by name; `zoneNotFound` for one that does not exist.
    public var perRecordZoneResultBlock: ((CKRecordZone.ID, Result<CKRecordZone, any Error>) -> Void)?
    /// Called last. A `partialFailure` says which zones failed.
    public var fetchRecordZonesResultBlock: ((Result<Void, any Error>) -> Void)?
    /// Older form of `fetchRecordZonesResultBlock`.
    public var fetchRecordZonesCompletionBlock: (([CKRecordZone.ID: CKRecordZone]?, (any Error)?) -> Void)?

    public required override init() { super.init() }
    /// Fetches these zones; nil: all.
    public convenience init(recordZoneIDs: [CKRecordZone.ID]? = nil) {
        self.init()
        self.recordZoneIDs = recordZoneIDs
    }
    /// Fetches all zones of the database.
    public class func fetchAllRecordZonesOperation() -> Self { self.init() }

    override func begin() {
        guard let database, let link else { return }
        guard recordZoneIDs?.isEmpty != true else { return end(OperationOutcome(), [:]) }
        Task {
            var (outcome, zones) = (OperationOutcome(), [CKRecordZone.ID: CKRecordZone]())
            do {
                let found = try await database.zones(recordZoneIDs ?? [], by: link)
                for id in recordZoneIDs ?? found.keys.sorted(by: { $0.link < $1.link }) where !isCancelled {
                    guard let result = found[id] else { continue }
                    outcome.add(id, result)
                    perRecordZoneResultBlock?(id, result)
                    zones[id] = result.parts.value
                }
            } catch { outcome.fail(error) }
            end(outcome, zones)
        }
    }
    private func end(_ outcome: OperationOutcome, _ zones: [CKRecordZone.ID: CKRecordZone]) {
        finish {
            fetchRecordZonesResultBlock?(outcome.result(of: self))
            fetchRecordZonesCompletionBlock?(zones, outcome.error(of: self))
        }
    }
}
