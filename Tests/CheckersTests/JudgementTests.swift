import FleetModel
import Testing

@testable import Checkers

@Suite("Judgement", .timeLimit(.minutes(20))) struct JudgementTests {
    /// One edit, whole everywhere.
    var good: Chronicle {
        var day = Chronicle()
        day.write("maya.1")
        day.sync("maya.1")
        return day
    }

    @Test("Nothing read, nothing done, read in part, no new iPad: unknown, never a pass")
    func tooLittle() {
        var part = good
        part.readEverywhere([item("note-1", "maya.1")])
        #expect(part.judgement.verdict == .valid)
        part.read("core", on: 2, [], complete: false)
        #expect(part.judgement.verdict == .unknown, "what an incomplete reading lacks proves nothing")
        #expect(good.judgement.reasons == ["nothing was read at the end"])
        var idle = Chronicle()
        idle.readEverywhere([])
        #expect(idle.judgement.verdict == .unknown)
        var old = good
        old.read("core", on: 1, [item("note-1", "maya.1")])
        #expect(old.judgement.reasons == ["notebook was not read on a brand-new iPad for maya, who edited in it"])
        #expect(judge([]).verdict == .unknown)
    }

    @Test("Attempts without an answer: below the floor unknown, at the floor valid (1 of 3, 1 of 2)")
    func answered() {
        var day = good
        day.invoke("maya.2", .put, "note-2")
        var worse = day
        worse.invoke("maya.3", .put, "note-3")
        day.readEverywhere([item("note-1", "maya.1")])
        worse.readEverywhere([item("note-1", "maya.1")])
        #expect(day.judgement.verdict == .valid)
        #expect(worse.judgement.verdict == .unknown)
    }

    @Test("Too few edits because they were refused: said so, with the first that an app refused, or else an iPad")
    func refused() {
        var day = good
        day.invoke("maya.2", .put, "note-2")
        day.refuse("maya.2")
        var asked = day
        asked.invoke("maya.3", .put, "note-3")
        asked.begin("maya.3", on: 1)
        asked.refuse("maya.3")
        day.readEverywhere([item("note-1", "maya.1")])
        asked.readEverywhere([item("note-1", "maya.1")])
        let few = Limits(minPerformed: 2)
        let refusal = judge(day.events, limits: few)
        #expect(refusal.refused == 1 && refusal.verdict == .unknown)
        #expect(
            refusal.reasons == [
                "only 1 edits were performed, 2 are needed: 1 were refused, first maya.2 on ipad-1 at 7s: not active"
            ])
        let own = judge(asked.events, limits: few)
        #expect(own.firstRefusal?.hasPrefix("maya.3 by notebook on ipad-1 at 10s: ") == true, "\(own)")
        #expect(
            judge(day.events, limits: Limits(minPerformed: 3)).reasons.contains { $0.hasSuffix("let people do more") })
        #expect(good.judgement.firstRefusal == nil)
    }

    @Test("Crashes: those of a fault do not count; told without a limit, more than the limit prove nothing")
    func crashes() {
        var day = good
        day.exit("crash")
        #expect(day.judgement.crashes == 0)
        day.exit("crash", on: 2, how: "signal 4")
        day.exit("crash", on: 1, how: "status 1")
        day.readEverywhere([item("note-1", "maya.1")])
        #expect(day.judgement.verdict == .valid && day.judgement.crashes == 2)
        #expect(judge(day.events, limits: Limits(maxCrashed: 2)).verdict == .valid)
        let limited = judge(day.events, limits: Limits(maxCrashed: 1))
        #expect(limited.verdict == .unknown)
        #expect(
            limited.reasons.first?.hasPrefix("apps crashed 2 times, at most 1 are allowed; first notebook on ipad-2")
                == true, "\(limited.reasons)")
    }

    @Test("Marks: each must occur")
    func marks() {
        var day = good
        day.mark("user-switched")
        day.readEverywhere([item("note-1", "maya.1")])
        #expect(judge(day.events, mustReach: ["user-switched"]).verdict == .valid)
        let missed = judge(day.events, mustReach: ["user-switched", "purged"])
        #expect(missed.verdict == .unknown)
        #expect(missed.reasons.contains { $0.contains("'purged'") })
    }

    @Test("Invalid goes before unknown, and the reasons are still told")
    func precedence() {
        var day = good
        day.readEverywhere([])
        let judgement = judge(day.events, mustReach: ["purged"])
        #expect(judgement.verdict == .invalid)
        #expect(judgement.reasons.count == 1)
        #expect(judgement.count(.lost) == 1)
        #expect((judgement.attempted, judgement.performed) == (1, 1))
    }

    @Test(
        "Clocks: wrong by more than a second of the run, nothing is proved, neither loss nor none (valid, invalid day; two parts)"
    )
    func clocks() {
        var (fine, lost) = (good, good)
        fine.readEverywhere([item("note-1", "maya.1")])
        lost.readEverywhere([])
        func judged(_ day: Chronicle, _ errors: [Span]) -> Judgement {
            let notes = errors.map {
                HistoryEvent(
                    at: .zero, from: .people, Note(.clocks, detail: ["error": 1, "inRun": .int($0.nanoseconds)]))
            }
            return judge(notes + day.events)
        }
        #expect(judged(fine, [.seconds(1), .zero]).verdict == .valid)
        #expect(judged(lost, [.seconds(1), .zero]).verdict == .invalid)
        for day in [fine, lost] {
            let judgement = judged(day, [.seconds(3), .milliseconds(1)])
            #expect(judgement.verdict == .unknown)
            #expect(judgement.reasons.count == 1)
            #expect(
                judgement.reasons[0].contains("the Cloud's clock may be wrong by 3s of the run's time, more than 1s"))
        }
        #expect(judged(lost, [.seconds(3)]).count(.lost) == 1, "what was found is told all the same")
    }

    @Test("Registry: one checker a class, every class has one")
    func registry() {
        #expect(Set(CheckerRegistry.all.map { $0.lossClass }) == Set(LossClass.allCases))
        #expect(CheckerRegistry.all.count == LossClass.allCases.count)
        #expect(CheckerRegistry.all.allSatisfy { !$0.summary.isEmpty })
    }
}

