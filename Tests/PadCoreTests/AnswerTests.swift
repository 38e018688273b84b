import FleetModel
import Testing

@testable import PadCore

/// What apps are told of their edits when it is no plain success is in the history, as it is told to them.
@Suite("Answers noted", .timeLimit(.minutes(20))) struct AnswerTests {
    @Test("Records: a conflict has record, policy and both change tags, and comes before the edit is handed back")
    func conflict() throws {
        let bench = try RecordsBench()
        bench.modify([note("n1", tag: "t1")])
        bench.pad.answer(["records": [refusal("n1", "CONFLICT")]], bench.daemon)
        bench.pad.answer(["records": [stored(note("n1", "ben.4"), tag: "t2", by: "ipad-2")]], bench.daemon)
        #expect(bench.pad.notes.map(\.kind) == [.answered, .handedBack])
        let noted = try #require(bench.pad.notes.first)
        #expect(noted.tokens == ["maya.1"] && noted.channel == .record && noted.app == "notebook")
        #expect(
            noted.detail == [
                "code": 14, "domain": "CKErrorDomain", "where": "Notes/n1", "policy": 0, "tag": "t1", "serverTag": "t2",
                "by": ["ben.4"],
                "what": "ck.modify", "launch": .int(bench.app.launch),
            ])
    }

    @Test("Records: many that are refused in one answer are noted together, so that the app's files are read once")
    func together() throws {
        let bench = try RecordsBench()
        bench.modify((1...9).map { note("n\($0)", "maya.\($0)") })
        bench.pad.noteCounts = []
        bench.pad.answer(["records": .array((1...9).map { refusal("n\($0)", "ACCESS_DENIED") })], bench.daemon)
        #expect(bench.pad.noteCounts == [9] && bench.pad.tokens(.answered).count == 9)
    }

    @Test("Records: an operation refused as a whole makes one note with all its edits; a plain success makes none")
    func whole() throws {
        let bench = try RecordsBench()
        bench.pad.online = false
        bench.modify([note("n1"), note("n2", "maya.2")])
        #expect(bench.pad.notes.map(\.kind) == [.answered])
        #expect(bench.pad.notes.first?.tokens == ["maya.1", "maya.2"])
        #expect(bench.pad.notes.first?.detail["code"] == 3 && bench.pad.notes.first?.detail["where"] == "Notes")
        bench.pad.online = true
        bench.modify([note("n1")], op: "b")
        bench.pad.answer(["records": [stored(note("n1"), tag: "t1")]], bench.daemon)
        #expect(bench.pad.notes(.answered).count == 1)
    }

    @Test(
        "Records: a hand-over names its save policy, but not the one that compares change tags", arguments: [0, 1, 2])
    func policy(policy: Int) throws {
        let bench = try RecordsBench()
        bench.modify([note("n1", tag: "t1")], policy: policy)
        bench.pad.answer(["records": [stored(note("n1"), tag: "t2")]], bench.daemon)
        #expect(bench.pad.notes(.handedOver).map { $0.detail["policy"] } == [policy == 0 ? nil : .int(policy)])
    }

    @Test("Records: refused before anything is sent, and a deletion that is refused, by the record's name")
    func unsent() throws {
        let bench = try RecordsBench()
        bench.pad.withoutIdentity = ["maya"]
        bench.modify([note("n1")])
        #expect(bench.pad.notes.map { $0.detail["code"] } == [9])
        #expect(bench.pad.notes.first?.tokens == ["maya.1"])
        bench.pad.withoutIdentity = []
        bench.modify([], delete: ["n2"], op: "b")
        bench.pad.answer(["records": [refusal("n2", "ACCESS_DENIED")]], bench.daemon)
        #expect(bench.pad.notes.last?.detail["where"] == "Notes/n2" && bench.pad.notes.last?.tokens == [])
    }

    @Test("Records: the app ends before the answer, and it is noted that nobody heard one; after the answer nothing is")
    func cutOff() throws {
        for isAnswered in [false, true] {
            let bench = try RecordsBench()
            bench.modify([note("n1")])
            if isAnswered { bench.pad.answer(["records": [stored(note("n1"), tag: "t1")]], bench.daemon) }
            bench.pad.end(bench.app, bench.daemon)
            #expect(bench.pad.notes(.answered).map { $0.detail["cutOff"] } == (isAnswered ? [] : [true]))
        }
    }

    @Test(
        "Records: a long-lived operation's refusal is noted when it goes to an app, not before and again at the next launch"
    )
    func longLived() throws {
        var bench = try RecordsBench()
        bench.modify([note("n1")], longLived: true)
        bench.pad.end(bench.app, bench.daemon)
        bench.pad.answer(["records": [refusal("n1", "QUOTA_EXCEEDED")]], bench.daemon)
        #expect(bench.pad.notes(.answered).isEmpty)
        bench.relaunch()
        bench.post("ck.attach", .empty)
        #expect(bench.pad.notes(.answered).map { $0.detail["code"] } == [25])
        #expect(bench.pad.tokens(.answered) == ["maya.1"])
    }

    @Test("Records: a plain success is noted of a record of which a later version is under way, and of no other")
    func older() throws {
        let bench = try RecordsBench()
        bench.modify([note("n1"), note("n2", "maya.2")], longLived: true)
        bench.modify([note("n1", "maya.3")], op: "b", longLived: true)
        bench.pad.answer(
            ["records": [stored(note("n1"), tag: "t1"), stored(note("n2", "maya.2"), tag: "t1")]], bench.daemon)
        #expect(bench.pad.tokens(.answered) == ["maya.1"])
        #expect(bench.pad.notes(.answered).map { $0.detail["success"] } == [true])
        #expect(bench.pad.notes(.answered).first?.detail["where"] == "Notes/n1")
        bench.pad.answer(["records": [stored(note("n1", "maya.3"), tag: "t2")]], bench.daemon)
        #expect(bench.pad.notes(.answered).count == 1)
    }

    @Test("Looks for changes: what came, that more is to come, an expired token; not what passes by itself")
    func looks() throws {
        let bench = try RecordsBench()
        func ask(_ op: String) { bench.post("ck.zoneChanges", ["zone": "Notes", "token": "x"], op: op) }
        ask("a")
        let page: Value = ["records": [stored(note("n1"), tag: "t1")], "syncToken": "y", "moreComing": true]
        bench.pad.answer(["zones": [page]], bench.daemon)
        ask("b")
        bench.pad.answer(
            ["zones": [["zoneID": ["zoneName": "Notes"], "serverErrorCode": "CHANGE_TOKEN_EXPIRED", "reason": "old"]]],
            bench.daemon)
        ask("c")
        bench.pad.fail(.connectionLost, bench.daemon)
        let noted = bench.pad.notes(.fetched)
        #expect(noted.isEmpty, "the fake iPad posts without the system's own look at messages")
        let launch = bench.app
        let notes = bench.pad.posts.compactMap { FetchNotes.note($0.message, to: launch) }
        #expect(notes.map(\.tokens) == [["maya.1"], []])
        #expect(notes.map { $0.detail["more"] } == [true, nil])
        #expect(notes.map { $0.detail["code"] } == [nil, 21])
    }
}

