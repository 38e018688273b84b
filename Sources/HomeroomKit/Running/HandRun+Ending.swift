import Checkers
import FleetModel
import PadApp
import Report
import Run
import Trace
import Workload
import World

/// How a run by hand ends: it is judged and written down.
extension HandRun {
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
