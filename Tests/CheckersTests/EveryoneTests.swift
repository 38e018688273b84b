import FleetModel
import Testing

@testable import Checkers

/// What an app declares as meant for everyone, as CloudKit's public database is (S294).
@Suite("For everyone", .timeLimit(.minutes(20))) struct EveryoneTests {
    /// Maya's note, committed; then whoever of the two is named reads at the end.
    private func board(forEveryone: [String] = ["note"]) -> Chronicle {
        var day = Chronicle(forEveryone: forEveryone)
        day.write("maya.1")
        day.sync("maya.1")
        return day
    }
    private func read(_ day: inout Chronicle, maya: [Item], leo: [Item]) {
        day.readEverywhere(maya, of: "maya")
        day.readEverywhere(leo, of: "leo")
    }

    @Test(
        "Another person reads it, sees it before an edit, has it on the disk: no leak; the same of a kind that is its person's is one",
        arguments: ["reading", "sight", "disk"])
    func seen(how: String) {
        for kinds in [["note"], ["flag"], []] {
            var day = board(forEveryone: kinds)
            switch how {
            case "sight":
                day.write("leo.1", saw: ["maya.1"])
                day.sync("leo.1")
                read(&day, maya: [item("note-1", "leo.1")], leo: [item("note-1", "leo.1")])
            case "disk":
                day.observe("maya.1", in: "file board", of: "leo", on: 1)
                read(&day, maya: [item("note-1", "maya.1")], leo: [item("note-1", "maya.1")])
            default: read(&day, maya: [item("note-1", "maya.1")], leo: [item("note-1", "maya.1")])
            }
            let isForEveryone = kinds == ["note"]
            #expect((day.outcome == "valid") == isForEveryone, "\(kinds): \(day.outcome)")
            #expect(day.outcome.contains("leaked maya.1") == !isForEveryone, "\(kinds): \(day.outcome)")
        }
    }

    @Test("Found in the public database: of a kind that is its person's alone it is in reach of everyone")
    func publicRecord() {
        for (kinds, outcome) in [(["note"], "valid"), ([], "leaked maya.1")] {
            var day = board(forEveryone: kinds)
            day.readEverywhere([item("note-1", "maya.1")])
            let detail: Value = ["where": "record public _defaultZone/note-1"]
            day.add(.cloud, Note(.observed, person: "maya", channel: .record, tokens: ["maya.1"], detail: detail))
            #expect(day.outcome == outcome)
            #expect(day.judgement.findings.first?.summary.contains("with everyone") ?? true)
        }
    }

    @Test("Shown to its author and not to another, or gone for all, or gone with everybody but one: diverged, lost")
    func missing() {
        let note = [item("note-1", "maya.1")]
        for (maya, leo, outcome) in [
            (note, note, "valid"), (note, [], "diverged maya.1"), ([], note, "diverged maya.1"),
            ([], [], "lost maya.1"),
        ] {
            var day = board()
            read(&day, maya: maya, leo: leo)
            #expect(day.outcome == outcome)
        }
    }

    @Test("Another person's edit of the same item: supersedes what it saw, overwrites what it did not see")
    func another() {
        for (saw, outcome) in [(["maya.1"], "valid"), ([], "overwritten maya.1")] {
            var day = board()
            day.write("leo.1", on: 2, saw: saw)
            day.handOver("leo.1", on: 2)
            day.commit("leo.1")
            day.replace("maya.1", by: ["leo.1"])
            read(&day, maya: [item("note-1", "leo.1")], leo: [item("note-1", "leo.1")])
            #expect(day.outcome == outcome)
        }
    }

    @Test("Deleted and acknowledged, and there again for another person: resurrected")
    func back() {
        var day = board()
        day.delete("maya.2", saw: ["maya.1"])
        day.replace("maya.1", by: [])
        var bad = day
        read(&day, maya: [], leo: [])
        read(&bad, maya: [], leo: [item("note-1", "maya.1")])
        #expect(day.outcome == "valid")
        #expect(bad.outcome == "resurrected maya.2")
    }

    @Test(
        "Nowhere but in a queue that waits: stuck; whoever edits and is not read on a new iPad leaves the run unknown")
    func waiting() {
        var day = Chronicle(forEveryone: ["note"])
        day.write("maya.1")
        day.handOver("maya.1")
        day.pending("maya.1")
        read(&day, maya: [], leo: [])
        #expect(day.outcome == "stuck maya.1")
        var unread = board()
        unread.readEverywhere([item("note-1", "maya.1")], of: "leo")
        #expect(unread.outcome == "unknown")
        #expect(unread.judgement.reasons.contains { $0.contains("for maya, who edited in it") })
    }
}
