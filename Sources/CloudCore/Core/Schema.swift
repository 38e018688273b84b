import FleetModel
import Storage

/// All tables of the reference iCloud. Changeable rows carry their owner's change sequence; what is deleted leaves a
/// tombstone, so that no reader of changes misses it.
enum Schema {
    /// Where the database lies on the Cloud's disk.
    static let path = "/cloud.db"
    /// ASSUMED: the 200 GB that a school's Managed Apple Account has; `cloud.quota` and `spec.quotaBytes` change it.
    static let quotaBytesDefault: Int64 = 200_000_000_000

    /// Which tables and columns there are; kept in the database as `user_version` (https://www.sqlite.org/pragma.html).
    static let version: Int64 = 4

    static let tables = """
        CREATE TABLE IF NOT EXISTS owner(
          id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, identity TEXT NOT NULL, sequence INTEGER NOT NULL,
          drawn INTEGER NOT NULL, used INTEGER NOT NULL, quota INTEGER NOT NULL, epoch INTEGER NOT NULL);
        CREATE TABLE IF NOT EXISTS maker(id INTEGER PRIMARY KEY, secret TEXT NOT NULL);
        CREATE TABLE IF NOT EXISTS session(
          id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, owner INTEGER NOT NULL, device TEXT NOT NULL,
          request TEXT NOT NULL, drawn INTEGER NOT NULL DEFAULT 0);
        CREATE INDEX IF NOT EXISTS session_owner ON session(owner, device);
        CREATE TABLE IF NOT EXISTS request(
          owner INTEGER NOT NULL, id TEXT NOT NULL, digest INTEGER NOT NULL, status INTEGER NOT NULL, body BLOB NOT NULL,
          at INTEGER NOT NULL, container TEXT NOT NULL DEFAULT '', PRIMARY KEY(owner, id, digest)) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS request_at ON request(at);
        CREATE TABLE IF NOT EXISTS zone(
          id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, space TEXT NOT NULL, name TEXT NOT NULL, born INTEGER NOT NULL,
          seq INTEGER NOT NULL, deleted INTEGER NOT NULL, UNIQUE(owner, space, name));
        CREATE TABLE IF NOT EXISTS record(
          zone INTEGER NOT NULL, name TEXT NOT NULL, seq INTEGER NOT NULL, deleted INTEGER NOT NULL, type TEXT NOT NULL,
          tag TEXT NOT NULL, creator INTEGER NOT NULL, tokens TEXT NOT NULL, json BLOB NOT NULL,
          share TEXT NOT NULL, parent TEXT NOT NULL, marks INTEGER NOT NULL, PRIMARY KEY(zone, name)) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS record_parent ON record(zone, parent) WHERE parent <> '';
        CREATE INDEX IF NOT EXISTS record_share ON record(zone, share, seq) WHERE share <> '';
        CREATE INDEX IF NOT EXISTS record_seq ON record(zone, seq);
        CREATE TABLE IF NOT EXISTS subscription(
          id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, space TEXT NOT NULL, account INTEGER NOT NULL, name TEXT NOT NULL,
          json BLOB NOT NULL, UNIQUE(owner, space, account, name));
        \(recordTables)
        \(accessTables)
        CREATE TABLE IF NOT EXISTS entry(
          owner INTEGER NOT NULL, store TEXT NOT NULL, key TEXT NOT NULL, stamp INTEGER NOT NULL, device TEXT NOT NULL,
          seq INTEGER NOT NULL, tokens TEXT NOT NULL, json BLOB NOT NULL, PRIMARY KEY(owner, store, key)) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS entry_seq ON entry(owner, store, seq);
        CREATE TABLE IF NOT EXISTS document(
          id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, container TEXT NOT NULL, name TEXT NOT NULL, path TEXT NOT NULL,
          seq INTEGER NOT NULL, deleted INTEGER NOT NULL, UNIQUE(owner, container, name));
        CREATE INDEX IF NOT EXISTS document_path ON document(owner, container, path);
        CREATE TABLE IF NOT EXISTS version(
          id INTEGER PRIMARY KEY, document INTEGER NOT NULL, name TEXT NOT NULL, aliases TEXT NOT NULL, current INTEGER NOT NULL,
          size INTEGER NOT NULL, digest TEXT NOT NULL, modified INTEGER NOT NULL, device TEXT NOT NULL, tokens TEXT NOT NULL,
          content BLOB NOT NULL);
        CREATE INDEX IF NOT EXISTS version_document ON version(document);
        CREATE TABLE IF NOT EXISTS credential(
          owner INTEGER NOT NULL, app TEXT NOT NULL, hash TEXT NOT NULL, drawn INTEGER NOT NULL DEFAULT 0,
          PRIMARY KEY(owner, app)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS upload(
          owner INTEGER NOT NULL, app TEXT NOT NULL, path TEXT NOT NULL, size INTEGER NOT NULL, digest TEXT NOT NULL,
          content BLOB NOT NULL, PRIMARY KEY(owner, app, path));
        """

