import FleetModel
import Testing

@testable import Workload

/// People with iPads that answer as a test says.
private final class Stage: CallLink {
    let people: People
    var now = Instant.zero
    var timer: Instant? = .zero
    private(set) var sent: [String] = []
    private(set) var invoked: [Token] = []
    /// Nil: no answer at all.
    var answer: (Int, Message, Instant) -> Value? = { _, _, _ in ["ok": true] }
    private var pending: [Input] = []

    /// Some of what was sent; fewer where less was sent.
    func sent(_ range: ClosedRange<Int>) -> [String] { Array(sent.dropFirst(range.lowerBound).prefix(range.count)) }

    init(_ plan: [PlanStep], isOpen: Bool = false) { people = People(plan: plan, isOpen: isOpen) }

    func call(_ message: Message, after posts: [Output]) -> Message? { nil }

    /// Runs until nothing is left to do; false when it does not end.
    @discardableResult
    func run(until end: Instant = at(100_000)) -> Bool {
        for _ in 0..<20_000 {
            if pending.isEmpty {
                guard let timer, timer <= end else { return true }
                now = max(now, timer)
            }
            let inputs = pending
            pending = []
            let result = people.step(now: now, inputs: inputs, link: self)
            timer = result.nextTimer
            if let timer { #expect(timer > now) }
            for output in result.outputs { take(output) }
        }
        return false
    }

    private func take(_ output: Output) {
        switch output.payload {
        case .note(let note): invoked += note.kind == .invoked ? note.tokens : []
        case .command(let message):
            guard case .pad(let pad) = output.to else { return }
            let what = message["token"]?.string ?? message["app"]?.string ?? message["person"]?.string ?? ""
            sent.append("\((now - .zero).nanoseconds / 1_000_000_000) ipad-\(pad) \(message.name) \(what)")
            guard let body = answer(pad, message, now) else { return }
            pending.append(Input(from: output.to, .post(Message(message.name, body)), exchange: output.exchange))
        default: break
        }
    }
}

private func edit(_ number: Int, _ person: Person = "maya", app: AppName = "quiz") -> PlanStep.Deed {
    .perform(
        Edit(
            token: "\(person).\(number)", person: person, app: app, action: "answer", item: "answer-1", verb: .put,
            value: EditPayload.text(token: "\(person).\(number)", "x")))
}
private func step(_ seconds: Int64, _ deed: PlanStep.Deed, _ person: Person = "maya", pad: Int = 1) -> PlanStep {
    PlanStep(at: at(seconds), person: person, pad: pad, deed)
}
private let day: [PlanStep] = [
    step(1, .signIn), step(5, .open("quiz")), step(10, edit(1)), step(12, edit(2)), step(20, .home), step(30, .signOut),
]

@Suite("People", .timeLimit(.minutes(20)))
struct PeopleTests {
    @Test("Plan: sent step by step at its time, edits are noted as invoked")
    func plain() {
        let stage = Stage(day)
        #expect(stage.run())
        #expect(
            stage.sent == [
                "1 ipad-1 person.signIn maya", "5 ipad-1 app.open quiz", "10 ipad-1 app.perform maya.1",
                "12 ipad-1 app.perform maya.2",
                "20 ipad-1 app.home ", "30 ipad-1 person.signOut ",
            ])
        #expect(stage.invoked == ["maya.1", "maya.2"])
        #expect(
            stage.people.isDone
                && stage.people.counts
                    == {
                        var c = People.Counts(); c.sent = 6; c.done = 6; return c
                    }()
        )
    }

    @Test("What happens to the iPad itself: sent as it is; a backup that was answered comes back whole")
    func commands() {
        var restored: Value?
        let link = Message("app.openURL", ["app": "quiz", "url": "quiz://seven"])
        let stage = Stage([
            step(1, .signIn), step(5, .command(link)), step(10, edit(1)), step(20, .backUp), step(30, .signOut),
            step(40, .signIn, pad: 2), step(50, .restore, pad: 2), step(60, .signOut, pad: 2),
        ])
        stage.answer = { _, message, _ in
            if message.name == "device.restore" { restored = message["backups"] }
            return message.name == "device.backup" ? ["ok": true, "files": ["a"]] : ["ok": true]
        }
        #expect(stage.run())
        // The app that the URL opened is in front: the edit needs no other way to it.
        #expect(stage.sent(1...2) == ["5 ipad-1 app.openURL quiz", "10 ipad-1 app.perform maya.1"])
        #expect(stage.sent.contains("50 ipad-2 device.restore maya"))
        #expect(restored?.array?.map { $0["files"] } == [["a"]])
    }

    @Test("Patience: nothing answers at all, everybody comes to an end (8 people)")
    func dead() throws {
        let scenario = try scenario(Sample.text.replacingOccurrences(of: "[maya, ben]", with: "8"))
        let stage = Stage(plan(scenario))
        stage.answer = { _, _, _ in nil }
        #expect(stage.run())
        #expect(stage.people.isDone && stage.invoked.isEmpty)
        #expect(stage.people.counts.givenUp > 0 && stage.people.counts.done == 0)
        #expect(stage.now < at(1_200))
    }

    @Test("Patience: an iPad dies in mid-period; the person abandons it, the next period is done elsewhere")
    func dies() {
        let next = [step(900, .signIn, pad: 2), step(905, .open("quiz"), pad: 2), step(910, edit(9), pad: 2)]
        let stage = Stage(day + next)
        stage.answer = { pad, _, now in pad == 1 && now >= at(10) ? nil : ["ok": true] }
        #expect(stage.run())
        #expect(stage.invoked == ["maya.1", "maya.9"])
        #expect(stage.people.isDone && stage.sent.last == "910 ipad-2 app.perform maya.9")
    }

    @Test("Open load: an iPad that is silent for a while keeps nobody waiting at the person's other one")
    func open() {
        let plan = [1, 2].flatMap { pad in
            [
                step(1, .signIn, pad: pad), step(1, .open("quiz"), pad: pad), step(20, edit(10 + pad), pad: pad),
                step(30, edit(20 + pad), pad: pad),
            ]
        }
        for isOpen in [false, true] {
            let stage = Stage(plan, isOpen: isOpen)
            stage.answer = { pad, _, now in pad == 1 && now == at(20) ? nil : ["ok": true] }
            #expect(stage.run())
            #expect(stage.people.isDone && Set(stage.invoked) == ["maya.11", "maya.12", "maya.21", "maya.22"])
            let sent = stage.sent.filter { $0.contains("ipad-2 app.perform") }
            // It is given up after a minute.
            let late = ["80 ipad-2 app.perform maya.12", "80 ipad-2 app.perform maya.22"]
            #expect(sent == (isOpen ? ["20 ipad-2 app.perform maya.12", "30 ipad-2 app.perform maya.22"] : late))
        }
    }

    @Test("Sign-in refused: tried again, then the steps there are skipped and nothing is invoked")
    func refusedSignIn() {
        let stage = Stage(
            day + [step(400, .signIn, pad: 2), step(405, .open("quiz"), pad: 2), step(410, edit(3), pad: 2)])
        stage.answer = { pad, _, _ in pad == 1 ? ["refused": "no free slot"] : ["ok": true] }
        #expect(stage.run())
        #expect(stage.sent.filter { $0.contains("ipad-1") }.allSatisfy { $0.contains("person.signIn") })
        #expect(stage.sent.count { $0.contains("ipad-1") } > 3)
        #expect(stage.invoked == ["maya.3"] && stage.people.counts.skipped == 6)
    }

    @Test(
        "Sign-in that nobody lets through: the person comes back every few minutes, and works on once they are in",
        arguments: [true, false])
    func comesBack(isSilent: Bool) {
        let edits = (1...10).map { step(Int64(100 * $0), edit($0)) }
        let stage = Stage([step(1, .signIn), step(1, .open("quiz"))] + edits, isOpen: true)
        stage.answer = { _, _, now in
            now > at(550) ? ["ok": true] : isSilent ? nil : ["refused": "offline"]
        }
        #expect(stage.run())
        #expect(stage.people.isDone && stage.invoked == ((isSilent ? 6 : 7)...10).map { "maya.\($0)" })
        #expect(stage.sent.allSatisfy { !$0.contains("app.perform") || $0.contains("ipad-1") })
        // Not at each edit: an iPad that lets nobody in is left alone for a while.
        #expect(stage.sent.count { $0.contains("person.signIn") } < 15)
    }

    @Test("Session lost for good, or taken by somebody else: the person comes back to the first, not to the second")
    func sessionLost() {
        let plan = [step(1, .signIn), step(1, .open("quiz"))] + (1...5).map { step(Int64(100 * $0), edit($0)) }
        func invoked(_ plan: [PlanStep]) -> [Token] {
            let stage = Stage(plan, isOpen: true)
            stage.answer = { _, _, now in at(90) < now && now < at(350) ? ["refused": "nobody"] : ["ok": true] }
            #expect(stage.run())
            return stage.invoked.filter { $0.hasPrefix("maya") }
        }
        #expect(invoked(plan) == ["maya.1", "maya.4", "maya.5"])
        #expect(invoked(plan + [step(380, .signIn, "ben")]) == ["maya.1"])
        #expect(invoked(plan + [step(60, .signOut)]) == [])
    }

    @Test("Sign-in late: the network comes back within two minutes, the day goes on")
    func lateSignIn() {
        let stage = Stage(day)
        stage.answer = { _, message, now in
            message.name == "person.signIn" && now < at(40) ? ["refused": "offline"] : ["ok": true]
        }
        #expect(stage.run())
        #expect(stage.invoked == ["maya.1", "maya.2"])
    }

    @Test("App gone: a refused edit makes the next one open the app again")
    func appGone() {
        let stage = Stage(day)
        stage.answer = { _, message, _ in message["token"] == "maya.1" ? ["refused": "not active"] : ["ok": true] }
        #expect(stage.run())
        #expect(
            stage.sent(2...4) == [
                "10 ipad-1 app.perform maya.1", "12 ipad-1 app.open quiz", "12 ipad-1 app.perform maya.2",
            ])
    }

    @Test("Session gone: the person signs in again and goes on")
    func sessionGone() {
        let stage = Stage(day)
        var isIn = true
        stage.answer = { _, message, now in
            if now == at(10) { isIn = false }
            if message.name == "person.signIn" { isIn = true }
            return isIn ? ["ok": true] : ["refused": "nobody is signed in"]
        }
        #expect(stage.run())
        #expect(
            stage.sent(2...6) == [
                "10 ipad-1 app.perform maya.1", "12 ipad-1 app.open quiz", "12 ipad-1 person.signIn maya",
                "12 ipad-1 app.open quiz",
                "12 ipad-1 app.perform maya.2",
            ])
    }

    @Test("Forgotten session: whoever comes next signs the previous person out, then in; nobody types into it")
    func forgotten() {
        let stage = Stage([
            step(1, .signIn), step(20, .signIn, "ben"), step(25, .open("quiz"), "ben"), step(26, edit(1, "ben"), "ben"),
            step(30, .open("quiz")), step(31, edit(1)),
        ])
        #expect(stage.run())
        #expect(stage.sent(1...2) == ["20 ipad-1 person.signOut ", "20 ipad-1 person.signIn ben"])
        #expect(stage.invoked == ["ben.1"] && stage.people.counts.skipped == 2)
    }

    @Test("Bell: the next person waits for a slow sign-out")
    func slowSignOut() {
        let stage = Stage([step(1, .signIn), step(10, .signOut), step(11, .signIn, "ben")])
        var waiting: [Value] = []
        stage.answer = { _, message, _ in
            if message.name != "person.signOut" { return ["ok": true] }
            waiting.append(["ok": true])
            return nil
        }
        stage.run(until: at(40))
        #expect(stage.sent.count == 2)
        #expect(stage.run() && stage.people.isDone)
        #expect(stage.sent.last?.contains("person.signIn ben") == false)
    }

    @Test("Late answer: a sign-in that was given up still tells who is signed in")
    func lateAnswer() {
        let people = People(plan: [step(1, .signIn), step(200, .open("quiz"))])
        let stage = Stage([])
        let first = people.step(now: at(1), inputs: [], link: stage)
        #expect(first.outputs.count == 1 && first.nextTimer == at(61))
        _ = people.step(now: at(61), inputs: [], link: stage)
        let answer = Input(
            from: .pad(1), .post(Message("person.signIn", ["ok": true])), exchange: first.outputs[0].exchange)
        _ = people.step(now: at(70), inputs: [answer], link: stage)
        var now = at(76)
        var sent: [Output] = []
        while now <= at(200) {
            let result = people.step(now: now, inputs: [], link: stage)
            sent += result.outputs
            guard let next = result.nextTimer else { break }
            now = next
        }
        #expect(sent.map(\.payload.subject) == ["app.open"])
    }

    @Test("Foreign messages: unknown exchanges, other iPads and odd payloads are ignored")
    func foreign() {
        let people = People(plan: day)
        let stage = Stage([])
        let first = people.step(now: at(1), inputs: [], link: stage)
        let odd = [
            Input(from: .pad(9), .post(Message("person.signIn", ["ok": true])), exchange: first.outputs[0].exchange),
            Input(from: .pad(1), .post(Message("x", .null)), exchange: 77), Input(from: .cloud, .push(Message("push"))),
        ]
        #expect(people.step(now: at(2), inputs: odd, link: stage).outputs.isEmpty)
        #expect(people.counts.done == 0)
    }
}
