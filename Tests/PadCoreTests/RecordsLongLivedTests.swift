import FleetModel
import Testing

@testable import PadCore

@Suite("Long-lived CloudKit operation", .timeLimit(.minutes(20)))
struct RecordsLongLivedTests {
    @Test("Hand-over: offline, journaled at once; sent when the network returns")
    func offline() throws {
        let bench = try RecordsBench()
        bench.pad.online = false
        bench.modify([note("n1")], longLived: true)
        #expect(bench.pad.tokens(.handedOver) == ["maya.1"])
        #expect(bench.pad.sent.isEmpty && bench.pad.posts.isEmpty)
        #expect(bench.pending.map(\.waitsFor) == ["network"])
        #expect(bench.daemon.queuedTokens(of: "maya") == ["maya.1"])
        #expect(bench.daemon.queuedTokens(of: "ben").isEmpty)
        bench.pad.advance(.hours(2), bench.daemon)
        bench.pad.online = true
        bench.daemon.observe(.networkReturned, bench.pad)
        #expect(bench.pad.sent.count == 1)
        #expect(bench.pending.map(\.waitsFor) == ["answer"])
        bench.pad.answer(["records": [stored(note("n1"), tag: "t1")]], bench.daemon)
        #expect(bench.savedNames == ["n1"])
        #expect(bench.pending.isEmpty && bench.daemon.queuedTokens(of: "maya").isEmpty)
    }

    @Test("Power cut: before, while and after sending, the operation is done once (each moment)", arguments: 0..<3)
    func powerCut(moment: Int) throws {
        var bench = try RecordsBench()
        let cloud = TinyCloud()
        bench.modify([note("n1"), note("n2", "maya.2")], longLived: true)
        if moment > 0 {
            let request = try #require(bench.pad.takeRequest())
            let response = cloud.answer(request.request)
            if moment == 2 { bench.daemon.reply(.response(response), to: request.task, bench.pad) }
        }
        try bench.restart()
        bench.relaunch()
        serve(cloud, bench)
        #expect(cloud.saves == ["n1": 1, "n2": 1])
        #expect(bench.longLived == [["op": "a", "name": "ck.modify", "done": true]])
        bench.post("ck.attach", ["op": "a"])
        #expect(bench.answer("ck.attach")["saved"]?.array?.count == 2)
        #expect(bench.answer("ck.attach")["errors"] == .empty)
        #expect(bench.pad.tokens(.handedBack).isEmpty && bench.pending.isEmpty)
    }

    @Test(
        "App death: the work goes on, the next launch attaches before and after the end (S33)",
        arguments: [true, false])
    func appDeath(attachesBefore: Bool) throws {
        var bench = try RecordsBench()
        bench.modify([note("n1")], longLived: true)
        bench.pad.end(bench.app, bench.daemon)
        bench.relaunch()
        #expect(bench.longLived == [["op": "a", "name": "ck.modify", "done": false]])
        if attachesBefore { bench.post("ck.attach", ["op": "a"]) }
        #expect(bench.pad.posts.isEmpty)
        bench.pad.answer(["records": [stored(note("n1"), tag: "t1")]], bench.daemon)
        if !attachesBefore { bench.post("ck.attach", ["op": "a"]) }
        #expect(bench.answer("ck.attach")["saved"] == [stored(note("n1"), tag: "t1")])
        #expect(bench.pad.posts.count == 1)
    }

    @Test("Sign-out: the queue goes on; the person removed: it is forgotten (S34)", arguments: [true, false])
    func signOut(removed: Bool) throws {
        let bench = try RecordsBench()
        bench.modify([note("n1")], longLived: true)
        bench.pad.end(bench.app, bench.daemon)
        bench.daemon.observe(removed ? .removed("maya") : .signedOut("maya"), bench.pad)
        #expect(bench.pad.sent.count == (removed ? 0 : 1))
        #expect(bench.pending.count == (removed ? 0 : 1))
    }

