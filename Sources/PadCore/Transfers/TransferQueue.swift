import FleetModel
import Storage

/// Launches and resumes of one app for its transfers.
///
/// The limiter (app-lifecycle.md 7): each makes the delay longer before transfers begin that the app starts in the background. It starts
/// anew when the person opens the app, or when the delay passes without another launch. Apart from it, an outcome that the app was
/// started for and did not take is offered again after a growing pause (ASSUMED).
struct LaunchTries {
    private(set) var count = 0
    private(set) var notBefore = Instant.zero
    private var delay = Span.zero
    /// Until then the limiter remembers: the delay, and as long again for what was delayed to come to its end (ASSUMED).
    private var forgets = Instant.zero

    /// ASSUMED: Apple gives no figures.
    private static let firstDelay = Span.seconds(30)
    private static let longestDelay = Span.minutes(32)

    /// A launch that is refused (force-quit, another session) is asked for again after this. ASSUMED.
    static let refusedPause = Span.minutes(15)

    mutating func tried(at now: Instant, isLaunched: Bool) {
        notBefore = now + (isLaunched ? .seconds(30) * Int64(1 << min(count, 6)) : Self.refusedPause)
        count += 1
        guard isLaunched else { return }
        delay = now >= forgets ? Self.firstDelay : min(delay * 2, Self.longestDelay)
        forgets = now + delay * 2
    }
    /// The app has taken an outcome: the next one is offered at once.
    mutating func answered() { (count, notBefore) = (0, .zero) }
    /// Before this nothing begins that the app starts in the background now.
    func earliestBegin(at now: Instant) -> Instant { now >= forgets ? now : now + delay }
}

/// One person's background transfers on one iPad: rows and clones of the bodies in the person's volume.
///
/// Invariant: every transfer that is not finished has its clone, durable before its row. ASSUMED: a clone has no protection class, whatever
/// its file has: uploads go on behind a lock and after the sign-out (S28).
final class TransferQueue {
    let volume: Volume
    /// In the order they were resumed.
    private(set) var transfers: [Transfer] = []
    /// Apps that are to be started for their outcomes: how often that was tried in a row, and when again.
    var launchTries: [AppName: LaunchTries] = [:]

    /// Where nsurlsessiond keeps its clones: out of reach of every app.
    static let folder = "/var/mobile/Library/com.apple.nsurlsessiond"

    init(_ volume: Volume) throws {
        self.volume = volume
        try volume.database.script(
            """
            CREATE TABLE IF NOT EXISTS transfer_task(task INTEGER PRIMARY KEY AUTOINCREMENT, app TEXT NOT NULL,
                spec BLOB NOT NULL, outcome BLOB);
            CREATE TABLE IF NOT EXISTS transfer_session(app TEXT NOT NULL, name TEXT NOT NULL, last INTEGER NOT NULL,
                PRIMARY KEY(app, name)) WITHOUT ROWID;
            """)
        transfers = try volume.database.query("SELECT task, app, spec, outcome FROM transfer_task ORDER BY task").map {
            row in
            try Transfer(
                task: row.int(0), app: row.text(1), row: Value(json: row.blob(2)),
                outcome: row.isNull(3) ? nil : Value(json: row.blob(3)))
        }
        try sweep()
    }

    /// Removes clones that no row needs: of a hand-over that a power cut interrupted.
    private func sweep() throws {
        let needed = transfers.filter { $0.outcome == nil }.flatMap {
            [Self.bodyPath($0.task), Self.partPath($0.task)]
        }
        for path in volume.disk.files(under: Self.folder) where !needed.contains(path) { try volume.disk.remove(path) }
    }

    static func bodyPath(_ task: Int64) -> String { "\(folder)/\(task)" }

    func index(of task: Int64) -> Int? { transfers.firstIndex { $0.task == task } }
    /// By what its app knows it by.
    func index(of number: Int64, in session: String, of app: AppName) -> Int? {
        transfers.firstIndex { $0.number == number && $0.session == session && $0.app == app }
    }

