import PadApp

extension CKSyncEngine {
    /// What an engine has to send and how far it has fetched. The rules are those of `SyncState`.
    public final class State: @unchecked Sendable {
        /// For the app's disk; opaque. Store it at every `stateUpdate`, and give the newest to the next launch's engine.
        public struct Serialization: Codable, Hashable, Sendable {
            fileprivate let state: String
        }

        private(set) var value: SyncState
        /// It changed since the delegate was given it.
        private(set) var isChanged = false
        weak var engine: CKSyncEngine?

        init(_ serialization: Serialization?) {
            let stored = serialization.flatMap { try? Value(json: $0.state) }
            value = stored.map(SyncState.init) ?? SyncState()
        }
        var serialization: Serialization { Serialization(state: value.value.json) }
        /// Gives the state away.
        func taken() -> Serialization {
            isChanged = false
            return serialization
        }
        func change<T>(_ body: (inout SyncState) -> T) -> T {
            let before = value
            let result = body(&value)
            if !value.isStored(as: before) { isChanged = true }
            return result
        }

        /// Changes of records that are not answered yet, in the order in which they were added.
        public var pendingRecordZoneChanges: [PendingRecordZoneChange] { value.recordChanges }
        /// Changes of zones that are not answered yet, in the order in which they were added. They go out before those of records.
        public var pendingDatabaseChanges: [PendingDatabaseChange] { value.databaseChanges }
        /// Zones that changed at the server and are not fetched yet.
        public var zoneIDsWithUnfetchedServerChanges: [CKRecordZone.ID] { value.unfetched }
        /// The app keeps changes in a list of its own: the engine then asks for batches though it knows of none.
        public var hasPendingUntrackedChanges: Bool {
            get { value.hasUntrackedChanges }
            set { tell { $0.hasUntrackedChanges = newValue } }
        }

        /// A change that is pending already is not added again; of a save and a deletion of one record the later one counts.
        public func add(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
            tell { $0.add(pendingRecordZoneChanges) }
        }
        /// Drops changes, as after a merge that leaves nothing to send. What is on its way happens all the same.
        public func remove(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
            tell { $0.remove(pendingRecordZoneChanges) }
        }
        /// As for records: one change for each zone, the later one counts.
        public func add(pendingDatabaseChanges: [PendingDatabaseChange]) { tell { $0.add(pendingDatabaseChanges) } }
        /// Drops changes of zones. What is on its way happens all the same.
        public func remove(pendingDatabaseChanges: [PendingDatabaseChange]) {
            tell { $0.remove(pendingDatabaseChanges) }
        }
        private func tell(_ body: (inout SyncState) -> Void) {
            change(body)
            engine?.stateWasChangedByApp()
        }
    }
}
