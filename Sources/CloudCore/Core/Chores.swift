import FleetModel
import Storage

/// Work that was put off: what CloudKit does some time after it has answered. Chores lie on the disk, so a restart forgets
/// none; a chore that finds nothing left to do does nothing.
enum Chores {
    enum Kind: String {
        /// `{zone, name}`: sources that go with a record deleted from a default zone (cloudkit-web-services.md 8.8).
        case cascade
        /// `{asset}`: an asset that may have lost its last reference (cloudkit-web-services.md 7.3).
        case collect
        /// `{courier}`: a courier that nobody may have polled for long.
        case courier
    }
    /// Chores of one transaction; more stay due.
    private static let batchMax = 100
    /// After a commit that failed.
    static let retryAfter = Span.seconds(5)

    static func add(_ kind: Kind, _ body: Value, after delay: Span, _ work: Work) throws {
        try work.database.execute(
            "INSERT INTO chore(due, kind, body) VALUES(?, ?, ?)", .int((work.now + delay).nanoseconds),
            .text(kind.rawValue),
            .blob(body.jsonBytes))
        work.hasNewChore = true
    }

    /// When the next one is due, ns.
    static func next(_ database: Database) throws -> Int64? {
        try database.query("SELECT due FROM chore ORDER BY due, id LIMIT 1").first?.int(0)
    }

    static func run(_ work: Work) throws {
        work.hasNewChore = true
        let rows = try work.database.query(
            "SELECT id, kind, body FROM chore WHERE due <= ? ORDER BY due, id LIMIT ?", .int(work.now.nanoseconds),
            .int(batchMax))
        for row in rows {
            let body = (try? Value(json: row.blob(2))) ?? .empty
            switch Kind(rawValue: row.text(1)) {
            case .cascade: try Cascade.finish(zone: body["zone"]?.int ?? 0, target: body["name"]?.string ?? "", work)
            case .collect: try Assets.collect(body["asset"]?.int ?? 0, work)
            case .courier: try Couriers.review(body["courier"]?.int ?? 0, work)
            case nil: break
            }
            try work.database.execute("DELETE FROM chore WHERE id = ?", .int(row.int(0)))
        }
    }
}