    @Test(
        "Lost answer: the retry meets its own first attempt and counts it (batch or single, new or changed)",
        arguments: [1, 3], [true, false])
    func lostAnswer(count: Int, isNew: Bool) throws {
        let bench = try RecordsBench()
        let cloud = TinyCloud()
        var notes = (0..<count).map { note("n\($0)", "maya.\($0)") }
        if !isNew {
            bench.modify(notes)
            serve(cloud, bench)
            notes = (0..<count).map {
                note("n\($0)", "maya.1\($0)", tag: cloud.records["n\($0)"]?["recordChangeTag"]?.string)
            }
            bench.pad.notes = []
        }
        bench.modify(notes, op: "b", longLived: true)
        let request = try #require(bench.pad.takeRequest())
        _ = cloud.answer(request.request)
        bench.daemon.reply(.failure(.connectionLost), to: request.task, bench.pad)
        #expect(bench.pad.sent.isEmpty, "not before a pause")
        bench.pad.advance(.seconds(5), bench.daemon)
        serve(cloud, bench)
        #expect(bench.savedNames == notes.compactMap { $0["recordName"]?.string })
        #expect(bench.answer()["errors"] == .empty)
        #expect(bench.answer()["saved"]?.array?.first?["recordChangeTag"] == cloud.records["n0"]?["recordChangeTag"])
        #expect(cloud.saves.values.allSatisfy { $0 == (isNew ? 1 : 2) })
        #expect(bench.pad.notes(.handedBack).isEmpty)
    }

    @Test(
        "Conflict: another's write is not taken for one's own",
        arguments: [
            stored(note("n1", "ben.1"), tag: "t2"),  // other content
            stored(note("n1"), tag: "t2", by: "ipad-2"),  // another iPad
            stored(note("n1"), tag: "t1"),  // nothing was saved since
        ])
    func foreignWrite(server: Value) throws {
        let bench = try RecordsBench()
        bench.modify([note("n1", tag: "t1")], longLived: true)
        bench.pad.fail(.connectionLost, bench.daemon)
        bench.pad.advance(.seconds(5), bench.daemon)
        bench.pad.answer(["records": [refusal("n1", "CONFLICT")]], bench.daemon)
        bench.pad.answer(["records": [server]], bench.daemon)
        #expect(bench.code(of: "n1") == 14)
        #expect(bench.answer()["errors"]?["n1"]?["serverRecord"] == server)
        #expect(bench.pad.tokens(.handedBack) == ["maya.1"])
    }

    @Test("Conflict: a new record is not one's own when the server's has more fields")
    func moreFields() throws {
        let bench = try RecordsBench()
        bench.modify([note("n1")], longLived: true)
        bench.pad.answer(["records": [refusal("n1", "EXISTS")]], bench.daemon)
        var server = stored(note("n1"), tag: "t2")
        server["fields"]?["mood"] = ["value": "glad"]
        bench.pad.answer(["records": [server]], bench.daemon)
        #expect(bench.code(of: "n1") == 14)
    }

    @Test(
        "Conflict: the server's record is one's own only with the parent that was sent, or without one that was cleared",
        arguments: ["root", nil], ["root", "other", nil] as [String?])
    func parents(sent: String?, server: String?) throws {
        func under(_ parent: String?, _ record: Value) -> Value {
            var record = record
            record["parent"] = parent.map { ["recordName": .string($0)] } ?? .null
            return record
        }
        let bench = try RecordsBench()
        bench.modify([under(sent, note("n1"))], longLived: true)
        bench.pad.fail(.connectionLost, bench.daemon)
        bench.pad.advance(.seconds(5), bench.daemon)
        bench.pad.answer(["records": [refusal("n1", "EXISTS")]], bench.daemon)
        bench.pad.answer(["records": [under(server, stored(note("n1"), tag: "t1"))]], bench.daemon)
        #expect(bench.savedNames == (sent == server ? ["n1"] : []))
        #expect(bench.code(of: "n1") == (sent == server ? nil : 14))
    }

    @Test("Atomic batch: committed at first, one record changed by others since: the rest is saved, that one conflicts")
    func changedSince() throws {
        let bench = try RecordsBench()
        bench.modify([note("n1"), note("n2", "maya.2")], delete: ["n3"], longLived: true)
        bench.pad.fail(.connectionLost, bench.daemon)
        bench.pad.advance(.seconds(5), bench.daemon)
        let echo: Value = [
            "records": [refusal("n1", "EXISTS"), refusal("n2", "ATOMIC_ERROR"), refusal("n3", "ATOMIC_ERROR")]
        ]
        bench.pad.answer(400, echo, bench.daemon)
        let changed = stored(note("n2", "ben.1"), tag: "t5", by: "ipad-2")
        bench.pad.answer(["records": [stored(note("n1"), tag: "t1"), changed]], bench.daemon)
        #expect(bench.savedNames == ["n1"])
        #expect(bench.answer()["deleted"] == ["n3"])
        #expect(bench.code(of: "n2") == 14)
        #expect(bench.pad.tokens(.handedBack) == ["maya.2"])
    }

