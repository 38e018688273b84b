import Foundation
import PadApp

/// Makes and deletes custom zones.
open class CKModifyRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
    public var recordZonesToSave: [CKRecordZone]?
    public var recordZoneIDsToDelete: [CKRecordZone.ID]?
    public var perRecordZoneSaveBlock: ((CKRecordZone.ID, Result<CKRecordZone, any Error>) -> Void)?
    public var perRecordZoneDeleteBlock: ((CKRecordZone.ID, Result<Void, any Error>) -> Void)?
    public var modifyRecordZonesResultBlock: ((Result<Void, any Error>) -> Void)?

    public init(recordZonesToSave: [CKRecordZone]? = nil, recordZoneIDsToDelete: [CKRecordZone.ID]? = nil) {
        self.recordZonesToSave = recordZonesToSave
        self.recordZoneIDsToDelete = recordZoneIDsToDelete
    }

    override func start() {
        guard let database, let link else { return }
        let (saves, deletes) = (recordZonesToSave ?? [], recordZoneIDsToDelete ?? [])
        Task {
            var (errors, failure): ([AnyHashable: any Error], (any Error)?) = ([:], nil)
            do {
                let results = try await database.modifyRecordZones(saving: saves, deleting: deletes, by: link)
                for zone in saves where !isCancelled {
                    guard let result = results.saveResults[zone.zoneID] else { continue }
                    if case .failure(let error) = result { errors[zone.zoneID] = error }
                    perRecordZoneSaveBlock?(zone.zoneID, result)
                }
                for id in deletes where !isCancelled {
                    guard let result = results.deleteResults[id] else { continue }
                    if case .failure(let error) = result { errors[id] = error }
                    perRecordZoneDeleteBlock?(id, result)
                }
            } catch { failure = error }
            finish {
                modifyRecordZonesResultBlock?(result(failure ?? (errors.isEmpty ? nil : CKError.partial(errors))))
            }
        }
    }
}

/// Fetches zones by name, or all of a database.
open class CKFetchRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// Nil: all zones.
    public var recordZoneIDs: [CKRecordZone.ID]?
    public var perRecordZoneResultBlock: ((CKRecordZone.ID, Result<CKRecordZone, any Error>) -> Void)?
    public var fetchRecordZonesResultBlock: ((Result<Void, any Error>) -> Void)?

    public init(recordZoneIDs: [CKRecordZone.ID]? = nil) { self.recordZoneIDs = recordZoneIDs }
    public class func fetchAllRecordZonesOperation() -> CKFetchRecordZonesOperation { CKFetchRecordZonesOperation() }

    override func start() {
        guard let database, let link else { return }
        if recordZoneIDs?.isEmpty == true { return finish { fetchRecordZonesResultBlock?(result(nil)) } }
        Task {
            var (errors, failure): ([AnyHashable: any Error], (any Error)?) = ([:], nil)
            do {
                let found = try await database.zones(recordZoneIDs ?? [], by: link)
                for id in recordZoneIDs ?? found.keys.sorted(by: { $0.zoneName < $1.zoneName }) where !isCancelled {
                    guard let result = found[id] else { continue }
                    if case .failure(let error) = result { errors[id] = error }
                    perRecordZoneResultBlock?(id, result)
                }
            } catch { failure = error }
            finish { fetchRecordZonesResultBlock?(result(failure ?? (errors.isEmpty ? nil : CKError.partial(errors)))) }
        }
    }
}
