import FleetModel
import Testing

@testable import Storage

/// One life: transactions until the power fails at some write, the cut, and what the database holds then.
private struct Life {
    enum End: Hashable { case ok, lost, corrupt }

    /// Runs transactions of 1-4 rows until the power fails at change `count`, cuts it and looks.
    static func run(seed: UInt64, settings: Database.Settings, on disk: Disk = .memory()) -> End {
        var acknowledged: [Int64] = []
        var draw = Draw(seed: seed, name: "life")
        var group: Int64 = 0
        do {
            let database = try Database(disk: disk, path: "/var/t.sqlite", settings: settings)
            try database.script(
                "CREATE TABLE IF NOT EXISTS t(k INTEGER, n INTEGER, v BLOB); CREATE INDEX IF NOT EXISTS i ON t(k)")
            disk.flush()
            disk.powerFailsAt = disk.writeCount + UInt64(draw.below(700))
            while true {
                group += 1
                let rows = 1 + draw.below(4)
                try database.transaction {
                    for row in 0..<rows {
                        let blob = [UInt8](repeating: UInt8(truncatingIfNeeded: group), count: 20 + draw.below(3000))
                        try database.execute("INSERT INTO t VALUES(?,?,?)", .int(group), .int(rows - row), .blob(blob))
                    }
                    if group % 5 == 0 { try database.execute("DELETE FROM t WHERE k = ?", .int(group - 3)) }
                }
                if group % 5 == 0 { acknowledged.removeAll { $0 == group - 3 } }
                acknowledged.append(group)
            }
        } catch {}
        disk.powerCut(seed: seed)
        return look(disk, acknowledged, last: group, settings)
    }

    private static func look(_ disk: Disk, _ acknowledged: [Int64], last: Int64, _ settings: Database.Settings) -> End {
        do {
            let database = try Database(disk: disk, path: "/var/t.sqlite", settings: settings)
            guard try database.query("PRAGMA integrity_check")[0].text(0) == "ok" else { return .corrupt }
            let groups = try database.query("SELECT k, count(*), max(n) FROM t GROUP BY k ORDER BY k")
            guard groups.allSatisfy({ $0.int(1) == $0.int(2) }) else { return .corrupt }
            // The transaction in flight may have happened or not; nothing else may be there or be missing.
            let present = groups.map { $0.int(0) }
            let withLast = last % 5 == 0 ? acknowledged.filter { $0 != last - 3 } + [last] : acknowledged + [last]
            return present == acknowledged || present == withLast ? .ok : .lost
        } catch { return .corrupt }
    }

    static func count(_ seeds: Range<UInt64>, _ settings: Database.Settings) -> [End: Int] {
        var ends: [End: Int] = [:]
        for seed in seeds { ends[run(seed: seed, settings: settings), default: 0] += 1 }
        return ends
    }
}

@Suite("Database power cut", .timeLimit(.minutes(20)))
struct DatabasePowerCutTests {
    @Test("Database: acknowledged commits survive every power cut (200 cuts, at any write)")
    func durable() {
        #expect(Life.count(0..<200, .durable) == [.ok: 200])
    }

    @Test("Database: so they do with a rollback journal, synced (100 cuts)")
    func rollbackJournal() {
        #expect(Life.count(0..<100, Database.Settings(journal: "DELETE")) == [.ok: 100])
        #expect(Life.count(0..<100, Database.Settings(journal: "TRUNCATE")) == [.ok: 100])
    }

    @Test("Database: without syncs the model loses commits and breaks databases (100 cuts)")
    func withoutSync() {
        let ends = Life.count(0..<100, Database.Settings(synchronous: "OFF"))
        #expect(ends[.lost, default: 0] > 3)
        #expect(ends[.corrupt, default: 0] > 30)
    }

    @Test("Database: a log synced at checkpoints only loses commits, but breaks nothing (100 cuts)")
    func normal() {
        let ends = Life.count(0..<100, Database.Settings(synchronous: "NORMAL"))
        #expect(ends[.lost, default: 0] > 10)
        #expect(ends[.corrupt, default: 0] == 0)
    }

    @Test("Database: cut after cut on the same volume, in memory and on a real directory (30 cuts each)")
    func repeated() throws {
        let disks = try TwoDisks()
        disks.both { disk in
            for seed in UInt64(0)..<30 {
                if disk.status("/var/t.sqlite") != nil {
                    let previous = try? Database(disk: disk, path: "/var/t.sqlite")
                    try? previous?.execute("DELETE FROM t")
                    previous?.close()
                }
                #expect(Life.run(seed: seed, settings: .durable, on: disk) == .ok, "seed \(seed)")
            }
        }
        #expect(disks.snapshots.memory == disks.snapshots.directory)
    }
}
