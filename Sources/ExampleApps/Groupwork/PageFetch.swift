import CloudKit
import Ubiquity

/// Fetches what has changed in one database: which zones, then those that changed.
final class PageFetch: @unchecked Sendable {
    private let store: PageStore
    private let database: CKDatabase
    private var changed: [CKRecordZone.ID] = []

    init(_ store: PageStore, _ database: CKDatabase) {
        self.store = store
        self.database = database
    }

    /// - Parameter completion: called on the store's queue; whether all came.
    func run(_ completion: @escaping @Sendable (Bool) -> Void) {
        let scope = database.databaseScope.rawValue
        let token = CKServerChangeToken.from(store.shelf.tokens[scope])
        let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: token)
        operation.recordZoneWithIDChangedBlock = { id in self.store.queue.async { self.changed.append(id) } }
        operation.recordZoneWithIDWasDeletedBlock = { id in self.store.queue.async { self.store.lost(id) } }
        operation.fetchDatabaseChangesResultBlock = { result in
            self.store.queue.async {
                switch result {
                case .success(let last): self.fetchZones(then: scope, last.serverChangeToken, completion)
                case .failure(CKError.changeTokenExpired): self.startOver(scope, completion)
                case .failure: completion(false)
                }
            }
        }
        database.add(operation)
    }
    /// What is kept of the database may be of long ago.
    private func startOver(_ scope: Int, _ completion: @escaping @Sendable (Bool) -> Void) {
        guard store.shelf.tokens.removeValue(forKey: scope) != nil else { return completion(false) }
        let isOwn = database.databaseScope == .private
        for zone in store.shelf.zones where (zone.owner == CKCurrentUserDefaultName) == isOwn {
            store.lost(zone.zoneID)
        }
        changed = []
        run(completion)
    }

    /// The database's token is kept only when its zones have come.
    private func fetchZones(
        then scope: Int, _ token: CKServerChangeToken, _ completion: @escaping @Sendable (Bool) -> Void
    ) {
        // A zone that an answer brought and that was never fetched: the answer may be older than the person's part in it.
        let isOwn = database.databaseScope == .private
        let unknown = store.shelf.zones.filter { $0.token == nil && ($0.owner == CKCurrentUserDefaultName) == isOwn }
        let zones = (changed + unknown.map(\.zoneID)).reduce(into: [CKRecordZone.ID]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        guard !zones.isEmpty else {
            store.shelf.tokens[scope] = token.archived
            return completion(true)
        }
        let operation = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: zones,
            configurationsByRecordZoneID: zones.reduce(into: [:]) { all, id in
                all[id] = .init(previousServerChangeToken: .from(store.shelf[id]?.token))
            })
        operation.recordWasChangedBlock = { _, result in
            guard let record = try? result.get(), record.recordType == PageHome.type else { return }
            self.store.queue.async { self.store.show(record) }
        }
        operation.recordZoneFetchResultBlock = { id, result in
            self.store.queue.async { self.take(result.map(\.serverChangeToken), of: id) }
        }
        operation.fetchRecordZoneChangesResultBlock = { result in
            self.store.queue.async {
                // A zone that was lost in between, or whose token is too old, is asked for again.
                guard case .success = result else { return completion(false) }
                self.store.shelf.tokens[scope] = token.archived
                completion(true)
            }
        }
        database.add(operation)
    }
    private func take(_ result: Result<CKServerChangeToken, any Error>, of id: CKRecordZone.ID) {
        switch result {
        case .success(let token):
            var zone = store.shelf[id] ?? PageShelf.Zone(id)
            zone.token = token.archived
            store.shelf[id] = zone
        case .failure(CKError.changeTokenExpired): store.shelf[id]?.token = nil
        case .failure(let error) where PageError.isGone(error): store.lost(id)
        case .failure: break
        }
    }
}
