import FleetModel
import Testing

@testable import Checkers

/// What makes no whole history; the table of edited runs has more.
@Suite("Wholeness", .timeLimit(.minutes(20))) struct WholenessTests {
    private func flag(_ id: String) -> Item { Item(id: id, kind: "flag", digest: "true") }
    private func isStrange(_ day: Chronicle) -> Bool {
        day.judgement.reasons.contains { $0.contains("the history is not whole") }
    }

    @Test("Kinds: what an item shows says what it is, not who else has an item of that name")
    func kinds() {
        var day = Chronicle(channel: .document)
        day.write("maya.1", on: 1)
        day.write("maya.2", on: 2)
        for token in ["maya.1", "maya.2"] { day.sync(token) }
        day.set("leo.1", "note-1 2")
        day.sync("leo.1")
        day.readEverywhere([flag("note-1 2")], of: "leo")
        var wrong = day
        day.readEverywhere([item("note-1", "maya.1"), item("note-1 2", "maya.2")])
        #expect(day.outcome == "valid", "\(day.judgement.reasons)")
        // Leo's flag has the name, and Maya's own note is no flag.
        wrong.write("maya.3", "note-1 2")
        wrong.sync("maya.3")
        let copy = Item(id: "note-1 2", kind: "flag", tokens: ["maya.3"], digest: "3")
        wrong.readEverywhere([item("note-1", "maya.1", "maya.2"), copy])
        #expect(isStrange(wrong))
    }

    @Test("Kinds: an item without a token is of a kind that its own person made of it")
    func tokenless() {
        for (kind, isWhole) in [("flag", true), ("note", false)] {
            var day = Chronicle()
            day.write("leo.1", "intro")
            day.sync("leo.1")
            day.set("maya.1", "intro")
            day.sync("maya.1")
            day.readEverywhere([item("intro", "leo.1")], of: "leo")
            day.readEverywhere([Item(id: "intro", kind: kind, digest: "true")])
            #expect(isStrange(day) != isWhole, "\(kind)")
        }
    }

    @Test("Times: notes of the Cloud may stand as far before the run as the scenario lets its clock be wrong")
    func clocks() {
        for (limit, at, isWhole) in [(Int64(1), Int64(-1), true), (1, -2, false), (3, -3, true), (3, -4, false)] {
            var day = Chronicle()
            day.write("maya.1")
            day.sync("maya.1")
            day.readEverywhere([item("note-1", "maya.1")])
            day.add(.people, Note(.clocks, detail: ["error": 1, "inRun": 1]))
            var events = day.events
            events[0].at = Instant.zero + Span(nanoseconds: at * 1_000_000_000)
            let judgement = judge(events, limits: Limits(maxClockError: .seconds(limit)))
            #expect((judgement.verdict == .valid) == isWhole, "\(limit) \(at): \(judgement.reasons)")
        }
    }
}
