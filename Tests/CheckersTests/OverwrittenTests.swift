import FleetModel
import Testing

@testable import Checkers

@Suite("Overwritten") struct OverwrittenTests {
    /// Two iPads write the same note; the second commit puts the first out.
    func race(seen: Bool, _ promise: Promise = .keepsAll) -> Chronicle {
        var day = Chronicle(promise)
        day.write("maya.1", on: 1)
        day.sync("maya.1", on: 1)
        day.write("maya.2", on: 2, saw: seen ? ["maya.1"] : [])
        day.sync("maya.2", on: 2)
        day.replace("maya.1", by: ["maya.2"])
        day.readEverywhere([item("note-1", "maya.2")])
        return day
    }

    @Test("Two iPads, one note: the second save saw the first, or not (ck-08)")
    func races() {
        #expect(race(seen: true).outcome == "valid")
        let day = race(seen: false)
        #expect(day.outcome == "overwritten maya.1")
        #expect(day.doom == day.events.firstIndex { $0.note.kind == .replaced })
    }

    @Test("Last writer wins is all that the app promises: nothing is overwritten")
    func noPromise() { #expect(race(seen: false, .lastWriterWins).outcome == "valid") }

    @Test("Conflict version thrown away unread: the culprit is what is shown (doc-01)")
    func conflictVersion() {
        var day = Chronicle(channel: .document)
        day.write("maya.1", on: 1)
        day.sync("maya.1", on: 1)
        day.write("maya.2", on: 2)
        day.sync("maya.2", on: 2)
        let doom = day.replace("maya.1", by: [])
        day.readEverywhere([item("note-1", "maya.2")])
        #expect(day.outcome == "overwritten maya.1")
        #expect(day.doom == doom)
    }

    @Test("Deleted by an edit that never saw it")
    func deletion() {
        var day = Chronicle()
        day.write("maya.1", on: 1)
        day.sync("maya.1", on: 1)
        day.write("maya.2", on: 2, saw: ["maya.1"])
        day.sync("maya.2", on: 2)
        day.delete("maya.3", on: 1, saw: ["maya.1"])
        day.replace("maya.2", by: [])
        day.readEverywhere([])
        #expect(day.outcome == "overwritten maya.2")
    }

    @Test(
        "Deletion that took effect although its handler never returned: nobody knows what it saw, so it may have seen all before it"
    )
    func deletionOfUnknownSight() {
        for isWrittenBefore in [true, false] {
            var day = Chronicle()
            day.write("maya.0", on: 1)
            day.sync("maya.0", on: 1)
            if isWrittenBefore { day.write("maya.1", on: 1, saw: ["maya.0"]) }
            day.invoke("maya.2", .delete, "note-1")
            day.exit("memory", on: 2)
            if !isWrittenBefore { day.write("maya.1", on: 1, saw: ["maya.0"]) }
            day.sync("maya.1", on: 1)
            day.add(
                .cloud,
                Note(.committed, person: "maya", channel: .record, detail: ["where": "record notes/note-1"]))
            day.replace("maya.1", by: [])
            day.readEverywhere([])
            #expect(day.outcome == (isWrittenBefore ? "valid" : "overwritten maya.1"))
        }
    }

    @Test("Fetched record laid over an edit that only the app held: no kill to blame (ck-12)")
    func laidOver() {
        var day = Chronicle()
        day.write("maya.1", on: 1)
        day.write("maya.2", on: 2)
        day.sync("maya.2", on: 2)
        day.readEverywhere([item("note-1", "maya.2")])
        #expect(day.outcome == "overwritten maya.1")
    }
}
