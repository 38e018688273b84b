import DequeModule
import FleetModel
import Nemesis
import Run
import Trace

/// Owns the virtual clock, one heap, the links and the nemesis. Pops an event, steps one participant, routes its outputs.
///
/// Every message passes here: the trace is written in one place and faults are injected in one place. What happens here is a
/// function of the plan and the participants; the host only says where they run.
public final class World {
    /// More hops than this of one iPad in one instant are a loop between participants.
    static let hopsPerInstantMax = 10_000

    /// What is played. A test that breaks things while it runs adds their faults.
    public internal(set) var plan: RunPlan
    let host: any Host
    package let recorder: Recorder
    package var nemesis: Nemesis
    /// Virtual time: of the event that is being handled, or of the last one.
    public internal(set) var now = Instant.zero
    var queue = EventQueue()
    /// Posts of this instant, first in, first out, before the heap advances.
    var hops = Deque<Delivery>()
    private var thisInstant = InstantCounts()
    /// Lives of participants: raised at each start; absent or dead means that messages are dropped.
    var lives: [ParticipantID: Life] = [:]
    var requests = RequestsUnderWay()
    /// How often each link and cause was used: the third part of a draw's key.
    var attempts = AttemptCounter()
    /// What is due after so many more hops of an iPad's apps.
    var countedHops: [Int: HopCounter] = [:]
    /// What is due after so many more calls of a name, by iPad.
    var countedCalls: [Int: CallCounter] = [:]
    /// Answers to commands that the phases wait for.
    var answers: [UInt64: Message] = [:]
    var nextExchange: UInt64 = 1 << 40
    package var book = MarkBook()
    var saves = SaveWatch()
    /// Names of the marks that were reached so far.
    public var marks: Set<String> { book.names }
    /// Commands to iPads that are down.
    var afterBoot: [ParticipantID: [Message]] = [:]
    /// Calm has begun: nothing breaks any more.
    var isCalm = false
    /// Called at the beginning and at the end of each step: a worker's pulse, odd while a participant's code runs.
    public var onEvent: (() -> Void)?

    /// Called when something has happened and nothing of it is left half-done: there a run can be looked at, changed and forked.
    package var onTurn: (() throws -> Void)?

    /// What has happened in one instant, by iPad; 0 for what concerns none.
    private struct InstantCounts {
        var hops: [Int: Int] = [:]
        var calls: [Int: Int] = [:]
        mutating func begin() {
            hops.removeAll(keepingCapacity: true)
            calls.removeAll(keepingCapacity: true)
        }
    }
    struct Life {
        var number: Int
        var isAlive: Bool
        var timer: Instant?
        var generation: UInt64
        var entropy: UInt64
        /// A suspended app is not stepped by its timers; one that fell due is made up for when it resumes.
        var isSuspended = false
        var isTimerDue = false
    }

    /// - Parameters:
    ///   - nemesis: the faults of the plan, none of them begun.
    ///   - recorder: gets each delivered message, note and outcome, in their order.
    public init(plan: RunPlan, nemesis: Nemesis, host: any Host, recorder: Recorder) {
        self.plan = plan
        self.nemesis = nemesis
        self.host = host
        self.recorder = recorder
    }

    // MARK: The loop

    /// Runs everything that happens up to and including `end`.
    public func run(until end: Instant) throws {
        while try runOne(until: end) {}
        if end > now { startInstant(end) }
    }

    /// One event; false when nothing is left before `end`.
    func runOne(until end: Instant) throws -> Bool {
        guard try takeTurn(until: end) else { return false }
        try onTurn?()
        return true
    }
    private func takeTurn(until end: Instant) throws -> Bool {
        if let hop = hops.popFirst() {
            let pad = hop.to.pad ?? hop.from.pad ?? 0
            let count = thisInstant.hops[pad, default: 0] + 1
            thisInstant.hops[pad] = count
            guard count <= Self.hopsPerInstantMax else { throw loop(hop) }
            try deliver(hop)
            return true
        }
        guard let next = queue.next, next <= end, let (at, happening) = queue.pop() else { return false }
        guard at >= now else {
            throw RunEnd.harness("an event of \(at) comes at \(now), though time does not go back: \(happening)")
        }
        if at > now { startInstant(at) }
        switch happening {
        case .arrival(let delivery): try deliver(delivery)
        case .timer(let id, let generation):
            guard let life = lives[id], life.isAlive, life.generation == generation else { break }
            if life.isSuspended {
                lives[id]?.isTimerDue = true
                break
            }
            lives[id]?.timer = nil
            try step(id, [])
        case .faultBegins(let index): try faultBegins(index)
        case .faultHeals(let index): try faultHeals(index)
        case .laterCommand(let id, let message): if !isCalm { command(id, message) }
        // In calm the World itself says who comes back.
        case .boot(let id): if !isCalm { try boot(id) }
        }
        return true
    }

    func startInstant(_ instant: Instant) {
        now = instant
        thisInstant.begin()
    }

    private func loop(_ hop: Delivery) -> RunEnd {
        RunEnd.harness(
            "more than \(Self.hopsPerInstantMax) messages at \(now) without time passing: \(hop.from) and \(hop.to) "
                + "answer each other for ever with \(hop.payload.subject)")
    }
    /// An app's step may call as often as it likes, but not for ever: no time passes while it runs.
    private func count(_ call: Message, of pad: Int, from id: ParticipantID) throws {
        let count = thisInstant.calls[pad, default: 0] + 1
        thisInstant.calls[pad] = count
        guard count > plan.maxCallsPerInstant else { return }
        throw RunEnd.inconclusive(
            "\(id) was spinning at \(now): more than \(plan.maxCallsPerInstant) calls in one instant, the last \(call.name); wait with "
                + "Task.sleep or a notification, for no time passes in a loop; if it has to call so often, raise limits: "
                + "maxCallsPerInstant")
    }

