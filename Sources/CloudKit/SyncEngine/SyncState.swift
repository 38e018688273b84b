import PadApp

/// What a sync engine knows, apart from what it is doing: plain values, whose rules are cloudkit-framework.md 17.
///
/// Invariant: of one record and of one zone at most one change is pending, in the order in which they were added.
struct SyncState: Hashable, Sendable {
    var databaseToken: String?
    /// Positions in zones, as far as they were fetched.
    private(set) var zoneTokens: [CKRecordZone.ID: String] = [:]
    /// Zones that changed at the server, in the order in which that became known.
    private(set) var unfetched: [CKRecordZone.ID] = []
    private(set) var databaseChanges: [CKSyncEngine.PendingDatabaseChange] = []
    private(set) var recordChanges: [CKSyncEngine.PendingRecordZoneChange] = []
    /// Name of the person's own record; nil: nobody is signed in, as far as is known.
    private(set) var user: String?
    var hasUntrackedChanges = false
    var hasSubscription = false

    /// Records whose changes are on their way, and those of them that were changed again meanwhile: their answer is not the end of it.
    private var sending: Set<CKRecord.ID> = []
    private var changedAgain: Set<CKRecord.ID> = []
    /// Whether both have the same `value`: what is on its way is not part of it.
    func isStored(as other: SyncState) -> Bool {
        func settled(_ state: SyncState) -> SyncState {
            var state = state
            (state.sending, state.changedAgain) = ([], [])
            return state
        }
        return settled(self) == settled(other)
    }

    // MARK: Pending changes

    /// A change that is there already stays where it is; another one of the same record takes its place.
    mutating func add(_ changes: [CKSyncEngine.PendingRecordZoneChange]) {
        for change in changes {
            if sending.contains(change.recordID) { changedAgain.insert(change.recordID) }
            guard !recordChanges.contains(change) else { continue }
            recordChanges.removeAll { $0.recordID == change.recordID }
            recordChanges.append(change)
        }
    }
    mutating func remove(_ changes: [CKSyncEngine.PendingRecordZoneChange]) {
        let gone = Set(changes)
        recordChanges.removeAll { gone.contains($0) }
    }
    mutating func add(_ changes: [CKSyncEngine.PendingDatabaseChange]) {
        for change in changes where !databaseChanges.contains(change) {
            databaseChanges.removeAll { $0.zoneID == change.zoneID }
            databaseChanges.append(change)
        }
    }
    mutating func remove(_ changes: [CKSyncEngine.PendingDatabaseChange]) {
        let gone = Set(changes)
        databaseChanges.removeAll { gone.contains($0) }
    }
    var hasPendingChanges: Bool { !recordChanges.isEmpty || !databaseChanges.isEmpty || hasUntrackedChanges }

    // MARK: Sending

    mutating func begin(_ records: [CKRecord.ID]) { (sending, changedAgain) = (Set(records), []) }
    /// What was sent and will not be sent again leaves the list, unless the app changed it since.
    mutating func settle(_ changes: [CKSyncEngine.PendingRecordZoneChange]) {
        remove(changes.filter { !changedAgain.contains($0.recordID) })
        (sending, changedAgain) = ([], [])
    }

    // MARK: Fetching

    mutating func learn(changed: [CKRecordZone.ID], deleted: [CKRecordZone.ID]) {
        for zone in changed where !unfetched.contains(zone) { unfetched.append(zone) }
        for zone in deleted { forget(zone) }
    }
    /// A page of a zone is done.
    mutating func advance(_ zone: CKRecordZone.ID, to token: String, moreComing: Bool) {
        zoneTokens[zone] = token
        if !moreComing { unfetched.removeAll { $0 == zone } }
    }
    /// The zone is fetched from its beginning the next time.
    mutating func restart(_ zone: CKRecordZone.ID) { zoneTokens[zone] = nil }
    /// There is no such zone any more.
    mutating func forget(_ zone: CKRecordZone.ID) {
        zoneTokens[zone] = nil
        unfetched.removeAll { $0 == zone }
    }

