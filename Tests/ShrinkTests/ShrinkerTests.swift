import FleetModel
import Nemesis
import Testing
import Workload

@testable import Shrink

/// Shrinks of made-up failures: which scenarios fail is a rule, so that thousands of tries take no time.
@Suite("Shrinker", .timeLimit(.minutes(20))) struct ShrinkerTests {
    private static let cases: Range<UInt64> = 0..<24

    @Test(
        "Any failing run: what is left fails in the same class, is no larger, and each better one cost less (24 runs)",
        arguments: cases)
    func sameClass(seed: UInt64) throws {
        guard let run = try MadeUp(seed: seed) else { return }
        var costs = [run.first.cost]
        var classes: Set<LossClass?> = []
        var shrinker = run.shrinker { better in
            costs.append(better.best.cost)
            classes.insert(better.trial.leading)
        }
        shrinker.run()
        #expect(shrinker.stop == nil && classes.subtracting([run.goal.lossClass]).isEmpty)
        #expect(run.goal.isMet(by: MadeUp.trial(of: shrinker.best.scenario)))
        #expect(zip(costs, costs.dropFirst()).allSatisfy { $1 < $0 })
        let size = shrinker.best.scenario.steps.count + shrinker.best.scenario.faults.count
        #expect(size <= 10, "\(shrinker.best.yaml)")
        #expect(shrinker.tries < 3_000)
    }

    @Test("Again: shrinking what was shrunk, as its file has it, changes nothing (24 runs)", arguments: cases)
    func again(seed: UInt64) throws {
        guard let run = try MadeUp(seed: seed) else { return }
        var shrinker = run.shrinker()
        shrinker.run()
        let file = shrinker.best.yaml
        let back = try #require(MadeUp.read(file))
        #expect(back.steps == shrinker.best.scenario.steps && back.faults == shrinker.best.scenario.faults)
        let first = Candidate(back, isOfAnySeed: shrinker.best.isOfAnySeed)
        var second = Shrinker(first, failing: MadeUp.trial(of: back), goal: run.goal, play: MadeUp.play())
        second.run()
        #expect(second.best.yaml == file)
    }

    @Test("Side by side: however many tries are under way, the result is the same", arguments: cases)
    func jobs(seed: UInt64) throws {
        guard let run = try MadeUp(seed: seed) else { return }
        let results = [1, 2, 7].map { jobs in
            var shrinker = Shrinker(run.first, failing: run.trial, goal: run.goal, play: MadeUp.play(jobs: jobs))
            shrinker.run()
            return shrinker.best.yaml
        }
        #expect(Set(results).count == 1)
    }

    @Test("Interrupted: the best so far stays, and fails")
    func interrupted() throws {
        struct Enough: Error {}
        let run = try #require(try Self.cases.lazy.compactMap { try MadeUp(seed: $0) }.first)
        var left = 30
        let play = MadeUp.play()
        var shrinker = Shrinker(run.first, failing: run.trial, goal: run.goal) { next, isRight, failed in
            left -= 1
            guard left > 0 else { throw Enough() }
            return try play(next, isRight, failed)
        }
        shrinker.run()
        #expect(shrinker.stop is Enough && shrinker.best.cost < run.first.cost)
        #expect(run.goal.isMet(by: MadeUp.trial(of: shrinker.best.scenario)))
    }

    @Test("Goal: a class that leads has to lead; another one has to be there")
    func goal() throws {
        let both = Trial(counts: [.lost: 3, .overwritten: 1, .excused: 9])
        let leading = try #require(Trial.Goal(of: both))
        #expect(leading.lossClass == .lost && leading.isMet(by: Trial(counts: [.lost: 1])))
        #expect(!leading.isMet(by: Trial(counts: [.lost: 1, .overwritten: 2])) && !leading.isMet(by: Trial()))
        let other = try #require(Trial.Goal(.overwritten, of: both))
        #expect(
            other.isMet(by: Trial(counts: [.lost: 5, .overwritten: 1])) && !other.isMet(by: Trial(counts: [.lost: 5])))
        #expect(Trial.Goal(.leaked, of: both) == nil && Trial.Goal(of: Trial(counts: [.excused: 2])) == nil)
    }
}

/// A run of a school day with faults, and a rule for what fails in it.
private struct MadeUp {
    let first: Candidate
    let trial: Trial
    let goal: Trial.Goal