extension Transfers {
    @Test(
        "an answer that is no plain success is noted: its status and what its body looks like",
        arguments: [
            (201, "{}", nil), (503, "{\"a\":1}", "json"), (200, "<!DOCTYPE html>", "html"), (403, "", "empty"),
        ] as [(Int, String, String?)])
    func answered(status: Int, body: String, kind: String?) throws {
        upload()
        let sent = try #require(pad.takeRequest())
        daemon.reply(.response(HTTPResponse(status: status, headers: [:], body: Array(body.utf8))), to: sent.task, pad)
        let noted = pad.notes(.answered)
        #expect(noted.map { $0.detail["body"]?.string } == (kind.map { [$0] } ?? []))
        #expect(noted.allSatisfy { $0.tokens == ["maya.1"] && $0.detail["status"] == .int(status) })
    }
}

extension Keychain {
    @Test("what an app's own backend lists: its edits are named, texts that JSON holds as bytes too")
    func listed() {
        let app = AppIdentity(person: "maya", app: "homework", bundle: "com.example.homework", launch: 1)
        func tokens(_ status: Int64, _ body: [UInt8]) -> [Token]? {
            FetchNotes.note(
                ["status": .int(status), "data": .data(body)], of: "http.send", from: "https://backend.homework",
                to: app
            )?.tokens
        }
        let list: Value = [
            "items": [["data": .data(Self.secret)], ["text": .string(EditPayload.text(token: "maya.2", "x"))]]
        ]
        #expect(tokens(200, list.jsonBytes) == ["maya.1", "maya.2"])
        #expect(tokens(200, Array("essay ".utf8) + Self.secret) == ["maya.1"] && tokens(500, list.jsonBytes) == [])
    }

