import FleetModel
import Storage

/// Brings to the present form what earlier versions have left behind: in a database, and in exports of theirs.
enum SchemaUpgrade {
    /// From before versions were counted: tokens of sessions and credentials lay in clear, nothing was encrypted in the
    /// schema, and nobody noted when a courier was polled.
    static func toFirst(_ database: Database) throws {
        try database.script(
            """
            ALTER TABLE session RENAME COLUMN token TO hash;
            ALTER TABLE session ADD COLUMN drawn INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE credential RENAME COLUMN credential TO hash;
            ALTER TABLE credential ADD COLUMN drawn INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE recordfield ADD COLUMN encrypted INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE apitoken ADD COLUMN callback TEXT NOT NULL DEFAULT '';
            ALTER TABLE apitoken ADD COLUMN origin TEXT NOT NULL DEFAULT '';
            ALTER TABLE courier ADD COLUMN polled INTEGER NOT NULL DEFAULT 0;
            """)
        for row in try database.query("SELECT id, hash FROM session ORDER BY id") {
            try database.execute(
                "UPDATE session SET hash = ? WHERE id = ?", .text(Secret.hidden(row.text(1))), .int(row.int(0)))
        }
        for row in try database.query("SELECT owner, app, hash FROM credential ORDER BY owner, app") {
            try database.execute(
                "UPDATE credential SET hash = ? WHERE owner = ? AND app = ?", .text(Secret.hidden(row.text(2))),
                .int(row.int(0)), .text(row.text(1)))
        }
        try reviewCouriers(database)
    }
    /// Has each courier looked at that nobody has looked after yet.
    static func reviewCouriers(_ database: Database) throws {
        for row in try database.query("SELECT id FROM courier ORDER BY id") {
            try database.execute(
                "INSERT INTO chore(due, kind, body) VALUES(0, ?, ?)", .text(Chores.Kind.courier.rawValue),
                .blob((["courier": .int(row.int(0))] as Value).jsonBytes))
        }
    }

    /// In the third version no two iPads had commands with the same UUID.
    static func toFourth(_ database: Database) throws {
        guard try database.hasTable("managementcommand") else { return }
        try database.script("ALTER TABLE managementcommand RENAME TO managementcommand3")
    }
    /// Brings the commands of the third version into the table of the fourth.
    static func takeCommands(_ database: Database) throws {
        guard try database.hasTable("managementcommand3") else { return }
        let columns = "id, device, person, uuid, command, status, isputoff, answer"
        try database.script(
            "INSERT INTO managementcommand(\(columns)) SELECT \(columns) FROM managementcommand3; "
                + "DROP TABLE managementcommand3")
    }

    /// A row of an export of format 1 or 2 as it is now; nil: it is not taken (`toSecond`).
    static func row(_ row: Value, of table: String, format: Int64) -> Value? {
        if format < 3, table == "assetslot" { return nil }
        guard format == 1, let column = ["session": "token", "credential": "credential"][table],
            let clear = row[column]?.string
        else { return row }
        var row = row
        row[column] = nil
        row["hash"] = .string(Secret.hidden(clear))
        return row
    }
}
