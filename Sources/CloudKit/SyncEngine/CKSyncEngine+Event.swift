extension CKSyncEngine {
    /// What an engine tells its delegate, one after the other (cloudkit-framework.md 17).
    public enum Event: Sendable, CustomStringConvertible {
        /// Store the state now: what the engine has said before must be durable with it.
        case stateUpdate(StateUpdate)
        /// Comes before anything of the new account, and before a fetch or send.
        case accountChange(AccountChange)
        /// One page of zones that changed; may come several times in a fetch.
        case fetchedDatabaseChanges(FetchedDatabaseChanges)
        /// One page of a zone's records; may come several times for a zone.
        case fetchedRecordZoneChanges(FetchedRecordZoneChanges)
        /// Comes after a request with zones, once.
        case sentDatabaseChanges(SentDatabaseChanges)
        /// Comes after each batch of records.
        case sentRecordZoneChanges(SentRecordZoneChanges)
        /// The first event of a fetch.
        case willFetchChanges(WillFetchChanges)
        /// Comes before the pages of a zone.
        case willFetchRecordZoneChanges(WillFetchRecordZoneChanges)
        /// Comes after the pages of a zone, or with its error.
        case didFetchRecordZoneChanges(DidFetchRecordZoneChanges)
        /// The last event of a fetch, also of one that failed; a state may follow.
        case didFetchChanges(DidFetchChanges)
        /// The first event of a send, before the first batch is asked for.
        case willSendChanges(WillSendChanges)
        /// The last event of a send, also of one that failed; a state may follow.
        case didSendChanges(DidSendChanges)

        /// The state is another: store it at once, with what came before it.
        public struct StateUpdate: Sendable { public let stateSerialization: State.Serialization }
        /// Another person is signed in than before, or nobody. The engine has forgotten what it knew of the former one, unsent changes
        /// too.
        public struct AccountChange: Sendable {
            /// Who was signed in and who is now, by the names of their records.
            public enum ChangeType: Hashable, Sendable {
                /// Somebody signed in where nobody was. What the app has added before stays pending (ASSUMED).
                case signIn(currentUser: CKRecord.ID)
                /// Nobody is signed in now: delete what is kept of the person.
                case signOut(previousUser: CKRecord.ID)
                /// Another person is signed in now: delete what is kept of the former one.
                case switchAccounts(previousUser: CKRecord.ID, currentUser: CKRecord.ID)
            }
            /// What happened. After a sign-out or a switch delete what is kept of the former person.
            public let changeType: ChangeType
        }
        /// Zones that are new, changed or gone. Those that changed are fetched next.
        public struct FetchedDatabaseChanges: Sendable {
            /// Zones that are new or changed.
            public let modifications: [CKDatabase.DatabaseChange.Modification]
            /// Zones that are gone, and why: it decides what to do with what is kept of them.
            public let deletions: [CKDatabase.DatabaseChange.Deletion]
        }
        /// One page of a zone's changes. Make them durable before the event returns: the state moves on after it.
        public struct FetchedRecordZoneChanges: Sendable {
            /// Records that are new or changed, as the server has them, in its order.
            public let modifications: [CKDatabase.RecordZoneChange.Modification]
            /// Records that are gone.
            public let deletions: [CKDatabase.RecordZoneChange.Deletion]
        }
        /// What became of the zones that were to be made or deleted.
        public struct SentDatabaseChanges: Sendable {
            /// A zone that was not made, and why.
            public struct FailedZoneSave: Sendable {
                /// As it was to be made.
                public let zone: CKRecordZone
                /// Why. Unless the engine tries again by itself, the change is no longer pending.
                public let error: CKError
            }
            /// Zones that are there now.
            public internal(set) var savedZones: [CKRecordZone] = []
            /// Zones that were not made.
            public internal(set) var failedZoneSaves: [FailedZoneSave] = []
            /// Zones that are gone now.
            public internal(set) var deletedZoneIDs: [CKRecordZone.ID] = []
            /// Why zones were not deleted, by name.
            public internal(set) var failedZoneDeletes: [CKRecordZone.ID: CKError] = [:]
        }
        /// What became of the records of one batch. Each record of the batch is in one of the lists.
        public struct SentRecordZoneChanges: Sendable {
            /// A record that was not saved, and why.
            public struct FailedRecordSave: Sendable {
                /// As it was sent.
                public let record: CKRecord
                /// Why. `serverRecordChanged`: merge into its `serverRecord` and add the change again; it is no longer pending.
                public let error: CKError
            }
            /// As the server has them now: keep their system fields for the next save.
            public internal(set) var savedRecords: [CKRecord] = []
            /// Records that were not saved. Those whose error the engine waits out stay pending.
            public internal(set) var failedRecordSaves: [FailedRecordSave] = []
            /// Records that are gone now.
            public internal(set) var deletedRecordIDs: [CKRecord.ID] = []
            /// Why records were not deleted, by name. Those whose error the engine waits out stay pending.
            public internal(set) var failedRecordDeletes: [CKRecord.ID: CKError] = [:]
        }
        /// A fetch begins.
        public struct WillFetchChanges: Sendable { public let context: FetchChangesContext }
        /// The changes of a zone are fetched next.
        public struct WillFetchRecordZoneChanges: Sendable { public let zoneID: CKRecordZone.ID }
        /// The changes of a zone are through, or the rest comes later.
        public struct DidFetchRecordZoneChanges: Sendable {
            /// The zone that was fetched.
            public let zoneID: CKRecordZone.ID
            /// Why the zone is not through; nil: it is.
            public let error: CKError?
        }
        /// A fetch is over. It says nothing of its success: errors come with the zones, or are thrown by `fetchChanges`.
        public struct DidFetchChanges: Sendable { public let context: FetchChangesContext }
        /// A send begins: the delegate is asked for batches next.
        public struct WillSendChanges: Sendable { public let context: SendChangesContext }
        /// A send is over. It says nothing of its success: errors come with the items, or are thrown by `sendChanges`.
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
    /// What the context says: every zone that changed.
    public func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions { context.options }
}
