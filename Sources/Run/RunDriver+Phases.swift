import FleetModel
import Nemesis

/// A run from beginning to end: storm, calm, final reading (Docs/architecture.md, Phases).
extension RunDriver {
    /// Longest virtual time for one command to a Pad in calm; a first sign-in over a slow network is the longest.
    private var patience: Span { max(.minutes(3), real(.minutes(1))) }
    /// What needs so long in real time needs in virtual time.
    func real(_ span: Span) -> Span {
        timeScale <= 1 ? .zero : span.scaled(by: timeScale)
    }

    /// Plays the whole plan. What was found is in the recorder's history.
    /// - Throws: `RunEnd.harness` or `TraceProblem`; then nothing is said about the app.
    package func play() throws {
        try open()
        try storm()
        try calm()
        try read()
    }

    /// Starts everybody and begins the storm: for a test that does by hand what a plan and faults do elsewhere.
    package func beginStorm() throws {
        try open()
        try phase("storm")
        try wakePeople()
    }
    /// Ends a storm that was begun by hand, and plays the rest of the run.
    package func playRest() throws {
        end(.people)
        try calm()
        try read()
    }

    /// Plays the storm and ends with it: for who measures, and judges nothing.
    package func playStorm() throws {
        try open()
        try storm()
    }

    /// Writes the tapes and starts everybody.
    package func open() throws {
        for step in plan.plan { try recorder.plan(step) }
        for fault in plan.faults { try recorder.fault(fault) }
        for app in plan.apps { try declare(app) }
        try bootAll()
    }

    private func declare(_ app: AppManifest) throws {
        var detail = app.body
        detail["infoPlist"] = nil
        detail["purgeable"] = .bool(app.isPurgeable)
        try noteOfRun(Note(.appDeclared, app: app.name, channel: app.channel, detail: detail))
    }

    /// iPads of the storm, and those of them that heal, as far as they are played here.
    private var storming: [Int] { (1...max(plan.pads, 1)).filter { $0 <= plan.pads && shard.holds($0) } }
    var core: [Int] { plan.core.filter(shard.holds) }

    private func bootAll() throws {
        try start(.cloud, spec: plan.cloudSpec)
        let people: Value = [
            "plan": .array(plan.plan.map(\.body)), "timeScale": .double(timeScale), "shard": .string("\(shard)"),
            "isOpen": .bool(plan.isOpenLoad),
        ]
        try start(.people, spec: people)
        for pad in storming { try boot(.pad(pad)) }
        scheduleFaults()
    }

    /// People work and faults act, for the planned time.
    private func storm() throws {
        try phase("storm")
        try wakePeople()
        try run(until: .zero + plan.storm)
        end(.people)
    }

    // MARK: Calm

    /// Faults heal, the core comes back, everybody with something waiting signs in once where it waits, and the clock runs
    /// until nothing is pending or the budget ends.
    private func calm() throws {
        try phase("calm")
        try healEverything()
        let outside = storming.filter { !plan.core.contains($0) }
        // Those that are down come up to be looked into; the network ends at them from now on (Routing).
        for pad in outside { try boot(.pad(pad)) }
        try run(until: now)
        try observe(outside)
        for pad in outside { switchOff(pad) }
        try boot(.cloud)
        for pad in core { try boot(.pad(pad)) }
        try requireHealth()
        // A request that was lost for good is given up after a minute of real time.
        var patience = QueuePatience(
            now: now, budget: plan.calmBudget, pause: real(.seconds(90)), most: real(.minutes(15)))
        try run(until: min(patience.end, now + .seconds(5)))
        try visit(core, people: { try self.residents(of: $0) })
        var waiting = try waiting()
        while try meet("nothing waits", patience.goesOn(waiting, now: now)) {
            try run(until: min(patience.end, now + .seconds(30)))
            try visitAgain(waiting)
            waiting = try self.waiting()
        }
        if !waiting.isEmpty { try requireHealth() }
        if let reason = patience.doubt(waiting) { throw RunEnd.inconclusive(reason) }
        for (pad, items) in waiting {
            for item in items {
                try note(
                    Note(
                        .pending, person: item["person"]?.string, tokens: item["tokens"]?.strings ?? [],
                        detail: ["what": item["what"] ?? "?", "waitsFor": item["waitsFor"] ?? "?"]), from: .pad(pad))
            }
        }
    }

    /// iPads of the core with something in their queues.
    private func waiting() throws -> [QueuePatience.Held] {
        // All look at one moment: what one part still moves may come to wait in another.
        _ = try meet("a look at the queues", false)
        return try pending(core).filter { !$0.items.isEmpty }
    }

    /// What an app has to take it takes only when it runs: whoever it belongs to comes back to the iPad.
    private func visitAgain(_ waiting: [QueuePatience.Held]) throws {
        let visitors = waiting.map { pad, items in
            let names = items.filter { $0["isForApp"]?.bool == true }.compactMap { $0["person"]?.string }
            return (pad: pad, people: plan.people.filter(names.contains))
        }
        .filter { !$0.people.isEmpty }
        try visit(visitors.map(\.pad), people: { pad in visitors.first { $0.pad == pad }?.people ?? [] })
    }

    /// What the Pads' queues still hold.
    private func pending(_ pads: [Int]) throws -> [QueuePatience.Held] {
        try learn(PadCommand.ListPending().message, of: pads).map { ($0, $1["pending"]?.array ?? []) }
    }

    /// People whose data lies on a Pad.
    func residents(of pad: Int) throws -> [Person] {
        let known = Set(try learn(PadCommand.ListPeople().message, of: [pad]).first?.answer["people"]?.strings ?? [])
        return plan.people.filter(known.contains)
    }

    // MARK: Asking

    /// Sends commands to Pads at one moment and runs until all have answered or patience ends.
    @discardableResult
    func ask(_ questions: [(pad: Int, message: Message)]) throws -> [(pad: Int, answer: Message?)] {
        let exchanges = questions.map { send($0.message, to: .pad($0.pad)) }
        try run(until: now + patience, orAnswersTo: exchanges)
        return zip(questions, exchanges).map { ($0.pad, takeAnswer(to: $1)) }
    }
    func ask(_ id: ParticipantID, _ message: Message) throws {
        _ = try answer(of: id, to: message)
        try run(until: now)
    }
    func answer(of id: ParticipantID, to message: Message) throws -> Message? {
        let exchange = send(message, to: id)
        try run(until: now + patience, orAnswersTo: [exchange])
        return takeAnswer(to: exchange)
    }

    /// Asks iPads for what the judgement rests on.
    /// - Throws: `RunEnd.inconclusive` when one does not answer: what it holds is not known, and so nothing is lost.
    func learn(_ message: Message, of pads: [Int]) throws -> [(pad: Int, answer: Message)] {
        try ask(pads.map { ($0, message) }).map { pad, answer in
            if let answer { return (pad, answer) }
            throw RunEnd.inconclusive(
                "ipad-\(pad) does not answer \(message.name): the machine may be too slow for so many iPads at this speed"
            )
        }
    }

    func observe(_ pads: [Int]) throws {
        for pad in pads where isAlive(.pad(pad)) {
            _ = try learn(PadCommand.Observe().message, of: [pad])
            try run(until: now)
        }
    }
    /// Everybody is done with the phase before when a phase begins, and it has begun when somebody acts in it.
    func phase(_ name: String) throws {
        _ = try meet(name, false)
        try noteOfRun(Note(.phase, detail: ["name": .string(name)]))
        _ = try meet("\(name) has begun", false)
    }
}
