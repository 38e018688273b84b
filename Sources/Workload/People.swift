import FleetModel

/// The workload as a participant: every person does the steps of the plan, one after another, and waits for each answer.
///
/// An iPad that never answers blocks nobody: a person waits for `Walker.patience` and goes on. Steps at an iPad where the person is
/// not signed in are skipped and counted, never sent: an edit must not end up in somebody else's session.
///
/// In a run that is split, whoever goes to an iPad of another part is handed over to it by a post of `handOver` to `people`, and goes on there.
public final class People: Participant {
    /// What became of the steps.
    public struct Counts: Hashable, Sendable {
        /// Commands that were sent to iPads, those of a retry too.
        public var sent = 0
        /// Commands that were answered without a refusal.
        public var done = 0
        /// Commands that were answered with a refusal or an error.
        public var refused = 0
        /// Commands whose answer did not come in time.
        public var givenUp = 0
        /// Steps that could not be tried.
        public var skipped = 0
    }
    /// Counts of this part of the run, up to the newest step.
    public private(set) var counts = Counts()
    /// What the last question was answered by; nil while one waits, and after one that was given up.
    package private(set) var lastAnswer: Message?

    /// How long a person waits for the answer of one command.
    private let patience: Span
    private let shard: Shard
    /// Of a person, or of a person at one iPad.
    private var walkers: [Walker]
    private var rooms: [Int: Room] = [:]
    /// Which walker waits for which answer.
    private var questions: [UInt64: Int] = [:]
    /// Questions that were given up; a late answer still tells who is signed in.
    private var late: [UInt64: (walker: Int, purpose: Walker.Purpose, pad: Int)] = [:]
    private var exchange: UInt64 = 0
    private var heap = WakeHeap()
    private var outputs: [Output] = []

    /// - Parameters:
    ///   - plan: lines of the workload tape in any order; each person's own are kept in the order of time.
    ///   - timeScale: virtual seconds a second of the machine, where iPads work in real time: nobody loses patience sooner for it.
    ///   - shard: the part of the run whose iPads can be reached from here.
    ///   - isOpen: an open load: what a person waits for at one iPad keeps nobody waiting at another one of theirs.
    public init(plan: [PlanStep], timeScale: Double = 1, shard: Shard = .whole, isOpen: Bool = false) {
        self.shard = shard
        patience = Walker.patience.scaled(by: min(max(timeScale, 1), 1e6))
        let ways = Dictionary(grouping: plan.enumerated()) { Way(person: $1.person, pad: isOpen ? $1.pad : 0) }
        walkers = ways.sorted { ($0.key.person, $0.key.pad) < ($1.key.person, $1.key.pad) }.map { way, steps in
            let own = steps.sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
            return Walker(person: way.person, steps: own.map(\.element))
        }
        for index in walkers.indices where isHere(index) { wake(index, at: walkers[index].step?.at) }
    }

    /// People whose steps come one by one, from a test that runs (`add`): they do exactly what a plan that held them would make them do.
    package init(oneByOne people: [Person]) {
        shard = .whole
        patience = Walker.patience
        walkers = people.sorted().map { Walker(person: $0, steps: []) }
    }
    /// One more step of a person, now or later; it is done in the step of that moment.
    package func add(_ step: PlanStep) {
        guard let index = walkers.firstIndex(where: { $0.person == step.person }) else { return }
        walkers[index].add(step)
        if walkers[index].waiting == nil, walkers[index].step == step { wake(index, at: step.at) }
    }

    /// Whose steps one walker does.
    private struct Way: Hashable {
        var person: Person
        /// 0: at all iPads.
        var pad: Int
    }

    /// Whether the person's next step is at an iPad of this part.
    private func isHere(_ index: Int) -> Bool { walkers[index].step.map { shard.holds($0.pad) } ?? true }

    /// No step is left and no answer is awaited.
    public var isDone: Bool { walkers.allSatisfy { $0.step == nil && $0.waiting == nil } }

