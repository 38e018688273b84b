import FleetModel
import Storage

/// A record as it lies in the table: its wire form beside what is searched by.
struct RecordRow: Hashable {
    var name: String
    var sequence: Int64
    var isDeleted: Bool
    /// Kept in a tombstone: readers of changes are told what kind of record went.
    var type: String
    var tag: String
    /// Row of the account that made it.
    var creator: Int64
    var tokens: [Token]
    /// The record dictionary as JSON; empty in a tombstone.
    var json: [UInt8]

    static let columns = "name, seq, deleted, type, tag, creator, tokens, json"

    init(_ row: Row) {
        name = row.text(0)
        sequence = row.int(1)
        isDeleted = row.int(2) != 0
        type = row.text(3)
        tag = row.text(4)
        creator = row.int(5)
        tokens = TokenList.read(row.text(6))
        json = row.blob(7)
    }
    init(
        name: String, sequence: Int64, isDeleted: Bool = false, type: String, tag: String, creator: Int64,
        tokens: [Token],
        json: [UInt8]
    ) {
        self.name = name
        self.sequence = sequence
        self.isDeleted = isDeleted
        self.type = type
        self.tag = tag
        self.creator = creator
        self.tokens = tokens
        self.json = json
    }

    /// The row of a name, tombstones included.
    static func find(_ name: String, in zone: Zone, _ work: Work) throws -> RecordRow? {
        try work.database.query("SELECT \(columns) FROM record WHERE zone = ? AND name = ?", .int(zone.id), .text(name))
            .first.map(RecordRow.init)
    }
    /// The records of a zone that are there, by name; of one type or of all.
    static func live(in zone: Zone, type: String, _ work: Work) throws -> [RecordRow] {
        try work.database.query(
            "SELECT \(columns) FROM record WHERE zone = ? AND deleted = 0 AND type = ? ORDER BY name", .int(zone.id),
            .text(type)
        ).map(RecordRow.init)
    }
    func save(in zone: Zone, _ work: Work) throws {
        try work.database.execute(
            "INSERT INTO record(zone, name, seq, deleted, type, tag, creator, tokens, json) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?) "
                + "ON CONFLICT(zone, name) DO UPDATE SET seq = excluded.seq, deleted = excluded.deleted, type = excluded.type, "
                + "tag = excluded.tag, creator = excluded.creator, tokens = excluded.tokens, json = excluded.json",
            .int(zone.id), .text(name), .int(sequence), .int(isDeleted ? 1 : 0), .text(type), .text(tag), .int(creator),
            .text(TokenList.text(tokens)), .blob(json))
    }

    /// The record dictionary.
    func body() throws -> Value {
        do { return try Value(json: json) } catch {
            throw CloudError(.internalError, "record '\(name)' is stored as what is not JSON: \(error)")
        }
    }
    /// The stored JSON, or a part of it when only some fields are wanted (cloudkit-web-services.md 5.1).
    func json(_ desiredKeys: [String]?) throws -> [UInt8] {
        guard let desiredKeys else { return json }
        var body = try body()
        let fields = body["fields"]?.object?.pairs ?? []
        body["fields"] = .object(
            Value.Object(fields.filter { desiredKeys.contains($0.key) }.map { ($0.key, $0.value) }))
        return body.jsonBytes
    }
    /// How readers of changes learn that it is gone.
    var deletion: Value { ["deleted": true, "recordName": .string(name), "recordType": .string(type)] }
}
