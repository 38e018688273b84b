import FleetModel
import Storage

/// All tables of the reference iCloud. Changeable rows carry their owner's change sequence; what is deleted leaves a
/// tombstone, so that no reader of changes misses it.
enum Schema {
    /// Where the database lies on the Cloud's disk.
    static let path = "/cloud.db"
    /// ASSUMED: the 200 GB that a school's Managed Apple Account has; `cloud.quota` and `spec.quotaBytes` change it.
    static let quotaBytesDefault: Int64 = 200_000_000_000

    static let tables = """
        CREATE TABLE IF NOT EXISTS owner(
          id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, identity TEXT NOT NULL, sequence INTEGER NOT NULL,
          drawn INTEGER NOT NULL, used INTEGER NOT NULL, quota INTEGER NOT NULL, epoch INTEGER NOT NULL);
        CREATE TABLE IF NOT EXISTS session(
          id INTEGER PRIMARY KEY, token TEXT NOT NULL UNIQUE, owner INTEGER NOT NULL, device TEXT NOT NULL,
          request TEXT NOT NULL);
        CREATE INDEX IF NOT EXISTS session_owner ON session(owner, device);
        CREATE TABLE IF NOT EXISTS request(
          owner INTEGER NOT NULL, id TEXT NOT NULL, digest INTEGER NOT NULL, status INTEGER NOT NULL, body BLOB NOT NULL,
          at INTEGER NOT NULL, PRIMARY KEY(owner, id, digest)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS zone(
          id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, space TEXT NOT NULL, name TEXT NOT NULL, born INTEGER NOT NULL,
          seq INTEGER NOT NULL, deleted INTEGER NOT NULL, UNIQUE(owner, space, name));
        CREATE TABLE IF NOT EXISTS record(
          zone INTEGER NOT NULL, name TEXT NOT NULL, seq INTEGER NOT NULL, deleted INTEGER NOT NULL, type TEXT NOT NULL,
          tag TEXT NOT NULL, creator INTEGER NOT NULL, tokens TEXT NOT NULL, json BLOB NOT NULL,
          PRIMARY KEY(zone, name)) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS record_seq ON record(zone, seq);
        CREATE TABLE IF NOT EXISTS subscription(
          id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, space TEXT NOT NULL, account INTEGER NOT NULL, name TEXT NOT NULL,
          json BLOB NOT NULL, UNIQUE(owner, space, account, name));
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
          owner INTEGER NOT NULL, app TEXT NOT NULL, credential TEXT NOT NULL, PRIMARY KEY(owner, app)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS upload(
          owner INTEGER NOT NULL, app TEXT NOT NULL, path TEXT NOT NULL, size INTEGER NOT NULL, digest TEXT NOT NULL,
          content BLOB NOT NULL, PRIMARY KEY(owner, app, path));
        """

    /// Makes the tables and the accounts that are not there yet; what is there stays.
    static func prepare(_ database: Database, accounts: [Person], seed: UInt64, quotaBytes: Int64) throws {
        try database.transaction {
            try database.script(tables)
            for name in [""] + accounts {
                try database.execute(
                    "INSERT INTO owner(name, identity, sequence, drawn, used, quota, epoch) VALUES(?, ?, 0, 0, 0, ?, 0) "
                        + "ON CONFLICT(name) DO NOTHING", .text(name),
                    .text("id-" + Work.hex(StableHash.of(seed, "identity", name))),
                    .int(name.isEmpty ? Int64.max : quotaBytes))
            }
        }
    }
}
