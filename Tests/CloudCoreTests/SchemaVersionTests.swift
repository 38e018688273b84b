import FleetModel
import Storage
import Testing

@testable import CloudCore

@Suite("Versions of the tables", .timeLimit(.minutes(20)))
struct SchemaVersionTests {
    private static let spec: Value = ["accounts": ["maya"], "seed": 7]

    @Test("The version is kept in the database; a newer one is refused, and nothing is changed in it")
    func newer() throws {
        let disk = Disk.memory()
        let cloud = try Cloud(spec: Self.spec, disk: disk)
        #expect(try cloud.database.query("PRAGMA user_version").first?.int(0) == Schema.version)
        try cloud.database.script("PRAGMA user_version = \(Schema.version + 1)")
        cloud.database.close()
        do {
            _ = try Cloud(spec: ["accounts": ["omar"], "seed": 7], disk: disk)
            Issue.record("it was opened")
        } catch let problem as CloudSpecError {
            #expect(problem.description.contains("newer program"))
        }
        let database = try Database(disk: disk, path: Schema.path)
        #expect(try database.query("SELECT name FROM owner WHERE name = 'omar'").isEmpty)
    }

    /// The tables as they were before versions were counted, with what was in them.
    private static let old = """
        CREATE TABLE owner(
          id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, identity TEXT NOT NULL, sequence INTEGER NOT NULL,
          drawn INTEGER NOT NULL, used INTEGER NOT NULL, quota INTEGER NOT NULL, epoch INTEGER NOT NULL);
        CREATE TABLE session(
          id INTEGER PRIMARY KEY, token TEXT NOT NULL UNIQUE, owner INTEGER NOT NULL, device TEXT NOT NULL,
          request TEXT NOT NULL);
        CREATE TABLE credential(
          owner INTEGER NOT NULL, app TEXT NOT NULL, credential TEXT NOT NULL, PRIMARY KEY(owner, app)) WITHOUT ROWID;
        CREATE TABLE recordfield(
          container TEXT NOT NULL, environment TEXT NOT NULL, record TEXT NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL,
          indexes INTEGER NOT NULL, PRIMARY KEY(container, environment, record, name)) WITHOUT ROWID;
        CREATE TABLE apitoken(
          hash TEXT PRIMARY KEY, container TEXT NOT NULL, environment TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE courier(
          id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, owner INTEGER NOT NULL, container TEXT NOT NULL,
          environment TEXT NOT NULL, client TEXT NOT NULL);
        CREATE TABLE chore(id INTEGER PRIMARY KEY, due INTEGER NOT NULL, kind TEXT NOT NULL, body BLOB NOT NULL);
        INSERT INTO owner VALUES(1, '', 'p', 0, 0, 0, 9223372036854775807, 0);
        INSERT INTO owner VALUES(2, 'maya', 'i', 0, 0, 0, 1000000, 0);
        INSERT INTO session VALUES(1, 'clear-token', 2, 'ipad-1', 'r');
        INSERT INTO credential VALUES(2, 'com.example.app', 'clear-credential');
        INSERT INTO courier VALUES(1, 'h', 2, 'iCloud.x', 'development', '');
        """

    /// Every column of every table, as SQLite tells of it, but for its place in the row.
    private func columns(_ cloud: Cloud) throws -> [String] {
        try cloud.database.query(
            "SELECT t.name, c.name, c.type, c.\"notnull\", coalesce(c.dflt_value, ''), c.pk FROM sqlite_master t "
                + "JOIN pragma_table_info(t.name) c WHERE t.type = 'table' ORDER BY 1, 2"
        ).map { row in "\(row.text(0)).\(row.text(1)) \(row.text(2)) \(row.int(3)) \(row.text(4)) \(row.int(5))" }
    }

    @Test("Encrypted fields in tables of before: kept, deployed, and not open afterwards")
    func encrypted() throws {
        let disk = Disk.memory()
        let database = try Database(disk: disk, path: Schema.path)
        try database.script(Self.old)
        try database.script(
            "INSERT INTO recordfield VALUES('iCloud.com.example.web', 'development', 'Note', 'old', 'STRING', 7)")
        database.close()
        let fleet = try Fleet([], more: ["dev": true, "closedProduction": true], disk: disk)
        let maya = Web(fleet: fleet, person: "maya")
        maya.makeZone()
        let secret: Value = ["value": "aGlkZGVu", "type": "STRING", "isEncrypted": true]
        #expect(maya.save("a", ["new": secret]).code == nil)
        #expect(maya.lookup("a")["fields"]?["new"]?["isEncrypted"]?.bool == true)
        maya.save("b", ["new": ["value": "open"]])
        #expect(maya.lookup("b")["fields"]?["new"]?["isEncrypted"]?.bool == true, "one that began so stays so")
        #expect(maya.save("b", ["old": secret]).code == "BAD_REQUEST")
        #expect(maya.save("b", ["old": ["value": "open"]]).code == nil)
    }

    @Test("Tables of before are brought to this form: tokens stay good and lie in clear no more")
    func older() throws {
        let disk = Disk.memory()
        let database = try Database(disk: disk, path: Schema.path)
        try database.script(Self.old)
        database.close()
        let cloud = try Cloud(spec: Self.spec, disk: disk)
        var lines = ""
        try cloud.export { lines += String(decoding: $0, as: UTF8.self) }
        #expect(!lines.contains("clear-"))
        #expect(try columns(cloud) == columns(Cloud(spec: Self.spec, disk: .memory())))
        func send(_ method: String, _ target: String, _ headers: HTTPHeaders) -> Int {
            var headers = headers
            headers["Authorization"] = "Bearer clear-token"
            let http = HTTPRequest(method, target, headers: headers, body: [])
            let reply = cloud.apply([CloudRequest(from: .pad(1), exchange: 1, http: http)], now: .zero)
            return reply.first?.response.status ?? 0
        }
        #expect(send("PUT", "/upload/v1/com.example.app/a", ["X-Credential": "clear-credential"]) == 201)
        #expect(send("PUT", "/upload/v1/com.example.app/b", ["X-Credential": "guess"]) == 403)
        // What nobody polls goes a day after, not at once.
        #expect(try cloud.database.query("SELECT kind FROM chore").map { $0.text(0) } == ["courier"])
        cloud.settle(now: .zero + .hours(1))
        #expect(try cloud.database.query("SELECT id FROM courier").count == 1)
        cloud.settle(now: .zero + .hours(50))
        #expect(try cloud.database.query("SELECT id FROM courier").isEmpty)
    }

