import FleetModel
import Testing

@testable import PadCore

@Suite("CloudKit operation: quality of service and timeouts", .timeLimit(.minutes(20)))
struct RecordsTimingTests {
    private func modify(_ bench: RecordsBench, _ more: Value, op: String = "a", longLived: Bool = false) {
        var body: Value = [
            "zone": "Notes", "save": [note("n1")], "delete": [], "policy": 0, "atomic": true,
        ]
        for pair in more.object?.pairs ?? [] { body[pair.key] = pair.value }
        bench.post("ck.modify", body, op: op, longLived: longLived)
    }

    @Test("Defaults: a request waits 60 s, an operation 7 days; both as the app says otherwise")
    func defaults() throws {
        #expect(OperationSettings.requestTimeout == .seconds(60))
        #expect(OperationSettings.resourceTimeout == .hours(168))
        let bench = try RecordsBench()
        modify(bench, .empty)
        modify(bench, ["requestTimeout": 2.5], op: "b")
        #expect(bench.pad.sent.map(\.timeout) == [.seconds(60), .milliseconds(2500)])
    }

    @Test(
        "Low quality of service: the system waits out the network and sends again, until the answer comes",
        arguments: ["utility", "background"])
    func waits(quality: String) throws {
        let bench = try RecordsBench()
        bench.pad.online = false
        modify(bench, ["qos": .string(quality)])
        #expect(bench.pad.posts.isEmpty && bench.pad.sent.isEmpty)
        bench.pad.online = true
        bench.daemon.observe(.networkReturned, bench.pad)
        let first = try #require(bench.pad.sent.first)
        bench.pad.fail(.connectionLost, bench.daemon)
        #expect(bench.pad.posts.isEmpty && bench.pad.sent.isEmpty)
        bench.pad.advance(.minutes(3), bench.daemon)
        let second = try #require(bench.pad.sent.first)
        #expect(second.request.headers["X-Homeroom-Request"] == first.request.headers["X-Homeroom-Request"])
        #expect(second.task.attempt > first.task.attempt)
        // The first try had been carried out: the retry meets itself.
        bench.pad.answer(["records": [refusal("n1", "EXISTS")]], bench.daemon)
        bench.pad.answer(["records": [stored(note("n1"), tag: "t1")]], bench.daemon)
        #expect(bench.savedNames == ["n1"] && bench.pad.tokens(.handedOver) == ["maya.1"])
        #expect(bench.daemon.nextWake == nil)
    }

    @Test(
        "Low quality of service: refusals of the service are the app's, and so is everything of the others",
        arguments: ["userInteractive", "userInitiated", "default", "utility"])
    func passesOn(quality: String) throws {
        let bench = try RecordsBench()
        modify(bench, ["qos": .string(quality)])
        bench.pad.answer(503, ["serverErrorCode": "TRY_AGAIN_LATER", "reason": "test", "retryAfter": 9], bench.daemon)
        #expect(bench.code() == 6)
        guard quality != "utility" else { return }
        modify(bench, ["qos": .string(quality)], op: "b")
        bench.pad.fail(.unreachable, bench.daemon)
        #expect(bench.code() == 3 && bench.daemon.nextWake == nil)
    }

    @Test(
        "Cancelled while the system waits out the network: nothing is sent when that is back; another launch's name is its own"
    )
    func cancelled() throws {
        let bench = try RecordsBench()
        bench.pad.online = false
        modify(bench, ["qos": "utility"])
        let other = bench.pad.launch("notebook", launch: 9)
        bench.post("ck.cancel", .empty, exchange: 0, from: other)
        #expect(bench.pad.posts.isEmpty)
        bench.post("ck.cancel", .empty, exchange: 0)
        #expect(bench.code() == 20 && bench.daemon.nextWake == nil)
        bench.pad.online = true
        bench.daemon.observe(.networkReturned, bench.pad)
        #expect(bench.pad.sent.isEmpty && bench.pad.posts.count == 1)
    }

