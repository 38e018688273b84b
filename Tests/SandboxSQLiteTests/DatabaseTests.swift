import CSQLite
import FleetModel
import Foundation
import Storage
import Testing

@testable import PadCore

@Suite("SQLite of apps", .timeLimit(.minutes(20))) struct DatabaseTests {
    @Test(
        "Database: opened as everywhere, it lies in the sandbox and is there in the next launch",
        arguments: ["delete", "wal"])
    func stays(mode: String) throws {
        let bench = try SandboxBench()
        bench.step {
            let database = PlainDatabase(bench.path)
            #expect(database.opened == SQLITE_OK)
            #expect(database.rows("PRAGMA journal_mode = \(mode)") == [mode])
            #expect(database.run("CREATE TABLE cards(front TEXT); INSERT INTO cards VALUES ('hola'), ('adiós')") == 0)
        }
        #expect(bench.disk.status(bench.path) != nil)
        bench.start()
        bench.step {
            #expect(PlainDatabase(bench.path).rows("SELECT front FROM cards ORDER BY front") == ["adiós", "hola"])
        }
    }

    @Test("Database: outside of apps the default file system is the machine's own")
    func outside() throws {
        _ = try SandboxBench()
        let path = "/tmp/homeroom-sqlite-\(UInt64.random(in: 0 ... .max)).db"
        defer { unlink(path) }
        let database = PlainDatabase(path)
        #expect(database.run("CREATE TABLE t(a)") == SQLITE_OK)
        #expect(access(path, F_OK) == 0)
    }

    @Test(
        "Sandbox: a path outside of it, a relative one and a missing folder are refused",
        arguments: ["/tmp/x.db", "x.db", "/Documents/none/x.db"])
    func refused(path: String) throws {
        let bench = try SandboxBench()
        let path = path.hasPrefix("/Documents") ? SandboxBench.home + path : path
        bench.step { #expect(PlainDatabase(path).opened != SQLITE_OK) }
    }

    @Test("Write-ahead log: a reader keeps its moment while another connection writes, and sees it afterwards")
    func snapshot() throws {
        let bench = try SandboxBench()
        bench.step {
            let (writer, reader) = (PlainDatabase(bench.path), PlainDatabase(bench.path))
            writer.run("PRAGMA journal_mode = wal; CREATE TABLE t(a); INSERT INTO t VALUES (1)")
            reader.run("BEGIN")
            #expect(reader.rows("SELECT count(*) FROM t") == ["1"])
            #expect(writer.run("INSERT INTO t VALUES (2)") == SQLITE_OK)
            #expect(reader.rows("SELECT count(*) FROM t") == ["1"])
            reader.run("COMMIT")
            #expect(reader.rows("SELECT count(*) FROM t") == ["2"])
            #expect(writer.rows("PRAGMA wal_checkpoint(TRUNCATE)") == ["0"])
            #expect(reader.rows("SELECT count(*) FROM t") == ["2"])
        }
    }

    @Test(
        "Locks: one writer at a time; who comes second is told that the database is busy", arguments: ["delete", "wal"])
    func busy(mode: String) throws {
        let bench = try SandboxBench()
        bench.step {
            let (first, second) = (PlainDatabase(bench.path), PlainDatabase(bench.path))
            first.run("PRAGMA journal_mode = \(mode); CREATE TABLE t(a)")
            sqlite3_busy_timeout(second.handle, 200)
            #expect(first.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (1)") == SQLITE_OK)
            #expect(second.run("INSERT INTO t VALUES (2)") == SQLITE_BUSY)
            #expect(first.run("COMMIT") == SQLITE_OK)
            #expect(second.run("INSERT INTO t VALUES (2)") == SQLITE_OK)
            #expect(first.rows("SELECT a FROM t ORDER BY a") == ["1", "2"])
        }
    }

    @Test("Backup: one database is copied into another by SQLite's own interface")
    func backup() throws {
        let bench = try SandboxBench()
        bench.step {
            let (from, to) = (PlainDatabase(bench.path), PlainDatabase(bench.path + ".copy"))
            from.run("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)")
            let copy = sqlite3_backup_init(to.handle, "main", from.handle, "main")
            #expect(sqlite3_backup_step(copy, -1) == SQLITE_DONE)
            #expect(sqlite3_backup_finish(copy) == SQLITE_OK)
            #expect(to.rows("SELECT count(*) FROM t") == ["3"])
        }
    }

    @Test(
        "Full disk: the transaction fails as a whole, and goes through when there is room again",
        arguments: ["delete", "wal"])
    func full(mode: String) throws {
        let bench = try SandboxBench()
        bench.step {
            let database = PlainDatabase(bench.path)
            database.run("PRAGMA journal_mode = \(mode); CREATE TABLE t(a); INSERT INTO t VALUES ('kept')")
            bench.disk.capacityBytes = bench.disk.usedBytes + 4096
            let much =
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT INTO t SELECT randomblob(100) FROM n"
            #expect(database.run(much) == SQLITE_FULL)
            #expect(database.rows("SELECT a FROM t") == ["kept"])
            #expect(database.isWhole)
            bench.disk.capacityBytes = .max
            #expect(database.run(much) == SQLITE_OK)
            #expect(database.rows("SELECT count(*) FROM t") == ["501"])
        }
    }

    @Test("Locked iPad: a protected database cannot be read; with completeUnlessOpen one that was open goes on")
    func locked() throws {
        let bench = try SandboxBench()
        var kept: PlainDatabase?
        bench.step {
            kept = PlainDatabase(bench.path)
            kept?.run("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        }
        try bench.protect(bench.path, .completeUnlessOpen)
        bench.isUnlocked = false
        bench.step {
            #expect(kept?.run("INSERT INTO t VALUES (2)") == SQLITE_OK)
            kept = nil
            #expect(PlainDatabase(bench.path).opened != SQLITE_OK)
        }
        bench.isUnlocked = true
        try bench.protect(bench.path, .complete)
        bench.step { kept = PlainDatabase(bench.path) }
        bench.isUnlocked = false
        bench.step { #expect(kept?.rows("SELECT a FROM t") == ["?"] || kept?.rows("SELECT a FROM t") == []) }
        bench.isUnlocked = true
        bench.step {
            #expect(kept?.rows("SELECT a FROM t") == ["1", "2"])
            kept = nil
        }
    }

    @Test("Suspension: a lock that is held when the app's code rests is told with its statement, and when it has gone")
    func heldLocks() throws {
        let bench = try SandboxBench()
        var database: PlainDatabase?
        bench.step {
            database = PlainDatabase(bench.path)
            database?.run("PRAGMA journal_mode = wal; CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
        }
        #expect(bench.heldLocks == nil)
        bench.step { _ = database?.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (3)") }
        #expect(bench.heldLocks == [["path": .string(bench.path), "statement": "BEGIN"]])
        bench.step { _ = database?.run("COMMIT") }
        #expect(bench.heldLocks == [])
        var cursor: OpaquePointer?
        func read() {
            sqlite3_prepare_v2(database?.handle, "SELECT a FROM t", -1, &cursor, nil)
            #expect(sqlite3_step(cursor) == SQLITE_ROW)
        }
        // A reader of a write-ahead log is in nobody's way.
        bench.step { read() }
        #expect(bench.heldLocks == [])
        bench.step {
            sqlite3_finalize(cursor)
            database?.run("PRAGMA journal_mode = delete")
            read()
        }
        #expect(bench.heldLocks?.first?["statement"] == "SELECT a FROM t")
        bench.step {
            sqlite3_finalize(cursor)
            database = nil
        }
        #expect(bench.heldLocks == [])
    }

    @Test("Process ended: a connection that goes later than its app does nothing any more")
    func late() throws {
        let bench = try SandboxBench()
        var old: PlainDatabase?
        bench.step {
            old = PlainDatabase(bench.path)
            old?.run("PRAGMA journal_mode = wal; CREATE TABLE t(a); BEGIN; INSERT INTO t VALUES (1)")
        }
        bench.start()
        let calls = bench.calls.count
        #expect(old?.run("COMMIT") != SQLITE_OK)
        old = nil
        #expect(bench.calls.count == calls)
        bench.step { #expect(PlainDatabase(bench.path).rows("SELECT count(*) FROM t") == ["0"]) }
    }
}
