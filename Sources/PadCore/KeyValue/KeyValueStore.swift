import FleetModel
import Storage

/// One key-value store of one person on this iPad: an app's pairs, what waits for upload, and what the Cloud last said.
///
/// Three layers (key-value-store.md 3): sets in memory, the queue on disk, the Cloud's state on disk. An app sees the uppermost
/// that knows a key. What was flushed survives everything; what was not is lost with the process.
final class KeyValueStore {
    let volume: Volume
    /// The identifier in the app's entitlements, by default its bundle identifier after the team's prefix (key-value-store.md 1).
    let name: String

    // On disk as well
    /// Position in the Cloud's changes.
    private(set) var since: Int64 = 0
    /// The initial sync has ended.
    private(set) var isSynced = false
    /// Writes for upload, the newest of each key, in key order.
    private(set) var queue: [KeyValueWrite] = []

    // In memory
    /// Sets that are not on disk yet, the newest of each key, in the order of their first set.
    private(set) var unflushed: [KeyValueWrite] = []
    /// Who made the newest set of a key that is not on disk yet.
    private(set) var writers: [String: AppName] = [:]
    /// When they will be.
    var flushAt: Instant?
    /// What the app sees, while it runs.
    private(set) var mirror: Value.Object?
    private var mirrorBytes = 0

    /// Where the exchange with the Cloud stands.
    struct Exchange {
        /// What is under way.
        var sent: [KeyValueWrite]?
        /// The Cloud may have something new.
        var needsPoll = false
        var pollAt: Instant?
        var retry = RetrySchedule()
        var budget = UploadBudget()
    }
    var cloud = Exchange()
    /// Reason of the notices that the next sync makes: 0 change, 1 initial, 3 account.
    var reason: KeyValueMessages.Changed.Reason { isAccountNew ? .account : isSynced ? .server : .initialSync }
    private var isAccountNew = false

    init(volume: Volume, name: String) throws {
        (self.volume, self.name) = (volume, name)
        if let row = try volume.database.query("SELECT since, synced FROM kvs_store WHERE store = ?", .text(name)).first
        {
            (since, isSynced) = (row.int(0), row.int(1) != 0)
        }
        for row in try volume.database.query(
            "SELECT key, value, stamp, device FROM kvs_queue WHERE store = ? ORDER BY key", .text(name))
        {
            queue.append(Self.write(row))
        }
    }

    /// Tables of this service in a person's database.
    static func prepare(_ database: Database) throws {
        try database.script(
            """
            CREATE TABLE IF NOT EXISTS kvs_store(store TEXT PRIMARY KEY, since INTEGER NOT NULL, synced INTEGER NOT NULL) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS kvs_queue(store TEXT, key TEXT, value BLOB NOT NULL, stamp INTEGER NOT NULL,
                device TEXT NOT NULL, PRIMARY KEY(store, key)) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS kvs_entry(store TEXT, key TEXT, value BLOB NOT NULL, stamp INTEGER NOT NULL,
                device TEXT NOT NULL, PRIMARY KEY(store, key)) WITHOUT ROWID;
            """)
    }
    /// Names of stores that the database knows.
    static func names(in database: Database) throws -> [String] {
        try database.query("SELECT store FROM kvs_store UNION SELECT store FROM kvs_queue ORDER BY store").map {
            $0.text(0)
        }
    }
    private static func write(_ row: Row) -> KeyValueWrite {
        KeyValueWrite(
            key: row.text(0), value: (try? Value(json: row.blob(1))) ?? .null, stamp: row.int(2), device: row.text(3))
    }

    // MARK: What the app sees

