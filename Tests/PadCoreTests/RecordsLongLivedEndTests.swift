import FleetModel
import Testing

@testable import PadCore

@Suite("Long-lived CloudKit operation: refused, cancelled, out of time", .timeLimit(.minutes(20)))
struct RecordsLongLivedEndTests {
    @Test(
        "Refusal: stays open until the app has seen it and was suspended in order (dead, suspended or running before)",
        arguments: ["dead", "suspended", "running"])
    func untaken(app: String) throws {
        var bench = try RecordsBench()
        bench.modify([note("n1")], longLived: true)
        if app == "dead" { bench.pad.end(bench.app, bench.daemon) }
        if app == "suspended" { bench.pad.enter(.suspended, bench.app, bench.daemon) }
        bench.pad.answer(["records": [refusal("n1", "QUOTA_EXCEEDED")]], bench.daemon)
        #expect(bench.pad.tokens(.handedBack) == ["maya.1"])
        #expect(bench.pending.map(\.waitsFor) == ["the app to take it"])
        if app == "suspended" {
            // A second suspension of what never ran since shows nothing.
            bench.pad.enter(.suspended, bench.app, bench.daemon)
            #expect(bench.pending.count == 1)
            bench.pad.enter(.active, bench.app, bench.daemon)
        }
        if app == "dead" {
            try bench.restart()
            #expect(bench.pending.map(\.tokens) == [["maya.1"]], "after a power cut too")
            bench.relaunch()
            bench.post("ck.attach", ["op": "a"])
            #expect(bench.answer("ck.attach")["errors"]?["n1"]?["code"] == 25)
        }
        #expect(bench.pending.count == 1, "a kill may still come before the app has done anything about it")
        bench.pad.enter(.suspended, bench.app, bench.daemon)
        #expect(bench.pending.isEmpty)
        try bench.restart()
        #expect(bench.pending.isEmpty)
    }

    @Test(
        "Refusal: killed before it did anything about it, the app is told again; its next hand-over takes the refusal")
    func killedAfterRefusal() throws {
        var bench = try RecordsBench()
        bench.modify([note("n1")], longLived: true)
        bench.pad.answer(["records": [refusal("n1", "QUOTA_EXCEEDED")]], bench.daemon)
        bench.pad.end(bench.app, bench.daemon)
        #expect(bench.pending.map(\.tokens) == [["maya.1"]])
        bench.relaunch()
        bench.post("ck.attach", ["op": "a"])
        #expect(bench.pending.count == 1)
        bench.modify([note("n1", "maya.2")], op: "b", longLived: true)
        #expect(bench.pending.map(\.tokens) == [["maya.2"]], "only the new operation waits")
    }

    @Test("Full disk: a result that comes then is given to the app, and is in the journal when there is room")
    func fullDisk() throws {
        var bench = try RecordsBench()
        bench.modify([note("n1")], longLived: true)
        bench.modify([note("n2", "maya.2")], op: "b", longLived: true)
        let disk = try #require(bench.pad.volume(of: "maya")?.disk)
        disk.capacityBytes = disk.usedBytes
        bench.pad.answer(["records": [refusal("n1", "QUOTA_EXCEEDED")]], bench.daemon)
        bench.pad.answer(["records": [stored(note("n2", "maya.2"), tag: "t1")]], bench.daemon)
        bench.pad.end(bench.app, bench.daemon)
        bench.relaunch()
        #expect(bench.longLived.array?.map { $0["done"] } == [true, true])
        bench.post("ck.attach", ["op": "a"])
        #expect(bench.answer("ck.attach")["errors"]?["n1"]?["code"] == 25)
        bench.pad.enter(.suspended, bench.app, bench.daemon)
        #expect(bench.pending.isEmpty, "the app has it: nothing waits for 24 h")
        disk.capacityBytes = .max
        bench.pad.advance(.seconds(6), bench.daemon)
        try bench.restart()
        #expect(bench.pending.isEmpty && bench.pad.sent.isEmpty)
        bench.relaunch()
        #expect(bench.longLived.array?.map { $0["done"] } == [true, true])
    }

    @Test(
        "Cancelled: what waits is not sent, its edits are the app's again; the next one of the zone goes, but overtakes nothing",
        arguments: [true, false])
    func cancelled(isOnline: Bool) throws {
        var bench = try RecordsBench()
        bench.pad.online = isOnline
        bench.modify([note("n1")], longLived: true)
        bench.modify([note("n1", "maya.2")], op: "b", longLived: true)
        bench.post("ck.cancel", ["op": "a"], exchange: 0)
        #expect(bench.code() == 20 && bench.pad.tokens(.handedBack) == ["maya.1"])
        #expect(bench.daemon.queuedTokens(of: "maya").contains("maya.2"))
        bench.pad.online = true
        bench.daemon.observe(.networkReturned, bench.pad)
        func onTheirWay() -> [[Token]] { bench.pad.sent.map { EditPayload.scan($0.request.body).tokens } }
        if isOnline {
            #expect(onTheirWay() == [["maya.1"]], "it may still happen")
            bench.pad.fail(.connectionLost, bench.daemon)
        }
        #expect(onTheirWay() == [["maya.2"]])
        try bench.restart()
        bench.relaunch()
        bench.pad.advance(.minutes(5), bench.daemon)
        #expect(!bench.pad.sent.isEmpty)
        #expect(bench.pad.sent.allSatisfy { EditPayload.scan($0.request.body).tokens == ["maya.2"] })
    }

    @Test("Cancelled while its request waits for a new token: it is never sent, and the next one of the zone goes")
    func cancelledUnsent() throws {
        let bench = try RecordsBench()
        bench.modify([note("n1")], longLived: true)
        bench.modify([note("n1", "maya.2")], op: "b", longLived: true)
        bench.pad.isRenewing = true
        bench.post("ck.cancel", ["op": "a"], exchange: 0)
        #expect(bench.pad.sent.map(\.cause) == ["maya.2"])
    }

    @Test("Cancelled by a later launch: that one knows, and nothing waits for it to take a refusal")
    func cancelledLater() throws {
        var bench = try RecordsBench()
        bench.modify([note("n1")], longLived: true)
        bench.pad.end(bench.app, bench.daemon)
        bench.relaunch()
        bench.post("ck.cancel", ["op": "a"], exchange: 0)
        #expect(bench.pad.tokens(.handedBack) == ["maya.1"])
        bench.pad.enter(.suspended, bench.app, bench.daemon)
        #expect(bench.pending.isEmpty)
    }

    @Test("Time over while a request is on its way: the next one of the zone does not overtake it")
    func expiredOnItsWay() throws {
        let bench = try RecordsBench()
        bench.modify([note("n1")], longLived: true)
        bench.pad.advance(.hours(1), bench.daemon)
        bench.modify([note("n1", "maya.2")], op: "b", longLived: true)
        bench.pad.advance(.minutes(7 * 24 * 60 - 30), bench.daemon)
        #expect(bench.pad.tokens(.handedBack) == ["maya.1"])
        #expect(bench.pad.sent.map(\.cause) == ["maya.1"])
        bench.pad.answer(["records": [stored(note("n1"), tag: "t1")]], bench.daemon)
        #expect(bench.pad.sent.map(\.cause) == ["maya.2"])
    }
}
