import FleetModel
import Testing

@testable import Checkers

extension Chronicle {
    /// The app is answered about these tokens; a code is one of CKError's, a status is a backend's.
    @discardableResult
    mutating func answer(
        _ tokens: Token..., code: Int? = nil, by: [Token] = [], status: Int? = nil, body: String = "json",
        cutOff: Bool = false, success: Bool = false, on pad: Int = 1
    ) -> Int {
        var detail: Value = ["what": .string(status == nil ? "ck.modify" : "transfer.upload"), "where": "notes/note-1"]
        if let code {
            detail["code"] = .int(code)
            detail["domain"] = "CKErrorDomain"
        }
        if let status {
            detail["status"] = .int(status)
            detail["body"] = .string(body)
        }
        if cutOff { detail["cutOff"] = true }
        if success { detail["success"] = true }
        if !by.isEmpty { detail["by"] = .strings(by) }
        return add(.pad(pad), Note(.answered, person: "maya", app: "notebook", tokens: tokens, detail: detail))
    }
    /// The last file with these tokens goes.
    @discardableResult
    mutating func forget(_ tokens: Token..., what: String = "file.remove", underWay: Bool = false, on pad: Int = 1)
        -> Int
    {
        var detail: Value = ["where": "/home/outbox", "what": .string(what)]
        if underWay { detail["underWay"] = true }
        return add(.pad(pad), Note(.forgotten, person: "maya", app: "notebook", tokens: tokens, detail: detail))
    }
    @discardableResult
    mutating func fault(_ kind: String, ends: Bool = false, on pads: Int...) -> Int {
        let target = pads.map { "ipad-\($0)" }.joined(separator: " ")
        let detail: Value = ["id": .string(kind), "kind": .string(kind), "target": .string(target)]
        return add(.people, Note(ends ? .faultHealed : .faultBegan, detail: detail))
    }
}