    /// Everything, in one object.
    func open() throws -> Value.Object {
        if let mirror { return mirror }
        var values = Value.Object()
        for row in try volume.database.query(
            "SELECT key, value, stamp, device FROM kvs_entry WHERE store = ? ORDER BY key", .text(name))
        {
            let entry = Self.write(row)
            values[entry.key] = entry.value == .null ? nil : entry.value
        }
        for write in queue + unflushed { values[write.key] = write.value == .null ? nil : write.value }
        mirror = values
        mirrorBytes = values.pairs.reduce(0) { $0 + (KeyValueLimits.size(of: $1.value) ?? 0) }
        return values
    }
    func visible(_ key: String) throws -> Value? { try open()[key] }

    /// The process that looked is gone, and with it what was not flushed.
    func forgetApp() {
        mirror = nil
        (unflushed, writers) = ([], [:])
        flushAt = nil
        cloud.pollAt = nil
    }

    // MARK: Sets

    /// Takes a set of a key and value that may be set at all (`KeyValueLimits`) into memory.
    /// - Returns: false when the store has no room for it; then nothing has changed.
    func set(_ key: String, _ value: Value, by app: AppName? = nil, clock: Int64, device: String) throws -> Bool {
        let values = try open()
        let old = values[key]
        if value != .null {
            guard let size = KeyValueLimits.size(of: value) else { return false }
            let total = mirrorBytes - (old.flatMap { KeyValueLimits.size(of: $0) } ?? 0) + size
            guard total <= KeyValueLimits.totalBytesMax, old != nil || values.count < KeyValueLimits.keysMax else {
                return false
            }
        }
        let stamp = max(clock, try ownStamp(of: key, device) &+ 1)
        show(key, value == .null ? nil : value)
        let write = KeyValueWrite(key: key, value: value, stamp: stamp, device: device)
        if let index = unflushed.firstIndex(where: { $0.key == key }) {
            unflushed[index] = write
        } else {
            unflushed.append(write)
        }
        writers[key] = app
        return true
    }
    /// ASSUMED: among its own sets a device keeps their order, also when its clock was put back in between.
    private func ownStamp(of key: String, _ device: String) throws -> Int64 {
        if let write = unflushed.first(where: { $0.key == key }) ?? queue.first(where: { $0.key == key }) {
            return write.stamp
        }
        let row = try volume.database.query(
            "SELECT stamp FROM kvs_entry WHERE store = ? AND key = ? AND device = ?", .text(name), .text(key),
            .text(device)
        ).first
        return row?.int(0) ?? Int64.min
    }
    private func show(_ key: String, _ value: Value?) {
        mirrorBytes -= mirror?[key].flatMap { KeyValueLimits.size(of: $0) } ?? 0
        mirror?[key] = value
        mirrorBytes += value.flatMap { KeyValueLimits.size(of: $0) } ?? 0
    }

    /// Puts the sets on disk, for upload.
    /// - Returns: what was flushed. Durable when it returns.
    func flush() throws -> [KeyValueWrite] {
        guard !unflushed.isEmpty else { return [] }
        try volume.database.transaction {
            try remember()
            for write in unflushed {
                try volume.database.execute(
                    "INSERT OR REPLACE INTO kvs_queue(store, key, value, stamp, device) VALUES(?, ?, ?, ?, ?)",
                    .text(name),
                    .text(write.key), .blob(write.value.jsonBytes), .int(write.stamp), .text(write.device))
            }
        }
        let flushed = unflushed
        queue = (queue.filter { old in !flushed.contains { $0.key == old.key } } + flushed).sorted { $0.key < $1.key }
        (unflushed, writers) = ([], [:])
        flushAt = nil
        return flushed
    }
    private func remember() throws {
        try volume.database.execute(
            "INSERT OR REPLACE INTO kvs_store(store, since, synced) VALUES(?, ?, ?)", .text(name), .int(since),
            .int(isSynced ? 1 : 0))
    }

    // MARK: The Cloud

