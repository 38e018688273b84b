import FleetModel
import Foundation
import Testing

@testable import Storage

@Suite("Disk", .timeLimit(.minutes(20)))
struct DiskTests {
    @Test("Disk: files and folders, the same in memory and on a real directory")
    func operations() throws {
        let disks = try TwoDisks()
        try disks.both { disk in
            disk.now = Instant(nanoseconds: 5_000_000_123)
            try disk.makeFolder("/var/mobile/Documents")
            try disk.write("/var/mobile/Documents/b.txt", bytes("hello"), sync: true)
            try disk.append("/var/mobile/Documents/b.txt", bytes(" world"))
            try disk.append("/var/mobile/Documents/a.txt", bytes("new"))
            try disk.clone("/var/mobile/Documents", to: "/var/copy")
            try disk.move("/var/copy", to: "/var/moved")
            try disk.remove("/var/mobile/Documents/a.txt")
            disk.now = Instant(nanoseconds: 7_000_000_000)
            try disk.write("/var/moved/a.txt", bytes("x"), sync: false)

            #expect(try disk.read("/var/mobile/Documents/b.txt") == bytes("hello world"))
            #expect(try disk.list("/var/moved") == ["a.txt", "b.txt"])
            #expect(
                disk.files(under: "/var") == ["/var/mobile/Documents/b.txt", "/var/moved/a.txt", "/var/moved/b.txt"])
            #expect(disk.status("/var/mobile/Documents/b.txt")?.modified == Instant(nanoseconds: 5_000_000_123))
            #expect(
                disk.status("/var/moved")
                    == FileStatus(isFolder: true, size: 0, modified: Instant(nanoseconds: 5_000_000_123)))
            #expect(disk.usedBytes == 11 + 11 + 1)
        }
        #expect(disks.snapshots.memory == disks.snapshots.directory)
        #expect(disks.memory.writeCount == disks.directory.writeCount)
        #expect(try String(contentsOfFile: disks.root + "/var/moved/b.txt", encoding: .utf8) == "hello world")
    }

    @Test("Disk: reopened by a new process, content and times are still there")
    func reopened() throws {
        let disks = try TwoDisks()
        try disks.both { disk in
            disk.now = Instant(nanoseconds: 123_456_789_012)
            try disk.makeFolder("/a/b")
            try disk.write("/a/b/f", bytes("not synced"), sync: false)
            try disk.write("/a/empty", [], sync: false)
            try disk.write("/a/gone", bytes("gone"), sync: true)
            try disk.remove("/a/gone")
        }
        let before = snapshot(disks.memory)
        try disks.reopen()
        disks.both { $0.powerCut(seed: 1) }
        #expect(disks.snapshots.memory == before)
        #expect(disks.snapshots.directory == before)
        #expect(disks.directory.writeCount == 0)
    }

    @Test(
        "Disk: hostile paths are refused and change nothing",
        arguments: [
            "", "a", "/..", "/a/../b", "/a//b", "//", "/./a", "/a\0b", "/.removed", "/.removed/1",
            "/" + String(repeating: "x", count: 256),
            String(repeating: "/abcdefghi", count: 103),
        ])
    func hostile(_ path: String) throws {
        let disks = try TwoDisks("hostile \(StableHash.of(0, path))")
        disks.both { disk in
            func isBadPath(_ body: () throws -> Void) -> Bool {
                do { try body() } catch DiskError.badPath { return true } catch {}
                return false
            }
            #expect(isBadPath { _ = try disk.read(path) })
            #expect(isBadPath { try disk.write(path, [1], sync: true) })
            #expect(isBadPath { try disk.append(path, [1]) })
            #expect(isBadPath { try disk.remove(path) })
            #expect(isBadPath { try disk.move("/", to: path) })
            #expect(isBadPath { try disk.makeFolder(path) })
            #expect(isBadPath { _ = try disk.list(path) })
            #expect(isBadPath { try disk.sync(path) })
            #expect(disk.status(path) == nil)
            #expect(disk.files(under: path).isEmpty)
            #expect(throws: DatabaseError.self) { try Database(disk: disk, path: path) }
        }
        #expect(disks.snapshots.memory == ["used 0"])
        #expect(disks.snapshots.directory == ["used 0"])
    }

    @Test("Disk: each misuse has its error and changes nothing")
    func misuse() throws {
        let disks = try TwoDisks()
        try disks.both { disk in
            try disk.makeFolder("/d/inner")
            try disk.write("/d/f", bytes("f"), sync: true)
            let before = snapshot(disk)
            #expect(throws: DiskError.notFound("/x")) { try disk.read("/x") }
            #expect(throws: DiskError.notFound("/x")) { try disk.remove("/x") }
            #expect(throws: DiskError.notFound("/x")) { try disk.move("/x", to: "/y") }
            #expect(throws: DiskError.exists("/d/inner")) { try disk.move("/d/f", to: "/d/inner") }
            #expect(throws: DiskError.exists("/d/f")) { try disk.clone("/d/f", to: "/d/f") }
            #expect(throws: DiskError.self) { try disk.move("/d", to: "/d/inner/d") }
            #expect(throws: DiskError.self) { try disk.clone("/d", to: "/d/inner/d") }
            #expect(throws: DiskError.self) { try disk.write("/d", [1], sync: true) }
            #expect(throws: DiskError.self) { try disk.write("/none/f", [1], sync: true) }
            #expect(throws: DiskError.self) { try disk.write("/d/f/g", [1], sync: true) }
            #expect(throws: DiskError.self) { try disk.makeFolder("/d/f") }
            #expect(throws: DiskError.self) { try disk.remove("/") }
            #expect(snapshot(disk) == before)
        }
    }

    @Test("Disk: full, the old content stays and freed space can be used again")
    func full() throws {
        let disks = try TwoDisks()
        try disks.both { disk in
            disk.capacityBytes = 100
            try disk.write("/f", pattern(60, 1), sync: true)
            #expect(throws: DiskError.full) { try disk.write("/f", pattern(101, 2), sync: true) }
            #expect(throws: DiskError.full) { try disk.append("/f", pattern(41, 2)) }
            #expect(throws: DiskError.full) { try disk.clone("/f", to: "/g") }
            #expect(try disk.read("/f") == pattern(60, 1))
            #expect(disk.files(under: "/") == ["/f"])
            try disk.write("/f", pattern(100, 3), sync: false)
            try disk.remove("/f")
            try disk.write("/g", pattern(100, 4), sync: false)
            disk.capacityBytes = 10
            try disk.write("/g", pattern(99, 4), sync: false)
            #expect(disk.usedBytes == 99)
        }
    }

    @Test("Disk: the real directory is gone beneath it, each call says so and nothing traps")
    func machineFails() throws {
        let disks = try TwoDisks()
        let disk = disks.directory
        try disk.write("/f", pattern(2000, 1), sync: true)
        let database = try Database(disk: disk, path: "/db")
        try database.script("CREATE TABLE t(k)")
        try FileManager.default.removeItem(atPath: disks.root)
        for body in [
            { try disk.write("/f", [1], sync: true) }, { try disk.append("/new", [1]) }, { _ = try disk.read("/f") },
            { try disk.remove("/f") }, { try disk.makeFolder("/d") }, { try disk.move("/f", to: "/g") },
        ] as [() throws -> Void] {
            do {
                try body()
                Issue.record("a lost directory went unnoticed")
            } catch DiskError.machine(let reason) {
                #expect(reason.contains(disks.root) && reason.contains("errno 2"), "\(reason)")
            }
        }
        do {
            _ = try Database(disk: disk, path: "/other")
            Issue.record("a database was made in a lost directory")
        } catch { #expect(error.message.contains("errno 2"), "\(error)") }
        disk.powerCut(seed: 1)
        #expect(throws: DatabaseError.self) { try database.execute("INSERT INTO t VALUES(1)") }
    }

    @Test("Disk: a real directory that cannot be made is an error with the path and the machine's reason")
    func unusableDirectory() throws {
        do {
            _ = try Disk.directory("/dev/null/homeroom")
            Issue.record("a directory beneath a device was accepted")
        } catch {
            #expect(error.description.contains("/dev/null/homeroom") || error.description.contains("/dev/null"))
            #expect(error.description.contains("errno"))
        }
    }
}
