import FleetModel
import Testing

@testable import Checkers

@Suite("Resurrected", .timeLimit(.minutes(20))) struct ResurrectedTests {
    /// Written and synced, then deleted by an edit that saw it.
    func deleted(acknowledged: Bool) -> Chronicle {
        var day = Chronicle()
        day.write("maya.1")
        day.sync("maya.1")
        day.delete("maya.2", saw: ["maya.1"])
        if acknowledged { day.replace("maya.1", by: []) }
        return day
    }

    @Test("Deleted and acknowledged: it stays away, or comes back with a later commit")
    func back() {
        var good = deleted(acknowledged: true)
        var bad = good
        good.readEverywhere([])
        #expect(good.outcome == "valid")
        let doom = bad.commit("maya.1")
        bad.readEverywhere([item("note-1", "maya.1")])
        #expect(bad.outcome == "resurrected maya.2")
        #expect(bad.doom == doom)
    }

    @Test("Acknowledged, and only stale iPads to look at: diverged by what they missed (ck-04, ck-16)")
    func stale() {
        var day = deleted(acknowledged: true)
        let push = day.losePush(to: 2)
        day.read("core", on: 2, [item("note-1", "maya.1")])
        day.read("new", on: 9, [], complete: false)
        day.read("again", on: 2, [item("note-1", "maya.1")])
        #expect(day.outcome == "diverged maya.2")
        #expect(day.doom == push)
        #expect(
            day.judgement.findings.first?.summary
                == "not deleted for ipad-2, yet gone elsewhere; the push to ipad-2 was lost and never looked by itself")
    }

    @Test("Acknowledged, and back: on the iPad that deleted it, on a new one, or for stale iPads with a later commit")
    func whereItIsBack() {
        for place in ["deleting", "new", "cloud"] {
            var day = deleted(acknowledged: true)
            if place == "cloud" { day.commit("maya.1", from: 2) }
            let pad = ["deleting": 1, "new": 9][place] ?? 2
            day.read(place == "new" ? "new" : "core", on: pad, [item("note-1", "maya.1")])
            #expect(day.outcome == "resurrected maya.2", "\(place)")
        }
    }

    @Test("Shown by stale iPads only, the iPad that deleted it among those that do not: what they missed is the step")
    func staleBesideOthers() {
        var day = deleted(acknowledged: true)
        let failed = day.look(code: 21, on: 2)
        for (reader, pad) in [("core", 1), ("core", 2), ("new", 9), ("again", 1), ("again", 2)] {
            day.read(reader, on: pad, pad == 2 ? [item("note-1", "maya.1")] : [])
        }
        #expect(day.outcome == "diverged maya.2")
        #expect(day.doom == failed)
    }

    @Test("Never acknowledged: the deletion was unsaved; shown by one stale iPad only: diverged")
    func notBack() {
        var day = deleted(acknowledged: false)
        day.exit("memory")
        day.readEverywhere([item("note-1", "maya.1")])
        #expect(day.outcome == "unsaved maya.2")
        var stale = deleted(acknowledged: true)
        stale.read(core: [item("note-1", "maya.1")], new: [])
        #expect(stale.outcome == "diverged maya.2")
    }

    @Test("Kept by a concurrent edit: an edit wins over a deletion; one made afterwards brings nothing back")
    func addWins() {
        var day = Chronicle()
        day.write("maya.1", on: 1)
        day.sync("maya.1", on: 1)
        day.write("maya.2", on: 2)
        day.delete("maya.3", on: 1, saw: ["maya.1"])
        day.replace("maya.1", by: [])
        day.sync("maya.2", on: 2)
        var later = day
        day.commit("maya.1", "maya.2")
        day.readEverywhere([item("note-1", "maya.1", "maya.2")])
        #expect(day.outcome == "valid")
        later.write("maya.4", on: 1)
        later.handOver("maya.4")
        later.commit("maya.1", "maya.4")
        later.readEverywhere([item("note-1", "maya.1", "maya.4"), item("note-1 2", "maya.2")])
        #expect(later.outcome == "resurrected maya.3")
    }
}

