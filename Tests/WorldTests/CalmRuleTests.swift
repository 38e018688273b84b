import FleetModel
import Nemesis
import Testing
import Trace

@testable import Run
@testable import World

private let pad = ParticipantID.pad(1)
private let app = ParticipantID.app(pad: 1, launch: 1)

/// What Docs/architecture.md says of calm: everything heals, nothing breaks any more, and what is outside the core stays away.
@Suite("Rules of calm", .timeLimit(.minutes(20))) struct CalmRuleTests {
    /// Nothing of the storm is left to happen.
    private func isCalm(_ prepare: (SmallWorld) throws -> Void) throws -> SmallWorld {
        let small = try SmallWorld()
        try small.add(pad) { _, _, _ in StepResult() }
        try small.add(app) { _, _, _ in StepResult() }
        try prepare(small)
        try small.world.healEverything()
        for _ in 1...5 { small.poke(app) }
        try small.run(.minutes(9))
        return small
    }

    @Test("A kill counted by messages that was not due in the storm: void")
    func countedKill() throws {
        let small = try isCalm { try $0.world.perform(.killApp(pad: 1, afterHops: 3, reason: .kill)) }
        #expect(small.world.isAlive(app) && small.received[app]?.count == 5)
    }

    @Test("A command counted by messages or wanted later: void; the same in the storm comes")
    func laterCommands() throws {
        let acts: [FaultAct] = [
            .commandAfterHops(pad: 1, hops: 3, Message("counted")),
            .commandLater(pad, after: .seconds(30), Message("later")),
        ]
        let small = try isCalm { small in for act in acts { try small.world.perform(act) } }
        #expect(small.received[pad] == nil)
        let storm = try SmallWorld()
        try storm.add(pad) { _, _, _ in StepResult() }
        try storm.add(app) { _, _, _ in StepResult() }
        for act in acts { try storm.world.perform(act) }
        for _ in 1...5 { storm.poke(app) }
        try storm.run()
        #expect(storm.received[pad] == ["counted", "later"])
    }

    @Test("A boot at the end of an outage: void, for the phases say who comes back")
    func boots() throws {
        let small = try isCalm { try $0.world.perform(.reboot(pad: 1, outage: .seconds(30))) }
        #expect(!small.world.isAlive(pad))
    }

    @Test("A fault that is active heals, its commands come; one that begins later never does")
    func heals() throws {
        let faults = [
            FaultSpec(id: "q", kind: "quota-exceeded", from: .zero, until: .zero + .minutes(5), pads: []),
            FaultSpec(
                id: "s", kind: "service-unavailable", from: .zero, until: .zero + .minutes(5), pads: [],
                parameters: ["probability": 1]),
        ]
        let small = try SmallWorld(faults: faults)
        try small.add(.cloud) { _, _, _ in StepResult() }
        small.world.scheduleFaults()
        try small.run(.seconds(1))
        #expect(small.received[.cloud] == ["cloud.quota"] && small.notes(.faultHealed).isEmpty)
        try small.world.healEverything()
        try small.run(.minutes(9))
        #expect(small.received[.cloud] == ["cloud.quota", "cloud.quota"])
        #expect(small.notes(.faultHealed).map(\.at) == [.zero + .seconds(1), .zero + .seconds(1)])
    }

    @Test("A fault that stays: at work in calm, on the iPads of the storm and on none that is new; it never heals")
    func stays() throws {
        let faults = [
            FaultSpec(id: "p", kind: "push-lost", from: .zero, until: FaultSpec.forever, pads: []),
            FaultSpec(id: "late", kind: "push-late", from: .zero, until: .zero + .minutes(5), pads: []),
        ]
        let small = try SmallWorld(faults: faults)
        for number in 1...3 { try small.add(.pad(number)) { _, _, _ in StepResult() } }
        try small.add(
            .cloud,
            replying { input in
                guard input.payload.subject == "poke" else { return [] }
                return (1...3).map { Output(to: .pad($0), .push(Message("push")), cause: "c") }
            })
        small.world.scheduleFaults()
        try small.run(.seconds(1))
        try small.world.healEverything()
        try small.run(.minutes(20))
        small.poke(.cloud)
        try small.run(.minutes(9))
        #expect(small.received[.pad(1)] == nil && small.received[.pad(2)] == nil && small.received[.pad(3)] == ["push"])
        #expect(small.notes(.faultBegan).map { $0.note.detail["stays"] } == [true, nil])
        #expect(small.notes(.faultHealed).map { $0.note.detail["id"] } == ["late"])
    }

    @Test("Network: iPads of the core and brand-new ones reach the Cloud, those outside the core do not (1 of 2 iPads)")
    func outside() throws {
        let small = try SmallWorld(core: [1])
        for number in 1...3 {
            try small.add(
                .pad(number),
                replying { input in
                    guard input.payload.subject == "poke" else { return [] }
                    let request = Payload.request(HTTPRequest("GET", "/\(number)"))
                    return [Output(to: .cloud, request, exchange: 1, cause: "c")]
                })
        }
        try small.add(.cloud) { _, _, _ in StepResult() }
        for number in 1...2 { small.poke(.pad(number)) }
        try small.run(.seconds(5))
        #expect(small.received[.cloud]?.sorted() == ["GET /1", "GET /2"])
        try small.world.healEverything()
        for number in 1...3 { small.poke(.pad(number)) }
        try small.run(.seconds(5))
        #expect(small.received[.cloud]?.dropFirst(2).sorted() == ["GET /1", "GET /3"])
    }

    /// A whole run of two iPads that answer everything, each with an item named after it.
    ///
    /// - Parameter pending: what the queue of iPad 1 holds for ever.
    private func played(core: [Int] = [1, 2], pending: Value = []) throws -> (
        history: [HistoryEvent], received: [ParticipantID: [String]]
    ) {
        let manifest = AppManifest(
            name: "notebook", bundleID: "com.example.notebook", infoPlist: .empty, actions: [], promises: [:],
            channel: .record)
        let plan = RunPlan(
            seed: 7, pads: 2, core: core, people: ["maya"], apps: [manifest], plan: [], faults: [],
            network: LinkModel(), storm: .minutes(1), calmBudget: .minutes(10))
        let nemesis = try Nemesis(specs: [], link: plan.network, pads: [1, 2], stormEnd: .zero + plan.storm)
        var received: [ParticipantID: [String]] = [:]
        let host = InProcessHost { id, _ in
            Scripted { _, inputs, _ in
                received[id, default: []] += inputs.map(\.payload.subject)
                return StepResult(
                    outputs: inputs.compactMap { input in
                        guard case .command(let message) = input.payload else { return nil }
                        let body: Value = [
                            "ok": true, "people": ["maya"], "pending": id == pad ? pending : [], "complete": true,
                            "accounts": ["maya"], "items": [["id": .string("on \(id)"), "kind": "note"]],
                        ]
                        return Output(to: input.from, .post(Message(message.name, body)), exchange: input.exchange)
                    })
            }
        }
        let recorder = Recorder(sink: nil)
        try World(plan: plan, nemesis: nemesis, host: host, recorder: recorder).run()
        return (recorder.history, received)
    }

    @Test("Final reading: the core, a brand-new iPad, the core once more, each in its phase")
    func readings() throws {
        var told: [String] = []
        for event in try played().history {
            if event.note.kind == .phase { told.append("phase \(event.note.detail["name"]?.string ?? "")") }
            guard event.note.kind == .read else { continue }
            let items = event.note.detail["items"]?.array?.compactMap { $0["id"]?.string } ?? []
            #expect(items == ["on \(event.from)"] && event.note.person == "maya" && event.note.app == "notebook")
            told.append("\(event.note.detail["reader"]?.string ?? "") \(event.from)")
        }
        #expect(
            told == [
                "phase storm", "phase calm", "phase reading-core", "core ipad-1", "core ipad-2", "phase reading-new",
                "new ipad-3", "phase reading-again", "again ipad-1", "again ipad-2",
            ])
    }

    @Test(
        "iPad outside the core: looked into when calm begins, then dead; nobody signs in or reads there (1 of 2 iPads)")
    func outsideStaysDead() throws {
        let (history, received) = try played(core: [1])
        #expect(received[.pad(2)] == ["device.boot", "pad.observe"])
        let readers = history.filter { $0.note.kind == .read }.map(\.from)
        #expect(readers == [.pad(1), .pad(3), .pad(1)])
        #expect(received[pad]?.contains("person.signIn") == true && received[.pad(3)]?.contains("app.read") == true)
    }

    @Test("Queues: what they hold when the budget is over is noted as pending, with whose it is and what it waits for")
    func pending() throws {
        let item: Value = ["person": "maya", "tokens": ["maya.1"], "what": "upload", "waitsFor": "network"]
        let history = try played(pending: [item]).history
        let noted = history.filter { $0.note.kind == .pending }
        #expect(noted.map(\.note.tokens) == [["maya.1"]] && noted.map(\.note.person) == ["maya"])
        #expect(noted.first?.from == pad && noted.first?.note.detail == ["what": "upload", "waitsFor": "network"])
        // The storm's minute, then the budget.
        #expect(noted.first.map { $0.at >= .zero + .minutes(11) } == true)
        let empty = try played().history
        #expect(!empty.contains { $0.note.kind == .pending })
        let calmEnds = empty.first { $0.note.detail["name"] == "reading-core" }
        #expect(calmEnds.map { $0.at < .zero + .minutes(11) } == true)
    }
}
