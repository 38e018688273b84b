import FleetModel
import Nemesis
import Trace

@testable import Run
@testable import World

/// A participant made of a closure: the smallest thing behind the seam.
final class Scripted: Participant {
    typealias Body = (Instant, [Input], any CallLink) -> StepResult
    private let body: Body
    init(_ body: @escaping Body) { self.body = body }
    func step(now: Instant, inputs: [Input], link: any CallLink) -> StepResult { body(now, inputs, link) }
}

/// A World of scripted participants, driven step by step.
final class SmallWorld {
    let world: World
    let recorder: Recorder
    private var bodies: [ParticipantID: Scripted.Body] = [:]
    /// Subjects of the messages that each participant received, in order.
    private(set) var received: [ParticipantID: [String]] = [:]

    /// - Parameters:
    ///   - core: iPads that heal; nil: all.
    ///   - onStart: gets the specification of each participant that is started.
    init(
        faults: [FaultSpec] = [], outcomes: [String: Value]? = nil, pads: [Int] = [1, 2], core: [Int]? = nil,
        maxCallsPerInstant: Int = RunPlan.standardCallsPerInstant, sink: (any TraceSink)? = nil,
        onStart: @escaping (ParticipantID, Value) -> Void = { _, _ in }
    ) throws {
        recorder = Recorder(sink: sink)
        let plan = RunPlan(
            seed: 7, pads: pads.count, core: core ?? pads, people: ["maya"], apps: [], plan: [], faults: faults,
            outcomes: outcomes, network: LinkModel(), storm: .minutes(10), calmBudget: .minutes(1),
            maxCallsPerInstant: maxCallsPerInstant)
        let nemesis = try Nemesis(specs: faults, link: plan.network, pads: pads, stormEnd: .zero + plan.storm)
        var make: ParticipantFactory = { _, _ in Scripted { _, _, _ in StepResult() } }
        let forward: ParticipantFactory = { try make($0, $1) }
        world = World(plan: plan, nemesis: nemesis, host: InProcessHost(make: forward), recorder: recorder)
        make = { [unowned self] id, spec in
            onStart(id, spec)
            return Scripted { now, inputs, link in
                self.received[id, default: []] += inputs.map(\.payload.subject)
                return self.bodies[id]?(now, inputs, link) ?? StepResult()
            }
        }
    }

    func add(_ id: ParticipantID, _ body: @escaping Scripted.Body) throws {
        bodies[id] = body
        try world.start(id, spec: .empty)
    }
    /// Hands a message to a participant as the people would.
    func poke(_ id: ParticipantID, _ name: String = "poke") { world.command(id, Message(name)) }
    func run(_ span: Span = .minutes(1)) throws { try world.run(until: world.now + span) }
    func notes(_ kind: Note.Kind) -> [HistoryEvent] { recorder.history.filter { $0.note.kind == kind } }
}

/// Sends what `outputs` gives whenever something arrives.
func replying(_ outputs: @escaping (Input) -> [Output]) -> Scripted.Body {
    { _, inputs, _ in StepResult(outputs: inputs.flatMap(outputs)) }
}

/// Keeps every line of a trace.
final class Lines: TraceSink {
    private(set) var values: [Value] = []
    func take(_ line: [UInt8], number: Int) throws(TraceProblem) {
        do { values.append(try Value(json: Array(line.dropLast()))) } catch {
            throw TraceProblem(.unreadable, "line \(number) is no JSON: \(error.reason)")
        }
    }
}

/// A Pad that answers every call and does nothing else.
func answering(_ now: Instant, _ inputs: [Input], _ link: any CallLink) -> StepResult {
    StepResult(
        outputs: inputs.compactMap { input in
            if case .call = input.payload {
                Output(to: input.from, .answer(Message("yes")), exchange: input.exchange)
            } else {
                nil
            }
        })
}