    /// Takes answers, does what is due, and asks for the time of the next step.
    public func step(now: Instant, inputs: [Input], link: any CallLink) -> StepResult {
        outputs = []
        for input in inputs {
            guard case .post(let message) = input.payload else { continue }
            guard input.from != .people else {
                welcome(message, now: now)
                continue
            }
            take(message, exchange: input.exchange, from: input.from, now: now)
        }
        while let due = heap.first, due.at <= now {
            heap.removeFirst()
            guard walkers[due.person].wake == due.at else { continue }
            walkers[due.person].wake = nil
            giveUpIfDue(due.person, now: now)
            advance(due.person, now: now)
        }
        dropStale()
        return StepResult(outputs: outputs, nextTimer: heap.first?.at)
    }

    // MARK: Going on

    /// Does what can be done now, until the person waits for an answer or for a time.
    private func advance(_ index: Int, now: Instant) {
        while walkers[index].waiting == nil {
            guard isHere(index) else { return handOver(index) }
            let pad = walkers[index].step?.pad ?? 0
            switch walkers[index].decide(rooms[pad] ?? Room(), now: now) {
            case .finished: return wake(index, at: nil)
            case .wait(let until): return wake(index, at: until)
            case .skip:
                counts.skipped += 1
                walkers[index].stepDone()
            case .pass: walkers[index].stepDone()
            case .send(let purpose, let message): send(message, for: purpose, to: pad, index, now: now)
            }
        }
    }

    private func send(_ message: Message, for purpose: Walker.Purpose, to pad: Int, _ index: Int, now: Instant) {
        exchange += 1
        counts.sent += 1
        lastAnswer = nil
        questions[exchange] = index
        let deadline = now + patience
        walkers[index].waiting = .init(exchange: exchange, purpose: purpose, pad: pad, deadline: deadline)
        wake(index, at: deadline)
        if purpose == .signOut || purpose == .clear { rooms[pad, default: Room()].isLeaving = true }
        var cause = "\(walkers[index].person)/\(walkers[index].next)"
        if purpose == .perform, case .perform(let edit)? = walkers[index].step?.deed {
            cause = edit.token
            let note = Note(
                .invoked, person: edit.person, app: edit.app, tokens: [edit.token],
                detail: ["edit": edit.body, "pad": .int(pad)])
            outputs.append(Output(to: .people, .note(note)))
        }
        outputs.append(Output(to: .pad(pad), .command(message), exchange: exchange, cause: cause))
    }

    // MARK: Between the parts of a split run

    /// What a person is handed over by: `{person, next}`, the number of the first step that is not done.
    public static let handOver = "people.handOver"

    private func handOver(_ index: Int) {
        wake(index, at: nil)
        let body: Value = ["person": .string(walkers[index].person), "next": .int(walkers[index].next)]
        outputs.append(Output(to: .people, .post(Message(Self.handOver, body))))
    }
    /// Somebody comes from another part, or goes from one to another: whoever is further on knows better.
    private func welcome(_ message: Message, now: Instant) {
        guard message.name == Self.handOver, let person = message["person"]?.string,
            let next = message["next"]?.int.flatMap({ Int(exactly: $0) }),
            let index = walkers.firstIndex(where: { $0.person == person }), walkers[index].waiting == nil,
            walkers[index].goOn(from: next), isHere(index)
        else { return }
        advance(index, now: now)
    }

    private func wake(_ index: Int, at: Instant?) {
        walkers[index].wake = at
        if let at { heap.add(.init(at: at, person: index)) }
    }
    /// So that the next timer is one that somebody wants.
    private func dropStale() {
        while let first = heap.first, walkers[first.person].wake != first.at { heap.removeFirst() }
    }

    // MARK: Answers

