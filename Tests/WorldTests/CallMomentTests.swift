import FleetModel
import Nemesis
import Testing

@testable import Run
@testable import World

private let pad = ParticipantID.pad(1)
private let app = ParticipantID.app(pad: 1, launch: 1)
private let other = ParticipantID.app(pad: 1, launch: 2)

/// An app that syncs three times in one step, after it has posted something, and then writes.
private func syncing(_ progress: @escaping (Int) -> Void) -> Scripted.Body {
    { _, inputs, link in
        guard !inputs.isEmpty else { return StepResult() }
        for number in 1...3 {
            guard link.call(Message("file.sync"), after: [Output(to: pad, .post(Message("ck.modify")))]) != nil else {
                return StepResult(outputs: [Output(to: pad, .post(Message("ghost")))])
            }
            progress(number)
        }
        return StepResult(outputs: [Output(to: pad, .post(Message("kvs.set")))])
    }
}

@Suite("After the nth call of a name", .timeLimit(.minutes(20))) struct CallMomentTests {
    private func world(_ act: FaultAct, _ progress: @escaping (Int) -> Void = { _ in }) throws -> SmallWorld {
        let small = try SmallWorld()
        try small.add(pad, answering)
        try small.add(app, syncing(progress))
        try small.add(other) { _, _, _ in StepResult() }
        try small.world.perform(act)
        small.poke(app)
        try small.run(.seconds(1))
        return small
    }

    @Test(
        "Kill: the iPad has done the nth, and its app neither hears of it nor does more (n = 1...4)", arguments: 1...4)
    func kill(nth: Int) throws {
        var got = 0
        let small = try world(
            .afterCall(pad: 1, name: "file.sync", nth: nth, .killApp(pad: 1, afterHops: 0, reason: .kill))
        ) {
            got = $0
        }
        let seen = small.received[pad] ?? []
        #expect(seen.count { $0 == "file.sync" } == min(nth, 3))
        #expect(got == min(nth - 1, 3) && !seen.contains("ghost"))
        #expect(small.world.isAlive(app) == (nth > 3) && seen.contains("app.exited") == (nth <= 3))
        // The caller dies, not the newest.
        #expect(small.world.isAlive(other))
        #expect(small.world.marks == (nth <= 3 ? ["app-killed"] : []))
    }

    @Test("A post counts as a call does; other names and other iPads do not")
    func names() throws {
        let kill = FaultAct.killApp(pad: 1, afterHops: 0, reason: .crash)
        let posted = try world(.afterCall(pad: 1, name: "kvs.set", nth: 1, kill))
        #expect(!posted.world.isAlive(app) && posted.received[pad]?.contains("kvs.set") == true)
        #expect(posted.world.marks == ["app-crashed"])
        let second = try world(.afterCall(pad: 1, name: "ck.modify", nth: 2, kill))
        #expect(
            second.received[pad]?.filter { $0 != "app.exited" } == ["ck.modify", "file.sync", "ck.modify", "file.sync"])
        #expect(try world(.afterCall(pad: 1, name: "file.write", nth: 1, kill)).world.isAlive(app))
        #expect(try world(.afterCall(pad: 2, name: "file.sync", nth: 1, kill)).world.isAlive(app))
    }

    @Test("Power cut: the iPad does the nth, tears its disk, is gone with its apps, and comes back")
    func powerCut() throws {
        let cut = FaultAct.powerCut(pad: 1, seed: 9, outage: .seconds(20))
        let small = try world(.afterCall(pad: 1, name: "file.sync", nth: 2, cut))
        #expect(
            small.received[pad] == ["ck.modify", "file.sync", "ck.modify", "file.sync", "device.powerCut"])
        #expect(![pad, app, other].contains(where: small.world.isAlive))
        try small.run(.seconds(30))
        #expect(small.world.isAlive(pad) && small.received[pad]?.last == "device.boot")
    }

    @Test("A boot and calm forget what has not come")
    func forgotten() throws {
        for forget in [
            { (small: SmallWorld) in try small.world.healEverything() },
            { small in
                small.world.end(pad)
                try small.world.boot(pad)
            },
        ] {
            let small = try SmallWorld()
            try small.add(pad, answering)
            try small.add(app, syncing { _ in })
            let kill = FaultAct.killApp(pad: 1, afterHops: 0, reason: .kill)
            try small.world.perform(.afterCall(pad: 1, name: "file.sync", nth: 1, kill))
            try forget(small)
            small.poke(app)
            try small.run(.seconds(1))
            #expect(small.world.isAlive(app))
        }
    }
}

@Suite("Duplicates", .timeLimit(.minutes(20))) struct DuplicateTests {
    @Test("A doubled request reaches the Cloud twice, the second time later; undoubled once", arguments: [1.0, 0])
    func request(probability: Double) throws {
        let fault = FaultSpec(
            id: "d", kind: "duplicate", from: .zero, until: .zero + .minutes(5), pads: [1],
            parameters: ["probability": .double(probability), "delay": "2s"])
        let small = try SmallWorld(faults: [fault])
        var arrivals: [Instant] = []
        try small.add(.cloud) { now, inputs, _ in
            arrivals += inputs.map { _ in now }
            return StepResult()
        }
        try small.add(
            pad,
            replying { input in
                guard case .command = input.payload else { return [] }
                let request = HTTPRequest("POST", "/kvs/v1/store/sync", body: [1])
                return [Output(to: .cloud, .request(request), exchange: 5, cause: "maya.1")]
            })
        small.world.scheduleFaults()
        try small.run(.seconds(1))
        small.poke(pad)
        try small.run(.seconds(60))
        #expect(arrivals.count == (probability == 1 ? 2 : 1))
        #expect(zip(arrivals, arrivals.dropFirst()).allSatisfy { $0 < $1 && $1 - $0 <= .seconds(2) })
        #expect(small.world.marks == (probability == 1 ? ["request-duplicated"] : []))
    }
}
