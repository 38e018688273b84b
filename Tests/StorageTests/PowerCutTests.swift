import FleetModel
import Testing

@testable import Storage

@Suite("Power cut", .timeLimit(.minutes(20)))
struct PowerCutTests {
    private let old = pattern(8192, 1)
    private let new = pattern(8192, 101)

    /// What a file was after a cut, for each of many seeds.
    private func outcomes(_ seeds: Range<UInt64>, _ prepare: (Disk) throws -> Void, _ look: (Disk) -> String) throws
        -> Set<String>
    {
        var seen: Set<String> = []
        for seed in seeds {
            let disk = Disk.memory()
            try prepare(disk)
            disk.powerCut(seed: seed)
            #expect(disk.outage == nil, "every change could be undone")
            let once = snapshot(disk)
            seen.insert(look(disk))
            disk.powerCut(seed: seed &+ 1)
            #expect(snapshot(disk) == once, "what a cut left is durable")
        }
        return seen
    }

    @Test("Power cut: what was synced or flushed stays whole (100 seeds)")
    func durable() throws {
        let seen = try outcomes(0..<100) { disk in
            try disk.makeFolder("/a/b")
            try disk.write("/a/b/synced", new, sync: true)
            try disk.write("/a/flushed", old, sync: false)
            disk.flush()
        } _: { disk in
            (try? disk.read("/a/b/synced")) == new && (try? disk.read("/a/flushed")) == old ? "whole" : "broken"
        }
        #expect(seen == ["whole"])
    }

    @Test("Power cut: an un-synced replacement is old, empty, new or torn (120 seeds)")
    func replacement() throws {
        let (old, new) = (old, new)
        let seen = try outcomes(0..<120) { disk in
            try disk.write("/f", old, sync: true)
            try disk.write("/f", new, sync: false)
        } _: { disk in
            guard let now = try? disk.read("/f") else { return "gone" }
            if now == old { return "old" }
            if now == new { return "new" }
            if now.isEmpty { return "empty" }
            let isTorn = stride(from: 0, to: now.count, by: 512).allSatisfy { start in
                let sector = Array(now[start..<min(start + 512, now.count)])
                return sector == Array(new[start..<start + sector.count]) || sector.allSatisfy { $0 == 0 }
            }
            return isTorn ? "torn" : "mixed"
        }
        #expect(seen == ["old", "new", "empty", "torn"])
    }

    @Test("Power cut: a file replaced whole is the old or the new, never torn; the sync decides (200 seeds)")
    func replacedWhole() throws {
        let (old, new) = (old, new)
        func look(_ disk: Disk) -> String {
            guard let now = try? disk.read("/f") else { return "gone" }
            return now == old ? "old" : now == new ? "new" : now == old + [1] ? "appended" : "mixed"
        }
        let made = try outcomes(0..<100) {
            try $0.replace("/f", new)
        } _: {
            look($0)
        }
        #expect(made == ["gone", "new"])
        let replaced = try outcomes(0..<200) { disk in
            try disk.write("/f", old, sync: true)
            try disk.append("/f", [1])
            try disk.replace("/f", bytes("between"))
            try disk.replace("/f", new)
            #expect(disk.unsyncedFiles(under: "/") == ["/f"] && disk.unsyncedFiles(under: "/g").isEmpty)
        } _: {
            ((try? $0.read("/f")) == bytes("between")) ? "between" : look($0)
        }
        #expect(replaced == ["old", "appended", "between", "new"])
        let synced = try outcomes(0..<50) { disk in
            try disk.write("/f", old, sync: true)
            try disk.replace("/f", new)
            try disk.sync("/f")
            #expect(disk.unsyncedFiles(under: "/").isEmpty)
        } _: {
            look($0)
        }
        #expect(synced == ["new"])
    }

    @Test("Power cut: files replaced whole, the same in memory and on a real directory (40 seeds)")
    func replacedInBoth() throws {
        for seed in UInt64(0)..<40 {
            let disks = try TwoDisks("replaced-\(seed)")
            try disks.both { disk in
                try disk.makeFolder("/a")
                for number in 0..<6 {
                    try disk.replace("/a/f\(number % 3)", bytes("content \(number)"))
                    if number == 2 { try disk.sync("/a/f1") }
                }
                try disk.remove("/a/f2")
                try disk.replace("/a/f2", [])
                disk.powerCut(seed: seed)
                #expect(disk.outage == nil)
            }
            #expect(disks.snapshots.memory == disks.snapshots.directory)
            let before = snapshot(disks.memory)
            try disks.reopen()
            #expect(disks.snapshots.directory == before)
        }
    }

    @Test(
        "Power cut: an un-synced new file may vanish, an un-synced removal may be undone, a move is one of the two (200 seeds)"
    )
    func names() throws {
        let seen = try outcomes(0..<200) { disk in
            try disk.makeFolder("/d")
            try disk.write("/d/removed", bytes("r"), sync: true)
            try disk.write("/d/from", bytes("m"), sync: true)
            try disk.write("/d/new", bytes("n"), sync: false)
            try disk.remove("/d/removed")
            try disk.move("/d/from", to: "/d/to")
        } _: { disk in
            ((try? disk.list("/d")) ?? []).joined(separator: " ")
        }
        for names in seen { #expect(names.contains("from") != names.contains("to"), "\(names)") }
        #expect(
            seen
                == Set(
                    ["from", "to"].flatMap { move in
                        ["", "new"].flatMap { made in
                            ["", "removed"].map {
                                [move, made, $0].filter { !$0.isEmpty }.sorted().joined(separator: " ")
                            }
                        }
                    }))
    }

