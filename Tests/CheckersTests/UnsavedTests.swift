import FleetModel
import Testing

@testable import Checkers

@Suite("Unsaved", .timeLimit(.minutes(20))) struct UnsavedTests {
    @Test(
        "Never handed over: gone with the end of its app, or saved after it",
        arguments: ["memory", "userSwitch", "terminated"])
    func killed(reason: String) {
        var day = Chronicle()
        day.write("maya.1")
        var saved = day
        let doom = day.exit(reason)
        day.launch()
        day.readEverywhere([])
        #expect(day.outcome == "unsaved maya.1")
        #expect(day.doom == doom)
        saved.exit(reason)
        saved.launch()
        saved.sync("maya.1")
        saved.readEverywhere([item("note-1", "maya.1")])
        #expect(saved.outcome == "valid")
    }

    @Test("Still seen after a kill, then purged: the step is the purge (sto-01)")
    func purged() {
        var day = Chronicle()
        day.write("maya.1", "note-1")
        day.exit("memory")
        day.launch()
        day.write("maya.2", "note-1", saw: ["maya.1"])
        let doom = day.purge("lowSpace")
        day.readEverywhere([])
        #expect(day.outcome == "unsaved maya.2", "the person wanted maya.2 in place of maya.1")
        #expect(day.doom == doom)
    }

    @Test("Seen by a later flag setting after a kill: the step is what came then, not the kill")
    func seenLater() {
        var day = Chronicle()
        day.write("maya.1", "note-1")
        day.exit("memory")
        day.launch()
        day.invoke("maya.2", .effect, "note-1", value: "done")
        day.perform("maya.2", on: 1, saw: ["maya.1"])
        let doom = day.purge("lowSpace")
        day.readEverywhere([flag("note-1", "done")])
        #expect(day.outcome == "unsaved maya.1")
        #expect(day.doom == doom)
    }

    @Test("Shown after a kill, in the first reading: gone after the fresh launch, or still there")
    func lostBetweenReadings() {
        var day = Chronicle()
        day.write("maya.1")
        day.exit("memory")
        day.launch()
        day.read("core", on: 1, [item("note-1", "maya.1")])
        let doom = day.exit("userSwitch")
        day.read("new", on: 9, [])
        var kept = day
        day.read("again", on: 1, [])
        #expect(day.outcome == "unsaved maya.1")
        #expect(day.doom == doom)
        kept.read("again", on: 1, [item("note-1", "maya.1")])
        #expect(kept.outcome == "diverged maya.1")
    }

    @Test("Handed back by a definite refusal: handed over again, or dropped")
    func handedBack() {
        var day = Chronicle()
        day.write("maya.1")
        day.handOver("maya.1")
        day.handBack("maya.1")
        var again = day
        day.exit("memory")
        day.readEverywhere([])
        #expect(day.outcome == "unsaved maya.1")
        again.sync("maya.1")
        again.readEverywhere([item("note-1", "maya.1")])
        #expect(again.outcome == "valid")
    }

    @Test("Power cut: what was handed over is lost, what was not is unsaved")
    func powerCut() {
        var day = Chronicle(channel: .document)
        day.write("maya.1", "note-1")
        day.handOver("maya.1")
        day.write("maya.2", "note-2")
        let doom = day.powerCut()
        day.readEverywhere([])
        #expect(day.outcome == "lost maya.1, unsaved maya.2")
        #expect(day.judgement.findings.map(\.doomedBy) == [doom, doom])
    }

    @Test("Refused edit: owes nothing")
    func refused() {
        var day = Chronicle()
        day.write("maya.1")
        day.sync("maya.1")
        day.invoke("maya.2", .put, "note-1")
        day.refuse("maya.2")
        day.readEverywhere([item("note-1", "maya.1")])
        #expect(day.outcome == "valid")
    }
}

@Suite("In flight", .timeLimit(.minutes(20))) struct InflightTests {
    /// A set, then the end of its app after some seconds.
    func day(_ reason: String, after seconds: Int64) -> Chronicle {
        var day = Chronicle(.lastWriterWins, channel: .keyValue)
        day.write("maya.1")
        day.wait(.seconds(seconds))
        day.exit(reason)
        day.readEverywhere([])
        return day
    }

    @Test("Key-value set: killed inside the window, after it, or ended with notice")
    func window() {
        #expect(day("memory", after: 1).outcome == "inflight maya.1")
        #expect(day("memory", after: 1).judgement.verdict == .valid)
        #expect(day("reboot", after: 1).outcome == "inflight maya.1", "apps get no callback at a reboot")
        #expect(day("memory", after: 8).outcome == "unsaved maya.1")
        #expect(day("userSwitch", after: 1).outcome == "unsaved maya.1", "going to the background flushes the store")
    }

    @Test("Too many in flight: unknown, not a pass")
    func cap() {
        let judgement = judge(day("memory", after: 1).events, limits: Limits(maxInflight: 0))
        #expect(judgement.verdict == .unknown)
        #expect(judgement.count(.inflight) == 1)
    }
}