    @Test("Retry: a hint is kept to, also when the network returns")
    func hint() throws {
        let bench = try RecordsBench()
        bench.modify([note("n1")], longLived: true)
        bench.pad.answer(503, ["serverErrorCode": "TRY_AGAIN_LATER", "reason": "test", "retryAfter": 60], bench.daemon)
        bench.daemon.observe(.networkReturned, bench.pad)
        bench.pad.advance(.seconds(59), bench.daemon)
        #expect(bench.pad.sent.isEmpty)
        bench.pad.advance(.seconds(17), bench.daemon)
        #expect(bench.pad.sent.map(\.task.attempt) == [1])
        #expect(bench.pad.posts.isEmpty)
    }

    @Test("Retry: pauses grow to two minutes and are drawn anew for each iPad")
    func backoff() {
        func pause(_ attempt: Int, _ device: String) -> Span {
            Backoff.pause(after: attempt, hint: nil, device: device, name: "w")
        }
        #expect(pause(0, "ipad-1") >= .seconds(1) && pause(0, "ipad-1") <= .milliseconds(1250))
        #expect(pause(3, "ipad-1") >= .seconds(8))
        #expect(pause(60, "ipad-1") >= .minutes(2) && pause(60, "ipad-1") <= .seconds(150))
        #expect(pause(3, "ipad-1") != pause(3, "ipad-2"))
        #expect(Backoff.pause(after: 0, hint: 1e300, device: "ipad-1", name: "w") <= .minutes(75))
    }

    @Test("Batch: refused in part for the moment, only that part is sent again")
    func partialRetry() throws {
        let bench = try RecordsBench()
        bench.modify([note("n1"), note("n2", "maya.2")], atomic: false, longLived: true)
        let answers: Value = [
            "records": [stored(note("n1"), tag: "t1"), refusal("n2", "TRY_AGAIN_LATER", retryAfter: 2)]
        ]
        bench.pad.answer(answers, bench.daemon)
        #expect(bench.pad.posts.isEmpty)
        bench.pad.advance(.seconds(3), bench.daemon)
        let request = bench.pad.answer(["records": [stored(note("n2", "maya.2"), tag: "t2")]], bench.daemon)
        #expect(request?.json["operations"]?.array?.map { $0["record"]?["recordName"]?.string } == ["n2"])
        #expect(bench.savedNames == ["n1", "n2"])
    }