    /// Takes in what an answer said: sent writes are there, changes are merged by largest (stamp, device).
    /// - Returns: keys whose value the app sees differently now, with the new value (null: removed).
    func merge(_ changes: [KeyValueWrite], sequence: Int64) throws -> Value.Object {
        let uploaded = cloud.sent ?? []
        let wasSynced = isSynced
        let oldSince = since
        do {
            isSynced = true
            since = max(since, sequence)
            try volume.database.transaction {
                try remember()
                for write in uploaded {
                    try volume.database.execute(
                        "DELETE FROM kvs_queue WHERE store = ? AND key = ? AND stamp = ?", .text(name),
                        .text(write.key), .int(write.stamp))
                }
                for write in uploaded + changes { try store(write) }
            }
        } catch {
            (isSynced, since) = (wasSynced, oldSince)
            throw error
        }
        isAccountNew = false
        queue.removeAll { own in uploaded.contains { $0.key == own.key && $0.stamp == own.stamp } }
        var keys: [String] = []
        for write in uploaded + changes where !keys.contains(write.key) { keys.append(write.key) }
        return try refresh(keys)
    }
    private func store(_ write: KeyValueWrite) throws {
        let present = try entry(write.key)
        if let present, !write.wins(over: present) { return }
        try volume.database.execute(
            "INSERT OR REPLACE INTO kvs_entry(store, key, value, stamp, device) VALUES(?, ?, ?, ?, ?)", .text(name),
            .text(write.key), .blob(write.value.jsonBytes), .int(write.stamp), .text(write.device))
    }
    private func entry(_ key: String) throws -> KeyValueWrite? {
        try volume.database.query(
            "SELECT key, value, stamp, device FROM kvs_entry WHERE store = ? AND key = ?", .text(name), .text(key)
        ).first.map(Self.write)
    }
    /// Brings the mirror up to date for these keys.
    private func refresh(_ keys: [String]) throws -> Value.Object {
        var changed = Value.Object()
        guard let before = mirror else { return changed }
        for key in keys {
            let layer = try unflushed.first { $0.key == key } ?? queue.first { $0.key == key } ?? entry(key)
            let value = layer?.value ?? .null
            guard value != before[key] ?? .null else { continue }
            show(key, value == .null ? nil : value)
            changed[key] = value
        }
        return changed
    }

    /// Signed out of iCloud where that takes the pairs away (key-value-store.md 7, switch `keyValueAtSignOut`). ASSUMED: what was not
    /// uploaded yet stays, and goes up when an account comes.
    /// - Returns: keys that the app sees no more, each with null.
    func clear() throws -> Value.Object {
        let before = mirror
        since = 0
        try volume.database.transaction {
            try volume.database.execute("DELETE FROM kvs_entry WHERE store = ?", .text(name))
            try remember()
        }
        mirror = nil
        var gone = Value.Object()
        guard let before else { return gone }
        let present = try open()
        for pair in before.pairs where present[pair.key] == nil { gone[pair.key] = .null }
        return gone
    }

    /// Another identity (key-value-store.md 7): everything is fetched anew; what waits for upload stays in the queue.
    /// ASSUMED: behind a changed identity token of one session stands the same person's account.
    func accountChanged() {
        isAccountNew = true
        since = 0
        cloud.needsPoll = true
    }
}

extension KeyValueStore: InvariantHolder {
    func checkInvariants() throws(BrokenInvariant) {
        try invariant(isAscending(queue.map(\.key)), "the queue of store \(name) is not in the order of its keys")
        try invariant(
            Set(unflushed.map(\.key)).count == unflushed.count, "a key of store \(name) waits for the disk twice")
        try invariant(
            Set(writers.keys).isSubset(of: unflushed.map(\.key)), "store \(name) knows who set what is on disk already")
        guard let mirror else { return }
        try invariant(
            mirrorBytes == mirror.pairs.reduce(0) { $0 + (KeyValueLimits.size(of: $1.value) ?? 0) },
            "store \(name) counts \(mirrorBytes) bytes, and its app sees others")
    }
}