    @Test("Resource timeout: over while the network is away, or after a lost answer: the error says what is known")
    func expires() throws {
        let bench = try RecordsBench()
        bench.pad.online = false
        modify(bench, ["qos": "utility", "resourceTimeout": 90])
        bench.pad.advance(.seconds(89), bench.daemon)
        #expect(bench.pad.posts.isEmpty)
        bench.pad.advance(.seconds(1), bench.daemon)
        #expect(bench.code() == 3 && bench.daemon.nextWake == nil)
        bench.pad.online = true
        modify(bench, ["qos": "utility", "resourceTimeout": 90], op: "b")
        bench.pad.fail(.connectionLost, bench.daemon)
        bench.pad.online = false
        bench.pad.advance(.seconds(90), bench.daemon)
        #expect(bench.code() == 34, "it may have happened")
        bench.pad.online = true
        bench.post("ck.lookup", ["zone": "Notes", "names": ["n1"], "resourceTimeout": 5], op: "c")
        let task = try #require(bench.pad.sent.first?.task)
        bench.pad.advance(.seconds(5), bench.daemon)
        #expect(bench.code("ck.lookup") == 4 && bench.pad.forgotten.contains(task))
        #expect(bench.pad.tokens(.handedOver).isEmpty)
    }

    @Test("Resource timeout of a long-lived operation: counted over a restart; the edits go back to the app")
    func longLivedExpires() throws {
        var bench = try RecordsBench()
        bench.pad.online = false
        modify(bench, ["resourceTimeout": 3600], longLived: true)
        modify(bench, .empty, op: "b", longLived: true)
        #expect(bench.pad.tokens(.handedOver).count == 2)
        bench.pad.advance(.minutes(59), bench.daemon)
        try bench.restart()
        bench.relaunch()
        #expect(bench.pad.tokens(.handedBack).isEmpty)
        bench.pad.advance(.minutes(1), bench.daemon)
        #expect(bench.pad.tokens(.handedBack) == ["maya.1"])
        bench.post("ck.attach", ["op": "a"])
        #expect(bench.code("ck.attach") == 34, "nobody knows what the life before the restart sent")
        #expect(bench.daemon.pending(of: "maya").contains { $0.what.contains("modify b") })
        bench.pad.advance(.hours(7 * 24), bench.daemon)
        bench.post("ck.attach", ["op": "b"])
        #expect(bench.code("ck.attach") == 34 && bench.pad.tokens(.handedBack).count == 2)
    }

    @Test("Throttled by the service: until its hint is over requests stay on the iPad, with 7 and what is left")
    func throttled() throws {
        let bench = try RecordsBench()
        modify(bench, .empty)
        bench.pad.answer(429, ["serverErrorCode": "THROTTLED", "reason": "test", "retryAfter": 30], bench.daemon)
        #expect(bench.code() == 6)
        bench.pad.advance(.seconds(10), bench.daemon)
        modify(bench, .empty, op: "b")
        #expect(bench.code() == 7 && bench.answer()["error"]?["retryAfter"]?.double == 20)
        bench.post("ck.lookup", ["zone": "Notes", "names": ["n1"]], op: "c")
        #expect(bench.code("ck.lookup") == 7 && bench.pad.sent.isEmpty)
        bench.pad.advance(.seconds(20), bench.daemon)
        modify(bench, .empty, op: "d")
        #expect(bench.pad.sent.count == 1)
    }

    @Test(
        "Settings: hostile, refused and nothing sent",
        arguments: [
            ["qos": "fast"], ["qos": 3], ["requestTimeout": 0], ["requestTimeout": -1], ["resourceTimeout": "x"],
        ] as [Value])
    func hostile(settings: Value) throws {
        let bench = try RecordsBench()
        modify(bench, settings)
        #expect(bench.answer()["error"]?["code"] == 22 && bench.pad.sent.isEmpty)
        modify(bench, ["resourceTimeout": 1e300, "requestTimeout": 1e300], op: "b")
        #expect(bench.pad.sent.count == 1)
    }
}
