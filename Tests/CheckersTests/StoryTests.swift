import FleetModel
import Testing

@testable import Checkers

@Suite("Story", .timeLimit(.minutes(20))) struct StoryTests {
    @Test("An app's end by a signal: the story says which one")
    func signal() throws {
        var day = Chronicle()
        day.write("maya.1")
        day.exit("crash", how: "it was ended by signal 11")
        day.readEverywhere([])
        let finding = try #require(day.judgement.findings.first)
        let lines = Story(finding, history: day.events).lines
        #expect(lines.contains { $0.contains("notebook ends: crash (it was ended by signal 11)") }, "\(lines)")
    }

    @Test("Overwritten edit: who, where, what, and the step that doomed it")
    func overwritten() throws {
        var day = Chronicle()
        day.wait(.seconds(723))
        day.write("maya.12", "note-3.body", on: 2, saw: ["maya.4"])
        day.sync("maya.12", on: 2)
        day.write("maya.13", "note-3.body", on: 1)
        day.sync("maya.13", on: 1)
        day.replace("maya.12", by: ["maya.13"])
        day.readEverywhere([item("note-3.body", "maya.13")])
        let finding = try #require(day.judgement.findings.first)
        #expect(
            Story(finding, history: day.events).lines == [
                "overwritten  maya.12  notebook/note-3.body  by maya on ipad-2",
                "   replaced by maya.13, which never saw it",
                "   08:12:04.000  people  maya writes note-3.body: maya.12",
                "   08:12:05.000  ipad-2  notebook receives edit maya.12; maya.4 was on the screen",
                "   08:12:06.000  ipad-2  maya.12 is performed",
                "   08:12:07.000  ipad-2  maya.12 is handed over to the record service",
                "   08:12:08.000  cloud   maya.12 is committed (record notes/note-1)",
                "   08:12:09.000  people  maya writes note-3.body: maya.13",
                "   08:12:10.000  ipad-1  notebook receives edit maya.13; no edit was on the screen",
                "   08:12:11.000  ipad-1  maya.13 is performed",
                "   08:12:12.000  ipad-1  maya.13 is handed over to the record service",
                "   08:12:13.000  cloud   maya.13 is committed (record notes/note-1)",
                " > 08:12:14.000  cloud   maya.12 is replaced by maya.13        <- data lost here",
                "   08:12:19.000  ipad-2  after a fresh launch maya.12 is missing from note-3.body",
            ])
    }

    @Test("Handed back: a record's code has the name that CKError gives it, another code its number only")
    func handedBack() {
        func words(_ channel: Channel, _ code: Value) -> String {
            StoryWords.sentence(
                Note(.handedBack, channel: channel, tokens: ["maya.1"], detail: ["code": code]), about: "maya.1",
                of: "maya")
        }
        #expect(words(.record, 14) == "maya.1 is returned to the app with error 14 (serverRecordChanged)")
        #expect(words(.upload, 507) == "maya.1 is returned to the app with error 507")
        #expect(words(.upload, "offline") == "maya.1 is returned to the app: offline")
    }

    @Test(
        "Surroundings: the full disk and the identity of the edit's own iPad before its doom, nothing healed, of others or later"
    )
    func surroundings() throws {
        var day = Chronicle()
        func full(_ kind: Note.Kind, _ id: String, on target: String) {
            day.add(.people, Note(kind, detail: ["id": .string(id), "kind": "disk-full", "target": .string(target)]))
        }
        func identity(_ person: Person, to: String, on pad: Int) {
            day.add(.pad(pad), Note(.identityChanged, person: person, detail: ["to": .string(to)]))
        }
        full(.faultBegan, "healed", on: "ipad-1")
        full(.faultHealed, "healed", on: "ipad-1")
        full(.faultBegan, "elsewhere", on: "ipad-11 ipad-2")
        full(.faultBegan, "full", on: "ipad-1 ipad-2")
        day.write("maya.1")
        identity("maya", to: "none", on: 2)
        identity("ben", to: "none", on: 1)
        for to in ["none", "own", "none", "other"] { identity("maya", to: to, on: 1) }
        day.exit("memory")
        identity("maya", to: "own", on: 1)
        for id in ["elsewhere", "full"] { full(.faultHealed, id, on: "") }
        day.readEverywhere([])
        let finding = try #require(day.judgement.findings.first)
        #expect(finding.lossClass == .unsaved)
        let texts = Story(finding, history: day.events).steps.map { "\($0.place) \($0.text)" }
        #expect(
            texts.filter { $0.contains("fault") || $0.contains("identity") } == [
                "people the fault 'disk-full' begins on ipad-1, ipad-2",
                "ipad-1 the iCloud identity of maya changes to 'own'",
                "ipad-1 the iCloud identity of maya changes to 'none'",
                "ipad-1 the iCloud identity of maya changes to 'other'",
            ])
        #expect(texts[0].contains("fault") && texts.last?.contains("missing") == true, "\(texts)")
    }

    @Test("Surroundings: a fault that never heals is at work to the end, and gives an app no more time than it had")
    func forever() throws {
        var day = Chronicle()
        func begin(_ id: String, _ more: Value) {
            var detail: Value = ["id": .string(id), "kind": .string(id), "target": "ipad-1"]
            for pair in more.object?.pairs ?? [] { detail[pair.key] = pair.value }
            day.add(.people, Note(.faultBegan, detail: detail))
        }
        begin("push-lost", ["stays": true])
        begin("reboot", .empty)
        day.write("maya.1")
        let answer = day.answer("maya.1", code: 6)
        day.wait(.minutes(10))
        day.exit("memory")
        day.readEverywhere([])
        #expect(day.doom == answer)
        let finding = try #require(day.judgement.findings.first)
        let texts = Story(finding, history: day.events).steps.map(\.text)
        #expect(texts.filter { $0.contains("fault") } == ["the fault 'push-lost' begins on ipad-1"], "\(texts)")
    }

    @Test("Any edit: one that is kept, superseded, beaten, refused, unanswered, lost, unknown")
    func explained() {
        var day = Chronicle(.lastWriterWins, channel: .keyValue)
        day.write("maya.1", "note-1")
        day.stamp("maya.1", at: 1, on: 1)
        day.write("maya.2", "note-1", saw: ["maya.1"])
        day.stamp("maya.2", at: 2, on: 1)
        day.write("maya.3", "note-1", on: 2)
        day.stamp("maya.3", at: 3, on: 2)
        day.invoke("maya.4", .put, "note-1")
        day.refuse("maya.4")
        day.invoke("maya.5", .put, "note-1")
        day.write("maya.6", "note-2")
        day.sync("maya.6")
        day.readEverywhere([item("note-1", "maya.3")])
        let findings = day.judgement.findings
        func story(_ token: Token) -> Story? { Story(of: token, history: day.events, findings: findings) }
        let words = (1...6).map { story("maya.\($0)")?.title.prefix { $0 != " " } ?? "" }
        #expect(words == ["superseded", "beaten", "kept", "refused", "unanswered", "lost"])
        #expect(story("maya.7") == nil)
        #expect(story("maya.3")?.steps.count == 5 + 5)
    }

    @Test("Every kind of note has words of its own, in any state")
    func words() {
        for kind in Note.Kind.allCases {
            let bare = StoryWords.sentence(Note(kind), about: "maya.1", of: "maya")
            #expect(!bare.isEmpty)
            let odd = Note(
                kind, person: "maya", tokens: ["maya.1"], detail: ["stamp": .int(Int.min), "items": [1], "reason": 5])
            #expect(!StoryWords.sentence(odd, about: "maya.1", of: "maya").isEmpty)
        }
    }

    @Test("A finding from elsewhere: indices outside the history are left out")
    func foreign() {
        let finding = Finding(
            .lost, token: "maya.1", person: "maya", app: "notebook", summary: "gone", doomedBy: 900,
            story: [-1, 0, 900])
        #expect(Story(finding, history: Chronicle().events).steps.map(\.event) == [0])
        #expect(Story(finding, history: []).lines == ["lost  maya.1  notebook  by maya", "   gone"])
    }
}
