import FleetModel
import Storage

/// Containers as an administrator sees them.
enum Containers {
    /// Every container that anything is known of, by name.
    static func all(_ work: Work) throws -> [String] {
        let rows = try work.database.query(
            "SELECT name FROM container UNION SELECT container FROM apitoken UNION SELECT container FROM serverkey "
                + "UNION SELECT container FROM recordtype UNION SELECT container FROM registration UNION SELECT substr(space, 1, instr(space, '/') - 1) FROM zone "
                + "ORDER BY 1")
        return rows.map { $0.text(0) }
    }

    /// Takes away all records, files, subscriptions, push tokens, roles and the schema of a container, in both environments;
    /// people, API tokens, keys and the registration stay. Change tokens of its zones are refused from then on.
    static func reset(_ container: String, _ work: Work) throws {
        let spaces = ["development", "production"].map { Place(container: container, environment: $0).key }
        try forgetChores(of: container, spaces, work)
        for space in spaces {
            try giveBack(space, work)
            for row in try work.database.query("SELECT id FROM zone WHERE space = ? ORDER BY id", .text(space)) {
                try removeZone(row.int(0), work)
            }
            for table in ["zone", "asset", "subscription", "sharedzone", "assetslot"] {
                try work.database.execute("DELETE FROM \(table) WHERE space = ?", .text(space))
            }
        }
        try work.database.execute(
            "DELETE FROM courierpush WHERE courier IN (SELECT id FROM courier WHERE container = ?)", .text(container))
        // Of answers that were kept for retries none is true any more.
        for table in [
            "recordtype", "recordfield", "recordrole", "rolemember", "restriction", "courier", "pushtoken", "request",
        ] {
            try work.database.execute("DELETE FROM \(table) WHERE container = ?", .text(container))
        }
        try work.database.execute("UPDATE container SET used = 0 WHERE name = ?", .text(container))
    }
    /// Rows that come later may have the numbers of those that go: what was put off must not meet them.
    private static func forgetChores(of container: String, _ spaces: [String], _ work: Work) throws {
        func ids(_ sql: String, _ argument: String) throws -> Set<Int64> {
            Set(try work.database.query(sql, .text(argument)).map { $0.int(0) })
        }
        let zones = try spaces.map { try ids("SELECT id FROM zone WHERE space = ?", $0) }
        let assets = try spaces.map { try ids("SELECT id FROM asset WHERE space = ?", $0) }
        let couriers = try ids("SELECT id FROM courier WHERE container = ?", container)
        let going: [Chores.Kind: (key: String, ids: Set<Int64>)] = [
            .cascade: ("zone", zones.reduce(into: []) { $0.formUnion($1) }),
            .collect: ("asset", assets.reduce(into: []) { $0.formUnion($1) }),
            .courier: ("courier", couriers),
        ]
        for row in try work.database.query("SELECT id, kind, body FROM chore ORDER BY id") {
            guard let kind = Chores.Kind(rawValue: row.text(1)), let (key, ids) = going[kind],
                let id = (try? Value(json: row.blob(2)))?[key]?.int, ids.contains(id)
            else { continue }
            try work.database.execute("DELETE FROM chore WHERE id = ?", .int(row.int(0)))
        }
        work.hasNewChore = true
    }
    private static func removeZone(_ zone: Int64, _ work: Work) throws {
        for table in ["record", "link", "departed", "share", "participant", "assetuse"] {
            try work.database.execute("DELETE FROM \(table) WHERE zone = ?", .int(zone))
        }
        try FieldIndex.forget(zone: zone, work)
    }
    /// The space that each person's records and files took.
    private static func giveBack(_ space: String, _ work: Work) throws {
        let sums = [
            "SELECT owner, sum(size) FROM asset WHERE space = ? AND used = 1 AND owner <> ? GROUP BY owner ORDER BY owner",
            "SELECT z.owner, sum(length(r.json)) FROM record r JOIN zone z ON z.id = r.zone WHERE z.space = ? AND z.owner <> ? "
                + "GROUP BY z.owner ORDER BY z.owner",
        ]
        for sum in sums {
            for row in try work.database.query(sum, .text(space), .int(Owner.publicID)) {
                try work.use(bytes: -row.int(1), of: row.int(0))
            }
        }
        try work.database.execute(
            "DELETE FROM receipt WHERE asset IN (SELECT id FROM asset WHERE space = ?)", .text(space))
    }
}
