import FleetModel
import Storage

/// The second version of the tables: names of people are made with the service's secret, and what was given out before is
/// renamed wherever it lies, so that records, shares and subscriptions go on to mean the same people.
extension SchemaUpgrade {
    /// Columns and tables of the second version. Upload URLs live for minutes: those of before are not kept.
    static func toSecond(_ database: Database) throws {
        if try database.hasTable("webtoken") {
            try database.script("ALTER TABLE webtoken ADD COLUMN before TEXT NOT NULL DEFAULT ''")
        }
        if try database.hasTable("request") {
            try database.script("ALTER TABLE request ADD COLUMN container TEXT NOT NULL DEFAULT ''")
        }
        try database.script("DROP TABLE IF EXISTS assetslot")
    }

    /// Brings the content of tables of the first version to the second.
    static func hide(_ database: Database, seed: UInt64, _ policy: CloudPolicy) throws {
        let names = try newNames(database, seed: seed, policy)
        for place in places { try rename(place, names, database) }
        if try database.hasTable(FieldIndex.table) { try FieldIndex.fill(database) }
        try StampedEntry.hideAll(in: SyncKeychain.store, database, policy)
    }

    /// Names of the first version, computed from the seed, with those that take their place.
    private static func newNames(_ database: Database, seed: UInt64, _ policy: CloudPolicy) throws -> [String: String] {
        var names: [String: String] = [:]
        let spaces = try database.query("SELECT DISTINCT space FROM zone ORDER BY space").map { $0.text(0) }
        try database.each("SELECT name FROM owner ORDER BY id") { row in
            for place in spaces.compactMap(Place.init(key:)) {
                let high = StableHash.of(seed, "user", place.container, place.environment, row.text(0))
                names["_" + Hex.text(high) + Hex.text(StableHash.mix(high))] = UsersCaller.recordName(
                    of: row.text(0), in: place.key, key: policy.secret)
            }
        }
        return names
    }

    /// Where names of people lie.
    private struct Holder {
        var table: String
        var key: [String]
        var columns: [String]
    }
    private static let places = [
        Holder(table: "record", key: ["zone", "name"], columns: ["name", "parent", "json"]),
        Holder(table: "link", key: ["zone", "target", "source", "action"], columns: ["target", "source"]),
        Holder(table: "departed", key: ["zone", "share", "name"], columns: ["name"]),
        Holder(table: "assetuse", key: ["zone", "record", "asset"], columns: ["record"]),
        Holder(table: "share", key: ["zone", "name"], columns: ["root"]),
        Holder(table: "participant", key: ["id"], columns: ["lookup"]),
        Holder(table: "subscription", key: ["id"], columns: ["json"]),
        Holder(table: "request", key: ["owner", "id", "digest"], columns: ["body"]),
        Holder(table: "courierpush", key: ["id"], columns: ["body"]),
        Holder(table: "chore", key: ["id"], columns: ["body"]),
    ]
    /// Rows that are in memory at once.
    private static let chunk = 256

    private static func rename(_ place: Holder, _ names: [String: String], _ database: Database) throws {
        let (keys, columns) = (place.key.joined(separator: ", "), place.columns.joined(separator: ", "))
        let marks = place.key.map { _ in "?" }.joined(separator: ", ")
        var last: [SQLValue] = []
        while true {
            let after = last.isEmpty ? "" : "WHERE (\(keys)) > (\(marks)) "
            let rows = try database.query(
                "SELECT \(keys), \(columns) FROM \(place.table) \(after)ORDER BY \(keys) LIMIT \(chunk)", all: last)
            for row in rows {
                let (key, old) = (row.values.prefix(place.key.count), row.values.dropFirst(place.key.count))
                let new = old.map { renamed($0, names) }
                guard new != Array(old) else { continue }
                try database.execute(
                    "UPDATE \(place.table) SET \(place.columns.map { "\($0) = ?" }.joined(separator: ", ")) "
                        + "WHERE (\(keys)) = (\(marks))", all: new + key)
            }
            guard rows.count == chunk, let end = rows.last else { return }
            last = Array(end.values.prefix(place.key.count))
        }
    }
    private static func renamed(_ value: SQLValue, _ names: [String: String]) -> SQLValue {
        switch value {
        case .text(let text): .text(String(decoding: renamed(Array(text.utf8), names), as: UTF8.self))
        case .blob(let bytes): .blob(renamed(bytes, names))
        default: value
        }
    }
    /// Old and new names are of one length.
    private static func renamed(_ bytes: [UInt8], _ names: [String: String]) -> [UInt8] {
        var (result, at) = (bytes, 0)
        while let start = bytes[at...].firstIndex(of: UInt8(ascii: "_")), start + 33 <= bytes.count {
            at = start + 1
            guard let new = names[String(decoding: bytes[start..<start + 33], as: UTF8.self)] else { continue }
            result.replaceSubrange(start..<start + 33, with: new.utf8)
            at = start + 33
        }
        return result
    }
}