    private func take(_ message: Message, exchange: UInt64, from: ParticipantID, now: Instant) {
        let isRefused = message["refused"] != nil || message["error"] != nil
        if let question = late[exchange], from == .pad(question.pad) {
            late[exchange] = nil
            return settle(question.purpose, of: question.walker, at: question.pad, isRefused: isRefused)
        }
        guard let index = questions[exchange], let waiting = walkers[index].waiting, from == .pad(waiting.pad) else {
            return
        }
        questions[exchange] = nil
        walkers[index].waiting = nil
        lastAnswer = message
        if isRefused { counts.refused += 1 } else { counts.done += 1 }
        // A backup is all that is kept of an iPad: the newest takes the place of the one before.
        if waiting.purpose == .backUp, !isRefused { walkers[index].backups = [message.body] }
        settle(waiting.purpose, of: index, at: waiting.pad, isRefused: isRefused)
        goOn(waiting.purpose, index, isRefused ? .refused : .ok, now: now)
        advance(index, now: now)
    }

    private func giveUpIfDue(_ index: Int, now: Instant) {
        guard let waiting = walkers[index].waiting, waiting.deadline <= now else { return }
        questions[waiting.exchange] = nil
        late[waiting.exchange] = (index, waiting.purpose, waiting.pad)
        walkers[index].waiting = nil
        counts.givenUp += 1
        rooms[waiting.pad, default: Room()].isLeaving = false
        switch waiting.purpose {
        case .open, .perform, .home: rooms[waiting.pad]?.front = nil
        case .signIn, .signInAgain, .clear, .signOut, .command, .backUp: break
        }
        goOn(waiting.purpose, index, .unanswered, now: now)
    }

    /// What an answer says about the iPad. A refused sign-out means that nobody is signed in.
    private func settle(_ purpose: Walker.Purpose, of index: Int, at pad: Int, isRefused: Bool) {
        let person = walkers[index].person
        var room = rooms[pad] ?? Room()
        switch purpose {
        case .signIn, .signInAgain:
            if !isRefused { room = Room(occupant: person) } else if room.occupant == person { room = Room() }
        case .clear: room = Room()
        case .signOut: if room.occupant == person { room = Room() }
        case .open(let app, _): if room.occupant == person { room.front = isRefused ? nil : app }
        case .home: if room.occupant == person { room.front = nil }
        case .command(let shows?): if room.occupant == person { room.front = isRefused ? nil : shows }
        case .command(nil), .backUp: break
        // After a refusal the app may be gone: the next edit opens it again.
        case .perform: if isRefused, room.occupant == person { room.front = nil }
        }
        rooms[pad] = room
    }

    private enum Outcome { case ok, refused, unanswered }

    /// What an outcome means for the person's present step.
    private func goOn(_ purpose: Walker.Purpose, _ index: Int, _ outcome: Outcome, now: Instant) {
        let pad = walkers[index].step?.pad ?? 0
        switch (purpose, outcome) {
        case (.signIn, .ok):
            walkers[index].signedIn(at: pad)
            walkers[index].stepDone()
        case (.signIn, _), (.clear, .unanswered):
            guard walkers[index].signInFailed(now: now) else { return }
            walkers[index].leave(pad, now: now)
            skip(index)
        // Refused: nobody was signed in any more, so the iPad is free.
        case (.clear, _): break
        case (.open(_, let planned), .ok): if planned { walkers[index].stepDone() }
        case (.open, _): if walkers[index].openFailed() { skip(index) }
        case (.signInAgain, .ok):
            walkers[index].signedIn(at: pad)
            walkers[index].signedInAgain()
        case (.signInAgain, _): walkers[index].leave(pad, now: now)
        case (.signOut, _), (.home, _), (.perform, _), (.command, _), (.backUp, _): walkers[index].stepDone()
        }
    }
    private func skip(_ index: Int) {
        counts.skipped += 1
        walkers[index].stepDone()
    }
}

extension People: Inspectable {
    /// `state`: where everybody is with their steps, and what they wait for.
    public func inspect(_ question: Message) -> Value? {
        guard question.name == "state" else { return nil }
        return [
            "people": .array(
                walkers.map { walker in
                    var body = walker.inspection
                    let pads = rooms.filter { $0.value.occupant == walker.person }.keys.sorted()
                    body["at"] = .array(pads.map { .string("ipad-\($0)") })
                    return body
                })
        ]
    }
}