    /// What hangs on records: references, assets, shares, the schema of their types.
    private static let recordTables = """
        CREATE TABLE IF NOT EXISTS link(
          zone INTEGER NOT NULL, target TEXT NOT NULL, source TEXT NOT NULL, action INTEGER NOT NULL,
          PRIMARY KEY(zone, target, source, action)) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS link_source ON link(zone, source);
        CREATE TABLE IF NOT EXISTS departed(
          zone INTEGER NOT NULL, share TEXT NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL, seq INTEGER NOT NULL,
          PRIMARY KEY(zone, share, name)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS share(
          zone INTEGER NOT NULL, name TEXT NOT NULL, root TEXT NOT NULL, guid TEXT NOT NULL UNIQUE, space TEXT NOT NULL,
          permission TEXT NOT NULL, PRIMARY KEY(zone, name)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS participant(
          id INTEGER PRIMARY KEY, zone INTEGER NOT NULL, share TEXT NOT NULL, account INTEGER, lookup TEXT NOT NULL,
          type TEXT NOT NULL, permission TEXT NOT NULL, status TEXT NOT NULL, UNIQUE(zone, share, lookup));
        CREATE INDEX IF NOT EXISTS participant_account ON participant(account, zone);
        CREATE TABLE IF NOT EXISTS sharedzone(
          account INTEGER NOT NULL, space TEXT NOT NULL, zone INTEGER NOT NULL, owner INTEGER NOT NULL, name TEXT NOT NULL,
          seq INTEGER NOT NULL, deleted INTEGER NOT NULL, PRIMARY KEY(account, zone)) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS sharedzone_zone ON sharedzone(zone);
        CREATE TABLE IF NOT EXISTS asset(
          id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, space TEXT NOT NULL, checksum TEXT NOT NULL UNIQUE,
          reference TEXT NOT NULL, wrapping TEXT NOT NULL, size INTEGER NOT NULL, used INTEGER NOT NULL, content BLOB NOT NULL);
        CREATE TABLE IF NOT EXISTS assetuse(
          zone INTEGER NOT NULL, record TEXT NOT NULL, asset INTEGER NOT NULL, PRIMARY KEY(zone, record, asset)) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS assetuse_asset ON assetuse(asset);
        CREATE TABLE IF NOT EXISTS receipt(
          hash TEXT PRIMARY KEY, asset INTEGER NOT NULL, account INTEGER NOT NULL, expiry INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS receipt_asset ON receipt(asset);
        CREATE TABLE IF NOT EXISTS assetslot(
          hash TEXT PRIMARY KEY, owner INTEGER NOT NULL, space TEXT NOT NULL, scope INTEGER NOT NULL, account INTEGER NOT NULL,
          expiry INTEGER NOT NULL, asset INTEGER NOT NULL DEFAULT 0, receipt INTEGER NOT NULL DEFAULT 0,
          digest TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS assetslot_expiry ON assetslot(expiry);
        CREATE TABLE IF NOT EXISTS recordtype(
          container TEXT NOT NULL, environment TEXT NOT NULL, name TEXT NOT NULL,
          PRIMARY KEY(container, environment, name)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS recordfield(
          container TEXT NOT NULL, environment TEXT NOT NULL, record TEXT NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL,
          indexes INTEGER NOT NULL, encrypted INTEGER NOT NULL DEFAULT 0,
          PRIMARY KEY(container, environment, record, name)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS recordrole(
          container TEXT NOT NULL, environment TEXT NOT NULL, record TEXT NOT NULL, role TEXT NOT NULL, rights INTEGER NOT NULL,
          PRIMARY KEY(container, environment, record, role)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS chore(id INTEGER PRIMARY KEY, due INTEGER NOT NULL, kind TEXT NOT NULL, body BLOB NOT NULL);
        CREATE INDEX IF NOT EXISTS chore_due ON chore(due, id);
        """

