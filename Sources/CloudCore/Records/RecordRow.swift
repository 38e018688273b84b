import FleetModel
import Storage

/// What hangs on a record, so that the many records without it pay nothing for it.
struct RecordMarks: OptionSet, Hashable {
    let rawValue: Int64
    /// It holds references that the service acts on.
    static let links = RecordMarks(rawValue: 1)
    static let assets = RecordMarks(rawValue: 2)
    /// It is a share: participants are added at each reading.
    static let share = RecordMarks(rawValue: 4)
    /// It carries a share: it is the root of what is shared.
    static let root = RecordMarks(rawValue: 8)
}

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
    /// Record name of the share that covers it; empty for none. Kept in a tombstone.
    var share: String
    /// Record name of its parent; empty for none.
    var parent: String
    var marks: RecordMarks

    static let columns = "name, seq, deleted, type, tag, creator, tokens, json, share, parent, marks"

    init(_ row: Row) {
        name = row.text(0)
        sequence = row.int(1)
        isDeleted = row.int(2) != 0
        type = row.text(3)
        tag = row.text(4)
        creator = row.int(5)
        tokens = TokenList.read(row.text(6))
        json = row.blob(7)
        share = row.text(8)
        parent = row.text(9)
        marks = RecordMarks(rawValue: row.int(10))
    }
    init(
        name: String, sequence: Int64, isDeleted: Bool = false, type: String, tag: String, creator: Int64,
        tokens: [Token], json: [UInt8], share: String = "", parent: String = "", marks: RecordMarks = []
    ) {
        self.name = name
        self.sequence = sequence
        self.isDeleted = isDeleted
        self.type = type
        self.tag = tag
        self.creator = creator
        self.tokens = tokens
        self.json = json
        self.share = share
        self.parent = parent
        self.marks = marks
    }

    /// The row of a name, tombstones included.
    static func find(_ name: String, in zone: Zone, _ work: Work) throws -> RecordRow? {
        try work.database.query("SELECT \(columns) FROM record WHERE zone = ? AND name = ?", .int(zone.id), .text(name))
            .first.map(RecordRow.init)
    }
    static func children(of name: String, in zone: Zone, _ work: Work) throws -> [RecordRow] {
        try work.database.query(
            "SELECT \(columns) FROM record WHERE zone = ? AND parent = ? AND parent <> '' AND deleted = 0 ORDER BY name",
            .int(zone.id), .text(name)
        ).map(RecordRow.init)
    }
    static func childNames(of name: String, in zone: Zone, limit: Int, _ work: Work) throws -> [String] {
        try work.database.query(
            "SELECT name FROM record WHERE zone = ? AND parent = ? AND parent <> '' AND deleted = 0 ORDER BY name LIMIT ?",
            .int(zone.id), .text(name), .int(limit)
        ).map { $0.text(0) }
    }
    func save(in zone: Zone, _ work: Work) throws {
        try work.database.execute(
            "INSERT INTO record(zone, \(Self.columns)) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                + "ON CONFLICT(zone, name) DO UPDATE SET seq = excluded.seq, deleted = excluded.deleted, type = excluded.type, "
                + "tag = excluded.tag, creator = excluded.creator, tokens = excluded.tokens, json = excluded.json, "
                + "share = excluded.share, parent = excluded.parent, marks = excluded.marks",
            .int(zone.id), .text(name), .int(sequence), .int(isDeleted ? 1 : 0), .text(type), .text(tag), .int(creator),
            .text(TokenList.text(tokens)), .blob(json), .text(share), .text(parent), .int(marks.rawValue))
    }

    /// The record dictionary.
    func body() throws -> Value {
        do { return try Value(json: json) } catch {
            throw CloudError(.internalError, "record '\(name)' is stored as what is not JSON: \(error)")
        }
    }
    /// How readers of changes learn that it is gone.
    var deletion: Value { ["deleted": true, "recordName": .string(name), "recordType": .string(type)] }
}
