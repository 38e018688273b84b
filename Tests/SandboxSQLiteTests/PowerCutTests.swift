import CSQLite
import FleetModel
import Foundation
import Storage
import Testing

@Suite("Power cuts under SQLite of apps", .timeLimit(.minutes(20))) struct PowerCutTests {
    /// What a cut at some change of the disk left of the rows whose insertion was acknowledged.
    struct Outcome {
        var acknowledged = 0
        var found: [String] = []
        var isWhole = false
        /// Every acknowledged row is there, and of those after it at most the one that was under way.
        var isKept: Bool {
            isWhole && (found.count == acknowledged || found.count == acknowledged + 1)
                && found == (0..<found.count).map(String.init)
        }
    }

    private func cut(_ seed: UInt64, mode: String, synchronous: String) throws -> Outcome {
        var outcome = Outcome()
        var draw = Draw(seed: StableHash.of(seed, "cut", mode))
        let bench = try SandboxBench()
        bench.step {
            let database = PlainDatabase(bench.path)
            database.run("PRAGMA journal_mode = \(mode); CREATE TABLE t(a INTEGER PRIMARY KEY, b BLOB)")
            database.run("PRAGMA synchronous = FULL; INSERT INTO t VALUES (0, zeroblob(100))")
            outcome.acknowledged = 1
        }
        bench.disk.powerFailsAt = bench.disk.writeCount + UInt64(draw.below(120))
        bench.step {
            let database = PlainDatabase(bench.path)
            database.run(
                "PRAGMA journal_mode = \(mode); PRAGMA synchronous = \(synchronous); PRAGMA wal_autocheckpoint = 8")
            while bench.disk.outage == nil, outcome.acknowledged < 60 {
                let size = draw.below(3000)
                guard database.run("INSERT INTO t VALUES (\(outcome.acknowledged), randomblob(\(size)))") == 0 else {
                    break
                }
                outcome.acknowledged += 1
            }
        }
        try bench.cutPower(seed: seed)
        bench.step {
            let database = PlainDatabase(bench.path)
            outcome.isWhole = database.isWhole
            outcome.found = database.rows("SELECT a FROM t ORDER BY a")
        }
        return outcome
    }

    /// More with `HOMEROOM_POWER_CUTS`.
    private var count: UInt64 { ProcessInfo.processInfo.environment["HOMEROOM_POWER_CUTS"].flatMap(UInt64.init) ?? 150 }

    @Test(
        "Power cut: with synchronous=FULL no acknowledged row is lost, and the database is whole",
        arguments: ["delete", "truncate", "persist", "wal"])
    func full(mode: String) throws {
        for seed in 1...count {
            let outcome = try cut(seed, mode: mode, synchronous: "FULL")
            #expect(
                outcome.isKept,
                "seed \(seed): \(outcome.acknowledged) acknowledged, \(outcome.found.count) found, whole: \(outcome.isWhole)"
            )
        }
    }

    @Test("Power cut: with synchronous=OFF something is lost within 20 seeds", arguments: ["delete", "wal"])
    func off(mode: String) throws {
        let losses = try (1...20).filter { try !cut(UInt64($0), mode: mode, synchronous: "OFF").isKept }
        #expect(!losses.isEmpty)
    }

    @Test("Power cut: with a write-ahead log and synchronous=NORMAL rows may be lost, and the database is whole")
    func normal() throws {
        var lost = 0
        for seed in 1...UInt64(60) {
            let outcome = try cut(seed, mode: "wal", synchronous: "NORMAL")
            #expect(outcome.isWhole)
            if !outcome.isKept { lost += 1 }
        }
        #expect(lost > 0)
    }
}
