import Checkers
import FleetModel
import Nemesis
import PadApp
import PadCore
import Report
import Run
import Trace
import Workload
import World

/// A run of `sim` that a test plays by hand, step by step, and that is judged like any other (Docs/decisions/0023).
///
/// What the test did is written down as a scenario: `homeroom run` of that text has the same lines and the same digest.
package final class HandRun {
    /// What is known before anything happens.
    package struct Setup: Sendable {
        /// Of the scenario: small letters, digits and hyphens.
        package var name: String
        package var purpose: String
        package var app: EngineApp
        package var ipads: Int
        package var people: [Person]
        package var seed: UInt64
        /// More keys of a scenario, as they are written in its file: `switches`, `cloud`, `network`, `draw`, `limits`.
        package var extras: String

        package init(
            name: String, purpose: String, app: EngineApp, ipads: Int, people: [Person], seed: UInt64, extras: String
        ) {
            (self.name, self.purpose, self.app) = (name, purpose, app)
            (self.ipads, self.people, self.seed, self.extras) = (ipads, people, seed, extras)
        }
        var written: WrittenScenario {
            WrittenScenario(
                name: name, purpose: purpose, app: app.name, ipads: ipads, people: people, extras: extras)
        }
    }

    package let world: World
    let setup: Setup
    package var app: EngineApp { setup.app }
    package var appName: AppName { setup.app.name }
    package var ipads: Int { setup.ipads }
    package var people: [Person] { setup.people }
    /// Whether the app lets people do that.
    package func takes(_ action: String) -> Bool { setup.app.manifest.actions.contains { $0.name == action } }
    /// What the app on an iPad has shown last, by item.
    package func shown(on ipad: Int) -> [String: String]? { setup.app.desk.shown[ipad] }
    package func forgetShown(on ipad: Int) { setup.app.desk.forgetShown(on: ipad) }
    let runner: Runner
    private let walkers: People
    private let pads: Pads
    let tape = LineTape()
    private(set) var steps: [PlanStep] = []
    /// How many edits each person has made.
    private var edits: [Person: Int] = [:]
    /// When the storm ended.
    var stormEnd = Instant.zero + .seconds(1)
    /// Whether something was done that no scenario can say.
    package var isBeyondScenarios = false

    /// - Throws: `RunEnd.input` for a setup that cannot be.
    package init(_ setup: Setup) throws {
        self.setup = setup
        var draft = setup.written
        draft.storm = World.endless
        let first = setup.people.first ?? ""
        draft.steps = [PlanStep(at: .zero + .seconds(1), person: first, pad: 1, .signIn)]
        let scenario = try ScenarioFiles.parse(draft.text, file: setup.name, apps: [setup.app.manifest]).get()
        guard scenario.swarm == nil, scenario.faults.isEmpty, scenario.guests.isEmpty, scenario.periods.isEmpty else {
            throw RunEnd.input(
                "a test breaks things by its own calls: leave 'swarm', 'faults', 'guests' and 'timetable' out of its scenario keys"
            )
        }
        runner = Runner(
            loaded: LoadedScenario(scenario: scenario, text: draft.text, file: setup.name), seed: setup.seed, mode: .sim
        )
        var plan = try runner.runPlan([setup.app.manifest])
        plan.plan = []
        let people = People(oneByOne: scenario.people)
        let pads = Pads()
        let wiring = Wiring(catalogue: Catalogue(apps: [], engines: [setup.app]), seed: setup.seed, diskRoot: nil)
        let host = InProcessHost { id, spec in
            guard id != .people else { return people }
            let made = try wiring.make(id, spec: spec)
            if case .pad(let number) = id { pads.all[number] = (made as? Guarded)?.inner as? Pad }
            return made
        }
        world = World(
            plan: plan, nemesis: try runner.nemesis(plan), host: host, recorder: Recorder(sink: tape))
        (walkers, self.pads) = (people, pads)
    }

    /// The iPads of the run, as they are now.
    private final class Pads { var all: [Int: Pad] = [:] }
    /// Keeps lines for the moment at which the tapes before them are known.
    final class LineTape: TraceSink {
        var lines: [[UInt8]] = []
        /// Lines about network messages: what became of each.
        var messages = 0
        private static let message = Array("{\"fate\":".utf8)
        func take(_ line: [UInt8], number: Int) {
            lines.append(line)
            if line.starts(with: Self.message) { messages += 1 }
        }
    }

    package func begin() throws { try world.beginStorm() }

    // MARK: Steps

    /// What became of a step.
    package enum Ending: Sendable {
        case done(Message)
        case refused(String)
        /// The iPad did not answer in time.
        case unanswered
        /// The person is not signed in there.
        case skipped
    }

    /// A person does something now, and this waits for what becomes of it.
    package func act(_ person: Person, at pad: Int, _ deed: PlanStep.Deed) throws -> Ending {
        try world.goToFreeMoment()
        let step = PlanStep(at: world.now, person: person, pad: pad, deed)
        steps.append(step)
        let before = walkers.counts
        walkers.add(step)
        try world.stepPeople()
        try world.run(until: .zero + World.endless) { !walkers.isDone }
        if walkers.counts.skipped > before.skipped { return .skipped }
        guard let answer = walkers.lastAnswer else {
            return walkers.counts.givenUp > before.givenUp ? .unanswered : .done(Message(""))
        }
        if let reason = answer["refused"] ?? answer["error"] ?? answer["unanswered"] {
            return .refused(reason.string ?? reason.json)
        }
        return .done(answer)
    }
    /// The next edit of a person, with a token of its own.
    package func edit(_ person: Person, _ action: String, _ verb: Edit.Verb, item: String, text: String) -> Edit {
        let number = edits[person, default: 0] + 1
        edits[person] = number
        let token = "\(person).\(number)"
        let value = verb == .put ? EditPayload.text(token: token, text) : ""
        return Edit(
            token: token, person: person, app: setup.app.name, action: action, item: item, verb: verb, value: value)
    }
    package var hasEdits: Bool { !edits.isEmpty }

    // MARK: Faults

    /// A fault begins now.
    /// - Parameter span: how long its window is open; nil: until it is ended. Without meaning for what happens at one moment.
    /// - Throws: `RunEnd.input` for a fault that cannot be.
    package func begin(_ kind: String, pads: [Int], for span: Span?, _ parameters: [String: Value]) throws {
        guard let type = FaultRegistry.named(kind) else {
            throw RunEnd.input("there is no fault '\(kind)'; see `homeroom list faults`")
        }
        try world.goToFreeMoment()
        let now = world.now
        // An odd nanosecond: nothing else happens at the end either.
        let end = span.map { now + $0 + Span(nanoseconds: 1) } ?? .zero + World.endless
        let number = world.plan.faults.count { $0.kind == kind } + 1
        _ = try world.beginFault(
            FaultSpec(
                id: "\(kind)-\(number)", kind: kind, from: now, until: type.form.isWindow ? end : now, pads: pads,
                parameters: .object(Value.Object(parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))))
    }
    private func end(_ index: Int) throws {
        guard world.isOpen(index) else { return }
        try world.goToFreeMoment()
        try world.endFault(index)
    }
    /// Ends every window of a kind that is open, each at a moment of its own; nil: of every kind.
    package func endAll(_ kind: String? = nil) throws {
        for index in world.plan.faults.indices where kind == nil || world.plan.faults[index].kind == kind {
            try end(index)
        }
    }

    // MARK: Waiting

    /// What the iPads still have to do, in words.
    package var pending: [String] {
        pads.all.sorted { $0.key < $1.key }.flatMap { number, pad in
            world.isAlive(.pad(number)) ? pad.pending.map { "ipad-\(number): \($0)" } : []
        }
    }
    /// Runs until no iPad has anything left to do and the network has been silent for a while, which is longer than apps of this kind wait.
    /// - Returns: what is under way even when `longest` has passed.
    package func rest(atMost longest: Span, silence: Span = .seconds(90)) throws -> [String] {
        let end = world.now + longest
        var (messages, quietSince) = (tape.messages, world.now)
        while world.now < end, !(pending.isEmpty && world.now - quietSince > silence) {
            try world.run(until: min(end, world.now + .seconds(5)))
            if tape.messages != messages { (messages, quietSince) = (tape.messages, world.now) }
        }
        return pending
    }
}

/// What a process needs before it plays a run by hand.
package enum HandProcess {
    /// The whole process belongs to the run: a job outside of every loop is a leak.
    package static func claim() { Wiring.prepareProcess() }
    /// The process has other work too, as a test process has.
    package static func share() { Wiring.shareProcess() }
}
