import FleetModel
import Storage

/// One person's keychain on one iPad: the items in the person's volume and what is under way to the Cloud.
///
/// Invariant: an item that differs from the Cloud's is dirty, in the database, before the app has its answer.
final class KeychainVault {
    let volume: Volume
    /// Tries of the sync request.
    var retry = RetrySchedule()
    /// The Cloud may know more than we: ask even without changes of our own.
    var wantsFetch = false
    /// What the request under way carries; nil when none is.
    var sent: [KeychainItem]?
    /// When to look for changes whose push was lost.
    var nextPoll: Instant?
    /// Changes that wait for the Cloud, in key order: `pending` must answer without a query.
    private(set) var dirty: [KeychainItem] = []

    init(_ volume: Volume) throws {
        self.volume = volume
        try volume.database.script(
            """
            CREATE TABLE IF NOT EXISTS keychain_item(key TEXT PRIMARY KEY, value BLOB NOT NULL, stamp INTEGER NOT NULL,
                device TEXT NOT NULL, dirty INTEGER NOT NULL);
            CREATE TABLE IF NOT EXISTS keychain_state(id INTEGER PRIMARY KEY CHECK (id = 0), since INTEGER NOT NULL);
            """)
        dirty = try volume.database.query(Self.columns + " WHERE dirty = 1 ORDER BY key").map(Self.item)
    }

    private static let columns = "SELECT key, value, stamp, device, dirty FROM keychain_item"

    /// The item of a key, tombstones included.
    func item(_ key: String) throws -> KeychainItem? {
        try volume.database.query(Self.columns + " WHERE key = ?", .text(key)).first.map(Self.item)
    }

    /// All items that are there, in the order of their keys.
    func items() throws -> [KeychainItem] {
        try volume.database.query(Self.columns + " ORDER BY key").map(Self.item).filter { !$0.isRemoved }
    }

    /// Stores changes of this iPad in one commit.
    func change(_ items: [KeychainItem]) throws {
        try volume.database.transaction { for item in items { try store(item) } }
        for item in items { note(item) }
    }

    /// Position of the last answer in the account's changes.
    func since() throws -> Int64 {
        try volume.database.query("SELECT since FROM keychain_state WHERE id = 0").first?.int(0) ?? 0
    }

    /// Takes the Cloud's answer: newer items replace ours, and what was sent and is still the same is no longer dirty.
    func merge(_ changes: [KeychainItem], seq: Int64, _ switches: PadSwitches) throws {
        let confirmed = sent ?? []
        var touched: [KeychainItem] = []
        try volume.database.transaction {
            for mine in confirmed {
                guard var present = try item(mine.key), present.version == mine.version else { continue }
                present.isDirty = false
                try store(present)
                touched.append(present)
            }
            for theirs in changes {
                let present = try item(theirs.key)
                if let present, present.version >= theirs.version || present.staysHere(switches) { continue }
                try store(theirs)
                touched.append(theirs)
            }
            try volume.database.execute(
                "INSERT INTO keychain_state VALUES (0, ?) ON CONFLICT (id) DO UPDATE SET since = excluded.since",
                .int(seq))
        }
        for item in touched { note(item) }
    }

    private func store(_ item: KeychainItem) throws {
        try volume.database.execute(
            """
            INSERT INTO keychain_item VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET
                value = excluded.value, stamp = excluded.stamp, device = excluded.device, dirty = excluded.dirty
            """,
            .text(item.key), .blob(item.value.jsonBytes), .int(item.version.stamp), .text(item.version.device),
            .int(item.isDirty ? 1 : 0))
    }
    private func note(_ item: KeychainItem) {
        dirty.removeAll { $0.key == item.key }
        guard item.isDirty else { return }
        dirty.insert(item, at: dirty.firstIndex { $0.key > item.key } ?? dirty.count)
    }
    private static func item(_ row: Row) throws -> KeychainItem {
        KeychainItem(
            key: row.text(0), value: try Value(json: row.blob(1)),
            version: KeychainItem.Version(stamp: row.int(2), device: row.text(3)), isDirty: row.int(4) != 0)
    }
}

extension KeychainVault: InvariantHolder {
    func checkInvariants() throws(BrokenInvariant) {
        try invariant(
            isAscending(dirty.map(\.key)), "keychain items that wait for the Cloud are not in the order of their keys")
        try invariant(dirty.allSatisfy(\.isDirty), "a keychain item waits for the Cloud, which has it")
    }
}
