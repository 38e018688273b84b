import FleetModel
import Testing

@testable import Storage

/// What a sync promises, with nothing else that could make it true.
@Suite("Sync", .timeLimit(.minutes(20))) struct SyncRuleTests {
    private let old = pattern(4096, 1)
    private let more = pattern(4096, 101)

    @Test("A write with a sync: whole after every cut, bytes and name (100 seeds)")
    func write() throws {
        for seed in 0..<100 as Range<UInt64> {
            let disk = Disk.memory()
            try disk.makeFolder("/a")
            try disk.write("/a/f", old, sync: true)
            disk.powerCut(seed: seed)
            #expect(try disk.read("/a/f") == old, "seed \(seed)")
        }
    }

    @Test("A file synced and then appended to: what was synced stays, whatever becomes of the rest (100 seeds)")
    func appended() throws {
        var sizes: Set<Int> = []
        for seed in 0..<100 as Range<UInt64> {
            let disk = Disk.memory()
            try disk.write("/f", old, sync: false)
            try disk.sync("/f")
            try disk.append("/f", more)
            disk.powerCut(seed: seed)
            let left = try disk.read("/f")
            #expect(Array(left.prefix(old.count)) == old, "seed \(seed)")
            sizes.insert(left.count)
        }
        #expect(sizes.count > 1, "the append is not synced: it may be lost")
    }
}
