import CSQLite
import FleetModel
import Testing

@testable import Storage

@Suite("Database", .timeLimit(.minutes(20)))
struct DatabaseTests {
    @Test("Database: every kind of value comes back as it went in")
    func values() throws {
        let database = try Database(disk: .memory(), path: "/var/x/t.sqlite")
        try database.script("CREATE TABLE t(v); CREATE TABLE u(v);")
        let values: [SQLValue] = [
            .null, 0, -7, .int(Int64.min), 1.5, "", "text", "ä\0b \u{1F600}", .blob([]), .blob([0, 255, 0]),
        ]
        for value in values { try database.execute("INSERT INTO t VALUES(?)", value) }
        let rows = try database.query("SELECT v FROM t ORDER BY rowid")
        #expect(rows.map { $0[0] } == values)
        #expect(rows[0].isNull(0) && rows[0].isNull(5) && rows[0].int(0) == 0 && rows[6].text(0) == "text")
        try database.execute("DELETE FROM t WHERE rowid > ?1 AND rowid > ?1", 4)
        #expect(database.changes == 6)
    }

    @Test("Database: errors name the statement and leave the database usable")
    func errors() throws {
        let database = try Database(disk: .memory(), path: "/t")
        try database.script("CREATE TABLE t(k INTEGER PRIMARY KEY, v)")
        for bad in [
            "SELEC 1", "", "-- nothing", "SELECT 1; SELECT 2", "SELECT * FROM missing", "INSERT INTO t VALUES(?,?,?)",
        ] {
            #expect(throws: DatabaseError.self) { try database.query(bad) }
        }
        #expect(throws: DatabaseError.self) { try database.execute("INSERT INTO t VALUES(?,?)", 1) }
        try database.execute("INSERT INTO t VALUES(1,1);")
        do {
            try database.execute("INSERT INTO t VALUES(?,?)", 1, 2)
            Issue.record("the same key twice was accepted")
        } catch {
            #expect(error.code & 0xff == SQLITE_CONSTRAINT && error.sql.contains("INSERT") && !error.isFull)
        }
        #expect(try database.query("SELECT count(*) FROM t")[0].int(0) == 1)
        database.close()
        #expect(throws: DatabaseError.self) { try database.query("SELECT 1") }
    }

