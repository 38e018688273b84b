import FleetModel
import Testing

@testable import PadCore

@Suite("Ordinary CloudKit operation", .timeLimit(.minutes(20)))
struct RecordsOrdinaryTests {
    @Test("Modify: acknowledged, the app has the record and the edit is handed over (S256)")
    func acknowledged() throws {
        let bench = try RecordsBench()
        bench.modify([note("n1")], delete: ["n2"])
        #expect(bench.pad.notes.isEmpty)
        let request = bench.pad.answer(
            ["records": [stored(note("n1"), tag: "t1"), ["recordName": "n2", "deleted": true]]], bench.daemon)
        #expect(request?.request.target == "/database/1/iCloud.com.example.notebook/production/private/records/modify")
        #expect(request?.cause == "maya.1")
        #expect(request?.json["zoneID"]?["zoneName"] == "Notes")
        #expect(request?.json["atomic"] == true)
        #expect(bench.answer()["saved"] == [stored(note("n1"), tag: "t1")])
        #expect(bench.answer()["deleted"] == ["n2"])
        #expect(bench.pad.tokens(.handedOver) == ["maya.1"])
        #expect(bench.pad.posts.last?.exchange == 7)
    }

    @Test(
        "Modify: save policy becomes an operation of the service (S115)",
        arguments: [(0, nil, "create"), (0, "t1", "update"), (1, "t1", "forceUpdate"), (2, nil, "forceUpdate")]
            as [(Int, String?, String)])
    func policies(policy: Int, tag: String?, operation: String) throws {
        let bench = try RecordsBench()
        bench.modify([note("n1", tag: tag)], delete: ["n2"], policy: policy)
        let operations = bench.pad.takeRequest()?.json["operations"]?.array ?? []
        #expect(operations.map { $0["operationType"]?.string } == [operation, "forceDelete"])
        #expect(operations.first?["record"] == note("n1", tag: tag))
    }

    @Test("Modify: offline, fails to the app at once and nothing is kept (S256)")
    func offline() throws {
        let bench = try RecordsBench()
        bench.pad.online = false
        bench.modify([note("n1")])
        #expect(bench.code() == 3)
        #expect(bench.pad.sent.isEmpty && bench.pending.isEmpty && bench.pad.notes.map(\.kind) == [.answered])
        #expect(bench.daemon.nextWake == nil)
    }

    @Test(
        "Modify: network failure, the app is told and nothing is retried; a lost answer leaves it open what happened",
        arguments: NetworkFailure.allCases)
    func networkFails(failure: NetworkFailure) throws {
        let bench = try RecordsBench()
        bench.modify([note("n1")])
        bench.pad.fail(failure, bench.daemon)
        #expect(bench.code() == (failure == .unreachable ? 3 : 34))
        #expect(bench.pad.sent.isEmpty && bench.daemon.nextWake == nil)
        #expect(bench.pad.notes.map(\.kind) == [.answered])
    }

    @Test("Modify: app dies on the way, the answer is dropped")
    func appDies() throws {
        let bench = try RecordsBench()
        bench.modify([note("n1")])
        let request = bench.pad.sent[0]
        bench.pad.end(bench.app, bench.daemon)
        #expect(bench.pad.forgotten == [request.task])
        let late = HTTPResponse(status: 200, json: ["records": [stored(note("n1"), tag: "t1")]])
        bench.daemon.reply(.response(late), to: request.task, bench.pad)
        #expect(bench.pad.posts.isEmpty && bench.pad.notes.map(\.kind) == [.answered])
    }

    @Test("Modify: conflict, the error carries the server's record and the edit goes back")
    func conflict() throws {
        let bench = try RecordsBench()
        bench.modify([note("n1", tag: "t1")])
        bench.pad.answer(["records": [refusal("n1", "CONFLICT")]], bench.daemon)
        let server = stored(note("n1", "ben.4"), tag: "t2", by: "ipad-2")
        let lookup = bench.pad.answer(["records": [server]], bench.daemon)
        #expect(lookup?.request.target.hasSuffix("records/lookup") == true)
        #expect(bench.code(of: "n1") == 14)
        #expect(bench.answer()["errors"]?["n1"]?["serverRecord"] == server)
        #expect(bench.pad.tokens(.handedBack) == ["maya.1"])
        #expect(bench.pad.notes(.handedBack).first?.detail["code"] == 14)
        #expect(bench.pad.tokens(.handedOver).isEmpty)
    }

    @Test("Modify: conflict with the app's own earlier write, still told to the app (it has to recognise itself)")
    func ownConflict() throws {
        let bench = try RecordsBench()
        bench.modify([note("n1")])
        bench.pad.answer(["records": [refusal("n1", "EXISTS")]], bench.daemon)
        bench.pad.answer(["records": [stored(note("n1"), tag: "t1")]], bench.daemon)
        #expect(bench.code(of: "n1") == 14)
        #expect(bench.savedNames.isEmpty)
    }

