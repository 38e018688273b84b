import FleetModel
import Storage

/// What requests, commands and put-off work led to, for whoever judges a run: kept in the database, in the same transaction, so that after a crash
/// there is a note of each thing that happened and of nothing else.
enum History {
    /// Events of one answer.
    private static let pageMax: Int64 = 5000

    static func prepare(_ database: Database) throws {
        try database.execute("CREATE TABLE IF NOT EXISTS history(id INTEGER PRIMARY KEY, body BLOB NOT NULL)")
    }

    /// Nothing happens without the setting.
    static func keep(_ notes: [Note], _ work: Work) throws {
        guard work.policy.keepsHistory else { return }
        for note in notes {
            try work.database.execute(
                "INSERT INTO history(body) VALUES(?)",
                .blob(HistoryEvent(at: work.now, from: .cloud, note).body.jsonBytes))
        }
    }

    /// `cloud.history {after?}`: `{events, last, failure?}`, the events in their order as lines of a trace have them; `last` is the next `after`.
    /// `failure`: the first reason for which this server could not write since it was started, a full disk.
    static func page(_ body: Value, _ cloud: Cloud) throws -> Value {
        guard cloud.policy.keepsHistory else {
            throw CloudError.badRequest("this Cloud keeps no history; start it with --testbed")
        }
        let rows = try cloud.database.query(
            "SELECT id, body FROM history WHERE id > ? ORDER BY id LIMIT ?", .int(body["after"]?.int ?? 0),
            .int(pageMax))
        var answer: Value = [
            "ok": true, "last": rows.last.map { .int($0.int(0)) } ?? .null,
            "events": .array(try rows.map { try Value(json: $0.blob(1)) }),
        ]
        answer["failure"] = cloud.failure.map { .string($0) }
        return answer
    }
}
