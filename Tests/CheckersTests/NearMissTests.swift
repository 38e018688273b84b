import FleetModel
import Testing

@testable import Checkers

/// For each rule of a checker the history that it accepts and the nearly identical one that it rejects.
@Suite("Near misses", .timeLimit(.minutes(20))) struct NearMissTests {
    @Test("Kept in a file of its app for ever: on an iPad outside the core stranded, on one of the core unsaved")
    func keptInFile() {
        func day(on pad: Int, in place: String) -> Chronicle {
            var day = Chronicle()
            day.write("maya.1", on: pad)
            day.observe("maya.1", in: place, on: pad)
            day.readEverywhere([])
            return day
        }
        for place in ["padDisk", "padQueue"] {
            #expect(day(on: 5, in: place).outcome == "stranded maya.1")
            #expect(day(on: 1, in: place).outcome == "unsaved maya.1")
            #expect(day(on: 1, in: place).judgement.verdict == .invalid)
        }
    }

    @Test("A copy on a core iPad and one outside the core: the one outside is what strands it")
    func twoCopies() {
        var day = Chronicle()
        day.write("maya.1", on: 1)
        day.observe("maya.1", in: "padDisk", on: 1)
        day.observe("maya.1", in: "padDisk", on: 5)
        day.readEverywhere([])
        #expect(day.outcome == "stranded maya.1")
        #expect(day.judgement.findings.first?.summary == "its only copy lies on ipad-5, outside the core")
    }

    @Test(
        "Same edits, other content: two readers of one round disagree (core; again and new)",
        arguments: [("core", "core"), ("again", "again"), ("new", "again"), ("new", "new")])
    func roundsCompared(first: String, second: String) {
        func day(_ digest: String) -> Chronicle {
            var day = Chronicle()
            day.write("maya.1")
            day.sync("maya.1")
            day.read("core", on: 1, [item("note-1", "maya.1", digest: "5")])
            day.read(first, on: 3, [item("note-1", "maya.1", digest: "5")])
            day.read(second, on: 4, [item("note-1", "maya.1", digest: digest)])
            day.read("new", on: 9, [item("note-1", "maya.1", digest: "5")])
            return day
        }
        #expect(day("5").outcome == "valid")
        #expect(day("10").outcome == "diverged maya.1")
    }

    @Test("Shown in two items: an edit that still counts is duplicated, one that a later edit superseded is not")
    func supersededTwice() {
        var day = Chronicle()
        day.write("maya.1")
        day.sync("maya.1")
        var alone = day
        alone.readEverywhere([item("note-1", "maya.1"), item("note-1 2", "maya.1")])
        #expect(alone.outcome == "duplicated maya.1")
        day.write("maya.2", saw: ["maya.1"])
        day.sync("maya.2")
        day.readEverywhere([item("note-1", "maya.2", "maya.1"), item("note-1 2", "maya.1")])
        #expect(day.outcome == "valid")
    }

    @Test("Key-value set, then a kill: in flight up to 5 s after it, unsaved a moment later")
    func window() {
        func outcome(_ span: Span) -> String {
            var day = Chronicle(.lastWriterWins, channel: .keyValue)
            day.write("maya.1")
            // A step of a chronicle takes one second.
            day.wait(Span(nanoseconds: span.nanoseconds - 1_000_000_000))
            day.exit("memory")
            day.readEverywhere([])
            return day.outcome
        }
        #expect(outcome(.seconds(5)) == "inflight maya.1")
        #expect(outcome(.seconds(5) + Span(nanoseconds: 1)) == "unsaved maya.1")
    }

    @Test("Key-value set persisted, then a kill inside the window: no longer in flight, but lost")
    func persisted() {
        var day = Chronicle(.lastWriterWins, channel: .keyValue)
        day.write("maya.1")
        day.handOver("maya.1")
        day.exit("memory")
        day.readEverywhere([])
        #expect(day.outcome == "lost maya.1")
    }

    @Test("Cap: as many as the limit allows prove something, one more does not (2 in flight)")
    func cap() {
        var day = Chronicle(.lastWriterWins, channel: .keyValue)
        for number in 1...2 { day.write("maya.\(number)", "note-\(number)") }
        day.exit("memory")
        day.readEverywhere([])
        #expect(judge(day.events, limits: Limits(maxInflight: 2)).verdict == .valid)
        #expect(judge(day.events, limits: Limits(maxInflight: 1)).verdict == .unknown)
    }

    /// An edit that everybody shows; the second reader's content is given.
    private func twoReaders(_ second: Item, by reader: String = "core", complete: Bool = true) -> String {
        var day = Chronicle()
        day.write("maya.1")
        day.sync("maya.1")
        day.write("maya.2", saw: ["maya.1"])
        day.sync("maya.2")
        day.read("core", on: 1, [item("note-1", "maya.2", digest: "5")])
        day.read(reader, on: 2, [second], complete: complete)
        day.read("new", on: 9, [item("note-1", "maya.2", digest: "5")])
        return day.outcome
    }

    @Test("Other content of one item: no divergence between readings of which one lacks objects, or shows other edits")
    func otherContent() {
        #expect(twoReaders(item("note-1", "maya.2", digest: "6")) == "diverged maya.2")
        #expect(twoReaders(item("note-1", "maya.2", digest: "6"), complete: false) == "unknown")
        #expect(twoReaders(item("note-1", "maya.2", "maya.1", digest: "6")) == "valid")
    }

    @Test("Content settled between two rounds of reading: no divergence")
    func settledBetween() {
        var day = Chronicle()
        day.write("maya.1")
        day.sync("maya.1")
        for pad in 1...2 { day.read("core", on: pad, [item("note-1", "maya.1", digest: "5")]) }
        for (reader, pad) in [("new", 9), ("again", 1), ("again", 2)] {
            day.read(reader, on: pad, [item("note-1", "maya.1", digest: "6")])
        }
        #expect(day.outcome == "valid")
    }

    @Test("Last writer wins: an older value put back over the newest one loses it, and overwrites nothing")
    func putBack() {
        var day = Chronicle(.lastWriterWins, channel: .keyValue)
        day.write("maya.1", on: 1)
        day.stamp("maya.1", at: 10, on: 1)
        day.commit("maya.1")
        day.write("maya.2", on: 2)
        day.stamp("maya.2", at: 20, on: 2)
        day.commit("maya.2")
        day.replace("maya.1", by: ["maya.2"])
        var kept = day
        kept.readEverywhere([item("note-1", "maya.2")])
        #expect(kept.outcome == "valid")
        day.replace("maya.2", by: ["maya.1"])
        day.commit("maya.1")
        day.readEverywhere([item("note-1", "maya.1")])
        #expect(day.outcome == "lost maya.2")
    }

    @Test("Seen by a later edit: of the same item it is superseded, of another one it is owed")
    func otherItem() {
        func day(_ second: String) -> String {
            var day = Chronicle()
            day.write("maya.1", "note-1")
            day.sync("maya.1")
            day.write("maya.2", second, saw: ["maya.1"])
            day.sync("maya.2")
            day.readEverywhere([item(second, "maya.2")])
            return day.outcome
        }
        #expect(day("note-1") == "valid")
        #expect(day("note-2") == "lost maya.1")
    }

    @Test("Seen by two later edits, of which one died in its app: the one that got as far supersedes")
    func twoSuperseders() {
        var day = Chronicle()
        day.write("maya.1", on: 1)
        day.sync("maya.1", on: 1)
        day.write("maya.2", on: 1, saw: ["maya.1"])
        day.exit("memory", on: 1)
        day.write("maya.3", on: 2, saw: ["maya.1"])
        day.sync("maya.3", on: 2)
        day.readEverywhere([item("note-1", "maya.3")])
        #expect(day.judgement.findings.map(\.token) == ["maya.2"])
    }

    @Test("Shown by a reading that lacks objects, and by no whole one: it is missing")
    func shownInPart() {
        func day(complete: Bool) -> String {
            var day = Chronicle()
            day.write("maya.1")
            day.sync("maya.1")
            day.read("core", on: 1, [item("note-1", "maya.1")], complete: complete)
            day.read("new", on: 9, complete ? [item("note-1", "maya.1")] : [])
            return day.outcome
        }
        #expect(day(complete: true) == "valid")
        #expect(day(complete: false) == "lost maya.1")
    }
}