    @Test(
        "Request id: the same over lost answers, refusals and a restart, another after an answer and for other content")
    func requestID() throws {
        var bench = try RecordsBench()
        func id(_ bench: RecordsBench) -> String? { bench.pad.sent.first?.request.headers["X-Homeroom-Request"] }
        bench.modify([note("n1")], policy: 1, longLived: true)
        let first = id(bench)
        #expect(first != nil)
        bench.pad.fail(.connectionLost, bench.daemon)
        bench.pad.advance(.seconds(5), bench.daemon)
        #expect(id(bench) == first)
        try bench.restart()
        #expect(id(bench) == first)
        bench.pad.answer(503, ["serverErrorCode": "TRY_AGAIN_LATER", "reason": "test"], bench.daemon)
        bench.pad.advance(.seconds(5), bench.daemon)
        #expect(
            id(bench) == first, "what the service refuses it has not seen; a try before it may have been carried out")
        bench.pad.answer(
            ["records": [["recordName": "n1", "serverErrorCode": "TRY_AGAIN_LATER", "reason": "test"]]], bench.daemon)
        bench.pad.advance(.seconds(5), bench.daemon)
        #expect(id(bench) != first && id(bench) != nil)
        bench.pad.answer(["records": [stored(note("n1"), tag: "t1")]], bench.daemon)
        bench.relaunch()
        bench.modify([note("n1", "maya.2")], policy: 1, op: "b", longLived: true)
        #expect(id(bench) != first && id(bench) != nil)
    }

    @Test("Order: writes of one zone wait for each other, reads do not")
    func order() throws {
        let bench = try RecordsBench()
        bench.modify([note("n1")], policy: 1, op: "first", longLived: true)
        bench.modify([note("n1", "maya.2")], policy: 1, op: "second", longLived: true)
        bench.post("ck.zoneChanges", ["zone": "Notes"], op: "third", longLived: true)
        #expect(bench.pad.sent.map(\.request.target).map { $0.hasSuffix("records/modify") } == [true, false])
        bench.pad.answer(["records": [stored(note("n1"), tag: "t1")]], bench.daemon)
        #expect(bench.pad.sent.map(\.cause) == ["ck/notebook/zoneChanges", "maya.2"])
    }

    @Test("Result: kept 24 h, then gone")
    func retention() throws {
        let bench = try RecordsBench()
        bench.modify([note("n1")], longLived: true)
        bench.pad.answer(["records": [stored(note("n1"), tag: "t1")]], bench.daemon)
        bench.pad.advance(.hours(23), bench.daemon)
        bench.post("ck.attach", ["op": "a"])
        #expect(bench.answer("ck.attach")["saved"] != nil)
        bench.pad.advance(.hours(2), bench.daemon)
        bench.post("ck.attach", ["op": "a"])
        #expect(bench.code("ck.attach") == 11)
        #expect(bench.longLived == [])
        bench.modify([note("n9")], longLived: true)
        #expect(bench.pad.sent.count == 1, "the name is free again")
    }

    @Test("Hand-over by a call: the answer says whether the journal has it, results come as after a post")
    func calledHandOver() throws {
        let bench = try RecordsBench()
        func handOver(_ name: String, exchange: Int64) -> Value? {
            let body: Value = [
                "container": .string(RecordsBench.container), "database": "private", "op": "a", "longLived": true,
                "exchange": .int(exchange), "zone": "Notes", "save": [note(name)], "delete": [], "policy": 0,
                "atomic": true,
            ]
            return bench.daemon.call(Message("ck.modify", body), from: bench.app, bench.pad)["kept"]
        }
        #expect(handOver("n1", exchange: 1) == true && handOver("n1", exchange: 2) == true)
        #expect(bench.pad.posts.isEmpty && bench.pad.tokens(.handedOver) == ["maya.1"])
        #expect(handOver("n2", exchange: 3) == false)
        #expect(bench.code() == 12 && bench.pad.posts.count == 1)
        bench.pad.answer(["records": [stored(note("n1"), tag: "t1")]], bench.daemon)
        #expect(bench.pad.posts.count == 3 && bench.savedNames == ["n1"])
    }

    @Test("Name: the same message attaches, another is refused")
    func names() throws {
        let bench = try RecordsBench()
        bench.modify([note("n1")], longLived: true)
        bench.modify([note("n1")], longLived: true)
        #expect(bench.pad.sent.count == 1 && bench.pad.posts.isEmpty)
        bench.modify([note("n2")], longLived: true)
        #expect(bench.code() == 12)
        bench.pad.answer(["records": [stored(note("n1"), tag: "t1")]], bench.daemon)
        #expect(bench.pad.posts.count == 3)
    }

    @Test(
        "Sweep: the answer of request N is lost, or the power fails after it, until the operation ends (391 items in two requests) (S211)"
    )
    func sweep() throws {
        for isPowerCut in [false, true] {
            for lost in 1...20 {
                var bench = try RecordsBench()
                let cloud = TinyCloud()
                bench.modify(
                    (0..<390).map { note("n\($0)", "maya.\($0)") }, delete: ["gone"], atomic: false, longLived: true)
                var count = 0
                while !bench.pending.isEmpty, count < 40 {
                    guard let request = bench.pad.takeRequest() else {
                        bench.pad.advance(.seconds(10), bench.daemon)
                        continue
                    }
                    count += 1
                    let response = cloud.answer(request.request)
                    if count != lost {
                        bench.daemon.reply(.response(response), to: request.task, bench.pad)
                    } else if isPowerCut {
                        try bench.restart(seed: UInt64(lost))
                    } else {
                        bench.daemon.reply(.failure(.connectionLost), to: request.task, bench.pad)
                    }
                }
                bench.relaunch(9)
                bench.post("ck.attach", ["op": "a"])
                #expect(bench.answer("ck.attach")["saved"]?.array?.count == 390, "request \(lost) lost")
                #expect(bench.answer("ck.attach")["errors"] == .empty)
                #expect(cloud.saves.count == 390 && cloud.saves.values.allSatisfy { $0 == 1 })
                if count < lost { break }
            }
        }
    }

    /// Lets the service answer until nothing is on its way.
    private func serve(_ cloud: TinyCloud, _ bench: RecordsBench) {
        while let request = bench.pad.takeRequest() {
            bench.daemon.reply(.response(cloud.answer(request.request)), to: request.task, bench.pad)
        }
    }
}
