import FleetModel
import Testing

@testable import Checkers

/// Apps that keep one value of records decide themselves which one stays.
@Suite("Settled by the app", .timeLimit(.minutes(20))) struct SettledTests {
    /// Two iPads, three edits, one partition: maya.2 is made offline and meets maya.3, which was made later.
    private func day(code: Int = 14, isSent: Bool = true, channel: Channel = .record) -> Chronicle {
        var day = Chronicle(.lastWriterWins, channel: channel)
        day.write("maya.1", on: 1)
        day.sync("maya.1", on: 1)
        day.write("maya.2", on: 1, saw: ["maya.1"])
        if isSent { day.handOver("maya.2", on: 1) }
        day.write("maya.3", on: 2, saw: ["maya.1"])
        day.sync("maya.3", on: 2)
        day.replace("maya.1", by: ["maya.3"], from: 2)
        if isSent {
            let detail: Value = ["code": .int(code)]
            day.add(
                .pad(1),
                Note(.handedBack, person: "maya", app: "notebook", channel: channel, tokens: ["maya.2"], detail: detail)
            )
        }
        return day
    }
    private func read(_ day: Chronicle, _ token: Token) -> Chronicle {
        var day = day
        day.readEverywhere([item("note-1", token)])
        return day
    }

    @Test("Conflict handed back, the later edit stays: no loss, also when the app ends afterwards")
    func laterWins() {
        #expect(read(day(), "maya.3").outcome == "valid")
        var ended = day()
        ended.exit("memory")
        #expect(read(ended, "maya.3").outcome == "valid")
    }

    @Test("Conflict, and the app kept what the server had although it was older: its own rule")
    func serverWins() {
        var day = Chronicle(.lastWriterWins)
        day.write("maya.1", on: 2)
        day.write("maya.2", on: 1)
        day.sync("maya.1", on: 2)
        day.handOver("maya.2", on: 1)
        day.handBack("maya.2", on: 1)
        #expect(read(day, "maya.1").outcome == "valid")
    }

    /// maya.2 meets maya.1, which was made earlier and stays.
    private func older(_ then: (inout Chronicle) -> Void) -> String {
        var day = Chronicle(.lastWriterWins)
        day.write("maya.1", on: 2)
        day.write("maya.2", on: 1)
        day.sync("maya.1", on: 2)
        day.handOver("maya.2", on: 1)
        day.handBack("maya.2", on: 1)
        then(&day)
        return read(day, "maya.1").outcome
    }

    @Test("The older edit stays: settled by an app that ran on, a loss when something ended it before (5 s)")
    func endedFirst() {
        let ends: [(inout Chronicle) -> Void] = [{ $0.exit("memory") }, { $0.purge("lowSpace") }, { $0.powerCut() }]
        for end in ends {
            for (span, outcome) in [
                (Span.seconds(0), "unsaved maya.2"), (.seconds(4), "unsaved maya.2"),
                (.seconds(4) + Span(nanoseconds: 1), "valid"),
            ] {
                // A step of a chronicle takes one second.
                #expect(
                    older {
                        $0.wait(span)
                        end(&$0)
                    } == outcome)
            }
        }
    }

    @Test("The older edit stays, and the app let go of its own before it ended, or in a later launch: settled")
    func letGo() {
        #expect(
            older {
                $0.forget("maya.2")
                $0.exit("memory")
            } == "valid")
        #expect(
            older {
                $0.exit("memory")
                $0.launch()
                $0.forget("maya.2")
            } == "valid")
    }

    @Test(
        "The older edit stays after the app had sent its own again: settled by the next conflict, and by nothing else")
    func sentAgain() {
        for (code, isCutOff, outcome) in [
            (14, false, "valid"), (25, false, "unsaved maya.2"), (nil, true, "unsaved maya.2"),
        ] {
            #expect(
                older {
                    $0.wait(.minutes(1))
                    $0.answer("maya.2", code: code, cutOff: isCutOff)
                    $0.wait(.minutes(1))
                    $0.exit("memory")
                } == outcome)
        }
    }

    @Test("Conflict with an edit that the loser had seen: nothing was to be settled")
    func seen() {
        var day = Chronicle(.lastWriterWins)
        day.write("maya.1", on: 2)
        day.sync("maya.1", on: 2)
        day.write("maya.2", on: 1, saw: ["maya.1"])
        day.handOver("maya.2", on: 1)
        day.handBack("maya.2", on: 1)
        #expect(read(day, "maya.1").outcome == "unsaved maya.2")
    }

    @Test("Refused for another reason and dropped: the app's own loss (quota, 25)")
    func otherRefusal() { #expect(read(day(code: 25), "maya.3").outcome == "unsaved maya.2") }

    @Test("Never sent: compared with a later edit that came first, or gone before that was there")
    func fetched() {
        #expect(read(day(isSent: false), "maya.3").outcome == "valid")
        var killed = Chronicle(.lastWriterWins)
        killed.write("maya.1", on: 1)
        let doom = killed.exit("memory")
        killed.write("maya.2", on: 2)
        killed.sync("maya.2", on: 2)
        #expect(read(killed, "maya.2").outcome == "unsaved maya.1")
        #expect(read(killed, "maya.2").doom == doom)
    }

    @Test("Conflict of which neither stays: the winner is lost, and the other one with it")
    func neither() {
        var day = day()
        day.readEverywhere([])
        #expect(day.outcome == "unsaved maya.2, lost maya.3")
    }

    @Test("Refused, and shown all the same until the app ended: told as what it is")
    func refusedYetShown() {
        var day = Chronicle()
        day.invoke("maya.1", .put, "note-1")
        day.begin("maya.1", on: 1)
        day.refuse("maya.1")
        day.write("maya.2", "note-2", saw: ["maya.1"])
        day.sync("maya.2")
        day.exit("memory")
        day.readEverywhere([item("note-2", "maya.2")])
        #expect(day.outcome == "unsaved maya.1")
        #expect(day.judgement.findings.first?.summary.hasPrefix("refused, yet shown, gone when the app ended") == true)
    }
}

