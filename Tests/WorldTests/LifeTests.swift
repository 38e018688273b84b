import FleetModel
import Nemesis
import Testing

@testable import Run
@testable import World

private let pad = ParticipantID.pad(1)
private let app = ParticipantID.app(pad: 1, launch: 1)

/// What Docs/architecture.md says of lives: who is stepped, who is down, and what waits for whom.
@Suite("Lives", .timeLimit(.minutes(20))) struct LifeTests {
    /// A Pad that suspends and resumes its app by command.
    private func lifecycle(_ now: Instant, _ inputs: [Input], _ link: any CallLink) -> StepResult {
        let kinds: [String: Note.Kind] = ["suspend": .appSuspended, "resume": .appResumed]
        return StepResult(
            outputs: inputs.compactMap { input in
                kinds[input.payload.subject].map { Output(to: .people, .note(Note($0, detail: ["launch": 1]))) }
            })
    }
    /// Wakes of an app whose timer is due at 10 s, after commands to its Pad at these seconds.
    private func wakes(_ commands: [(at: Int64, name: String)]) throws -> [Instant] {
        let small = try SmallWorld()
        var wakes: [Instant] = []
        try small.add(pad, lifecycle)
        try small.add(app) { now, inputs, _ in
            if inputs.isEmpty { wakes.append(now) }
            return StepResult(nextTimer: inputs.isEmpty ? nil : .zero + .seconds(10))
        }
        small.poke(app)
        for (at, name) in commands {
            try small.world.run(until: .zero + .seconds(at))
            small.poke(pad, name)
        }
        try small.run(.minutes(2))
        return wakes
    }

    @Test("Suspended app: its timer does not step it; what fell due meanwhile steps it once when it resumes")
    func suspended() throws {
        #expect(try wakes([]) == [.zero + .seconds(10)])
        #expect(try wakes([(5, "suspend")]).isEmpty)
        #expect(try wakes([(5, "suspend"), (30, "resume")]) == [.zero + .seconds(30)])
        #expect(try wakes([(5, "suspend"), (7, "resume")]) == [.zero + .seconds(10)])
        #expect(
            try wakes([(5, "suspend"), (30, "resume"), (40, "suspend"), (50, "resume")]) == [.zero + .seconds(30)])
    }

    @Test("Reboot: an answer that is under way to the earlier life never reaches the next one")
    func answerUnderWay() throws {
        for outage in [Span.seconds(1), .minutes(1)] {
            let outcomes = ["response ipad-1 c 0": DeliveryOutcome(latency: .seconds(10)).body]
            let small = try SmallWorld(outcomes: outcomes)
            try small.add(pad) { _, inputs, _ in
                guard inputs.first?.payload.subject == "poke" else { return StepResult() }
                let request = Payload.request(HTTPRequest("GET", "/slow"))
                return StepResult(outputs: [Output(to: .cloud, request, exchange: 1, cause: "c")])
            }
            let answer = HTTPResponse(status: 200)
            try small.add(.cloud, replying { [Output(to: $0.from, .response(answer), exchange: $0.exchange)] })
            small.poke(pad)
            try small.run(.seconds(1))
            try small.world.perform(.reboot(pad: 1, outage: outage))
            try small.run(.minutes(2))
            #expect(small.received[.cloud] == ["GET /slow"])
            #expect(small.received[pad] == ["poke", "device.reboot", "device.boot"], "outage \(outage)")
        }
    }

    @Test(
        "Reboot: the answer to a request of the earlier life is not taken for that of the next one's, which has the same number"
    )
    func answerUnderTheSameNumber() throws {
        // The first request takes a minute to the Cloud, the second, of the next life, two.
        let small = try SmallWorld(outcomes: [
            "request ipad-1 first 0": DeliveryOutcome(latency: .minutes(1)).body,
            "request ipad-1 second 0": DeliveryOutcome(latency: .minutes(2)).body,
        ])
        var asked = 0
        try small.add(pad) { _, inputs, _ in
            guard inputs.first?.payload.subject == "poke" else { return StepResult() }
            asked += 1
            let request = Payload.request(HTTPRequest("GET", "/\(asked)"))
            return StepResult(outputs: [
                Output(to: .cloud, request, exchange: 1, cause: asked == 1 ? "first" : "second")
            ])
        }
        try small.add(
            .cloud,
            replying { [Output(to: $0.from, .response(HTTPResponse(status: 200)), exchange: $0.exchange)] })
        small.poke(pad)
        try small.run(.seconds(1))
        try small.world.perform(.reboot(pad: 1, outage: .seconds(1)))
        try small.run(.seconds(5))
        small.poke(pad)
        try small.run(.seconds(80))
        #expect(small.received[.cloud] == ["GET /1"])
        #expect(small.received[pad] == ["poke", "device.reboot", "device.boot", "poke"])
        try small.run(.minutes(2))
        #expect(small.received[.cloud] == ["GET /1", "GET /2"])
        #expect(small.received[pad] == ["poke", "device.reboot", "device.boot", "poke", "200"])
    }

    @Test("Push under way to the earlier life: void, too")
    func pushUnderWay() throws {
        let small = try SmallWorld(outcomes: ["push ipad-1 c 0": DeliveryOutcome(latency: .seconds(10)).body])
        try small.add(pad) { _, _, _ in StepResult() }
        try small.add(.cloud, replying { _ in [Output(to: pad, .push(Message("push")), cause: "c")] })
        small.poke(.cloud)
        try small.run(.seconds(1))
        try small.world.perform(.reboot(pad: 1, outage: .seconds(1)))
        try small.run(.minutes(2))
        #expect(small.received[pad] == ["device.reboot", "device.boot"])
    }

    @Test("Power cut: the last step tears the disk, its apps end with it, nothing is heard until the boot")
    func powerCut() throws {
        let small = try SmallWorld()
        try small.add(pad) { _, _, _ in StepResult() }
        for launch in 1...2 { try small.add(.app(pad: 1, launch: launch)) { _, _, _ in StepResult() } }
        try small.add(.app(pad: 2, launch: 1)) { _, _, _ in StepResult() }
        try small.world.perform(.powerCut(pad: 1, seed: 3, outage: .seconds(20)))
        #expect(small.received[pad] == ["device.powerCut"])
        #expect(!small.world.isAlive(pad) && small.world.liveApps(of: 1).isEmpty)
        #expect(small.world.liveApps(of: 2) == [.app(pad: 2, launch: 1)])
        try small.run(.seconds(19))
        #expect(!small.world.isAlive(pad))
        try small.run(.seconds(2))
        #expect(small.world.isAlive(pad) && small.received[pad] == ["device.powerCut", "device.boot"])
    }

    @Test("Commands of faults to an iPad that is down: after its boot, in their order")
    func whileDown() throws {
        let small = try SmallWorld()
        try small.add(pad) { _, _, _ in StepResult() }
        try small.world.perform(.reboot(pad: 1, outage: .seconds(20)))
        for name in ["first", "second"] { try small.world.perform(.command(pad, Message(name))) }
        try small.run(.seconds(10))
        #expect(small.received[pad] == ["device.reboot"])
        try small.run(.seconds(20))
        #expect(small.received[pad] == ["device.reboot", "device.boot", "first", "second"])
    }

    @Test("Kill: the newest live app of the iPad, and what is under way to it is void")
    func newest() throws {
        let small = try SmallWorld()
        try small.add(
            pad,
            replying { input in
                guard input.payload.subject == "poke" else { return [] }
                return (1...2).map { Output(to: .app(pad: 1, launch: $0), .post(Message("x"))) }
            })
        for launch in 1...2 { try small.add(.app(pad: 1, launch: launch)) { _, _, _ in StepResult() } }
        small.poke(pad)
        // The two posts are on their way now.
        _ = try small.world.runOne(until: .zero)
        try small.world.perform(.killApp(pad: 1, afterHops: 0, reason: .kill))
        try small.run()
        #expect(small.world.liveApps(of: 1) == [app])
        #expect(small.received[app] == ["x"] && small.received[.app(pad: 1, launch: 2)] == nil)
    }

    @Test("Launch and kill by the Pad: the app gets its name and the run's seed, and ends at once")
    func host() throws {
        var specs: [Value] = []
        let small = try SmallWorld(onStart: { id, spec in if id == app { specs.append(spec) } })
        try small.add(
            pad,
            replying { input in
                let isLaunch = input.payload.subject == "launch"
                let order: HostOrder =
                    isLaunch ? .launch(launch: 1, app: "notebook", spec: ["reason": "tap"]) : .kill(launch: 1)
                return [Output(to: pad, .host(order))]
            })
        small.poke(pad, "launch")
        try small.run(.seconds(1))
        #expect(small.world.isAlive(app) && specs == [["reason": "tap", "app": "notebook", "seed": 7]])
        small.poke(pad, "kill")
        small.poke(app)
        try small.run(.seconds(1))
        #expect(!small.world.isAlive(app) && small.received[app] == nil)
    }

    @Test("A participant that reports a problem ends the run as a harness error with its name")
    func problem() throws {
        let small = try SmallWorld()
        try small.add(pad) { _, _, _ in StepResult(problems: ["no room"]) }
        small.poke(pad)
        let problem = #expect(throws: RunEnd.self) { try small.run() }
        #expect(problem?.kind == .harness && problem?.message == "ipad-1 could not go on: no room")
    }

    @Test("Kill inside a call: what the iPad hears of a step with three posts and calls, by the hop (n = 1...9)")
    func killedInCall() throws {
        var heard: [Int] = []
        for hops in 1...9 {
            let small = try SmallWorld()
            try small.add(pad) { _, inputs, _ in
                StepResult(
                    outputs: inputs.compactMap { input in
                        guard case .call = input.payload else { return nil }
                        return Output(to: input.from, .answer(Message("yes")), exchange: input.exchange)
                    })
            }
            try small.add(app) { _, inputs, link in
                for _ in 0..<(inputs.isEmpty ? 0 : 3) {
                    _ = link.call(Message("ask"), after: [Output(to: pad, .post(Message("before")))])
                }
                return StepResult(outputs: [Output(to: pad, .post(Message("after")))])
            }
            try small.world.perform(.killApp(pad: 1, afterHops: hops, reason: .kill))
            small.poke(app)
            try small.run()
            heard.append(small.received[pad]?.count { $0 != "app.exited" } ?? 0)
        }
        // Hop 1 is the poke, then a post and a question by turns: a question that kills takes its posts along.
        #expect(heard == [0, 0, 0, 2, 2, 4, 4, 7, 7])
    }
}
