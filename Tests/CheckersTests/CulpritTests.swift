import FleetModel
import Testing

@testable import Checkers

/// One record that holds a whole list: what replaces it holds edits of many items.
@Suite("Culprit", .timeLimit(.minutes(20))) struct CulpritTests {
    /// maya.6 of task-4 and maya.4 of task-5 are in the Cloud; iPad 2 saves maya.8 of task-5 on top.
    static func list() -> Chronicle {
        var day = Chronicle()
        day.write("maya.6", "task-4", on: 1)
        day.commit("maya.6", from: 1)
        day.write("maya.4", "task-5", on: 1)
        day.commit("maya.6", "maya.4", from: 1)
        day.write("maya.8", "task-5", on: 2, saw: ["maya.4"])
        day.commit("maya.6", "maya.8", from: 2)
        day.replace("maya.4", by: ["maya.6", "maya.8"], from: 2)
        return day
    }

    @Test("List in one record: the culprit is the replacing edit of the same item, not the older one of another item")
    func sameItem() {
        var day = Self.list()
        day.write("maya.9", "task-5", on: 1, saw: ["maya.4"])
        day.commit("maya.6", "maya.9", from: 1)
        let doom = day.replace("maya.8", by: ["maya.6", "maya.9"], from: 1)
        day.readEverywhere([item("task-4", "maya.6"), item("task-5", "maya.9")])
        #expect(day.outcome == "overwritten maya.8")
        #expect(day.judgement.findings.first?.summary == "replaced by maya.9, which never saw it")
        #expect(day.doom == doom)
    }

    @Test(
        "List in one record: laid over by a stale list for the sake of another item, that edit is named with its item")
    func otherItem() {
        var day = Self.list()
        day.write("maya.9", "task-7", on: 1)
        // The replacement is told in the very instant of the commit.
        day.wait(.seconds(-1))
        day.commit("maya.6", "maya.4", "maya.9", from: 1)
        day.wait(.seconds(-1))
        day.replace("maya.8", by: ["maya.6", "maya.4", "maya.9"], from: 1)
        day.readEverywhere([item("task-4", "maya.6"), item("task-5", "maya.4"), item("task-7", "maya.9")])
        #expect(day.outcome == "overwritten maya.8")
        #expect(day.judgement.findings.first?.summary == "replaced by maya.9 (task-7), which never saw it")
    }

    @Test(
        "List in one record: the deletion that the sender did leaves no token; it is named, not what remained",
        arguments: [1, 2])
    func deletion(pad: Int) {
        var day = Self.list()
        day.delete("maya.9", "task-5", on: 1, saw: ["maya.4"])
        day.replace("maya.8", by: ["maya.6"], from: pad)
        day.readEverywhere([item("task-4", "maya.6")])
        #expect(day.outcome == "overwritten maya.8")
        let culprit = pad == 1 ? "deleted by maya.9" : "replaced by maya.6 (task-4)"
        #expect(day.judgement.findings.first?.summary == "\(culprit), which never saw it")
    }

    @Test("Lost by replacement: the older value of the same item is named, of other items only who saved them")
    func lost() {
        for (by, words) in [
            (["maya.6", "maya.4"], "replaced by maya.4"),
            (["maya.6"], "replaced by what was saved with maya.6 (task-4)"),
            ([], "replaced by something that nobody typed"),
        ] {
            var day = Chronicle()
            day.write("maya.6", "task-4", on: 1)
            day.commit("maya.6", from: 1)
            day.write("maya.4", "task-5", on: 1, saw: ["maya.6"])
            day.commit("maya.6", "maya.4", from: 1)
            day.write("maya.8", "task-5", on: 2, saw: ["maya.4", "maya.6"])
            day.commit("maya.6", "maya.8", from: 2)
            let doom = day.replace("maya.8", by: by, from: 1)
            day.readEverywhere([item("task-4", "maya.6")])
            #expect(
                day.judgement.findings.first { $0.token == "maya.8" }?.summary == "committed, now nowhere: \(words)")
            #expect(day.judgement.findings.first { $0.token == "maya.8" }?.doomedBy == doom)
        }
    }
}
