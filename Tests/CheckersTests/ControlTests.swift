import FleetModel
import Testing

@testable import Checkers

/// The controls of the bug zoo: correct apps that look guilty. A false alarm counts as much as a miss.
@Suite("Controls", .timeLimit(.minutes(20))) struct ControlTests {
    @Test("ctl-01: the later edit loses to a fast clock (excused), or to nothing (lost)")
    func fastClock() {
        var day = Chronicle(.lastWriterWins, channel: .keyValue)
        day.write("maya.1", on: 1)
        day.stamp("maya.1", at: 600, on: 1)
        day.commit("maya.1")
        day.write("maya.2", on: 2, saw: ["maya.1"])
        var nothing = day
        day.stamp("maya.2", at: 20, on: 2)
        day.readEverywhere([item("note-1", "maya.1")])
        #expect(day.outcome == "excused maya.2")
        #expect(day.judgement.verdict == .valid)
        #expect(day.doom.map { day.events[$0].note.tokens } == ["maya.1"], "the excuse names the write that won")
        nothing.stamp("maya.2", at: 700, on: 2)
        nothing.readEverywhere([item("note-1", "maya.1")])
        #expect(nothing.outcome == "lost maya.2", "the largest stamp must stay")
    }

    @Test(
        "ctl-02: force-quit in mid-upload, never launched again, the person removed: excused; launched in between: lost"
    )
    func forceQuit() {
        var day = Chronicle(channel: .upload)
        day.write("maya.1")
        day.handOver("maya.1")
        let event = day.cancelTransfers("maya.1")
        var launched = day
        day.purge("eviction", wholePerson: true)
        day.readEverywhere([])
        #expect(day.outcome == "excused maya.1")
        #expect(day.doom == event)
        launched.launch()
        launched.purge("eviction", wholePerson: true)
        launched.readEverywhere([])
        #expect(launched.outcome == "lost maya.1")
    }

    @Test("ctl-03: a removal of local data excuses nothing", arguments: ["signOut", "lowSpace", "eviction"])
    func removed(reason: String) {
        for isSafe in [true, false] {
            var day = Chronicle(channel: .document)
            day.write("maya.1")
            if isSafe { day.handOver("maya.1") }
            let event = day.purge(reason, wholePerson: true)
            day.readEverywhere([])
            #expect(day.outcome == (isSafe ? "lost maya.1" : "unsaved maya.1"))
            #expect(day.doom == event)
        }
    }

    @Test(
        "Deleted by force, erased: excused for what was there until then; lost or unsaved when it was sent or gone before",
        arguments: ["forceDeletion", "eraseDevice"])
    func removedByForce(reason: String) {
        func day(_ body: (inout Chronicle) -> Void) -> String {
            var day = Chronicle(channel: .document)
            day.write("maya.1")
            body(&day)
            day.readEverywhere([])
            return day.outcome
        }
        #expect(
            day {
                $0.handOver("maya.1"); $0.purge(reason, wholePerson: true)
            } == "excused maya.1")
        #expect(day { $0.purge(reason, wholePerson: true) } == "excused maya.1")
        #expect(
            day {
                $0.exit("erase"); $0.purge(reason, wholePerson: true)
            } == "excused maya.1")
        #expect(
            day {
                $0.sync("maya.1"); $0.purge(reason, wholePerson: true)
            } == "lost maya.1")
        #expect(
            day {
                $0.exit("memory"); $0.purge(reason, wholePerson: true)
            } == "unsaved maya.1")
        #expect(day { $0.purge(reason, on: 2, wholePerson: true) } == "unsaved maya.1")
    }

    @Test("A zone deleted in iCloud: what was in it is excused; what is there again, or went up later, is not")
    func deletedZone() {
        func day(_ body: (inout Chronicle) -> Void = { _ in }, shown: [Item] = []) -> String {
            var day = Chronicle()
            day.write("maya.1")
            day.sync("maya.1")
            day.replace("maya.1", by: [])
            day.add(.cloud, Note(.zoneDeleted, person: "maya", channel: .record, tokens: ["maya.1"]))
            body(&day)
            day.readEverywhere(shown)
            return day.outcome
        }
        #expect(day() == "excused maya.1")
        #expect(day(shown: [item("note-1", "maya.1")]) == "valid")
        #expect(day({ $0.commit("maya.1") }) == "lost maya.1")
        #expect(
            day {
                $0.write("maya.2", "note-2"); $0.sync("maya.2")
            } == "excused maya.1, lost maya.2")
    }

    @Test(
        "Encrypted data reset: an iPad that had the edit sends it again; only what a purge had taken from it is excused"
    )
    func keyReset() {
        func day(purged: Bool, reason: String = "encryptedDataReset") -> String {
            var day = Chronicle()
            day.write("maya.1")
            day.sync("maya.1")
            if purged { day.purge("signOut") }
            day.replace("maya.1", by: [])
            let detail: Value = ["where": "Notebook/Notes", "reason": .string(reason)]
            day.add(
                .cloud, Note(.zoneDeleted, person: "maya", channel: .record, tokens: ["maya.1"], detail: detail))
            day.readEverywhere([])
            return day.outcome
        }
        #expect(day(purged: false) == "lost maya.1")
        #expect(day(purged: true) == "excused maya.1")
        #expect(day(purged: false, reason: "purged") == "excused maya.1")
        #expect(day(purged: false, reason: "deleted") == "excused maya.1")
    }

    @Test("Guests: nobody reads for them; what is found of theirs after the session is a leak")
    func guests() {
        var day = Chronicle()
        day.write("maya.1")
        day.sync("maya.1")
        day.add(.pad(1), Note(.signedIn, person: "visitor", detail: ["guest": true]))
        day.write("visitor.1")
        day.purge("temporarySession", of: "visitor", wholePerson: true)
        var leak = day
        day.readEverywhere([item("note-1", "maya.1")])
        #expect(day.outcome == "valid")
        leak.observe("visitor.1", in: "padDisk", of: "visitor", on: 1)
        leak.readEverywhere([item("note-1", "maya.1")])
        #expect(leak.outcome == "leaked visitor.1")
    }

    @Test("ctl-04: two versions kept side by side, in either order: neither diverged nor a duplicate")
    func twoVersions() {
        var day = Chronicle(channel: .document)
        day.write("maya.1", on: 1)
        day.write("maya.2", on: 2)
        day.sync("maya.1", on: 1)
        day.sync("maya.2", on: 2)
        var one = day
        day.read("core", on: 1, [item("note-1", "maya.1"), item("note-1 2", "maya.2")])
        day.read("core", on: 2, [item("note-1", "maya.2"), item("note-1 2", "maya.1")])
        day.read("new", on: 9, [item("note-1", "maya.2", "maya.1")])
        #expect(day.outcome == "valid")
        one.readEverywhere([item("note-1", "maya.2")])
        #expect(one.outcome == "overwritten maya.1")
    }

    @Test("ctl-05: lost response, retry, conflict with one's own write: valid; the app drops it: not")
    func ownWrite() {
        var day = Chronicle()
        day.write("maya.1")
        day.commit("maya.1")
        day.handBack("maya.1")
        day.handOver("maya.1")
        var dropped = day
        day.readEverywhere([item("note-1", "maya.1")])
        #expect(day.outcome == "valid")
        dropped.replace("maya.1", by: [])
        dropped.readEverywhere([])
        #expect(dropped.outcome == "lost maya.1")
    }
}