    /// - Returns: nil for a day in which nothing fails.
    init?(seed: UInt64) throws {
        let text = """
            name: made-up
            purpose: p
            apps: [notebook, diary]
            ipads: 5
            people: 6
            classes: {red: 3, blue: 3}
            timetable:
              - {start: 0m, length: 6m, seats: {red: 1-3}}
              - {start: 6m, length: 6m, seats: {blue: 1-3}}
              - {start: 12m, length: 6m, seats: {red: [2-3, 1]}}
              - {start: 18m, length: 6m, seats: {blue: [5, 1, 2]}}
            work: {edits: 6, switching: 0.3, home: 0.2, forget: 0.2, together: 0.2}
            swarm: all
            draw: all
            """
        let scenario = try #require(Self.read(text))
        let drawn = scenario.drawn(seed: seed)
        let played = try #require(scenario.with(drawn: drawn))
        let faults = Swarm(busy: played.bells, people: played.people, apps: played.apps)
            .specs(pads: [1, 2, 3, 4, 5], horizon: .zero + played.storm, seed: seed)
        let plan = Planner.plan(played, manifests: Self.apps, seed: seed)
        let written = try #require(scenario.written(plan: plan, faults: faults, drawn: drawn, seed: seed))
        first = Candidate(written, isOfAnySeed: false)
        trial = Self.trial(of: written)
        guard let goal = Trial.Goal(of: trial) else { return nil }
        self.goal = goal
    }

    func shrinker(_ onBetter: @escaping (Shrinker) -> Void = { _ in }) -> Shrinker {
        Shrinker(first, failing: trial, goal: goal, play: Self.play(), onBetter: onBetter)
    }

    private static let apps = ["notebook", "diary"].map { name in
        AppManifest(
            name: name, bundleID: "com.example.\(name)", infoPlist: .empty,
            actions: [
                .init("write", kind: "note", verb: .put, weight: 4, pool: 3, prefix: "note"),
                .init("add", kind: "line", verb: .put, prefix: "line"),
                .init("delete", kind: "note", verb: .delete, pool: 3, prefix: "note"),
            ], promises: ["note": .keepsAll, "line": .keepsAll], channel: .record)
    }
    static func read(_ text: String) -> Scenario? {
        try? ScenarioReader.read(
            text: text, file: "made-up.yaml", knownApps: apps, knownFaults: FaultRegistry.names,
            refusal: { spec in
                do throws(FaultProblem) { _ = try FaultRegistry.make(spec) } catch {
                    return (error.parameter, error.message)
                }
                return nil
            }
        ).get()
    }

    /// Overwritten: a note that a person writes at two iPads, the second time under a partition or a loss. Unsaved: an edit within a minute before
    /// its iPad's app, or the iPad, ends by a fault.
    static func trial(of scenario: Scenario) -> Trial {
        var tokens: [LossClass: [Token]] = [:]
        let names = scenario.tokens
        for (index, step) in scenario.steps.enumerated() {
            guard case .edit(let app, _, let item, _) = step.deed, let token = names[index] else { continue }
            let cut = scenario.faults.contains {
                ["partition", "loss-of-request", "hold"].contains($0.kind) && $0.concerns(step.pad)
                    && $0.from <= step.at
                    && step.at <= $0.until
            }
            let other = scenario.steps[..<index].contains {
                $0.person == step.person && $0.pad != step.pad && $0.deed.app == app && $0.deed.item == item
                    && item != nil
            }
            if cut, other { tokens[.overwritten, default: []].append(token) }
            let ends = scenario.faults.contains {
                ["app-kill", "power-cut", "crash"].contains($0.kind) && $0.concerns(step.pad)
                    && step.at <= $0.from && $0.from - step.at <= .minutes(1)
            }
            if ends { tokens[.unsaved, default: []].append(token) }
        }
        return Trial(counts: tokens.mapValues(\.count), tokens: tokens)
    }

    /// - Parameter jobs: so many are under way at a time, and the last one of them ends first.
    static func play(jobs: Int = 1) -> Shrinker.Play {
        { next, isRight, failed in
            while true {
                var flying: [(place: Int, candidate: Candidate)] = []
                while flying.count < jobs, let given = next() {
                    // What no file may say is not tried.
                    if read(given.candidate.yaml) == nil { failed(given.candidate) } else { flying.append(given) }
                }
                guard !flying.isEmpty else { return nil }
                var found: (place: Int, trial: Trial)?
                for (place, candidate) in flying.reversed() {
                    let trial = trial(of: candidate.scenario)
                    if isRight(trial) { found = (place, trial) } else { failed(candidate) }
                }
                if let found { return found }
            }
        }
    }
}
