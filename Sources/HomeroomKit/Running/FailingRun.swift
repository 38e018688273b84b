import FleetModel
import Run
import Shrink
import Trace
import Workload

/// A run that somebody wants to have smaller: of a scenario and a seed, or as it was recorded.
struct FailingRun {
    let runner: Runner
    /// What the user gave.
    let path: String
    /// Whether the scenario has nothing but explicit steps and faults.
    private let isExplicit: Bool
    /// The run written out: played with its seed it has the same digest.
    let written: Scenario
    /// The same with times as people write them.
    var readable: Scenario {
        var readable = written
        readable.faults = written.faults.map(FaultChoices.readable)
        return readable
    }

    /// - Parameter seed: of a scenario; a trace has its own.
    init(_ path: String, seed: UInt64?) throws { try self.init(path, Self.runner(path, seed)) }
    init(_ loaded: LoadedScenario, seed: UInt64) throws {
        try self.init(loaded.file, Runner(loaded: loaded, seed: seed, mode: .sim, out: nil))
    }
    private init(_ path: String, _ runner: Runner) throws {
        self.path = path
        self.runner = runner
        let scenario = runner.loaded.scenario
        isExplicit =
            runner.recorded == nil && scenario.periods.isEmpty && scenario.load == nil && scenario.swarm == nil
            && scenario.draw.isEmpty
        let plan = try runner.runPlan(runner.loaded.scenario.apps.compactMap(Homeroom.catalogue.manifest))
        guard
            var written = runner.loaded.scenario.written(
                plan: plan.plan, faults: plan.faults, drawn: runner.drawn, seed: runner.seed)
        else { throw RunEnd.input("\(path): its header holds what no seed draws; record it again") }
        if isExplicit { written.steps = Self.named(runner.loaded.scenario, plan.plan) }
        written.name = Self.shrunkName(runner.loaded.scenario.name)
        self.written = written
    }

    private static func runner(_ path: String, _ seed: UInt64?) throws -> Runner {
        let isTrace = [".jsonl", ".jsonl.gz"].contains { path.hasSuffix($0) }
        let isOfResults = Folders.isFolder(path) && ((try? RecordedFiles.trace(path)) != nil)
        guard isTrace || isOfResults else {
            let loaded = try ScenarioFiles.load([path])
            guard loaded.count == 1 else {
                throw RunEnd.input("shrink takes one scenario; \(path) holds \(loaded.count)")
            }
            return Runner(loaded: loaded[0], seed: seed ?? loaded[0].scenario.seed, mode: .sim, out: nil)
        }
        guard seed == nil else { throw RunEnd.input("\(path): a trace has its own seed: leave --seed out") }
        let trace = try RecordedFiles.trace(path)
        let recorded = try RecordedFiles.whole(trace)
        return Runner(
            loaded: try RecordedFiles.scenario(of: recorded, trace, isPlayed: true), seed: recorded.header.seed,
            mode: .sim,
            out: nil, recorded: recorded, traceFile: trace)
    }

    /// Whether a shrink may leave the file as it is.
    var isWritten: Bool {
        isExplicit && runner.loaded.scenario.mustReach.isEmpty && runner.loaded.scenario.name == shrunkName
    }
    /// The steps as they are written, with the items that the seed drew: another seed may not draw the same item twice.
    private static func named(_ scenario: Scenario, _ plan: [PlanStep]) -> [Scenario.WrittenStep] {
        var items: [Token: String] = [:]
        for step in plan { if case .perform(let edit) = step.deed { items[edit.token] = edit.item } }
        var steps = scenario.steps
        for (index, token) in scenario.tokens {
            guard case .edit(let app, let action, nil, let text) = steps[index].deed else { continue }
            steps[index].deed = .edit(app, action: action, item: items[token], text: text)
        }
        return steps
    }

    /// The name of a verdict line and of a file, which has at most 32 letters.
    private static func shrunkName(_ name: String) -> String {
        name.hasSuffix("-shrunk") ? name : name.prefix(25) + "-shrunk"
    }
    var shrunkName: String { written.name }
}
