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
    private let setup: Setup
    package var app: EngineApp { setup.app }
    package var appName: AppName { setup.app.name }
    package var ipads: Int { setup.ipads }
    package var people: [Person] { setup.people }
    /// Whether the app lets people do that.
    package func takes(_ action: String) -> Bool { setup.app.manifest.actions.contains { $0.name == action } }
    /// What the app on an iPad has shown last, by item.
    package func shown(on ipad: Int) -> [String: String]? { setup.app.desk.shown[ipad] }
    package func forgetShown(on ipad: Int) { setup.app.desk.forgetShown(on: ipad) }
    private let runner: Runner
    private let walkers: People
    private let pads: Pads
    private let tape = LineTape()
    private var steps: [PlanStep] = []
    /// How many edits each person has made.
    private var edits: [Person: Int] = [:]
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
    private final class LineTape: TraceSink {
        var lines: [[UInt8]] = []
        func take(_ line: [UInt8], number: Int) { lines.append(line) }
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
        while world.now < end, !(pending.isEmpty && world.now - world.lastTraffic > silence) {
            try world.run(until: min(end, world.now + .seconds(5)))
        }
        return pending
    }

    // MARK: The end

    /// What came of the run.
    package struct Outcome {
        package var report: RunReport
        /// The scenario that does the same.
        package var text: String
        /// Why `homeroom run` of the text would be another run; nil: it is the same.
        package var difference: String?
        /// Whether the run was judged by the checkers.
        package var isJudged: Bool
        fileprivate var header: TraceHeader
        fileprivate var steps: [PlanStep]
        fileprivate var faults: [FaultSpec]
        fileprivate var lines: [[UInt8]]
        fileprivate var findings: [Finding]
        fileprivate var history: [HistoryEvent]
        fileprivate var purpose: String
    }

    /// Ends the storm; with edits in it, everything heals then, everybody's data are read on all iPads and on brand-new ones, and judged.
    /// - Parameter obstacle: why it proves nothing, when it ends before its time.
    package func finish(obstacle: String?) throws -> Outcome {
        var obstacle = obstacle
        let isJudged = hasEdits
        if obstacle == nil {
            do { try playToEnd(judged: isJudged) } catch let end as RunEnd where end.kind == .inconclusive {
                obstacle = end.message
            }
        }
        var written = setup.written
        (written.storm, written.steps, written.faults) = (stormEnd - .zero, steps, world.plan.faults)
        var scenario = runner.loaded.scenario
        var difference: String?
        switch ScenarioFiles.parse(written.text, file: setup.name, apps: [setup.app.manifest]) {
        case .success(let parsed): scenario = parsed
        case .failure(let end): difference = end.message
        }
        if isBeyondScenarios { difference = "the test called its engine, which a scenario cannot" }
        if !isJudged { difference = difference ?? "the test made no edit, so nothing was read at its end" }
        let history = world.recorder.history
        let judgement = scenario.judged(history, obstacle: obstacle)
        let header = TraceHeader(
            scenario: setup.name, scenarioText: written.text, seed: setup.seed, file: setup.name + ".yaml",
            isLive: false, drawn: runner.drawn, schemas: [:])
        let digest = Recorder(sink: nil, header: header)
        try write(written, into: digest)
        let report = RunReport(
            judgement: judgement, history: history, scenario: scenario, seed: setup.seed, mode: Mode.sim.rawValue,
            events: world.recorder.events, digest: digest.hex, virtual: world.now - .zero, wallMilliseconds: 0,
            marks: world.marks.sorted())
        return Outcome(
            report: report, text: written.text, difference: difference, isJudged: isJudged && obstacle == nil,
            header: header, steps: steps, faults: written.faults, lines: tape.lines, findings: judgement.findings,
            history: history, purpose: setup.purpose)
    }
    private var stormEnd = Instant.zero + .seconds(1)

    private func playToEnd(judged: Bool) throws {
        try world.run(until: max(world.now, .zero + .seconds(1)))
        try world.goToFreeMoment()
        stormEnd = world.now
        for index in world.plan.faults.indices { try world.endFault(index) }
        try world.run(until: world.now)
        if judged { try world.playRest() }
    }
    private func write(_ written: WrittenScenario, into recorder: Recorder) throws {
        for step in written.steps { try recorder.plan(step) }
        for fault in written.faults { try recorder.fault(fault) }
        for line in tape.lines { try recorder.copy(line) }
    }

    /// Plays the scenario that a test has written down as `homeroom run` would.
    /// - Returns: the digest.
    package static func digest(ofText text: String, app: EngineApp, seed: UInt64) throws -> String {
        let scenario = try ScenarioFiles.parse(text, file: "scenario.yaml", apps: [app.manifest]).get()
        let runner = Runner(
            loaded: LoadedScenario(scenario: scenario, text: text, file: "scenario.yaml"), seed: seed, mode: .sim)
        let plan = try runner.runPlan([app.manifest])
        let recorder = Recorder(sink: nil, header: runner.header)
        let wiring = Wiring(catalogue: Catalogue(apps: [], engines: [app]), seed: seed, diskRoot: nil)
        let world = World(
            plan: plan, nemesis: try runner.nemesis(plan), host: InProcessHost(make: wiring.make), recorder: recorder)
        try world.run()
        return recorder.hex
    }
}

extension HandRun.Outcome {
    /// Leaves what a run leaves: trace, verdict, page, and the scenario.
    package func write(into folder: String, command: String) throws {
        try Folders.make(folder)
        let path = folder + "/trace.jsonl"
        let file = try TraceFile(path: path, header: header)
        let recorder = Recorder(sink: file, header: header)
        for step in steps { try recorder.plan(step) }
        for fault in faults { try recorder.fault(fault) }
        for line in lines { try recorder.copy(line) }
        try file.finish(lines: recorder.lines, digest: recorder.hex, virtual: report.virtual)
        try OutputFile(folder + "/scenario.yaml", orElse: .out).write(text)
        try OutputFile(folder + "/verdict.json", orElse: .out).write(report.body.json + "\n")
        let heading = RunPicture.Heading(purpose: purpose, build: Homeroom.version, command: command, trace: path)
        try PictureFiles.draw(report, heading, history, findings, in: folder)
    }
}

/// What a process needs before it plays a run by hand.
package enum HandProcess {
    /// The whole process belongs to the run: a job outside of every loop is a leak.
    package static func claim() { Wiring.prepareProcess() }
    /// The process has other work too, as a test process has.
    package static func share() { Wiring.shareProcess() }
}