    @Test("Modify: conflict and the copy cannot be had, the refusal stands without it")
    func conflictWithoutCopy() throws {
        let bench = try RecordsBench()
        bench.modify([note("n1", tag: "t1")])
        bench.pad.answer(["records": [refusal("n1", "CONFLICT")]], bench.daemon)
        bench.pad.fail(.connectionLost, bench.daemon)
        #expect(bench.code(of: "n1") == 14)
        #expect(bench.answer()["errors"]?["n1"]?["serverRecord"] == nil)
    }

    @Test(
        "Modify: merged after a conflict, the mark is made once the merge is saved (tag of the offered copy or another)",
        arguments: ["t2", "t9"])
    func mergeMark(tag: String) throws {
        let bench = try RecordsBench()
        bench.modify([note("n1", tag: "t1")])
        bench.pad.answer(["records": [refusal("n1", "CONFLICT")]], bench.daemon)
        bench.pad.answer(["records": [stored(note("n1", "ben.4"), tag: "t2")]], bench.daemon)
        bench.modify([note("n1", tag: tag)], op: "b")
        bench.pad.answer(["records": [stored(note("n1"), tag: "t3")]], bench.daemon)
        #expect(bench.pad.marks == (tag == "t2" ? ["conflict-merged"] : []))
    }

    @Test("Modify: atomic batch fails, the culprit has its own code and the rest 22")
    func atomicFailure() throws {
        let bench = try RecordsBench()
        bench.modify([note("n1"), note("n2", "maya.2", tag: "t1")])
        let answers: Value = ["records": [refusal("n1", "ATOMIC_ERROR"), refusal("n2", "NOT_FOUND")]]
        bench.pad.answer(400, answers, bench.daemon)
        #expect(bench.code(of: "n1") == 22)
        #expect(bench.code(of: "n2") == 11)
        #expect(bench.pad.tokens(.handedBack) == ["maya.1", "maya.2"])
    }

    @Test("Modify: 250 items not atomic, two requests; the second is lost and only its items fail")
    func split() throws {
        let bench = try RecordsBench()
        let notes = (0..<250).map { note("n\($0)", "maya.\($0)") }
        bench.modify(notes, atomic: false)
        let first = notes.prefix(200).map { stored($0, tag: "t") }
        let request = bench.pad.answer(["records": .array(first)], bench.daemon)
        #expect(request?.json["operations"]?.array?.count == 200)
        let second = bench.pad.fail(.connectionLost, bench.daemon)
        #expect(second?.json["operations"]?.array?.count == 50)
        #expect(bench.savedNames.count == 200)
        #expect(bench.answer()["errors"]?.object?.count == 50)
        #expect(bench.code(of: "n249") == 34)
        #expect(bench.pad.tokens(.handedOver).count == 200)
        #expect(bench.pad.notes(.handedBack).isEmpty, "nobody knows what became of them")
    }

    @Test("Modify: 400 items in an atomic operation, one request")
    func atomicLimit() throws {
        let bench = try RecordsBench()
        bench.modify((0..<400).map { note("n\($0)") })
        #expect(bench.pad.sent.map { $0.json["operations"]?.array?.count } == [400])
    }

    @Test("Modify: too much for one operation, refused before sending", arguments: [(401, false), (401, true)])
    func limits(count: Int, atomic: Bool) throws {
        let bench = try RecordsBench()
        bench.modify((0..<count).map { note("n\($0)") }, atomic: atomic)
        #expect(bench.code() == 27)
        #expect(bench.pad.sent.isEmpty)
    }

    @Test("Modify: more than 2 MB, refused before sending")
    func bytes() throws {
        let bench = try RecordsBench()
        var large = note("n1")
        large["fields"] = ["text": ["value": .string(String(repeating: "x", count: 2_000_001))]]
        bench.modify([large])
        #expect(bench.code() == 27)
        #expect(bench.pad.sent.isEmpty)
    }

    @Test("Operation: its name is under way in this launch, refused")
    func sameName() throws {
        let bench = try RecordsBench()
        bench.modify([note("n1")])
        bench.modify([note("n2")])
        #expect(bench.code() == 12)
        #expect(bench.pad.sent.count == 1)
    }

    @Test("Operation: no account, refused with 9")
    func signedOut() throws {
        let bench = try RecordsBench()
        bench.pad.withoutIdentity = ["maya"]
        bench.modify([note("n1")], longLived: true)
        #expect(bench.code() == 9)
        #expect(bench.pad.sent.isEmpty && bench.pending.isEmpty)
    }