/// Apps that save for ever (A history is bounded by the World in the same way).
@Suite("Restless apps", .timeLimit(.minutes(20))) struct RestlessTests {
    private func day(saves: Int, every span: Span, inCalm: Bool) -> Chronicle {
        var day = Chronicle()
        day.write("maya.1")
        day.handOver("maya.1")
        if inCalm { day.add(.people, Note(.phase, detail: ["name": "calm"])) }
        for _ in 0..<saves {
            day.commit("maya.1", place: "Notebook/note-1", from: 1)
            day.wait(Span(nanoseconds: span.nanoseconds - Span.seconds(1).nanoseconds))
        }
        day.readEverywhere([item("note-1", "maya.1")])
        return day
    }

    @Test(
        "The same content again and again: unknown, with app, iPad and item (600 and 601 saves in ten minutes; 601 in a day)"
    )
    func storm() {
        let often = Span.milliseconds(100)
        #expect(day(saves: 600, every: often, inCalm: false).outcome == "valid")
        #expect(day(saves: 601, every: .minutes(2), inCalm: false).outcome == "valid")
        let judgement = day(saves: 601, every: often, inCalm: false).judgement
        #expect(judgement.verdict == .unknown)
        #expect(judgement.reasons.count == 1)
        #expect(
            judgement.reasons.first?.hasPrefix(
                "notebook on ipad-1 never comes to rest: it saved Notebook/note-1 (maya.1) more than 600 times")
                == true, "\(judgement.reasons)")
    }

    @Test("Saved when nobody edits any more: what still waited, or an app without end (50 and 51 saves in calm)")
    func calm() {
        #expect(day(saves: 50, every: .seconds(30), inCalm: true).outcome == "valid")
        let judgement = day(saves: 51, every: .seconds(30), inCalm: true).judgement
        #expect(judgement.verdict == .unknown)
        #expect(judgement.reasons.first?.contains("more than 50 times since calm began") == true)
    }
}
