import FleetModel
import Storage

/// The long-lived operations of one person on one iPad, in the person's volume: what was promised to an app survives everything
/// but the removal of the person. Each method is one commit; when it returns, it holds over a power cut.
struct OperationJournal {
    private let database: Database

    /// How long a result is kept after completion (cloudkit-framework.md 9).
    static let resultsKept = Span.hours(24)

    /// One row.
    struct Entry {
        var sequence: Int64
        var app: AppName
        var bundle: String
        /// The launch that handed it over.
        var launch: Int
        var op: String
        /// When it was handed over.
        var begun: Instant
        var message: Message
        /// Answers so far of an operation that takes several requests.
        var progress: Value?
        /// Nil while it is under way.
        var result: Value?
        /// When the result came.
        var finished: Instant?
    }

    /// Opens the journal without writing: an iPad whose apps use no long-lived operations pays nothing.
    init(_ volume: Volume) { database = volume.database }

    private var exists: Bool {
        get throws(DatabaseError) {
            try database.hasTable("ck_operations")
        }
    }
    private func create() throws(DatabaseError) {
        guard try !exists else { return }
        try database.script(
            """
            CREATE TABLE ck_operations (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT, app TEXT NOT NULL, bundle TEXT NOT NULL, launch INTEGER NOT NULL,
                op TEXT NOT NULL, name TEXT NOT NULL, body BLOB NOT NULL, begun INTEGER NOT NULL, progress BLOB, result BLOB,
                finished INTEGER,
                refused INTEGER NOT NULL DEFAULT 0, taken INTEGER NOT NULL DEFAULT 0, UNIQUE (app, op));
            CREATE INDEX ck_operations_finished ON ck_operations (finished);
            """)
    }

    // MARK: Writing

    /// Puts an operation down before anything is promised for it.
    /// - Returns: its place in the order of hand-over.
    func add(_ message: Message, op: String, app: AppIdentity, now: Instant) throws(DatabaseError) -> Int64 {
        try create()
        try forgetOld(now)
        try database.execute(
            "INSERT INTO ck_operations (app, bundle, launch, op, name, body, begun) VALUES (?, ?, ?, ?, ?, ?, ?)",
            .text(app.app), .text(app.bundle), .int(Int64(app.launch)), .text(op), .text(message.name),
            .blob(message.body.encoded), .int(now.nanoseconds))
        return database.lastRow
    }
    func save(progress: Value, of sequence: Int64) throws(DatabaseError) {
        try database.execute(
            "UPDATE ck_operations SET progress = ? WHERE sequence = ?", .blob(progress.encoded), .int(sequence))
    }
    /// Stores the result, and drops results that are older than 24 h.
    /// - Parameter refused: it hands edits back, so it stays open until `take`.
    func finish(_ sequence: Int64, result: Value, refused: Bool, now: Instant) throws(DatabaseError) {
        try forgetOld(now)
        try database.execute(
            "UPDATE ck_operations SET result = ?, finished = ?, refused = ?, progress = NULL WHERE sequence = ?",
            .blob(result.encoded), .int(now.nanoseconds), .int(refused ? 1 : 0), .int(sequence))
    }
    /// The app has seen the result.
    func take(_ sequence: Int64) throws(DatabaseError) {
        try database.execute("UPDATE ck_operations SET taken = 1 WHERE sequence = ?", .int(sequence))
    }
    private func forgetOld(_ now: Instant) throws(DatabaseError) {
        let limit = now.nanoseconds - Self.resultsKept.nanoseconds
        if limit >= 0 { try database.execute("DELETE FROM ck_operations WHERE finished <= ?", .int(limit)) }
    }

    // MARK: Reading

    private static let columns = "sequence, app, bundle, launch, op, name, body, progress, result, finished, begun"

    /// All operations under way, and refusals that their app has not seen; in the order of hand-over.
    func open() throws(DatabaseError) -> [Entry] {
        guard try exists else { return [] }
        return try database.query(
            "SELECT \(Self.columns) FROM ck_operations WHERE finished IS NULL OR refused = 1 AND taken = 0 ORDER BY sequence"
        ).compactMap(entry)
    }
    /// What an app may still ask for, in the order of hand-over.
    func list(of app: AppName, now: Instant) throws(DatabaseError) -> [(op: String, name: String, isDone: Bool)] {
        guard try exists else { return [] }
        return try database.query(
            "SELECT op, name, finished IS NOT NULL FROM ck_operations WHERE app = ? AND (finished IS NULL OR finished > ?) "
                + "ORDER BY sequence", .text(app), .int(now.nanoseconds - Self.resultsKept.nanoseconds)
        ).map { ($0.text(0), $0.text(1), $0.int(2) == 1) }
    }
    /// One operation of an app; nil when there is none, or its result is too old.
    func find(_ op: String, of app: AppName, now: Instant) throws(DatabaseError) -> Entry? {
        guard try exists else { return nil }
        return try database.query(
            "SELECT \(Self.columns) FROM ck_operations WHERE app = ? AND op = ? AND (finished IS NULL OR finished > ?)",
            .text(app), .text(op), .int(now.nanoseconds - Self.resultsKept.nanoseconds)
        ).compactMap(entry).first
    }

    private func entry(_ row: Row) -> Entry? {
        guard let body = try? Value(decoding: row.blob(6)) else { return nil }
        func value(_ column: Int) -> Value? {
            guard !row.isNull(column) else { return Optional.none }
            return try? Value(decoding: row.blob(column))
        }
        return Entry(
            sequence: row.int(0), app: row.text(1), bundle: row.text(2), launch: Int(row.int(3)), op: row.text(4),
            begun: Instant(nanoseconds: row.int(10)), message: Message(row.text(5), body), progress: value(7),
            result: value(8),
            finished: row.isNull(9) ? nil : Instant(nanoseconds: row.int(9)))
    }
}

/// Which app of a person uses which container: pushes are delivered by it, also to apps that are not running.
struct ContainerUse {
    private let database: Database

    init(_ volume: Volume) { database = volume.database }

    func note(_ container: String, app: AppIdentity) throws(DatabaseError) {
        try database.script(
            """
            CREATE TABLE IF NOT EXISTS ck_containers (
                container TEXT NOT NULL, app TEXT NOT NULL, bundle TEXT NOT NULL, PRIMARY KEY (container, app)) WITHOUT ROWID;
            """)
        guard
            try database.query(
                "SELECT 1 FROM ck_containers WHERE container = ? AND app = ?", .text(container), .text(app.app)
            ).isEmpty
        else { return }
        try database.execute(
            "INSERT INTO ck_containers VALUES (?, ?, ?)", .text(container), .text(app.app), .text(app.bundle))
    }
    /// Apps in alphabetical order.
    func apps(using container: String) throws(DatabaseError) -> [AppName] {
        guard try database.hasTable("ck_containers") else { return [] }
        return try database.query("SELECT app FROM ck_containers WHERE container = ? ORDER BY app", .text(container))
            .map { $0.text(0) }
    }
}