@Suite("Duplicated and damaged", .timeLimit(.minutes(20))) struct WholeTests {
    @Test("One token: in one item, or in two of the same reading")
    func twin() {
        var good = Chronicle()
        good.write("maya.1")
        good.sync("maya.1")
        var bad = good
        good.readEverywhere([item("note-1", "maya.1")])
        bad.readEverywhere([item("note-1", "maya.1"), item("note-1-twin", "maya.1")])
        #expect(good.outcome == "valid")
        #expect(bad.outcome == "duplicated maya.1")
        #expect(bad.judgement.findings.first?.doomedBy == nil)
    }

    @Test("Two items of one name, made by two edits: the commit of the second one; in one place, no step (ck-11)")
    func namesakes() {
        for place in ["record notes/note-1-twin", "record notes/note-1"] {
            var day = Chronicle()
            day.write("maya.1")
            day.sync("maya.1")
            day.write("maya.2", on: 2)
            day.handOver("maya.2", on: 2)
            let second = day.commit("maya.2", place: place)
            day.readEverywhere([item("note-1", "maya.1"), item("note-1", "maya.2")])
            #expect(day.judgement.findings.first?.lossClass == .duplicated)
            #expect(day.doom == (place.hasSuffix("twin") ? second : nil))
        }
    }

    @Test("Two items: the Cloud took the edit in at a second place, and that is the doomed step (ck-11)")
    func secondPlace() {
        var day = Chronicle()
        day.write("maya.1")
        day.sync("maya.1")
        day.commit("maya.1")
        let second = day.commit("maya.1", place: "record notes/note-1-twin")
        day.commit("maya.1")
        day.readEverywhere([item("note-1", "maya.1"), item("note-1-twin", "maya.1")])
        #expect(day.outcome == "duplicated maya.1")
        #expect(day.judgement.findings.first?.doomedBy == second)
    }

    @Test("One payload twice in one item: the Cloud's last commit of it is the step")
    func repeated() {
        var day = Chronicle()
        day.write("maya.1")
        day.sync("maya.1")
        let second = day.commit("maya.1")
        day.readEverywhere([item("note-1", "maya.1", "maya.1")])
        #expect(day.outcome == "duplicated maya.1")
        #expect(day.doom == second)
    }

    @Test("Payload: whole, or truncated in one reading")
    func damaged() {
        var day = Chronicle()
        day.write("maya.1")
        day.sync("maya.1")
        day.read("core", on: 1, [item("note-1", "maya.1")])
        var bad = day
        day.read("new", on: 9, [item("note-1", "maya.1")])
        bad.read("new", on: 9, [item("note-1", damaged: ["maya.1"])])
        #expect(day.outcome == "valid")
        #expect(bad.outcome == "damaged maya.1")
    }
}

@Suite("Leaked", .timeLimit(.minutes(20))) struct LeakedTests {
    @Test("Two people on one iPad: each sees their own, or one the other's in a reading")
    func reading() {
        var good = Chronicle()
        good.write("maya.1")
        good.sync("maya.1")
        good.readEverywhere([item("note-1", "maya.1")])
        var bad = good
        good.readEverywhere([item("note-1")], of: "leo")
        let doom = bad.next
        bad.readEverywhere([item("note-1", "maya.1")], of: "leo")
        #expect(good.outcome == "valid")
        #expect(bad.outcome == "leaked maya.1")
        #expect(bad.doom == doom)
    }

    @Test("Seen before an edit by the next person; found in the next person's queue")
    func sight() {
        var day = Chronicle()
        day.write("maya.1")
        day.sync("maya.1")
        var queue = day
        day.write("leo.1", saw: ["maya.1"])
        day.sync("leo.1")
        day.readEverywhere([item("note-1", "maya.1")])
        day.readEverywhere([item("note-1", "leo.1")], of: "leo")
        #expect(day.outcome == "leaked maya.1")
        var own = queue
        queue.observe("maya.1", in: "padQueue", of: "leo", on: 1)
        queue.readEverywhere([item("note-1", "maya.1")])
        #expect(queue.outcome == "leaked maya.1")
        own.observe("maya.1", in: "padQueue", of: "maya", on: 1)
        own.readEverywhere([item("note-1", "maya.1")])
        #expect(own.outcome == "valid")
    }
}