    @Test("Management commands of the third version are kept; after it the same UUID may go to another iPad")
    func commands() throws {
        let disk = Disk.memory()
        let cloud = try Cloud(spec: Self.spec, disk: disk)
        let fresh = try columns(cloud)
        try cloud.database.script(
            """
            PRAGMA user_version = 3; DROP TABLE managementcommand;
            CREATE TABLE managementcommand(
              id INTEGER PRIMARY KEY, device TEXT NOT NULL, person TEXT NOT NULL, uuid TEXT NOT NULL UNIQUE, command BLOB NOT NULL,
              status TEXT NOT NULL DEFAULT '', isputoff INTEGER NOT NULL DEFAULT 0, answer BLOB);
            INSERT INTO managementcommand VALUES(4, 'ipad-1', 'maya', 'c1', x'7b7d', 'NotNow', 1, NULL);
            """)
        cloud.database.close()
        let now = try Cloud(spec: Self.spec, disk: disk)
        #expect(try columns(now) == fresh)
        for device in ["ipad-1", "ipad-2"] {
            try now.database.execute(
                "INSERT INTO managementcommand(device, person, uuid, command) VALUES(?, '', 'c1', x'7b7d') ON CONFLICT DO NOTHING",
                .text(device))
        }
        let rows = try now.database.query(
            "SELECT id, device, person, status, isputoff FROM managementcommand ORDER BY id")
        #expect(
            rows.map { "\($0.int(0)) \($0.text(1)) \($0.text(2)) \($0.text(3)) \($0.int(4))" } == [
                "4 ipad-1 maya NotNow 1", "5 ipad-2   0",
            ])
    }

    @Test("Names of people of before lie in tables of the second version as they are now, and mean the same people")
    func names() throws {
        let spec: Value = ["accounts": ["maya", "omar"], "seed": 7, "dev": true, "secret": "s"]
        let disk = Disk.memory()
        let cloud = try Cloud(spec: spec, disk: disk)
        func name(_ person: Person) -> String {
            let high = StableHash.of(7, "user", "iCloud.com.example.web", "development", person)
            return "_" + Hex.text(high) + Hex.text(StableHash.mix(high))
        }
        let record: Value = [
            "recordName": .string(name("omar")), "recordType": "Users", "recordChangeTag": "t",
            "created": ["userRecordName": .string(name("maya"))], "fields": .empty,
        ]
        try cloud.database.script(
            "PRAGMA user_version = 1; ALTER TABLE webtoken DROP COLUMN before; ALTER TABLE request DROP COLUMN container"
        )
        try cloud.database.execute(
            "INSERT INTO zone VALUES(9, ?, 'iCloud.com.example.web/development', '_defaultZone', 1, 1, 0)",
            .int(Owner.publicID))
        try cloud.database.execute(
            "INSERT INTO record VALUES(9, ?, 1, 0, 'Users', 't', 3, '', ?, '', '', 0)", .text(name("omar")),
            .blob(record.jsonBytes))
        try cloud.database.execute(
            "INSERT INTO participant VALUES(1, 9, 's', 3, ?, 'USER', 'READ_ONLY', 'PENDING')",
            .text((["userRecordName": .string(name("omar"))] as Value).json))
        cloud.database.close()
        let now = try Cloud(spec: spec, disk: disk)
        let found = try now.database.query("SELECT r.name, r.json, p.lookup FROM record r, participant p").first
        let (maya, omar) = try now.transact(.zero) { work in
            let space = Space(
                place: Place(container: "iCloud.com.example.web", environment: "development"), scope: .everyone,
                owner: Owner.publicID)
            return (
                UsersCaller.recordName(of: "maya", in: space, work), UsersCaller.recordName(of: "omar", in: space, work)
            )
        }
        #expect(found?.text(0) == omar)
        let body = try Value(json: found?.blob(1) ?? [])
        #expect(body["recordName"]?.string == omar)
        #expect(body["created"]?["userRecordName"]?.string == maya)
        #expect(try Value(json: found?.text(2) ?? "")["userRecordName"]?.string == omar)
    }

    @Test("An export of format 1 is taken, and its tokens lie in clear no more")
    func oldExport() throws {
        let cloud = try Cloud(spec: Self.spec, disk: .memory())
        var lines: [[UInt8]] = []
        try cloud.export { lines.append($0) }
        lines[0] = (["format": 1] as Value).jsonBytes
        // Nor did it count its rows.
        lines.removeLast()
        let session: Value = ["id": 1, "token": "clear-token", "owner": 2, "device": "ipad-1", "request": "r"]
        lines.append((["table": "session", "row": session] as Value).jsonBytes)
        try cloud.restore(lines)
        let hash = try cloud.database.query("SELECT hash FROM session").first?.text(0)
        #expect(hash == Secret.hidden("clear-token"))
        lines[0] = (["format": 4] as Value).jsonBytes
        #expect(throws: CloudSpecError.self) { try cloud.restore(lines) }
    }
}