    // MARK: Lives

    package func start(_ id: ParticipantID, spec: Value) throws {
        try host.start(id, spec: spec)
        let number = (lives[id]?.number ?? 0) + 1
        lives[id] = Life(number: number, isAlive: true, timer: nil, generation: UInt64(number) << 32, entropy: 0)
    }
    package func isAlive(_ id: ParticipantID) -> Bool { lives[id]?.isAlive ?? false }

    /// Ends a participant without notice to anybody.
    package func end(_ id: ParticipantID) {
        host.kill(id)
        lives[id]?.isAlive = false
    }

    // MARK: Steps

    /// Delivers one message: the step of its receiver, the trace line, the routing of what follows.
    func deliver(_ delivery: Delivery) throws {
        if delivery.to == .people, delivery.exchange >= 1 << 40, case .post(let message) = delivery.payload {
            answers[delivery.exchange] = message
            return try trace(delivery)
        }
        guard let life = lives[delivery.to], life.isAlive, life.number == delivery.life ?? life.number else {
            if case .request = delivery.payload { refuse(delivery) }
            return
        }
        if try killIfDue(before: delivery) { return }
        let input = Input(from: delivery.from, delivery.payload, exchange: delivery.exchange)
        requests.serve(delivery)
        try step(delivery.to, [input], tracing: delivery)
        try doWhatIsDue(after: [delivery], of: delivery.from)
    }

    /// Steps a participant and absorbs what follows; `tracing` is the message that caused it.
    func step(_ id: ParticipantID, _ inputs: [Input], tracing delivery: Delivery? = nil) throws {
        onEvent?()
        let result: StepResult
        do {
            defer { onEvent?() }
            result = try host.step(id, now: now, inputs: inputs) { [self] message, posts in
                serve(message, posts, from: id)
            }
        } catch {
            // What the machine did is no part of the run.
            if case .machineFailed = error { return try ended(id, error) }
            if let delivery { try trace(delivery) }
            return try ended(id, error)
        }
        if let callFailure {
            self.callFailure = nil
            throw callFailure
        }
        lives[id]?.entropy = result.entropy
        if let delivery { try trace(delivery) }
        if let end = result.end { return try ended(id, ParticipantEnd(end)) }
        try absorb(result, from: id)
    }

    func absorb(_ result: StepResult, from id: ParticipantID) throws {
        guard result.problems.isEmpty else {
            throw RunEnd.harness("\(id) could not go on: " + result.problems.joined(separator: "; "))
        }
        setTimer(of: id, at: result.nextTimer)
        for output in result.outputs { try route(output, from: id) }
    }

    private func setTimer(of id: ParticipantID, at: Instant?) {
        guard var life = lives[id], life.timer != at else { return }
        life.timer = at
        life.generation += 1
        lives[id] = life
        if let at { queue.add(.timer(id, generation: life.generation), at: max(at, now)) }
    }

    func trace(_ delivery: Delivery) throws {
        try recorder.event(
            TracedEvent(
                at: now, from: delivery.from, to: delivery.to, payload: delivery.payload, exchange: delivery.exchange,
                entropy: lives[delivery.to]?.entropy ?? 0))
    }

    /// A problem that came up inside a call; a step of the caller cannot throw it through app code.
    var callFailure: (any Error)?

    /// A synchronous call of an app: its posts so far reach the Pad first, then the question; nil kills the caller here.
    private func serve(_ message: Message, _ posts: [Output], from id: ParticipantID) -> Message? {
        guard case .app(let pad, _) = id, callFailure == nil else { return nil }
        do {
            try count(message, of: pad, from: id)
            return try answer(message, posts, from: id, pad: .pad(pad))
        } catch {
            callFailure = error
            return nil
        }
    }

    private func answer(_ message: Message, _ posts: [Output], from id: ParticipantID, pad: ParticipantID) throws
        -> Message?
    {
        guard let padLife = lives[pad], padLife.isAlive else { return nil }
        nextExchange += 1
        let question = nextExchange
        var deliveries = posts.filter { $0.to == pad }.map {
            Delivery(from: id, to: pad, payload: $0.payload, exchange: $0.exchange, cause: "", life: padLife.number)
        }
        deliveries.append(
            Delivery(from: id, to: pad, payload: .call(message), exchange: question, cause: "", life: padLife.number))
        for delivery in deliveries where try killIfDue(before: delivery) { return nil }
        let inputs = deliveries.map { Input(from: $0.from, $0.payload, exchange: $0.exchange) }
        onEvent?()
        let result: StepResult
        do {
            defer { onEvent?() }
            result = try host.step(pad, now: now, inputs: inputs) { _, _ in nil }
        } catch {
            if case .machineFailed(let text) = error { throw RunEnd(.disk, "\(pad): \(text)") }
            throw RunEnd.harness("\(pad) failed while it answered \(message.name): \(error)")
        }
        lives[pad]?.entropy = result.entropy
        for delivery in deliveries { try trace(delivery) }
        var reply: Message?
        var rest = result
        rest.outputs = result.outputs.filter { output in
            guard case .answer(let message) = output.payload, output.exchange == question else { return true }
            reply = message
            return false
        }
        try absorb(rest, from: pad)
        guard let reply else {
            throw RunEnd.harness("\(pad) did not answer the call \(message.name): every call needs an answer")
        }
        try doWhatIsDue(after: deliveries, of: id)
        guard isAlive(id) else { return nil }
        try trace(Delivery(from: pad, to: id, payload: .answer(reply), exchange: question, cause: "", life: 0))
        return reply
    }
}
