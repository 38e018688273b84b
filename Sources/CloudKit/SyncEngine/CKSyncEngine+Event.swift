extension CKSyncEngine {
    /// What an engine tells its delegate, one after the other (cloudkit-framework.md 17).
    public enum Event: Sendable, CustomStringConvertible {
        case stateUpdate(StateUpdate)
        case accountChange(AccountChange)
        case fetchedDatabaseChanges(FetchedDatabaseChanges)
        case fetchedRecordZoneChanges(FetchedRecordZoneChanges)
        case sentDatabaseChanges(SentDatabaseChanges)
        case sentRecordZoneChanges(SentRecordZoneChanges)
        case willFetchChanges(WillFetchChanges)
        case willFetchRecordZoneChanges(WillFetchRecordZoneChanges)
        case didFetchRecordZoneChanges(DidFetchRecordZoneChanges)
        case didFetchChanges(DidFetchChanges)
        case willSendChanges(WillSendChanges)
        case didSendChanges(DidSendChanges)

        /// The state is another: store it at once, with what came before it.
        public struct StateUpdate: Sendable { public let stateSerialization: State.Serialization }
        public struct AccountChange: Sendable {
            public enum ChangeType: Hashable, Sendable {
                case signIn(currentUser: CKRecord.ID)
                case signOut(previousUser: CKRecord.ID)
                case switchAccounts(previousUser: CKRecord.ID, currentUser: CKRecord.ID)
            }
            public let changeType: ChangeType
        }
        public struct FetchedDatabaseChanges: Sendable {
            public let modifications: [CKDatabase.DatabaseChange.Modification]
            public let deletions: [CKDatabase.DatabaseChange.Deletion]
        }
        public struct FetchedRecordZoneChanges: Sendable {
            public let modifications: [CKDatabase.RecordZoneChange.Modification]
            public let deletions: [CKDatabase.RecordZoneChange.Deletion]
        }
        public struct SentDatabaseChanges: Sendable {
            public struct FailedZoneSave: Sendable {
                public let zone: CKRecordZone
                public let error: CKError
            }
            public internal(set) var savedZones: [CKRecordZone] = []
            public internal(set) var failedZoneSaves: [FailedZoneSave] = []
            public internal(set) var deletedZoneIDs: [CKRecordZone.ID] = []
            public internal(set) var failedZoneDeletes: [CKRecordZone.ID: CKError] = [:]
        }
        public struct SentRecordZoneChanges: Sendable {
            public struct FailedRecordSave: Sendable {
                public let record: CKRecord
                public let error: CKError
            }
            /// As the server has them now: keep their system fields for the next save.
            public internal(set) var savedRecords: [CKRecord] = []
            public internal(set) var failedRecordSaves: [FailedRecordSave] = []
            public internal(set) var deletedRecordIDs: [CKRecord.ID] = []
            public internal(set) var failedRecordDeletes: [CKRecord.ID: CKError] = [:]
        }
        public struct WillFetchChanges: Sendable { public let context: FetchChangesContext }
        public struct WillFetchRecordZoneChanges: Sendable { public let zoneID: CKRecordZone.ID }
        public struct DidFetchRecordZoneChanges: Sendable {
            public let zoneID: CKRecordZone.ID
            public let error: CKError?
        }
        public struct DidFetchChanges: Sendable { public let context: FetchChangesContext }
        public struct WillSendChanges: Sendable { public let context: SendChangesContext }
        public struct DidSendChanges: Sendable { public let context: SendChangesContext }

        /// Its kind and how much it is about, for logs.
        public var description: String {
            switch self {
            case .stateUpdate: "stateUpdate"
            case .accountChange(let event): "accountChange \(event.changeType)"
            case .fetchedDatabaseChanges(let event):
                "fetchedDatabaseChanges +\(event.modifications.count) -\(event.deletions.count)"
            case .fetchedRecordZoneChanges(let event):
                "fetchedRecordZoneChanges +\(event.modifications.count) -\(event.deletions.count)"
            case .sentDatabaseChanges(let event):
                "sentDatabaseChanges +\(event.savedZones.count) -\(event.deletedZoneIDs.count) "
                    + "failed \(event.failedZoneSaves.count + event.failedZoneDeletes.count)"
            case .sentRecordZoneChanges(let event):
                "sentRecordZoneChanges +\(event.savedRecords.count) -\(event.deletedRecordIDs.count) "
                    + "failed \(event.failedRecordSaves.count + event.failedRecordDeletes.count)"
            case .willFetchChanges: "willFetchChanges"
            case .willFetchRecordZoneChanges(let event): "willFetchRecordZoneChanges \(event.zoneID.zoneName)"
            case .didFetchRecordZoneChanges(let event):
                "didFetchRecordZoneChanges \(event.zoneID.zoneName)" + (event.error.map { ": \($0)" } ?? "")
            case .didFetchChanges: "didFetchChanges"
            case .willSendChanges: "willSendChanges"
            case .didSendChanges: "didSendChanges"
            }
        }
    }
}

/// An app's part in syncing. Source: CKSyncEngineDelegate.
public protocol CKSyncEngineDelegate: AnyObject, Sendable {
    /// Called for one event after the other. Do not call `fetchChanges` or `sendChanges` in it: they throw there (Apple's would never return).
    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async
    /// Called until it gives nil. Give changes of `context.options.scope` only.
    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch?
    /// What to fetch next; by default what the context says.
    func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions
}
extension CKSyncEngineDelegate {
    public func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions { context.options }
}
