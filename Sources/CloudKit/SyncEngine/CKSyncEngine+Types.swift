import PadApp

extension CKSyncEngine {
    /// Why an engine syncs. Source: CKSyncEngine.SyncReason.
    public enum SyncReason: Hashable, Sendable {
        /// The engine acts by itself: a push, a change of the app's, an app that comes to the screen, a retry.
        case scheduled
        /// The app called `fetchChanges` or `sendChanges`.
        case manual
    }

    /// A change of a zone that is to be sent.
    public enum PendingDatabaseChange: Hashable, Sendable {
        /// Makes the zone; one that is there already is no error.
        case saveZone(CKRecordZone)
        /// Deletes the zone and its records.
        case deleteZone(CKRecordZone.ID)

        var zoneID: CKRecordZone.ID {
            switch self {
            case .saveZone(let zone): zone.zoneID
            case .deleteZone(let id): id
            }
        }
    }
    /// A change of a record that is to be sent: its name alone, the record is asked for when it is sent.
    public enum PendingRecordZoneChange: Hashable, Sendable {
        /// Saves the record as the batch has it then.
        case saveRecord(CKRecord.ID)
        /// Deletes the record, whatever its tag.
        case deleteRecord(CKRecord.ID)

        var recordID: CKRecord.ID {
            switch self {
            case .saveRecord(let id), .deleteRecord(let id): id
            }
        }
    }

    /// What a fetch is about.
    public struct FetchChangesOptions: Sendable {
        /// Which zones.
        public enum Scope: Hashable, Sendable {
            /// Every zone.
            case all
            /// Every zone but these.
            case allExcluding([CKRecordZone.ID])
            /// These zones only.
            case zoneIDs([CKRecordZone.ID])

            /// Whether the zone is meant.
            public func contains(_ zoneID: CKRecordZone.ID) -> Bool {
                switch self {
                case .all: true
                case .allExcluding(let ids): !ids.contains(zoneID)
                case .zoneIDs(let ids): ids.contains(zoneID)
                }
            }
        }
        /// Which zones are fetched; those that did not change are left out.
        public var scope: Scope
        /// Settings of the requests.
        public var operationGroup: CKOperationGroup
        /// Zones that are fetched before the others.
        public var prioritizedZoneIDs: [CKRecordZone.ID] = []

        /// All zones unless said otherwise, with the settings of the engine's database.
        public init(scope: Scope = .all, operationGroup: CKOperationGroup? = nil) {
            self.scope = scope
            self.operationGroup = operationGroup ?? CKOperationGroup()
        }
    }
    /// What a fetch is about, for the delegate.
    public struct FetchChangesContext: Sendable {
        /// Why it happens.
        public let reason: SyncReason
        /// What was asked for; for a scheduled fetch the defaults.
        public let options: FetchChangesOptions
    }

    /// What a send is about.
    public struct SendChangesOptions: Sendable {
        /// Which records and zones.
        public enum Scope: Hashable, Sendable {
            /// Every change.
            case all
            /// Every change but those in these zones.
            case allExcluding([CKRecordZone.ID])
            /// Changes in these zones only.
            case zoneIDs([CKRecordZone.ID])
            /// Changes of these records only, and no zones (ASSUMED).
            case recordIDs([CKRecord.ID])

            /// Whether a change of the record is meant.
            public func contains(_ recordID: CKRecord.ID) -> Bool {
                if case .recordIDs(let ids) = self { return ids.contains(recordID) }
                return contains(zoneID: recordID.zoneID)
            }
            /// Whether the change is meant: filter the pending changes by it.
            public func contains(_ pendingRecordZoneChange: PendingRecordZoneChange) -> Bool {
                contains(pendingRecordZoneChange.recordID)
            }
            /// Of zones that are made or deleted. With single records zones are not meant (ASSUMED).
            func contains(zoneID: CKRecordZone.ID) -> Bool {
                switch self {
                case .all: true
                case .allExcluding(let ids): !ids.contains(zoneID)
                case .zoneIDs(let ids): ids.contains(zoneID)
                case .recordIDs: false
                }
            }
        }
        /// Which changes are sent; the others stay pending.
        public var scope: Scope
        /// Settings of the requests.
        public var operationGroup: CKOperationGroup

        /// All changes unless said otherwise, with the settings of the engine's database.
        public init(scope: Scope = .all, operationGroup: CKOperationGroup? = nil) {
            self.scope = scope
            self.operationGroup = operationGroup ?? CKOperationGroup()
        }
    }
    /// What a send is about, for the delegate.
    public struct SendChangesContext: Sendable {
        /// Why it happens.
        public let reason: SyncReason
        /// What was asked for; give changes of its scope only.
        public let options: SendChangesOptions
    }

    /// Records that go out in one request for each of their zones.
    public struct RecordZoneChangeBatch: Sendable {
        /// Saved if the server's record has not changed.
        public var recordsToSave: [CKRecord]
        /// Deleted whatever their tags.
        public var recordIDsToDelete: [CKRecord.ID]
        /// Whether in each zone all of it happens or nothing.
        public var atomicByZone: Bool

        /// Takes the records as they are, even more than the service takes at once (`limitExceeded`).
        public init(
            recordsToSave: [CKRecord] = [], recordIDsToDelete: [CKRecord.ID] = [], atomicByZone: Bool = false
        ) {
            self.recordsToSave = recordsToSave
            self.recordIDsToDelete = recordIDsToDelete
            self.atomicByZone = atomicByZone
        }
        /// As many of the changes, in their order, as one request takes. A save for which there is no record is left out.
        /// - Returns: nil when nothing is to be sent.
        public init?(
            pendingChanges: [PendingRecordZoneChange],
            recordProvider: @Sendable (CKRecord.ID) async -> CKRecord?
        ) async {
            self.init()
            var bytes = 0
            for change in pendingChanges {
                guard recordsToSave.count + recordIDsToDelete.count < Self.itemsMax, bytes < Self.bytesMax else {
                    break
                }
                switch change {
                case .deleteRecord(let id): recordIDsToDelete.append(id)
                case .saveRecord(let id):
                    guard let record = await recordProvider(id) else { continue }
                    let size = record.saved(allFields: false).encoded.count
                    guard recordsToSave.isEmpty || bytes + size <= Self.bytesMax else { return }
                    bytes += size
                    recordsToSave.append(record)
                }
            }
            if recordsToSave.isEmpty, recordIDsToDelete.isEmpty { return nil }
        }
        /// Below the service's limits (cloudkit-framework.md 9); how far below is ASSUMED.
        static let itemsMax = 200
        static let bytesMax = 1_000_000

        var changes: [PendingRecordZoneChange] {
            recordsToSave.map { .saveRecord($0.recordID) } + recordIDsToDelete.map { .deleteRecord($0) }
        }
    }
}

/// The older names of what an engine says.
public typealias CKSyncEngineZoneDeletionReason = CKDatabase.DatabaseChange.Deletion.Reason
/// The older name.
public typealias CKSyncEngineSyncReason = CKSyncEngine.SyncReason