    @Test(
        "Message: hostile, refused and nothing sent",
        arguments: [
            Message("ck.modify"), Message("ck.modify", "text"), Message("ck.nonsense", ["op": "a"]), Message("ck."),
            Message("ck.modify", ["op": "a", "container": "iCloud.a", "database": "private", "save": "x"]),
            Message(
                "ck.modify", ["op": "a", "container": "iCloud.a", "database": "private", "save": [["recordName": "n"]]]),
            Message(
                "ck.modify", ["op": "a", "container": "iCloud.a", "database": "private", "save": [1], "policy": 9]),
            Message("ck.modify", ["op": "a", "container": "iCloud.a/../b", "database": "private", "delete": ["n"]]),
            Message("ck.modify", ["op": "a", "container": "iCloud.a", "database": "shared", "delete": ["n"]]),
            Message("ck.modify", ["op": "a", "container": "iCloud.a", "database": "private", "delete": ["n", "n"]]),
            Message("ck.lookup", ["op": "a", "container": "iCloud.a", "database": "private", "names": []]),
            Message("ck.lookup", ["op": "a", "container": "iCloud.a", "database": "private", "names": [7]]),
            Message("ck.query", ["op": "a", "container": "iCloud.a", "database": "private"]),
            Message("ck.zones", ["op": "a", "container": "iCloud.a", "database": "private"]),
            Message(
                "ck.zoneChanges",
                ["op": "a", "container": "iCloud.a", "database": "private", "zone": "Z", "limit": "x"]),
            Message("ck.subscribe", ["op": "a", "container": "iCloud.a", "database": "private", "subscription": 1]),
            Message("ck.attach", ["op": 3]), Message("ck.attach", ["op": "unknown"]),
        ])
    func hostile(message: Message) throws {
        let bench = try RecordsBench()
        bench.daemon.post(message, exchange: 7, from: bench.app, bench.pad)
        let error = bench.answer(message.name)["error"]
        #expect(error?["domain"] == "POSIX" && error?["code"] == 22 || error?["domain"] == "CKErrorDomain")
        #expect(bench.pad.sent.isEmpty)
        let answer = bench.daemon.call(message, from: bench.app, bench.pad)
        #expect(answer["error"]?["code"] == 22)
    }
}

@Suite("CloudKit error table", .timeLimit(.minutes(20)))
struct RecordsErrorTests {
    @Test(
        "Service error: becomes the framework's code (S257)",
        arguments: [
            ("ACCESS_DENIED", 403, 10), ("ATOMIC_ERROR", 400, 22), ("AUTHENTICATION_FAILED", 401, 9),
            ("AUTHENTICATION_REQUIRED", 421, 9), ("BAD_REQUEST", 400, 12), ("CONFLICT", 409, 14), ("EXISTS", 409, 14),
            ("INTERNAL_ERROR", 500, 1), ("NOT_FOUND", 404, 11), ("QUOTA_EXCEEDED", 413, 25), ("THROTTLED", 429, 6),
            ("TRY_AGAIN_LATER", 503, 6), ("VALIDATING_REFERENCE_ERROR", 412, 31), ("ZONE_NOT_FOUND", 404, 26),
            ("UNIQUE_FIELD_ERROR", 409, 19), ("USER_DELETED_ZONE", 404, 28), ("A_NEW_WORD", 400, 15),
        ])
    func table(word: String, status: Int, code: Int64) throws {
        let bench = try RecordsBench()
        bench.modify([note("n1")])
        bench.pad.answer(status, ["serverErrorCode": .string(word), "reason": "test", "uuid": "u"], bench.daemon)
        #expect(bench.code() == code)
        let isDefinite = ![1, 6, 9].contains(code)
        #expect(bench.pad.tokens(.handedBack) == (isDefinite ? ["maya.1"] : []))
    }

    @Test("Service error: retry-after of body or header reaches the app")
    func retryAfter() throws {
        let bench = try RecordsBench()
        bench.modify([note("n1")])
        bench.pad.answer(429, ["serverErrorCode": "THROTTLED", "reason": "test", "retryAfter": 30], bench.daemon)
        #expect(bench.answer()["error"]?["retryAfter"]?.double == 30)
        bench.pad.advance(.seconds(30), bench.daemon)
        bench.modify([note("n1")], op: "b")
        let request = try #require(bench.pad.takeRequest())
        bench.daemon.reply(
            .response(HTTPResponse(status: 503, headers: ["Retry-After": "12"])), to: request.task, bench.pad)
        #expect(bench.answer()["error"]?["retryAfter"]?.double == 12)
        #expect(bench.code() == 6)
    }

    @Test("Answer: not from CloudKit, counts as a broken way", arguments: [200, 403, 302, 502])
    func foreign(status: Int) throws {
        let bench = try RecordsBench()
        bench.modify([note("n1")])
        let request = try #require(bench.pad.takeRequest())
        let page = HTTPResponse(status: status, body: Array("<html>sign in</html>".utf8))
        bench.daemon.reply(.response(page), to: request.task, bench.pad)
        #expect(bench.code() == 4)
        #expect(bench.pad.notes.map(\.kind) == [.answered])
    }
}
