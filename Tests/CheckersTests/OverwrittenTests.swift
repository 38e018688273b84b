import FleetModel
import Testing

@testable import Checkers

@Suite("Overwritten", .timeLimit(.minutes(20))) struct OverwrittenTests {
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

    @Test("Interrupted handler: what the edit saw was told before, and decides", arguments: [Edit.Verb.put, .delete])
    func interrupted(_ verb: Edit.Verb) {
        for saw in [["maya.1"], []] {
            var day = Chronicle()
            day.write("maya.1", on: 1)
            day.sync("maya.1", on: 1)
            day.invoke("maya.2", verb, "note-1", on: 2)
            day.begin("maya.2", on: 2, saw: saw)
            day.exit("memory", on: 2)
            if verb == .put { day.commit("maya.2", from: 2) } else { day.commit(from: 2) }
            day.replace("maya.1", by: verb == .put ? ["maya.2"] : [])
            day.readEverywhere(verb == .put ? [item("note-1", "maya.2")] : [])
            #expect(day.outcome == (saw.isEmpty ? "overwritten maya.1" : "valid"))
        }
    }

    /// A note in the Cloud, and its deletion by maya.2 whose app ended before it answered.
    private static func unanswered() -> Chronicle {
        var day = Chronicle()
        day.write("maya.1", on: 1)
        day.sync("maya.1", on: 1)
        day.invoke("maya.2", .delete, "note-1", on: 1)
        day.begin("maya.2", on: 1, saw: ["maya.1"])
        day.exit("userSwitch", on: 1)
        return day
    }

    @Test(
        "Deletion that was never answered: an excuse when its iPad no longer saw what it was to delete",
        arguments: [1, 2])
    func unansweredDeletion(pad: Int) {
        var day = Self.unanswered()
        day.write("maya.3", on: pad)
        day.sync("maya.3", on: pad)
        day.replace("maya.1", by: ["maya.3"])
        day.readEverywhere([item("note-1", "maya.3")])
        #expect(day.outcome == (pad == 1 ? "valid" : "overwritten maya.1"))
    }

    @Test(
        "Deletion that was never answered, kept by its app and merged later: an excuse for what its own iPad and person take out of the Cloud",
        arguments: [(1, "maya"), (2, "maya"), (1, "ben")])
    func unansweredDeletionMerged(pad: Int, sender: Person) {
        var day = Self.unanswered()
        day.write("maya.3", on: 2)
        day.commit("maya.1", "maya.3", from: 2)
        day.commit("maya.3", from: pad)
        day.replace("maya.1", by: ["maya.3"], from: pad, of: sender)
        day.readEverywhere([item("note-1", "maya.3")])
        #expect(day.outcome == (pad == 1 && sender == "maya" ? "valid" : "overwritten maya.1"))
    }

    @Test("Deletion that was never answered is no excuse for a version that holds another line it was to delete")
    func unansweredDeletionInPart() {
        var day = Chronicle()
        day.write("maya.1", on: 1)
        day.write("maya.2", on: 2)
        day.commit("maya.1", "maya.2", from: 2)
        day.invoke("maya.3", .delete, "note-1", on: 1)
        day.begin("maya.3", on: 1, saw: ["maya.1", "maya.2"])
        day.exit("userSwitch", on: 1)
        day.commit("maya.1", from: 1)
        day.replace("maya.2", by: ["maya.1"], from: 1)
        day.readEverywhere([item("note-1", "maya.1")])
        #expect(day.outcome == "overwritten maya.2")
    }

    @Test("Deletion that was never answered is no excuse when another iPad had replaced by then what it was to delete")
    func unansweredDeletionLate() {
        var day = Self.unanswered()
        day.write("maya.3", on: 2)
        day.sync("maya.3", on: 2)
        day.replace("maya.1", by: ["maya.3"])
        day.write("maya.4", on: 1, saw: ["maya.3"])
        day.sync("maya.4", on: 1)
        day.replace("maya.3", by: ["maya.4"])
        day.readEverywhere([item("note-1", "maya.4")])
        #expect(day.outcome == "overwritten maya.1")
    }

    @Test(
        "Deletion of an offline iPad laid over a later edit: the deletion that was tried and killed elsewhere is no excuse"
    )
    func deletionElsewhere() {
        var day = Chronicle()
        day.write("maya.1", on: 1)
        day.sync("maya.1", on: 1)
        day.delete("maya.2", on: 1, saw: ["maya.1"])
        day.write("maya.3", on: 2, saw: ["maya.1"])
        day.sync("maya.3", on: 2)
        day.invoke("maya.4", .delete, "note-1", on: 2)
        day.begin("maya.4", on: 2, saw: ["maya.3"])
        day.exit("kill", on: 2)
        day.commit(from: 1)
        day.replace("maya.3", by: [])
        day.readEverywhere([])
        #expect(day.outcome == "lost maya.3")
    }

    @Test("Deletion interrupted, and once more when the note is gone from view: the write is the first one's too")
    func deletionTwice() {
        var day = Self.unanswered()
        day.delete("maya.3", on: 1, saw: [])
        day.commit(from: 1)
        day.replace("maya.1", by: [])
        day.readEverywhere([])
        #expect(day.outcome == "valid")
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

    @Test("Seen through a thousand others: still seen, by no one before them")
    func longChain() {
        var day = Chronicle()
        for number in 1...1000 { day.write("maya.\(number)", saw: number == 1 ? [] : ["maya.\(number - 1)"]) }
        day.write("maya.1001", saw: ["maya.400", "maya.401"])
        let ledger = Ledger(day.events)
        #expect(ledger.saw(999, 0) && ledger.saw(1000, 0) && !ledger.saw(0, 999))
        #expect(ledger.saw(1000, 400) && !ledger.saw(1000, 401))
    }
}
