import FleetModel
import Storage

/// Where the parts of a split run leave word for each other: they know nobody but the Cloud. Belongs to the testbed, as `History` does.
enum Board {
    /// Entries of one answer.
    private static let pageMax: Int64 = 1000
    /// An entry is a few words. ASSUMED: the number is ours.
    private static let entryBytesMax = 1 << 16

    static func prepare(_ database: Database) throws {
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS board(id INTEGER PRIMARY KEY, author TEXT NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL,
                body BLOB NOT NULL, UNIQUE(author, number))
            """)
    }

    /// `cloud.board {after?, author?, number?, entry?}`: leaves `entry` there, if one is given, and answers `{entries, last, now}`: what was left
    /// after `after`, each `{author, number, at, entry}`, and the Cloud's clock (both in ns of the run's epoch).
    ///
    /// An entry that comes twice, because its answer was lost, is there once: an author gives each a number of its own.
    static func page(_ body: Value, _ cloud: Cloud, now: Instant) throws -> Value {
        guard cloud.policy.keepsHistory else {
            throw CloudError.badRequest("this Cloud has no board for split runs; start it with --testbed")
        }
        if let entry = body["entry"] { try leave(entry, body, cloud, now) }
        let rows = try cloud.database.query(
            "SELECT id, author, number, at, body FROM board WHERE id > ? ORDER BY id LIMIT ?",
            .int(body["after"]?.int ?? 0), .int(pageMax))
        return [
            "ok": true, "now": .int(now.nanoseconds), "last": rows.last.map { .int($0.int(0)) } ?? .null,
            "entries": .array(
                try rows.map {
                    [
                        "author": .string($0.text(1)), "number": .int($0.int(2)), "at": .int($0.int(3)),
                        "entry": try Value(json: $0.blob(4)),
                    ]
                }),
        ]
    }

    private static func leave(_ entry: Value, _ body: Value, _ cloud: Cloud, _ now: Instant) throws {
        guard let author = body["author"]?.string, let number = body["number"]?.int else {
            throw CloudError.badRequest("an entry of the board needs an 'author' and the author's 'number' of it")
        }
        let bytes = entry.jsonBytes
        guard bytes.count <= entryBytesMax else {
            throw CloudError.badRequest("an entry of the board takes \(entryBytesMax) bytes, not \(bytes.count)")
        }
        try cloud.database.transaction {
            try cloud.database.execute(
                "INSERT OR IGNORE INTO board(author, number, at, body) VALUES(?, ?, ?, ?)", .text(author),
                .int(number), .int(now.nanoseconds), .blob(bytes))
        }
    }
}