@Suite("Ledger", .timeLimit(.minutes(20))) struct LedgerTests {
    /// A healthy day of about `count` events: chains of edits on 50 items, two iPads, read at the end.
    static func day(events count: Int) -> [HistoryEvent] {
        var day = Chronicle()
        var last: [Int: Token] = [:]
        var number = 0
        while day.next < count - 10 {
            number += 1
            let (slot, token) = (number % 50, "maya.\(number)")
            let old = last[slot].map { [$0] } ?? []
            day.write(token, "note-\(slot)", on: number % 2 + 1, saw: old)
            day.sync(token, on: number % 2 + 1)
            if let replaced = old.first { day.replace(replaced, by: [token]) }
            last[slot] = token
        }
        day.readEverywhere(last.keys.sorted().map { item("note-\($0)", last[$0] ?? "") })
        return day.events
    }

    @Test(
        "Production's schema: a query that it refuses makes a run invalid, though no edit is concerned; each line is told once"
    )
    func undeployedQuery() {
        let refusal = HistoryEvent(
            at: .zero + .seconds(3), from: .cloud,
            Note(
                .undeployed, person: "maya",
                detail: [
                    "container": "iCloud.a", "lines": ["RECORD TYPE Note ( a STRING QUERYABLE )"], "device": "ipad-2",
                    "use": "a query compares it",
                ]))
        let judgement = judge([refusal, refusal])
        #expect(judgement.verdict == .invalid && judgement.findings.isEmpty)
        #expect(
            judgement.undeployed == [
                "iCloud.a: RECORD TYPE Note ( a STRING QUERYABLE )   (first by ipad-2 at 3s: a query compares it)"
            ])
    }

    @Test("Work: grows with the history, not faster (5,000 and 100,000 events)")
    func linear() {
        let (small, large) = (Self.day(events: 5_000), Self.day(events: 100_000))
        let (few, many) = (Ledger(small), Ledger(large))
        #expect(many.failing.isEmpty)
        let each = (
            small: Double(few.pass.work) / Double(small.count), large: Double(many.pass.work) / Double(large.count)
        )
        #expect(each.large < 1.2 * each.small)
        #expect(many.pass.work < 6 * large.count)
        #expect(judge(many, large).verdict == .valid)
    }

    @Test("Work: linear too when every edit is lost (5,000 events)")
    func linearFailing() {
        let events = Self.day(events: 5_000).map { event in
            guard event.note.kind == .began else { return event }
            var blind = event
            blind.note.detail = ["saw": []]
            return blind
        }
        let judgement = judge(events)
        #expect(judgement.count(.overwritten) == judgement.performed - 50)
    }

    @Test("Any history: no trap, the same answer twice, one class for every failing edit (80 histories of 120 events)")
    func hostile() {
        for seed in 0..<UInt64(80) {
            var draw = Draw(seed: seed, name: "hostile")
            let events = (0..<120).map { _ in Self.event(&draw) }
            let (first, second) = (judge(events), judge(events))
            #expect(first == second)
            let ledger = Ledger(events)
            let claimed = Set(first.findings.map(\.token))
            #expect(claimed.count == first.findings.count)
            for id in ledger.failing { #expect(claimed.contains(ledger.entries[id].edit.token), "seed \(seed)") }
            for finding in first.findings { #expect(Story(finding, history: events).lines.count > 2) }
        }
    }

    /// Any note with any content: small numbers of names, so that they meet.
    static func event(_ draw: inout Draw) -> HistoryEvent {
        func token(_ draw: inout Draw) -> Token { "\(["maya", "leo"][draw.below(2)]).\(draw.below(6))" }
        let kinds = Note.Kind.allCases
        var kind = kinds[draw.below(kinds.count)]
        if draw.chance(0.5) { kind = [.invoked, .performed, .handedOver, .committed, .replaced, .read][draw.below(6)] }
        let name = token(&draw)
        let person = String(name.prefix { $0 != "." })
        let edit = Edit(
            token: name, person: person, app: "notebook", action: "write", item: "note-\(draw.below(2))",
            verb: Edit.Verb.allCases[draw.below(3)], value: "1")
        let items = [
            item("note-0", token(&draw)), item("note-1", token(&draw), damaged: draw.chance(0.1) ? [token(&draw)] : []),
        ]
        let detail: Value = [
            "edit": edit.body, "saw": .strings([token(&draw), token(&draw)]), "by": .strings([token(&draw)]),
            "reader": .string(["core", "new", "again", "?"][draw.below(4)]), "items": .array(items.map(\.body)),
            "complete": .bool(draw.chance(0.8)), "key": "note-1",
            "stamp": .int(draw.chance(0.1) ? Int.min : draw.below(9)),
            "reason": .string(["memory", "forced", "signOut", "spin"][draw.below(4)]), "name": "x",
            "promises": ["note": .string(Promise.allCases[draw.below(3)].rawValue)],
        ]
        let from: ParticipantID = draw.chance(0.3) ? .cloud : .pad(draw.below(3) + 1)
        let note = Note(
            kind, person: draw.chance(0.9) ? person : nil, app: draw.chance(0.9) ? "notebook" : nil,
            channel: Channel.allCases[draw.below(5)], tokens: draw.chance(0.8) ? [name] : [],
            detail: draw.chance(0.9) ? detail : .string("nonsense"))
        return HistoryEvent(at: Instant(nanoseconds: Int64(draw.below(1_000_000))), from: from, note)
    }
}
