import FleetModel
import Testing

@testable import Checkers

/// Names of items, and copies under other names (`Places.swift`).
@Suite("Places", .timeLimit(.minutes(20))) struct PlacesTests {
    /// Two iPads made note-1 at once, and maya.3 is made in `note-1 2` by its person.
    private func day(saw: [Token] = []) -> Chronicle {
        var day = Chronicle(channel: .document)
        day.write("maya.1", on: 1)
        day.write("maya.2", on: 2)
        day.sync("maya.1", on: 1)
        day.sync("maya.2", on: 2)
        day.write("maya.3", "note-1 2", on: 1, saw: saw)
        day.sync("maya.3", on: 1)
        return day
    }
    private func outcome(_ day: Chronicle, _ items: Item...) -> String {
        var day = day
        day.readEverywhere(items)
        return day.outcome
    }

    @Test("A copy of a conflict: under a free name, under one that people use themselves, or beside what saw it there")
    func takenName() {
        let first = item("note-1", "maya.1")
        #expect(outcome(day(), first, item("note-1 2", "maya.3"), item("note-1 3", "maya.2")) == "valid")
        #expect(outcome(day(saw: ["maya.2"]), first, item("note-1 2", "maya.2", "maya.3")) == "valid")
        #expect(outcome(day(), first, item("note-1 2", "maya.2", "maya.3")) == "damaged maya.2")
        #expect(
            outcome(day(), first, item("note-1 2", "maya.2"), item("note-1 3", "maya.3"))
                == "damaged maya.2, damaged maya.3")
    }

    @Test("A conflict that was settled before excuses no later edit")
    func settledBefore() {
        func outcome(saw: [Token], _ first: Item) -> String {
            var day = Chronicle(channel: .document)
            for (token, pad) in [("maya.1", 1), ("maya.2", 2)] {
                day.write(token, on: pad)
                day.sync(token, on: pad)
            }
            day.write("maya.3", on: 1, saw: saw)
            day.sync("maya.3", on: 1)
            day.readEverywhere([first, item("note-1 2", "maya.3")])
            return day.outcome
        }
        #expect(outcome(saw: ["maya.1"], item("note-1", "maya.2")) == "valid")
        #expect(outcome(saw: ["maya.1", "maya.2"], item("note-1")) == "damaged maya.3")
    }

    @Test("A copy whose original is gone: somebody deleted that one without having seen the copied edit, or nobody did")
    func deletedOriginal() {
        for isDeleted in [true, false] {
            var day = Chronicle(channel: .document)
            day.write("maya.1", on: 1)
            day.sync("maya.1", on: 1)
            if isDeleted { day.delete("maya.2", on: 1, saw: ["maya.1"]) }
            day.write("maya.3", on: 2, saw: ["maya.1"])
            day.sync("maya.3", on: 2)
            day.replace("maya.1", by: ["maya.3"])
            day.readEverywhere([item("note-1 2", "maya.3")])
            #expect(day.outcome == (isDeleted ? "valid" : "damaged maya.3"))
        }
    }

    @Test("A superseded edit in its own item and in another: a copy's, or one that people name")
    func supersededTwice() {
        func outcome(_ promise: Promise, other: String) -> String {
            var day = Chronicle(promise)
            day.write("maya.1")
            day.sync("maya.1")
            day.write("maya.2", saw: ["maya.1"])
            day.sync("maya.2")
            day.write("maya.3", "note-2")
            day.sync("maya.3")
            var items = [item("note-1", "maya.2", "maya.1"), item("note-2", "maya.3")]
            items.removeAll { $0.id == other }
            items.append(other == "note-2" ? item(other, "maya.3", "maya.1") : item(other, "maya.1"))
            day.readEverywhere(items)
            return day.outcome
        }
        #expect(outcome(.keepsAll, other: "note-1 2") == "valid")
        #expect(outcome(.keepsAll, other: "note-2") == "duplicated maya.1")
        #expect(outcome(.lastWriterWins, other: "note-1 2") == "duplicated maya.1")
    }

    @Test("Names that are canonically equal are one item: shown once, in either form, or twice")
    func canonicallyEqual() {
        let (composed, decomposed) = ("n\u{f6}te", "no\u{308}te")
        var day = Chronicle()
        day.write("maya.1", composed, on: 1)
        day.sync("maya.1", on: 1)
        day.write("maya.2", decomposed, on: 2, saw: ["maya.1"])
        day.sync("maya.2", on: 2)
        #expect(outcome(day, item(composed, "maya.2")) == "valid")
        #expect(outcome(day, item(decomposed, "maya.2")) == "valid")
        #expect(outcome(day, item(composed, "maya.1"), item(decomposed, "maya.2")) == "duplicated maya.2")
    }
}