    // MARK: The account

    enum AccountChange: Hashable, Sendable {
        case signIn(String)
        case signOut(String)
        case switchAccounts(from: String, to: String)
    }
    /// Takes notice of who is signed in. What was known of another account goes, unsent changes too. What was added while nobody was
    /// signed in stays (ASSUMED).
    mutating func learn(user newest: String?) -> AccountChange? {
        guard newest != user else { return nil }
        let before = user
        if before != nil { self = SyncState() }
        user = newest
        switch (before, newest) {
        case (nil, let newest?): return .signIn(newest)
        case (let before?, nil): return .signOut(before)
        case (let before?, let newest?): return .switchAccounts(from: before, to: newest)
        case (nil, nil): return nil
        }
    }
}

extension SyncState {
    /// For an app's disk; what is on its way is pending there.
    var value: Value {
        var value: Value = [
            "zones": .array(
                // By the owner too: zones of two people may have one name.
                zoneTokens.map { (zone: $0.key, token: $0.value) }
                    .sorted { ($0.zone.zoneName, $0.zone.ownerName) < ($1.zone.zoneName, $1.zone.ownerName) }
                    .map { [Self.name($0.zone), .string($0.token)] }),
            "unfetched": .array(unfetched.map(Self.name)),
            "database": .array(
                databaseChanges.map { change in
                    switch change {
                    case .saveZone(let zone): ["save", Self.name(zone.zoneID)]
                    case .deleteZone(let id): ["delete", Self.name(id)]
                    }
                }),
            "records": .array(
                recordChanges.map { change in
                    let (id, kind): (CKRecord.ID, Value) =
                        switch change {
                        case .saveRecord(let id): (id, "save")
                        case .deleteRecord(let id): (id, "delete")
                        }
                    return [kind, Self.name(id.zoneID), .string(id.recordName)]
                }),
            "untracked": .bool(hasUntrackedChanges), "subscribed": .bool(hasSubscription),
        ]
        value["token"] = databaseToken.map(Value.string)
        value["user"] = user.map(Value.string)
        return value
    }
    /// From `value`; what is malformed is left out.
    init(_ value: Value) {
        databaseToken = value["token"]?.string
        user = value["user"]?.string
        hasUntrackedChanges = value["untracked"]?.bool ?? false
        hasSubscription = value["subscribed"]?.bool ?? false
        for pair in value["zones"]?.array ?? [] {
            if let zone = Self.zone(pair.array?.first), let token = pair.array?.last?.string {
                zoneTokens[zone] = token
            }
        }
        unfetched = (value["unfetched"]?.array ?? []).compactMap(Self.zone)
        databaseChanges = (value["database"]?.array ?? []).compactMap { entry in
            guard let zone = Self.zone(entry.array?.last) else { return nil }
            return entry.array?.first == "save" ? .saveZone(CKRecordZone(zoneID: zone)) : .deleteZone(zone)
        }
        recordChanges = (value["records"]?.array ?? []).compactMap { entry in
            guard let parts = entry.array, parts.count == 3, let zone = Self.zone(parts[1]), let name = parts[2].string
            else { return nil }
            let id = CKRecord.ID(recordName: name, zoneID: zone)
            return parts[0] == "save" ? .saveRecord(id) : .deleteRecord(id)
        }
    }
    private static func name(_ zone: CKRecordZone.ID) -> Value { [.string(zone.zoneName), .string(zone.ownerName)] }
    private static func zone(_ value: Value?) -> CKRecordZone.ID? {
        guard let parts = value?.array, parts.count == 2, let name = parts[0].string, let owner = parts[1].string else {
            return nil
        }
        return CKRecordZone.ID(zoneName: name, ownerName: owner)
    }
}
