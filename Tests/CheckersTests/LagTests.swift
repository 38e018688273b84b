import FleetModel
import Testing

@testable import Checkers

extension Chronicle {
    /// An app looks for changes.
    @discardableResult
    mutating func look(
        _ tokens: Token..., code: Int? = nil, more: Bool = false, what: String = "ck.zoneChanges", on pad: Int
    ) -> Int {
        var detail: Value = ["what": .string(what), "launch": 1]
        if let code {
            detail["code"] = .int(code)
            detail["domain"] = "CKErrorDomain"
        }
        if more { detail["more"] = true }
        return add(.pad(pad), Note(.fetched, person: "maya", app: "notebook", tokens: tokens, detail: detail))
    }
    @discardableResult
    mutating func losePush(to pad: Int) -> Int {
        add(.cloud, Note(.mark, detail: ["name": "push-lost", "pad": .int(pad)]))
    }
}

/// `diverged` says what the lagging iPad missed.
@Suite("Lagging iPad", .timeLimit(.minutes(20))) struct LagTests {
    /// maya.1 is in the Cloud and on iPad 1; iPad 2 does not show it.
    private func judged(_ missed: (inout Chronicle) -> Int?) -> (
        doom: Int?, expected: Int?, summary: String, story: [Int]
    ) {
        var day = Chronicle()
        let before = day.look(on: 2)
        day.write("maya.1", on: 1)
        day.sync("maya.1", on: 1)
        let expected = missed(&day)
        day.read("core", on: 1, [item("note-1", "maya.1")])
        day.read("core", on: 2, [])
        day.read("new", on: 9, [item("note-1", "maya.1")])
        day.read("again", on: 1, [item("note-1", "maya.1")])
        day.read("again", on: 2, [])
        let finding = day.judgement.findings.first
        #expect(day.outcome == "diverged maya.1")
        #expect(finding?.story.contains(before) == true)
        return (finding?.doomedBy, expected, finding?.summary ?? "", finding?.story ?? [])
    }
    private func check(_ words: String, _ missed: (inout Chronicle) -> Int?) {
        let judged = judged(missed)
        #expect(judged.doom == judged.expected)
        #expect(judged.summary == "missing for ipad-2, while other readers show it; \(words)")
    }

    @Test("Push lost and no look afterwards (ck-16); a push lost to another iPad is none of its")
    func push() {
        check("the push to ipad-2 was lost and never looked by itself") { $0.losePush(to: 2) }
        check("ipad-2 did not look for changes afterwards") {
            $0.losePush(to: 1)
            $0.wait(.seconds(5))
            $0.losePush(to: 2)
            return nil
        }
    }

    @Test("Expired change token, read as nothing new (ck-04); one that it started over after, and then did not keep")
    func expired() {
        check("ipad-2 asked for changes, was answered with changeTokenExpired (error 21) and did not start over") {
            let failed = $0.look(code: 21, on: 2)
            $0.look(code: 21, on: 2)
            return failed
        }
        check("ipad-2 was handed it and does not show it") {
            $0.look(code: 21, on: 2)
            return $0.look("maya.1", on: 2)
        }
    }

    @Test("Shown by nobody though the Cloud has it (ck-03): the page that was taken for everything is the step")
    func nobody() {
        var day = Chronicle()
        day.write("maya.1", on: 1)
        day.sync("maya.1", on: 1)
        let page = day.look(more: true, on: 1)
        for pad in [1, 2] { day.read("core", on: pad, []) }
        day.read("new", on: 9, [])
        for pad in [1, 2] { day.read("again", on: pad, []) }
        let finding = day.judgement.findings.first
        #expect(day.outcome == "lost maya.1")
        #expect(finding?.doomedBy == page)
        #expect(
            finding?.summary
                == "committed, now nowhere; ipad-1 took the first page of the changes and never asked for the next")
    }

    @Test("First page taken for everything (ck-03); the next page asked for, and still not found")
    func page() {
        check("ipad-2 took the first page of the changes and never asked for the next") { $0.look(more: true, on: 2) }
        check("ipad-2 looked for changes and did not find it") {
            let first = $0.look(more: true, on: 2)
            $0.look(on: 2)
            return first
        }
    }

    @Test("Handed over and the app killed at once (ck-01); killed much later")
    func killed() {
        check("ipad-2 was handed it, and the app ended before it kept it") {
            $0.look("maya.1", on: 2)
            return $0.exit("memory", on: 2)
        }
        check("ipad-2 was handed it and does not show it") {
            let handed = $0.look("maya.1", on: 2)
            $0.wait(.minutes(1))
            $0.exit("memory", on: 2)
            return handed
        }
    }

    @Test("Never looked again: its first start after the commit, when it could have; without a start, no step")
    func neverLooked() {
        check("ipad-2 did not look for changes afterwards") {
            let launch = $0.launch(on: 2)
            $0.exit("userSwitch", on: 2)
            return launch
        }
        check("ipad-2 did not look for changes afterwards") {
            let resumed = $0.add(.pad(2), Note(.appResumed, person: "maya", app: "notebook"))
            $0.launch(on: 2)
            return resumed
        }
    }

    @Test("Every reader takes the first page only: lost, and the page is the step; without looks nothing is named")
    func lostToPages() {
        for isCut in [true, false] {
            var day = Chronicle()
            day.write("maya.1", on: 1)
            day.sync("maya.1", on: 1)
            let page = isCut ? day.look(more: true, on: 1) : 0
            day.readEverywhere([])
            #expect(day.outcome == "lost maya.1")
            #expect(day.doom == (isCut ? page : nil))
        }
    }

    @Test("A look that is only about single records is no search for changes")
    func lookup() {
        check("ipad-2 did not look for changes afterwards") {
            $0.look(what: "ck.lookup", on: 2)
            return nil
        }
    }
}