    @Test("Database: a transaction that throws leaves nothing, a nested one only its own part")
    func transactions() throws {
        struct Stop: Error {}
        let database = try Database(disk: .memory(), path: "/t")
        try database.script("CREATE TABLE t(k)")
        func keys() throws -> [Int64] { try database.query("SELECT k FROM t ORDER BY k").map { $0.int(0) } }
        #expect(throws: Stop.self) {
            try database.transaction {
                try database.execute("INSERT INTO t VALUES(1)")
                throw Stop()
            }
        }
        #expect(try keys() == [])
        let answer = try database.transaction {
            try database.execute("INSERT INTO t VALUES(2)")
            try? database.transaction {
                try database.execute("INSERT INTO t VALUES(3)")
                try database.transaction { try database.execute("INSERT INTO t VALUES(4)") }
                throw Stop()
            }
            try database.transaction { try database.execute("INSERT INTO t VALUES(5)") }
            return "done"
        }
        #expect(answer == "done")
        #expect(try keys() == [2, 5])
    }

    @Test("Database: reopened after close and after the process ended, everything is there; open twice, it is busy")
    func reopened() throws {
        let disks = try TwoDisks()
        try disks.both { disk in
            let first = try Database(disk: disk, path: "/d/t")
            try first.script("CREATE TABLE t(k); INSERT INTO t VALUES(1)")
            #expect(throws: DatabaseError.self) { try Database(disk: disk, path: "/d/t") }
            first.close()
            let second = try Database(disk: disk, path: "/d/t")
            try second.execute("INSERT INTO t VALUES(2)")
            disk.processEnded()
            #expect(throws: DatabaseError.self) { try second.execute("INSERT INTO t VALUES(9)") }
            let third = try Database(disk: disk, path: "/d/t")
            #expect(try third.query("SELECT k FROM t ORDER BY k").map { $0.int(0) } == [1, 2])
        }
    }

    @Test("Database: a file that is none, and a folder in its place, are errors")
    func damagedFile() throws {
        let disk = Disk.memory()
        try disk.write("/t", pattern(5000, 77), sync: true)
        #expect(throws: DatabaseError.self) { try Database(disk: disk, path: "/t") }
        try disk.makeFolder("/d")
        #expect(throws: DatabaseError.self) { try Database(disk: disk, path: "/d") }
        #expect(throws: DatabaseError.self) { try Database(disk: disk, path: "/t/inside") }
        #expect(try disk.read("/t") == pattern(5000, 77))
    }

    @Test("Database: a flipped byte anywhere gives an error or an answer, never a trap (100 places)")
    func corruption() throws {
        var refusals = 0
        for place in UInt64(0)..<100 {
            let disk = Disk.memory()
            let database = try Database(disk: disk, path: "/t")
            try database.script("CREATE TABLE t(k INTEGER PRIMARY KEY, v TEXT)")
            try database.transaction {
                for key in 0..<40 {
                    try database.execute(
                        "INSERT INTO t VALUES(?,?)", .int(key), .text(String(repeating: "v", count: 200)))
                }
            }
            try database.query("PRAGMA wal_checkpoint(TRUNCATE)").forEach { _ in }
            database.close()
            var draw = Draw(seed: place, name: "corruption")
            var content = try disk.read("/t")
            for _ in 0..<8 { content[draw.below(content.count)] ^= UInt8(1 + draw.below(255)) }
            try disk.write("/t", content, sync: true)
            do {
                let again = try Database(disk: disk, path: "/t")
                _ = try again.query("SELECT * FROM t")
                try again.execute("INSERT INTO t VALUES(1000, 'x')")
            } catch { refusals += 1 }
        }
        #expect(refusals > 3)
    }

    @Test("Database: disk full at any point of a transaction rolls it back, and the database stays usable")
    func full() throws {
        let disks = try TwoDisks()
        try disks.both { disk in
            let database = try Database(disk: disk, path: "/t")
            try database.script("CREATE TABLE t(k INTEGER PRIMARY KEY, v BLOB); INSERT INTO t VALUES(0, x'00')")
            var failures = 0
            for room in stride(from: 0, through: 120_000, by: 6_000) {
                disk.capacityBytes = disk.usedBytes + room
                do {
                    try database.transaction {
                        for key in 1...20 {
                            try database.execute("INSERT INTO t VALUES(?,?)", .int(key), .blob(pattern(4000, 1)))
                        }
                    }
                    try database.execute("DELETE FROM t WHERE k > 0")
                } catch let error as DatabaseError {
                    #expect(error.isFull, "\(error)")
                    failures += 1
                    disk.capacityBytes = .max
                    #expect(try database.query("SELECT count(*) FROM t")[0].int(0) <= 21)
                    try database.execute("DELETE FROM t WHERE k > 0")
                }
                disk.capacityBytes = .max
                #expect(try database.query("SELECT k FROM t").map { $0.int(0) } == [0])
                #expect(try database.query("PRAGMA integrity_check")[0].text(0) == "ok")
            }
            #expect(failures > 3)
        }
    }

    @Test("Database: after an error rolled the transaction back, nothing more slips in outside of it")
    func rolledBackByItself() throws {
        let database = try Database(disk: .memory(), path: "/t")
        try database.script("CREATE TABLE t(k INTEGER PRIMARY KEY)")
        #expect(throws: DatabaseError.self) {
            try database.transaction {
                try? database.execute("INSERT OR ROLLBACK INTO t SELECT 1 UNION ALL SELECT 1")
                try database.execute("INSERT INTO t VALUES(2)")
            }
        }
        #expect(try database.query("SELECT count(*) FROM t")[0].int(0) == 0)
    }

    @Test("Database: SQL's clock is the disk's virtual time")
    func time() throws {
        let disk = Disk.memory()
        let database = try Database(disk: disk, path: "/t")
        disk.now = .zero + .minutes(5)
        #expect(try database.query("SELECT datetime('now')")[0].text(0) == "2026-09-01 08:05:00")
    }
}
