import FleetModel
import Testing

@testable import Checkers

@Suite("Lost", .timeLimit(.minutes(20))) struct LostTests {
    @Test("Committed edit: every reader shows it, or none does (1 edit)")
    func committed() {
        var good = Chronicle()
        good.write("maya.1")
        good.sync("maya.1")
        var bad = good
        good.readEverywhere([item("note-1", "maya.1")])
        bad.readEverywhere([item("note-1")])
        #expect(good.outcome == "valid")
        #expect(bad.outcome == "lost maya.1")
        #expect(bad.judgement.verdict == .invalid)
    }

    @Test("A value nobody typed supersedes nothing: starter values over a person's own (kvs-01)")
    func starterValue() {
        var day = Chronicle(.lastWriterWins, channel: .keyValue)
        day.write("maya.1", "note-1", on: 1)
        day.stamp("maya.1", at: 10, on: 1)
        day.commit("maya.1")
        day.stamp(at: 500, on: 9)
        let doom = day.replace("maya.1", by: [])
        var stale = day
        day.readEverywhere([item("note-1")])
        stale.read(core: [item("note-1", "maya.1")], new: [item("note-1")])
        #expect(day.outcome == "lost maya.1")
        #expect(day.doom == doom)
        #expect(stale.outcome == "lost maya.1", "a stale view on one iPad does not bring it back")
    }

    @Test("Superseded edit: a later one saw it and got as far, or died in its app")
    func supersession() {
        var day = Chronicle()
        day.write("maya.1")
        day.sync("maya.1")
        day.write("maya.2", saw: ["maya.1"])
        var died = day
        day.sync("maya.2")
        day.replace("maya.1", by: ["maya.2"])
        day.readEverywhere([item("note-1", "maya.2")])
        #expect(day.outcome == "valid")
        died.exit("memory")
        died.readEverywhere([item("note-1")])
        #expect(died.outcome == "lost maya.1, unsaved maya.2", "what died in its app removed nothing from the Cloud")
    }

    @Test("Superseded through others: maya.3 saw maya.2, which saw maya.1")
    func chain() {
        var day = Chronicle()
        for (token, saw) in [("maya.1", []), ("maya.2", ["maya.1"]), ("maya.3", ["maya.2"])] {
            day.write(token, saw: saw)
            day.sync(token)
        }
        day.readEverywhere([item("note-1", "maya.3")])
        #expect(day.outcome == "valid")
    }

    @Test("Older value put back over a newer one: lost, not overwritten (ck-18)")
    func olderPutBack() {
        var day = Chronicle()
        day.write("maya.1", on: 1)
        day.sync("maya.1", on: 1)
        day.write("maya.2", on: 2, saw: ["maya.1"])
        day.sync("maya.2", on: 2)
        let doom = day.replace("maya.2", by: ["maya.1"])
        day.readEverywhere([item("note-1", "maya.1")])
        #expect(day.outcome == "lost maya.2")
        #expect(day.doom == doom)
    }

    @Test("Upload cancelled by a force-quit: sent again at the next launch, or forgotten")
    func forceQuit() {
        var day = Chronicle(channel: .upload)
        day.write("maya.1")
        day.handOver("maya.1")
        let doom = day.cancelTransfers("maya.1")
        day.launch()
        var forgotten = day
        day.sync("maya.1")
        day.readEverywhere([item("note-1", "maya.1")])
        forgotten.readEverywhere([])
        #expect(day.outcome == "valid")
        #expect(forgotten.outcome == "lost maya.1")
        #expect(forgotten.doom == doom)
    }
}
