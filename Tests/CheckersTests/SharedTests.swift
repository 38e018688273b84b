import FleetModel
import Testing

@testable import Checkers

/// What an app declares as shared: who has a part in an item sees it, nobody else does, and who has none any more shows it no more.
@Suite("Shared between some", .timeLimit(.minutes(20))) struct SharedTests {
    /// Maya makes and shares note-1, Leo takes part.
    private func notes() -> Chronicle {
        var day = Chronicle(shared: ["note"])
        day.write("maya.1")
        day.commit("maya.1", place: "notes/note-1")
        day.cover("note-1", of: "maya", "maya.1")
        day.join("leo", with: "maya")
        return day
    }
    private func read(_ day: inout Chronicle, maya: [Item], leo: [Item]) {
        day.readEverywhere(maya, of: "maya")
        day.readEverywhere(leo, of: "leo")
    }

    @Test("Who takes part sees it and has to; whoever does not is no reader, and sees a leak if he sees it")
    func parts() {
        var day = notes()
        read(&day, maya: [item("note-1", "maya.1")], leo: [item("note-1", "maya.1")])
        #expect(day.outcome == "valid")
        day = notes()
        read(&day, maya: [item("note-1", "maya.1")], leo: [])
        #expect(day.outcome.contains("diverged maya.1"), "\(day.outcome)")
        day = notes()
        read(&day, maya: [item("note-1", "maya.1")], leo: [item("note-1", "maya.1")])
        day.readEverywhere([item("note-1", "maya.1")], of: "ann")
        #expect(day.outcome.contains("leaked maya.1"), "\(day.outcome)")
        day = notes()
        read(&day, maya: [item("note-1", "maya.1")], leo: [item("note-1", "maya.1")])
        day.readEverywhere([], of: "ann")
        #expect(day.outcome == "valid", "\(day.outcome)")
    }

    @Test(
        "What others write in the owner's database is theirs there: whose record holds it is no leak, and both have to show it"
    )
    func writers() {
        for isLost in [false, true] {
            var day = notes()
            day.write("leo.1", on: 2, saw: ["maya.1"])
            day.commit("maya.1", "leo.1", place: "notes/note-1", from: 2, of: "leo", owner: "maya")
            let both = [item("note-1", "maya.1", "leo.1")]
            read(&day, maya: isLost ? [item("note-1", "maya.1")] : both, leo: both)
            #expect(day.outcome.contains("diverged leo.1") == isLost, "\(day.outcome)")
            #expect(!day.outcome.contains("leaked"), "\(day.outcome)")
        }
    }

    @Test("Saved to the writer's own database nobody else has it: the others lack it")
    func ownDatabase() {
        var day = notes()
        day.write("leo.1", on: 2, saw: ["maya.1"])
        day.commit("leo.1", place: "notes/note-1", from: 2, of: "leo")
        read(&day, maya: [item("note-1", "maya.1")], leo: [item("note-1", "maya.1", "leo.1")])
        #expect(day.outcome.contains("diverged leo.1"), "\(day.outcome)")
    }

    enum After: String, CaseIterable {
        case shownBefore, shownAtTheEnd, newToHim, nothing
    }
    @Test(
        "After somebody's part has ended: what was there may be shown for a while, not at the end; what came later never reaches him",
        arguments: After.allCases)
    func removed(_ after: After) {
        var day = notes()
        day.leave("leo", with: "maya")
        day.write("maya.2", on: 1, saw: ["maya.1"])
        day.commit("maya.1", "maya.2", place: "notes/note-1", from: 1)
        switch after {
        case .shownBefore:
            day.invoke("leo.1", .put, "note-1", on: 2)
            day.begin("leo.1", on: 2, saw: ["maya.1"])
            day.refuse("leo.1", on: 2)
        case .newToHim:
            day.invoke("leo.1", .put, "note-1", on: 2)
            day.begin("leo.1", on: 2, saw: ["maya.2"])
            day.refuse("leo.1", on: 2)
        case .shownAtTheEnd, .nothing: break
        }
        let all = [item("note-1", "maya.1", "maya.2")]
        read(&day, maya: all, leo: after == .shownAtTheEnd ? [item("note-1", "maya.1")] : [])
        switch after {
        case .shownBefore, .nothing: #expect(!day.outcome.contains("leaked"), "\(day.outcome)")
        case .shownAtTheEnd: #expect(day.outcome.contains("leaked maya.1"), "\(day.outcome)")
        case .newToHim: #expect(day.outcome.contains("leaked maya.2"), "\(day.outcome)")
        }
    }

    @Test("What somebody wrote whose part ended before it was sent is excused; while he has his part it is lost")
    func unsent() {
        for hasEnded in [true, false] {
            var day = notes()
            day.write("leo.1", on: 2, saw: ["maya.1"])
            day.handOver("leo.1", on: 2)
            if hasEnded { day.leave("leo", with: "maya") }
            read(&day, maya: [item("note-1", "maya.1")], leo: hasEnded ? [] : [item("note-1", "maya.1")])
            #expect(day.outcome.contains(hasEnded ? "excused leo.1" : "lost leo.1"), "\(day.outcome)")
        }
    }

    @Test(
        "A record out of the share is seen by those who had it no more, one in a zone that is shared whole by all of its people"
    )
    func covers() {
        for wholeZone in [false, true] {
            var day = Chronicle(shared: ["note"])
            day.write("maya.1")
            day.commit("maya.1", place: "notes/note-1")
            day.join("leo", with: "maya", share: wholeZone ? "cloudkit.zoneshare" : "s")
            if !wholeZone {
                day.cover("note-1", of: "maya", "maya.1")
                day.cover("note-1", of: "maya", "maya.1", share: "")
            }
            read(&day, maya: [item("note-1", "maya.1")], leo: [item("note-1", "maya.1")])
            #expect(day.outcome.contains("leaked maya.1") == !wholeZone, "\(day.outcome)")
        }
    }

    @Test("A part is an account's: the person's second account is no reader, and shows a leak if it shows it")
    func secondAccount() {
        for isShown in [false, true] {
            var day = notes()
            let all = [item("note-1", "maya.1")]
            read(&day, maya: all, leo: all)
            day.readEverywhere(isShown ? all : [], of: "leo@home")
            #expect(day.outcome == (isShown ? "leaked maya.1" : "valid"), "\(day.outcome)")
        }
    }
}
