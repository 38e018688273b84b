import FleetModel
import Testing

@testable import Checkers

@Suite("Habit lint", .timeLimit(.minutes(20))) struct HabitLintTests {
    private func findings(_ notes: [Value]) -> [HabitFinding] {
        HabitLint.findings(
            notes.enumerated().map { index, detail in
                var detail = detail
                if detail["launch"] == nil { detail["launch"] = 1 }
                return HistoryEvent(
                    at: .zero + .seconds(Int64(index)), from: .pad(1), Note(.habit, app: "notebook", detail: detail))
            })
    }
    private func statements(_ notes: Value...) -> [String] { findings(notes).map(\.statement) }
    private let token: Value = ["what": "identityToken", "main": true, "early": true]
    private let container: Value = ["what": "container", "main": false]
    private func file(_ path: String, _ more: Value = .empty) -> Value {
        var detail: Value = [
            "what": "containerFile", "coordinated": true, "verb": "file.write",
            "path": .string("/var/mobile/Library/Mobile Documents/iCloud.com.example.tmp/" + path),
        ]
        for pair in more.object?.pairs ?? [] { detail[pair.key] = pair.value }
        return detail
    }

    @Test("Identity token: read at launch, on the main thread, before a container is opened (S75, S76)")
    func identityToken() {
        #expect(statements(token, container) == [])
        #expect(statements(container) == ["S75"])
        #expect(statements(["what": "identityToken", "main": true, "early": false]) == ["S75"])
        #expect(statements(token, ["what": "identityToken", "main": true, "early": false]) == [])
        #expect(statements(["what": "identityToken", "main": false, "early": true]) == ["S76"])
        #expect(statements(token, ["what": "container", "main": false, "launch": 2]) == ["S75"])
    }

    @Test("Container: opened off the main thread (S84)")
    func containers() { #expect(statements(token, ["what": "container", "main": true]) == ["S84"]) }

    @Test("Files in a container: coordinated, no live database, nothing that can be made again (S52, S58, S59)")
    func files() {
        #expect(statements(file("Documents/page.txt")) == [])
        #expect(statements(file("Documents/page.txt", ["coordinated": false])) == ["S52"])
        for path in ["Documents/store.sqlite", "State/a.db-wal", "x.sqlite3-journal"] {
            #expect(statements(file(path)) == ["S58"])
        }
        #expect(statements(file("State/plain", ["database": true])) == ["S58"])
        for path in ["Caches/a", "Documents/Thumbnails/a.png", "a.tmp"] { #expect(statements(file(path)) == ["S59"]) }
    }

    @Test("What belongs in a container: what people made and logs of changes; not what can be made again (S56)")
    func classes() {
        let own = ["Documents/essay.txt", "Documents/Album/photo.jpg", "State/changes.log", "Games/level-3.save"]
        #expect(own.flatMap { statements(file($0)) } == [])
        let others = ["store.sqlite", "cache/page.html", "temp/export.pdf", "Documents/Thumbnails/photo.jpg"]
        #expect(others.flatMap { statements(file($0)) } == ["S58", "S59", "S59", "S59"])
    }

    @Test("Fetched and never read, fetched again, drawn in the background (S17, S18, S159)")
    func waste() {
        #expect(
            statements(["what": "ended", "unread": 3]) == [] && statements(["what": "ended", "unread": 4]) == ["S17"])
        #expect(statements(["what": "refetch"]) == ["S18"] && statements(["what": "interface"]) == ["S159"])
    }

    @Test("Files written whole for a small change: from 64 KB on, a database from 3 MB on (S212, S213)")
    func wholeFiles() {
        func rewritten(_ size: Int, _ changed: Int) -> Value {
            ["what": "rewritten", "path": "/a", "size": .int(size), "changed": .int(changed)]
        }
        #expect(statements(rewritten(60_000, 1), rewritten(70_000, 7_000)) == [])
        #expect(statements(rewritten(70_000, 6_999)) == ["S212"])
        #expect(statements(rewritten(3_000_000, 10)) == ["S212", "S213"])
        #expect(statements(rewritten(3_000_000, 2_000_000)) == [])
    }

    @Test("Bulk data loaded whole at launch: from 3 MB on (S209)")
    func bulk() {
        func loaded(_ size: Int) -> Value { ["what": "loadedAtLaunch", "path": "/a", "size": .int(size)] }
        #expect(statements(loaded(2_999_999)) == [] && statements(loaded(3_000_000)) == ["S209"])
    }

    @Test("Records one by one: ten operations of one record in ten seconds (S210)")
    func singles() {
        let one: Value = ["what": "operation", "items": 1]
        #expect(findings(Array(repeating: one, count: 10)).map(\.statement) == ["S210"])
        #expect(findings(Array(repeating: one, count: 9)).isEmpty)
        #expect(findings(Array(repeating: ["what": "operation", "items": 2], count: 20)).isEmpty)
        #expect(
            findings((0..<12).flatMap { [one, ["what": "operation", "items": 5, "launch": .int($0)], token] }).isEmpty)
    }

    @Test("Handed over late: told from 30 s on, for each app (S21)")
    func late() {
        func waiting(_ seconds: Int64) -> [HistoryEvent] {
            let performed = Note(.performed, person: "maya", app: "notebook", tokens: ["maya.1", "maya.2"])
            let done = Note(.handedOver, person: "maya", app: "notebook", tokens: ["maya.1"])
            return [
                HistoryEvent(at: .zero, from: .pad(1), performed),
                HistoryEvent(at: .zero + .seconds(seconds), from: .pad(1), done),
            ]
        }
        #expect(HabitLint.findings(waiting(30)).isEmpty)
        #expect(HabitLint.findings(waiting(31)).map(\.statement) == ["S21"])
        // Handed over within the handler, and merged again much later: at once.
        let merged = waiting(31)
        #expect(HabitLint.findings([HistoryEvent(at: .zero, from: .pad(1), merged[1].note)] + merged).isEmpty)
    }

    @Test("Declared purgeable: what a purge takes is told; what goes otherwise is not its fault (S11)")
    func purgeable() {
        func history(_ reason: Value) -> [HistoryEvent] {
            [
                HistoryEvent(
                    at: .zero, from: .pad(1),
                    Note(.purged, person: "maya", app: "quiz", tokens: ["maya.1"], detail: ["reason": reason]))
            ]
        }
        let lost = Finding(
            .unsaved, token: "maya.1", person: "maya", app: "quiz", summary: "gone", doomedBy: 0, story: [0])
        #expect(HabitLint.findings(history("signOut"), violations: [lost]).map(\.statement) == ["S11"])
        #expect(HabitLint.findings(history("signOut")).isEmpty)
        #expect(HabitLint.findings(history("eraseDevice"), violations: [lost]).isEmpty)
    }

    @Test("Not declared purgeable: advice when nothing would be lost; none when one edit lies on the iPad alone (S11)")
    func undeclared() {
        func history(handedOver: [Token]) -> [HistoryEvent] {
            let notes = [
                Note(.performed, person: "maya", app: "quiz", tokens: ["maya.1"]),
                Note(.performed, person: "maya", app: "quiz", tokens: ["maya.2"]),
                Note(.handedOver, person: "maya", app: "quiz", tokens: handedOver),
                Note(
                    .habit, person: "maya", app: "quiz", tokens: ["maya.1", "maya.2"], detail: ["what": "undeclared"]),
            ]
            return notes.enumerated().map { HistoryEvent(at: .zero + .seconds(Int64($0)), from: .pad(1), $1) }
        }
        let advice = PurgeAdvice.lines(history(handedOver: ["maya.1", "maya.2"]))
        #expect(advice.count == 1 && advice.first?.hasPrefix("S11  quiz  ") == true)
        #expect(PurgeAdvice.lines(history(handedOver: ["maya.1"])).isEmpty)
        #expect(PurgeAdvice.lines(Array(history(handedOver: ["maya.1", "maya.2"]).dropLast())).isEmpty, "it declares")
        #expect(PurgeAdvice.lines(Array(history(handedOver: []).dropFirst(3))).isEmpty, "too little was done")
    }

    @Test("Secrets lie in the keychain alone: told with the place (S16, S97)")
    func secrets() {
        let found = findings([["what": "secret", "place": "the key 'password' of its store"]])
        #expect(found.map(\.statement) == ["S16"] && found.first?.text.contains("'password'") == true)
    }

    @Test(
        "Flags in user defaults: told, but not what the key-value store has too, nor what the app declares to be the iPad's own (S22)"
    )
    func flags() {
        func flag(_ key: String) -> Value { ["what": "flag", "key": .string(key)] }
        #expect(statements(flag("introDone")) == ["S22"])
        #expect(statements(flag("introDone"), ["what": "kvsKey", "key": "introDone"]) == [])
        #expect(statements(["what": "kvsKey", "key": "other"], flag("introDone")) == ["S22"])
        #expect(statements(flag("iCloudTutorialDone")) == ["S22"])
        #expect(statements(["what": "flag", "key": "usesICloud", "local": true]) == [])
    }

    @Test("Polling: told from the sixth same answer on; all content fetched at launch: from the eleventh (S17, S204)")
    func idle() {
        func same(_ times: Int) -> Value { ["what": "unchanged", "question": "ck.query", "times": .int(times)] }
        #expect(statements(same(4)) == [] && statements(same(5)) == ["S204"])
        func ended(_ eager: Int, unread: Int = 0) -> Value {
            ["what": "ended", "eager": .int(eager), "unread": .int(unread)]
        }
        #expect(statements(ended(10)) == [] && statements(ended(11)) == ["S17"])
        #expect(findings([ended(11, unread: 9)]).map(\.count) == [1])
    }

    @Test("Development environment: what schools install needs production (S290)")
    func development() { #expect(statements(["what": "development"]) == ["S290"]) }

    @Test("Background task: short, and over when the work is handed over (S24, S25)")
    func tasks() {
        func task(_ seconds: Int64, _ overTransfer: Bool) -> Value {
            [
                "what": "backgroundTask", "name": "save", "held": .int(Span.seconds(seconds).nanoseconds),
                "overTransfer": .bool(overTransfer),
            ]
        }
        #expect(statements(task(5, false)) == [])
        #expect(statements(task(6, false)) == ["S24"])
        #expect(statements(task(1, true)) == ["S25"])
    }

    @Test("Launch over 5 s, protection after the content, temporary files left (S164, S191, S214)")
    func others() {
        func launch(_ seconds: Int64) -> Value { ["what": "launch", "took": .int(Span.seconds(seconds).nanoseconds)] }
        #expect(statements(launch(5)) == [] && statements(launch(6)) == ["S164"])
        func protected(_ size: Int) -> Value { ["what": "protected", "path": "/a", "size": .int(size)] }
        #expect(statements(protected(0)) == [] && statements(protected(3)) == ["S191"])
        func ended(_ count: Int) -> Value { ["what": "ended", "temporaryFiles": .int(count)] }
        #expect(statements(ended(0)) == [] && statements(ended(2)) == ["S214"])
    }

    @Test("One line for each app and rule, counted, in order; other notes say nothing")
    func lines() {
        let found = findings([container, ["what": "container", "main": true, "launch": 2], ["what": "nonsense"]])
        #expect(found.map(\.statement) == ["S75", "S84"] && found.map(\.count) == [2, 1])
        #expect(
            found.last?.line
                == "S84  notebook  opens its container on the main thread, where it may block; do it on another (1 times, first on ipad-1 at \(Instant.zero + .seconds(1)))"
        )
        #expect(HabitLint.findings([HistoryEvent(at: .zero, from: .pad(1), Note(.appLaunched, app: "a"))]).isEmpty)
    }
}