    /// Who may come in, and what is known of people.
    private static let accessTables = """
        CREATE TABLE IF NOT EXISTS container(name TEXT PRIMARY KEY, used INTEGER NOT NULL, quota INTEGER) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS registration(container TEXT PRIMARY KEY, team TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS teammember(
          team TEXT NOT NULL, owner INTEGER NOT NULL, PRIMARY KEY(team, owner)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS rolemember(
          container TEXT NOT NULL, environment TEXT NOT NULL, role TEXT NOT NULL, owner INTEGER NOT NULL,
          PRIMARY KEY(container, environment, role, owner)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS apitoken(
          hash TEXT PRIMARY KEY, container TEXT NOT NULL, environment TEXT NOT NULL, callback TEXT NOT NULL DEFAULT '',
          origin TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS password(owner INTEGER PRIMARY KEY, hash TEXT NOT NULL);
        CREATE TABLE IF NOT EXISTS webtoken(
          hash TEXT PRIMARY KEY, owner INTEGER NOT NULL, container TEXT NOT NULL, environment TEXT NOT NULL,
          expiry INTEGER NOT NULL, stays INTEGER NOT NULL, before TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS webtoken_expiry ON webtoken(expiry);
        CREATE TABLE IF NOT EXISTS serverkey(
          id TEXT PRIMARY KEY, container TEXT NOT NULL, key BLOB NOT NULL) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS profile(
          owner INTEGER PRIMARY KEY, email TEXT UNIQUE, phone TEXT UNIQUE, given TEXT NOT NULL, family TEXT NOT NULL,
          discoverable INTEGER NOT NULL, contacts BLOB NOT NULL);
        CREATE TABLE IF NOT EXISTS restriction(
          owner INTEGER NOT NULL, container TEXT NOT NULL, PRIMARY KEY(owner, container)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS courier(
          id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, owner INTEGER NOT NULL, container TEXT NOT NULL,
          environment TEXT NOT NULL, client TEXT NOT NULL, polled INTEGER NOT NULL DEFAULT 0);
        CREATE INDEX IF NOT EXISTS courier_owner ON courier(owner, container);
        CREATE TABLE IF NOT EXISTS courierpush(
          id INTEGER PRIMARY KEY, courier INTEGER NOT NULL, body BLOB NOT NULL);
        CREATE INDEX IF NOT EXISTS courierpush_courier ON courierpush(courier, id);
        CREATE TABLE IF NOT EXISTS pushtoken(
          hash TEXT NOT NULL, container TEXT NOT NULL, environment TEXT NOT NULL, owner INTEGER NOT NULL, apns TEXT NOT NULL,
          at INTEGER NOT NULL, PRIMARY KEY(hash, container, environment)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS managementcommand(
          id INTEGER PRIMARY KEY, device TEXT NOT NULL, person TEXT NOT NULL, uuid TEXT NOT NULL, command BLOB NOT NULL,
          status TEXT NOT NULL DEFAULT '', isputoff INTEGER NOT NULL DEFAULT 0, answer BLOB, UNIQUE(device, uuid));
        """

    /// Makes the tables and the accounts that are not there yet; what is there stays, in the form of this version.
    /// - Throws: `CloudSpecError` for what a newer version has made.
    static func prepare(
        _ database: Database, accounts: [Person], seed: UInt64, _ policy: CloudPolicy, quotaBytes: Int64
    ) throws {
        try database.transaction {
            let found = try database.query("PRAGMA user_version").first?.int(0) ?? 0
            guard found <= version else {
                throw CloudSpecError(
                    "what lies here was made by a newer program (its tables have version \(found), this program knows \(version)); "
                        + "use that one, or a folder of its own")
            }
            let isThere = try database.hasTable("owner")
            if found == 0, isThere { try SchemaUpgrade.toFirst(database) }
            if found < 2, isThere { try SchemaUpgrade.toSecond(database) }
            if found < 4 { try SchemaUpgrade.toFourth(database) }
            if found < version { try database.script("PRAGMA user_version = \(version)") }
            try database.script(tables)
            if found < 2, isThere { try SchemaUpgrade.hide(database, seed: seed, policy) }
            if found < 4 { try SchemaUpgrade.takeCommands(database) }
            try database.execute(
                "INSERT INTO maker(id, secret) VALUES(1, ?) ON CONFLICT DO NOTHING", .text(policy.makersMark))
            for name in [""] + accounts {
                try addAccount(name, policy, quotaBytes: name.isEmpty ? Int64.max : quotaBytes, database)
            }
        }
    }
    /// Adds an account; one that is there stays as it is.
    static func addAccount(_ name: Person, _ policy: CloudPolicy, quotaBytes: Int64, _ database: Database) throws {
        try database.execute(
            "INSERT INTO owner(name, identity, sequence, drawn, used, quota, epoch) VALUES(?, ?, 0, "
                // Beyond what was given out before an import (`Cloud.restore`).
                + "coalesce((SELECT drawn FROM owner WHERE id = \(Owner.publicID)), 0), 0, ?, 0) ON CONFLICT(name) DO NOTHING",
            .text(name),
            .text("id-" + Hex.text(Secret.seal("identity \(name)", key: policy.secret).prefix(8))), .int(quotaBytes))
    }
}