    @Test("Power cut: names that depend on each other fall together (300 seeds)")
    func dependentNames() throws {
        let seen = try outcomes(0..<300) { disk in
            try disk.makeFolder("/a/b")
            try disk.write("/a/b/f", bytes("1"), sync: false)
            try disk.move("/a", to: "/c")
            try disk.write("/c/b/g", bytes("2"), sync: false)
            try disk.remove("/c/b")
            try disk.write("/c/b2", bytes("3"), sync: false)
        } _: { disk in
            snapshot(disk).map { String($0.prefix { $0 != " " }) }.joined(separator: " ")
        }
        #expect(seen.contains("used"))
        #expect(seen.contains { $0.contains("/a/b") })
        #expect(seen.contains { $0.contains("/c/b2") })
    }

    @Test("Power cut: the sync of a file keeps its name and the folders above it, not its neighbours (200 seeds)")
    func syncedName() throws {
        let seen = try outcomes(0..<200) { disk in
            try disk.makeFolder("/a/b/c")
            try disk.write("/a/b/c/neighbour", bytes("n"), sync: false)
            try disk.append("/a/b/c/f", bytes("f"))
            try disk.move("/a/b", to: "/a/z")
            try disk.sync("/a/z/c/f")
        } _: { disk in
            let kept = (try? disk.read("/a/z/c/f")) == bytes("f") ? "kept" : "lost"
            return disk.status("/a/z/c/neighbour") == nil ? kept : kept + " neighbour"
        }
        #expect(seen.allSatisfy { $0.hasPrefix("kept") })
        // The move of the folder needs all that was done in it before, so the neighbour's name comes along.
        #expect(seen == ["kept neighbour"])
        let free = try outcomes(0..<100) { disk in
            try disk.append("/neighbour", bytes("n"))
            try disk.append("/f", bytes("f"))
            try disk.sync("/f")
        } _: { disk in
            disk.files(under: "/").joined(separator: " ")
        }
        #expect(free == ["/f", "/f /neighbour"])
    }

    @Test("Power cut: both backings hold the same content after the same operations (30 seeds)")
    func sameInBoth() throws {
        for seed in UInt64(0)..<30 {
            let disks = try TwoDisks("sameInBoth \(seed)")
            try disks.both { disk in
                try work(on: disk, seed: seed)
                disk.powerCut(seed: seed)
                #expect(disk.outage == nil, "seed \(seed)")
            }
            let (memory, directory) = disks.snapshots
            #expect(memory == directory, "seed \(seed)")
            try disks.reopen()
            #expect(snapshot(disks.directory) == memory, "seed \(seed), seen by a new process")
        }
    }

    /// A random life of a volume, databases included; every seed another one, the same on each disk.
    private func work(on disk: Disk, seed: UInt64) throws {
        var draw = Draw(seed: seed, name: "work")
        let folders = ["/a", "/a/b", "/c"]
        func path() -> String { folders[draw.below(3)] + "/" + ["f", "g", "h"][draw.below(3)] }
        for folder in folders { try disk.makeFolder(folder) }
        let database = try Database(disk: disk, path: "/a/db")
        try database.script("CREATE TABLE IF NOT EXISTS t(k INTEGER PRIMARY KEY, v BLOB)")
        for round in 0..<(20 + draw.below(60)) {
            disk.now = Instant(nanoseconds: Int64(round) * 1_000_000_007)
            // Refusals (nothing there, something there) are part of the life.
            switch draw.below(9) {
            case 0: try? disk.write(path(), pattern(draw.below(3000), UInt8(round)), sync: draw.chance(0.3))
            case 1: try? disk.append(path(), pattern(draw.below(1500), UInt8(round)))
            case 2: try? disk.remove(path())
            case 3: try? disk.move(path(), to: path())
            case 4: try? disk.clone(path(), to: path())
            case 5: try? disk.sync(path())
            case 6: try? disk.move("/c", to: "/a/b/c\(round)"); try disk.makeFolder("/c")
            case 7: if draw.chance(0.1) { disk.flush() }
            default: try database.execute("INSERT INTO t(v) VALUES(?)", .blob(pattern(draw.below(2000), UInt8(round))))
            }
        }
    }

    @Test("Power cut: the power fails in the middle, every later call is refused until the cut")
    func midway() throws {
        let disk = Disk.memory()
        try disk.write("/f", old, sync: true)
        disk.powerFailsAt = disk.writeCount + 1
        try disk.append("/f", bytes("a"))
        #expect(throws: DiskError.self) { try disk.append("/f", bytes("b")) }
        #expect(throws: DiskError.self) { try disk.read("/f") }
        #expect(disk.outage != nil)
        disk.powerCut(seed: 3)
        #expect(try disk.read("/f").starts(with: old))
        #expect(disk.outage == nil)
        #expect(disk.writeCount == 0)
    }

    @Test("Power cut: ten thousand un-synced changes keep the memory of the past bounded, the newest can still be lost")
    func bounded() throws {
        let disk = Disk.memory()
        for index in 0..<10_000 { try disk.append("/f\(index % 1000)", [UInt8(truncatingIfNeeded: index)]) }
        for _ in 0..<5000 { try disk.append("/one", [7]) }
        #expect(disk.journal.changes.count <= NameJournal.pendingMax)
        #expect(try disk.file(DiskPath("/one")).pending.count <= File.pendingMax)
        let before = disk.usedBytes
        disk.powerCut(seed: 9)
        #expect(disk.usedBytes < before)
        #expect(disk.files(under: "/").count >= 1001 - NameJournal.pendingMax)
    }
}