    /// Takes a transfer over from its app: clone, sync, row, in one commit. Its numbers are in what is returned.
    /// - Parameter path: the body; nil: it has none.
    func add(_ transfer: Transfer, bodyAt path: String?) throws -> Transfer {
        var transfer = transfer
        try volume.disk.makeFolder(Self.folder)
        try volume.database.transaction {
            transfer.number = try nextNumber(in: transfer.session, of: transfer.app)
            try volume.database.execute(
                "INSERT INTO transfer_task(app, spec) VALUES (?, ?)", .text(transfer.app), .blob(transfer.row.jsonBytes)
            )
            transfer.task = try volume.database.query("SELECT last_insert_rowid()").first?.int(0) ?? 0
            guard let path else { return }
            let clone = Self.bodyPath(transfer.task)
            if volume.disk.status(clone) != nil { try volume.disk.remove(clone) }
            try volume.disk.clone(path, to: clone)
            try volume.disk.sync(clone)
        }
        transfers.append(transfer)
        return transfer
    }

    private func nextNumber(in session: String, of app: AppName) throws -> Int64 {
        try volume.database.execute(
            "INSERT INTO transfer_session(app, name, last) VALUES(?, ?, 1) ON CONFLICT(app, name) DO UPDATE SET last = last + 1",
            .text(app), .text(session))
        return try volume.database.query(
            "SELECT last FROM transfer_session WHERE app = ? AND name = ?", .text(app), .text(session)
        ).first?.int(0) ?? 0
    }

    func body(of task: Int64) throws -> [UInt8] { try volume.disk.read(Self.bodyPath(task)) }

    /// Keeps the outcome until the app has answered; the clone is needed no more.
    ///
    /// That there will be no answer is written down on a full disk too: the bytes go, and nobody would ask for them again.
    func finish(_ index: Int, _ outcome: Transfer.Outcome) throws {
        let task = transfers[index].task
        let write = {
            try self.volume.database.execute(
                "UPDATE transfer_task SET outcome = ? WHERE task = ?", .blob(outcome.body.jsonBytes), .int(task))
        }
        if case .failure = outcome { try volume.disk.withReserve(write) } else { try write() }
        transfers[index].outcome = outcome
        transfers[index].isUnderWay = false
        for path in [Self.bodyPath(task), Self.partPath(task)] where volume.disk.status(path) != nil {
            try volume.disk.remove(path)
        }
    }

    /// Writes a transfer's row again after it has changed.
    func save(_ index: Int) throws {
        try volume.database.execute(
            "UPDATE transfer_task SET spec = ? WHERE task = ?", .blob(transfers[index].row.jsonBytes),
            .int(transfers[index].task))
    }

    /// Forgets a task whose outcome the app has seen.
    func forget(_ index: Int) throws {
        try volume.database.execute("DELETE FROM transfer_task WHERE task = ?", .int(transfers[index].task))
        transfers.remove(at: index)
    }

    /// The person has opened the app: the limiter starts anew.
    func lift(_ app: AppName) {
        launchTries[app] = nil
        for index in transfers.indices where transfers[index].app == app { transfers[index].held = .zero }
    }

    /// Changes what is only known while the daemon runs.
    func update(_ index: Int, _ change: (inout Transfer) -> Void) { change(&transfers[index]) }
}

extension TransferQueue: InvariantHolder {
    func checkInvariants() throws(BrokenInvariant) {
        try invariant(isAscending(transfers.map(\.task)), "transfers are not in the order in which they were resumed")
        for transfer in transfers {
            try invariant(
                transfer.outcome == nil || !transfer.isUnderWay, "transfer \(transfer.task) has ended and is under way")
            try invariant(
                transfer.outcome != nil || transfer.deliveredTo == nil,
                "the outcome of transfer \(transfer.task) was delivered, and there is none")
        }
    }
}