@Suite("Waiting edits", .timeLimit(.minutes(20))) struct WaitingTests {
    @Test("Pending at the end: on a core iPad stuck, outside the core stranded", arguments: [1, 5])
    func pending(pad: Int) {
        var day = Chronicle(channel: .document)
        day.write("maya.1", on: pad)
        day.handOver("maya.1", on: pad)
        day.pending("maya.1", on: pad)
        day.readEverywhere([])
        #expect(day.outcome == (pad == 1 ? "stuck maya.1" : "stranded maya.1"))
        #expect(day.judgement.verdict == (pad == 1 ? .invalid : .valid))
    }

    @Test("Stuck: the summary names what it waits for; an edit that everybody sees is not stuck")
    func words() {
        var day = Chronicle()
        day.write("maya.1")
        day.handOver("maya.1")
        day.pending("maya.1", waitsFor: "quota")
        var seen = day
        day.readEverywhere([])
        #expect(day.judgement.findings.first?.summary == "still pending at the end: upload, waiting for quota")
        seen.commit("maya.1")
        seen.readEverywhere([item("note-1", "maya.1")])
        #expect(seen.outcome == "valid")
    }

    @Test("Outbox on the disk of an iPad outside the core: stranded; purged before: unsaved")
    func outbox() {
        var day = Chronicle()
        day.write("maya.1", on: 5)
        day.exit("memory", on: 5)
        var purged = day
        day.observe("maya.1", in: "padDisk", on: 5)
        day.readEverywhere([])
        #expect(day.outcome == "stranded maya.1")
        purged.purge("lowSpace", on: 5)
        purged.observe("maya.1", in: "padDisk", on: 5)
        purged.readEverywhere([])
        #expect(purged.outcome == "unsaved maya.1", "bytes that a purge left behind are no copy")
    }

    @Test(
        "In memory when its iPad left the run: stranded outside the core, the app's own loss in it", arguments: [1, 5])
    func memory(pad: Int) {
        var day = Chronicle(.lastWriterWins, channel: .keyValue)
        day.write("maya.1", on: pad)
        day.readEverywhere([])
        #expect(day.outcome == (pad == 1 ? "unsaved maya.1" : "stranded maya.1"))
    }

    @Test("iPad outside the core after a power cut: what is still found on it is stranded, what is not is lost")
    func down() {
        var day = Chronicle(channel: .document)
        day.write("maya.1", on: 5)
        day.handOver("maya.1", on: 5)
        day.powerCut(on: 5)
        var found = day
        day.readEverywhere([])
        #expect(day.outcome == "lost maya.1")
        found.observe("maya.1", in: "padQueue", on: 5)
        found.readEverywhere([])
        #expect(found.outcome == "stranded maya.1")
    }

    @Test("Committed once and then gone: no copy outside the core makes up for that")
    func committedElsewhere() {
        var day = Chronicle()
        day.write("maya.1", on: 5)
        day.sync("maya.1", on: 5)
        day.replace("maya.1", by: [])
        day.observe("maya.1", in: "padDisk", on: 5)
        day.readEverywhere([])
        #expect(day.outcome == "lost maya.1")
    }
}

@Suite("Diverged", .timeLimit(.minutes(20))) struct DivergedTests {
    @Test("Two iPads: both show it, or only the old one does")
    func onlyOld() {
        var day = Chronicle()
        day.write("maya.1")
        day.sync("maya.1")
        var bad = day
        day.read(core: [item("note-1", "maya.1")], new: [item("note-1", "maya.1")])
        bad.read(core: [item("note-1", "maya.1")], new: [])
        #expect(day.outcome == "valid")
        #expect(bad.outcome == "diverged maya.1")
    }

    @Test("Same edits, other content: applied twice (ck-02)")
    func content() {
        func day(_ digest: String) -> Chronicle {
            var day = Chronicle()
            day.write("maya.1")
            day.sync("maya.1")
            day.read("core", on: 1, [item("note-1", "maya.1", digest: "5")])
            day.read("core", on: 2, [item("note-1", "maya.1", digest: digest)])
            day.read("new", on: 9, [item("note-1", "maya.1", digest: "5")])
            return day
        }
        #expect(day("5").outcome == "valid")
        #expect(day("10").outcome == "diverged maya.1")
    }
}