    @Test("a secret that is refused is noted with its status; one that is taken is not")
    func answered() {
        _ = add()
        #expect(pad.notes(.answered).isEmpty)
        _ = add()
        #expect(pad.notes(.answered).map { $0.detail["code"] } == [-25299])
        #expect(pad.tokens(.answered) == ["maya.1"])
    }
}

/// When the last file with an edit goes that no service answers for.
@Suite("Last copies noted", .timeLimit(.minutes(20))) struct LastCopyTests {
    private static let home = Pad.home(of: "com.example.quiz") + "/Documents"

    private func bench() throws -> PadBench {
        let bench = try PadBench(capacity: 64)
        bench.signIn("maya")
        bench.open("quiz")
        bench.ask("app.perform", edit("maya.1").body)
        return bench
    }
    private func edit(_ token: Token) -> Edit {
        Edit(
            token: token, person: "maya", app: "quiz", action: "write", item: "a", verb: .put,
            value: EditPayload.text(token: token, "words"))
    }
    @discardableResult private func file(_ bench: PadBench, _ name: String, _ path: String, _ more: Value = .empty)
        -> Value?
    {
        var body = more
        body[name == "move" ? "from" : "path"] = .string("\(Self.home)/\(path)")
        if let to = more["to"]?.string { body["to"] = .string("\(Self.home)/\(to)") }
        return bench.call(bench.launch("quiz"), "file.\(name)", body)
    }
    private func text(_ tokens: Token...) -> Value {
        ["data": .data(Array(tokens.map { EditPayload.text(token: $0, "words") }.joined().utf8))]
    }

    @Test(
        "Removed or rewritten without it: noted with its file; while a second file has it, not",
        arguments: ["remove", "write"])
    func ways(way: String) throws {
        let bench = try bench()
        file(bench, "write", "outbox", text("maya.1"))
        file(bench, "write", "copy", text("maya.1"))
        func go(_ path: String) { file(bench, way, path, way == "write" ? text("maya.9") : .empty) }
        go("copy")
        #expect(bench.notes(.forgotten).isEmpty)
        go("outbox")
        #expect(bench.tokens(.forgotten) == ["maya.1"])
        #expect(bench.notes(.forgotten).first?.detail["where"] == .string("\(Self.home)/outbox"))
        #expect(bench.notes(.forgotten).first?.detail["what"] == .string("file.\(way)"))
        #expect(bench.notes(.forgotten).first?.detail["by"] == (way == "write" ? ["maya.9"] : nil))
    }

    @Test("Moved or rewritten with it: still there; a folder that goes takes it along")
    func kept() throws {
        let bench = try bench()
        file(bench, "makeFolder", "box")
        file(bench, "write", "box/a", text("maya.1"))
        file(bench, "move", "box", ["to": "drawer"])
        file(bench, "write", "drawer/a", text("maya.1", "maya.2"))
        file(bench, "append", "drawer/a", text("maya.3"))
        #expect(bench.notes(.forgotten).isEmpty)
        file(bench, "remove", "drawer")
        #expect(bench.tokens(.forgotten) == ["maya.1"])
    }

    @Test("A service answers for it: its file may go; once it has come back, that counts again")
    func handedOver() throws {
        let bench = try bench()
        file(bench, "write", "outbox", text("maya.1"))
        let identity = AppIdentity(person: "maya", app: "quiz", bundle: "com.example.quiz", launch: 1)
        bench.pad.copies.note(Note(.handedOver, person: "maya", app: "quiz", tokens: ["maya.1"]))
        var gone = bench.pad.copies.copies
        #expect(gone.removed("\(Self.home)/outbox", by: .init(person: "maya", app: "quiz")).isEmpty)
        bench.pad.copies.note(
            Note(.answered, person: "maya", app: identity.app, tokens: ["maya.1"], detail: ["status": 503]))
        file(bench, "remove", "outbox")
        #expect(bench.tokens(.forgotten) == ["maya.1"])
    }

    @Test("An upload has it: that its file goes is noted as such, until the upload has arrived")
    func underWay() throws {
        for arrives in [false, true] {
            let bench = try bench()
            file(bench, "write", "outbox", text("maya.1"))
            bench.pad.copies.note(Note(.handedOver, person: "maya", app: "quiz", channel: .upload, tokens: ["maya.1"]))
            if arrives { bench.pad.copies.arrived(["maya.1"]) }
            file(bench, "remove", "outbox")
            #expect(bench.notes(.forgotten).map { $0.detail["underWay"] } == (arrives ? [] : [true]))
        }
    }

    @Test("Several come back at once: each counts where its file is; a token in two files is gone with the second")
    func comeBack() throws {
        let bench = try bench()
        file(bench, "makeFolder", "box")
        for number in 1...3 { file(bench, "write", "box/\(number)", text("maya.1", "maya.\(number + 1)")) }
        bench.pad.copies.note(Note(.handedOver, person: "maya", app: "quiz", tokens: ["maya.1"]))
        bench.pad.copies.noteAll(
            (1...4).map {
                Note(.answered, person: "maya", app: "quiz", tokens: ["maya.\($0)"], detail: ["status": 503])
            })
        file(bench, "move", "box", ["to": "drawer"])
        file(bench, "remove", "drawer/1")
        #expect(bench.tokens(.forgotten) == ["maya.2"])
        file(bench, "write", "drawer/2", text("maya.3"))
        #expect(bench.tokens(.forgotten) == ["maya.2"])
        file(bench, "remove", "drawer")
        #expect(bench.tokens(.forgotten) == ["maya.2", "maya.1", "maya.3", "maya.4"])
    }

    @Test("After a restart: what the files of an app hold is known when it starts")
    func restarted() throws {
        let bench = try bench()
        file(bench, "write", "outbox", text("maya.1"))
        file(bench, "sync", "outbox")
        try bench.restart()
        bench.signIn("maya")
        bench.open("quiz")
        file(bench, "remove", "outbox")
        #expect(bench.tokens(.forgotten) == ["maya.1"])
    }

    @Test("A full disk: the write that was refused is noted with its edits, one that fits is not")
    func fullDisk() throws {
        let bench = try bench()
        file(bench, "write", "outbox", text("maya.1"))
        #expect(bench.notes(.answered).isEmpty)
        bench.command("storage.fill", ["free": 0])
        file(
            bench, "write", "outbox2",
            ["data": .data(Array(EditPayload.text(token: "maya.1", String(repeating: "x", count: 100_000)).utf8))])
        #expect(bench.notes(.answered).map { $0.detail["code"] } == [640])
        #expect(bench.tokens(.answered) == ["maya.1"])
    }
}