@Suite("Doomed step", .timeLimit(.minutes(20))) struct DoomTests {
    @Test("Refused and forgotten: the answer, or the kill that came too soon after it (eng-01)", arguments: [1, 100])
    func refused(seconds: Int64) {
        var day = Chronicle()
        day.write("maya.1")
        let answer = day.answer("maya.1", code: 25)
        day.wait(.seconds(seconds))
        let kill = day.exit("memory")
        day.readEverywhere([])
        #expect(day.outcome == "unsaved maya.1")
        #expect(day.doom == (seconds > 5 ? answer : kill))
    }

    @Test("Refused for now: the app's turn begins when the fault ends; killed before its turn, or long after it")
    func refusedForNow() {
        for (seconds, isDropped) in [(Int64(20), false), (100, true)] {
            var day = Chronicle()
            day.fault("service-unavailable", on: 1)
            day.write("maya.1")
            let answer = day.answer("maya.1", code: 6)
            day.wait(.minutes(10))
            day.fault("service-unavailable", ends: true, on: 1)
            day.wait(.seconds(seconds))
            let kill = day.exit("memory")
            day.readEverywhere([])
            #expect(day.doom == (isDropped ? answer : kill))
        }
    }

    @Test("Refused for now, and the app did not run until its data went: the purge; it ran for minutes: the answer")
    func ranOrNot() {
        for runs in [false, true] {
            var day = Chronicle()
            day.write("maya.1")
            let answer = day.answer("maya.1", code: 6)
            day.exit("userSwitch")
            if runs { day.launch() }
            day.wait(.minutes(10))
            if runs { day.exit("userSwitch") }
            let purge = day.add(
                .pad(1),
                Note(.purged, person: "maya", app: "notebook", tokens: ["maya.1"], detail: ["reason": "lowSpace"]))
            day.readEverywhere([])
            #expect(day.doom == (runs ? answer : purge))
        }
    }

    @Test("Conflict: dropped, or settled by a save that was taken and then laid over (ck-05)")
    func conflict() {
        for isSettled in [false, true] {
            var day = Chronicle()
            day.write("maya.1", on: 1)
            let answer = day.answer("maya.1", code: 14)
            if isSettled { day.sync("maya.1") }
            day.write("maya.2", on: 2)
            day.sync("maya.2", on: 2)
            let replaced = isSettled ? day.replace("maya.1", by: ["maya.2"]) : 0
            day.readEverywhere([item("note-1", "maya.2")])
            #expect(day.outcome == "overwritten maya.1")
            #expect(day.doom == (isSettled ? replaced : answer))
        }
    }

    @Test(
        "Upload answered by a portal or 503: that answer, or the force-quit of the one that the app sent again (up-02, up-04)"
    )
    func upload() {
        for (status, body) in [(200, "html"), (503, "json")] {
            for isAgain in [false, true] {
                var day = Chronicle(channel: .upload)
                day.write("maya.1")
                day.handOver("maya.1")
                day.exit("userSwitch")
                day.launch()
                let answer = day.answer("maya.1", status: status, body: body)
                if isAgain { day.handOver("maya.1") }
                let quit = isAgain ? day.cancelTransfers("maya.1") : 0
                day.wait(.minutes(5))
                day.exit("userSwitch")
                day.readEverywhere([])
                #expect(day.outcome == "lost maya.1")
                #expect(day.doom == (isAgain ? quit : answer))
            }
        }
    }

    @Test("Killed in mid-save and never looked at again: the kill, not the purge hours later (up-03)")
    func cutOff() {
        for runs in [true, false] {
            var day = Chronicle()
            day.write("maya.1")
            let kill = day.exit("memory")
            day.answer("maya.1", cutOff: true)
            if runs { day.launch() }
            day.wait(.hours(1))
            let purge = day.add(
                .pad(1),
                Note(.purged, person: "maya", app: "notebook", tokens: ["maya.1"], detail: ["reason": "signOut"]))
            day.readEverywhere([])
            #expect(day.doom == (runs ? kill : purge))
        }
    }

    @Test(
        "Answer to an earlier version taken for one to this: that answer; handed over after it, or refused for another's sake: the refusal (ck-13)",
        arguments: ["taken", "again", "other"])
    func earlierVersion(way: String) {
        var day = Chronicle()
        day.write("maya.1")
        day.handOver("maya.1")
        day.write("maya.2", saw: ["maya.1"])
        day.handOver("maya.2")
        day.commit("maya.1")
        let success = day.answer("maya.1", success: true)
        if way == "again" { day.handOver("maya.2") }
        day.handBack("maya.2")
        let conflict = day.answer("maya.2", code: 14, by: [way == "other" ? "maya.9" : "maya.1"])
        day.wait(.minutes(5))
        day.exit("userSwitch")
        day.readEverywhere([item("note-1", "maya.1")])
        #expect(day.outcome == "unsaved maya.2")
        #expect(day.doom == (way == "taken" ? success : conflict))
        let words = "taken for saved when the app was answered about an earlier version (maya.1)"
        #expect(day.judgement.findings.first?.summary.hasSuffix(words) == (way == "taken"))
    }

    @Test(
        "Never handed over because an earlier version was saved: that answer, but not when the app ended at once or before it"
    )
    func neverHandedOver() {
        for (seconds, isRelaunched) in [(Int64(1), false), (20, false), (20, true)] {
            var day = Chronicle()
            day.write("maya.1")
            day.write("maya.2", saw: ["maya.1"])
            day.handOver("maya.1")
            day.commit("maya.1")
            let kill = isRelaunched ? day.exit("memory") : nil
            if isRelaunched { day.launch() }
            let success = day.answer("maya.1", success: true)
            day.wait(.seconds(seconds))
            let exit = day.exit("memory")
            day.readEverywhere([item("note-1", "maya.1")])
            #expect(day.outcome == "unsaved maya.2")
            #expect(day.doom == (kill ?? (seconds == 1 ? exit : success)))
        }
    }

    @Test("The same refusal is told to several launches: the first that went on long enough to act on it")
    func toldAgain() {
        for seconds in [Int64(0), 20] {
            var day = Chronicle()
            day.write("maya.1")
            day.handOver("maya.1")
            day.handBack("maya.1")
            let first = day.answer("maya.1", code: 14, by: ["maya.9"])
            day.wait(.seconds(seconds))
            day.exit("userSwitch")
            day.launch()
            let second = day.answer("maya.1", code: 14, by: ["maya.9"])
            day.wait(.minutes(1))
            day.exit("userSwitch")
            day.launch()
            day.answer("maya.1", code: 14, by: ["maya.9"])
            day.wait(.minutes(1))
            day.exit("userSwitch")
            day.readEverywhere([])
            #expect(day.outcome == "unsaved maya.1")
            #expect(day.doom == (seconds == 0 ? second : first))
        }
    }

    @Test(
        "Last copy gone while an upload has it, and that is refused: the removal; handed over again after it: the refusal"
    )
    func removedUnderWay() {
        for (what, words) in [
            ("file.remove", "the app removed /home/outbox before the upload had arrived"),
            ("storage.purge", "the system purged /home/outbox before the upload had arrived"),
        ] {
            for isAgain in [false, true] {
                var day = Chronicle(channel: .upload)
                day.write("maya.1")
                day.handOver("maya.1")
                let file = day.forget("maya.1", what: what, underWay: true)
                day.wait(.minutes(1))
                if isAgain { day.handOver("maya.1") }
                let refusal = day.answer("maya.1", status: 503)
                day.readEverywhere([])
                #expect(day.outcome == "lost maya.1")
                #expect(day.doom == (isAgain ? refusal : file))
                #expect(day.judgement.findings.first?.summary.contains(words) == !isAgain)
            }
        }
    }

    @Test("Own outbox: doomed when its file goes, not when the app ends; the end, when it was seen after that")
    func outbox() {
        for isSeen in [false, true] {
            var day = Chronicle()
            day.write("maya.1")
            let file = day.forget("maya.1")
            if isSeen {
                day.invoke("maya.2", .effect, "note-1", value: "done")
                day.perform("maya.2", on: 1, saw: ["maya.1"])
            }
            day.wait(.minutes(5))
            let end = day.exit("userSwitch")
            day.readEverywhere(isSeen ? [flag("note-1", "done")] : [])
            #expect(day.outcome == "unsaved maya.1")
            #expect(day.doom == (isSeen ? end : file))
        }
    }

    @Test("Outbox cleared at an answer: the answer; cleared much later, with no chance in between: the file")
    func clearedAtAnswer() {
        for seconds in [Int64(0), 40] {
            var day = Chronicle()
            day.write("maya.1")
            let answer = day.answer("maya.1", code: 6)
            day.wait(.seconds(seconds))
            let file = day.forget("maya.1")
            day.wait(.minutes(5))
            day.exit("userSwitch")
            day.readEverywhere([])
            #expect(day.doom == (seconds == 0 ? answer : file))
        }
    }

    @Test(
        "Only its own iPad shows it: diverged by the answer after which it was not sent again; of another iPad it says nothing"
    )
    func shownHereOnly() {
        for pad in [1, 2] {
            var day = Chronicle()
            day.write("maya.1", on: 1)
            let answer = day.answer("maya.1", code: 9, on: pad)
            day.read(core: [item("note-1", "maya.1")], new: [])
            #expect(day.outcome == "diverged maya.1")
            #expect(day.doom == (pad == 1 ? answer : nil))
        }
    }

    @Test(
        "Stuck: the first of the equal answers that never ended; another answer in between begins a new count (ck-07, ck-10)"
    )
    func stuck() {
        for code in [26, 3] {
            var day = Chronicle()
            day.write("maya.1")
            let first = day.answer("maya.1", code: 26)
            day.answer("maya.1", code: code)
            let third = day.answer("maya.1", code: 26)
            day.answer("maya.1", code: 26)
            day.pending("maya.1")
            day.readEverywhere([])
            #expect(day.outcome == "stuck maya.1")
            #expect(day.doom == (code == 26 ? first : third))
            let count = code == 26 ? 4 : 2
            #expect(
                day.judgement.findings.first?.summary.hasSuffix(
                    "; answered \(count) times with zoneNotFound (error 26)") == true)
        }
    }

    @Test(
        "Laid over in its last file: the writing, with what took its place; with a second file somewhere, the other edit's commit (ck-12)"
    )
    func laidOver() {
        for isLast in [true, false] {
            var day = Chronicle()
            day.write("maya.1", on: 1)
            day.write("maya.2", on: 2)
            day.handOver("maya.2", on: 2)
            let commit = day.commit("maya.2", from: 2)
            let file = isLast ? day.forget("maya.1") : 0
            day.readEverywhere([item("note-1", "maya.2")])
            #expect(day.outcome == "overwritten maya.1")
            #expect(day.doom == (isLast ? file : commit))
        }
    }

    @Test("Made once, there twice: the lost answer after which it was made again, or the commit of the copy (ck-11)")
    func duplicated() {
        for isAnswered in [true, false] {
            var day = Chronicle()
            day.write("maya.1")
            day.commit("maya.1", place: "notes/a")
            let answer = isAnswered ? day.answer("maya.1", code: 34) : 0
            let copy = day.commit("maya.1", place: "notes/b")
            day.readEverywhere([item("note-1", "maya.1"), item("note-1 2", "maya.1")])
            #expect(day.outcome == "duplicated maya.1")
            #expect(day.doom == (isAnswered ? answer : copy))
        }
    }

    @Test(
        "Made without iCloud and left behind: the change after which there was no account; made with it, no step (id-04)"
    )
    func leftBehind() {
        for isWithout in [true, false] {
            var day = Chronicle()
            let change = day.add(.pad(1), Note(.identityChanged, person: "maya", detail: ["to": "none"]))
            day.invoke("maya.1", .put, "note-1")
            var detail: Value = ["saw": []]
            if isWithout { detail["account"] = .null }
            day.add(.pad(1), Note(.began, person: "maya", app: "notebook", tokens: ["maya.1"], detail: detail))
            day.add(.pad(1), Note(.performed, person: "maya", app: "notebook", tokens: ["maya.1"]))
            day.add(.pad(1), Note(.identityChanged, person: "maya", detail: ["to": "own"]))
            day.read(core: [item("note-1", "maya.1")], new: [])
            #expect(day.outcome == "diverged maya.1")
            #expect(day.doom == (isWithout ? change : nil))
        }
    }

    @Test("Story: the fault at work at the doom on that iPad or on all, nothing healed, elsewhere or begun later")
    func faultsAtWork() throws {
        var day = Chronicle()
        day.fault("latency", on: 1)
        day.fault("latency", ends: true, on: 1)
        day.fault("partition", on: 2)
        day.fault("captive-portal")
        day.fault("jitter", on: 1)
        day.write("maya.1")
        let answer = day.answer("maya.1", code: 25)
        day.fault("airplane-mode", on: 1)
        for kind in ["captive-portal", "airplane-mode", "partition", "jitter"] { day.fault(kind, ends: true) }
        day.wait(.minutes(2))
        day.exit("memory")
        day.readEverywhere([])
        let finding = try #require(day.judgement.findings.first)
        #expect(finding.doomedBy == answer)
        let texts = Story(finding, history: day.events).steps.map(\.text)
        #expect(
            texts.filter { $0.contains("fault") } == [
                "the fault 'captive-portal' begins", "the fault 'jitter' begins on ipad-1",
            ])
    }

    @Test("Words: an answer has its error, place, policy and tags; a page is called a page")
    func words() {
        func words(_ detail: Value) -> String {
            StoryWords.sentence(Note(.answered, tokens: ["maya.1"], detail: detail), about: "maya.1", of: "maya")
        }
        #expect(
            words([
                "what": "ck.modify", "where": "Notebook/note-1", "code": 14, "domain": "CKErrorDomain", "policy": 1,
                "tag": "a1", "serverTag": "a2", "by": ["maya.2"],
            ])
                == "the save of maya.1 to Notebook/note-1, policy changedKeys is answered with serverRecordChanged (error 14); it had change tag a1, the record has a2 and holds maya.2"
        )
        let forced = Note(.handedOver, channel: .record, tokens: ["maya.1"], detail: ["policy": 2])
        #expect(
            StoryWords.sentence(forced, about: "maya.1", of: "maya")
                == "maya.1 is handed over to the record service, policy allKeys")
        #expect(
            words(["what": "transfer.upload", "where": "/upload/a", "status": 200, "body": "html"])
                == "the upload of maya.1 to /upload/a is answered with status 200 with a page of HTML")
        #expect(
            words(["what": "http.send", "cutOff": true])
                == "the request of maya.1 is cut off: the app ended before the answer")
    }
}
