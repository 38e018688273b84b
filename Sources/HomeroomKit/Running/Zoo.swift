import CInterpose
import FleetModel
import Report
import Run
import Shrink
import Workload
import World

/// Looks for planted bugs, and makes what it finds small.
struct Zoo {
    /// What became of one bug.
    struct Visit {
        var bug: PlantedBug
        var seed: UInt64?
        var findMilliseconds: Int64 = 0
        var lossClass: LossClass?
        var shrunk: Shrunk?
        /// Of the shrunk scenario with the correct app; nil: it was not tried.
        var control: Verdict?

        var isClassRight: Bool { lossClass.map(bug.classes.contains) ?? false }
        var isGood: Bool { isClassRight && shrunk?.failsInFleet != false && control ?? .valid == .valid }
    }

    let seeds: Int
    let jobs: Int
    let shrinks: Bool
    private(set) var visits: [Visit] = []

    /// - Parameter visits: bugs that were looked for before.
    init(seeds: Int, jobs: Int, shrinks: Bool, visits: [Visit] = []) {
        self.seeds = seeds
        self.jobs = jobs
        self.shrinks = shrinks
        self.visits = visits
    }

    /// - Throws: on Ctrl-C, for a scenario that the bug cannot play, or what keeps the machine from playing.
    mutating func visit(_ bug: PlantedBug, scenario text: String, file: String) throws -> Visit {
        let loaded = try Self.loaded(bug, text, file)
        var visit = Visit(bug: bug)
        let began = hr_real_ns()
        let found = try firstInvalid(loaded)
        visit.findMilliseconds = (hr_real_ns() - began) / 1_000_000
        visit.seed = found?.seed
        visit.lossClass = found.flatMap { Trial($0).leading }
        if shrinks, let seed = found?.seed {
            var shrinking = Shrinking(try FailingRun(loaded, seed: seed), jobs: jobs)
            try shrinking.begin(wanted: visit.lossClass)
            try shrinking.run()
            if Interruption.isAsked { throw RunEnd.interrupted }
            visit.shrunk = try shrinking.conclude()
            visit.control = try control(bug, shrinking.best)
        }
        visits.append(visit)
        return visit
    }

    /// The scenario with the bug in the place of its apps.
    private static func loaded(_ bug: PlantedBug, _ text: String, _ file: String) throws -> LoadedScenario {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).compactMap { line -> String? in
            if line.hasPrefix("name:") { return "name: zoo-\(bug.id)" }
            if line.hasPrefix("apps:") { return "apps: [\(bug.id)]" }
            // How often people choose each of several apps.
            return line.hasPrefix("  apps:") ? nil : String(line)
        }
        let own = lines.joined(separator: "\n")
        return LoadedScenario(scenario: try ScenarioFiles.parse(own, file: file).get(), text: own, file: file)
    }

    /// The run with the smallest seed that is invalid; runs that the harness cannot finish find nothing.
    private func firstInvalid(_ loaded: LoadedScenario) throws -> RunReport? {
        defer { Progress.clear() }
        var flights = Flights<Void>()
        defer { flights.stop() }
        var (next, found): (UInt64, RunReport?) = (1, nil)
        while true {
            while found == nil, next <= UInt64(seeds), flights.count < jobs {
                try flights.start(Runner(loaded: loaded, seed: next, mode: .sim, out: nil), for: ())
                next += 1
            }
            guard !flights.isEmpty else { return found }
            Progress.show("\(loaded.scenario.name): seed \(next - 1) of \(seeds)")
            if Interruption.isAsked { throw RunEnd.interrupted }
            for (flight, end) in flights.landed() {
                let report: RunReport
                do { report = try flight.runner.conclude(end) } catch let end as RunEnd where end.status == .harness {
                    continue
                }
                if report.verdict == .invalid, found.map({ report.seed < $0.seed }) ?? true { found = report }
            }
        }
    }

    /// The shrunk scenario with the correct app: a false alarm counts as much as a miss.
    private func control(_ bug: PlantedBug, _ best: Candidate) throws -> Verdict? {
        var correct = best
        correct.scenario = best.scenario.replacing(app: bug.id, by: bug.app)
        let trials = Trials(jobs: jobs, file: "\(bug.id).yaml", schemas: [:])
        guard let loaded = trials.loaded(correct) else { return nil }
        let verdicts = try correct.seeds.map {
            try Runner(loaded: loaded, seed: $0, mode: .sim, out: nil).run().verdict
        }
        return verdicts.first { $0 != .valid } ?? .valid
    }
}

extension Zoo.Visit {
    var line: String {
        guard let seed, let lossClass else {
            return "\(bug.id)  \(bug.app)  NOT FOUND  \(Self.seconds(findMilliseconds))"
        }
        var words = [
            bug.id, bug.app, "seed=\(seed)", "found=\(Self.seconds(findMilliseconds))",
            "\(lossClass.rawValue)\(isClassRight ? "" : " (WRONG)")",
        ]
        if let shrunk {
            let (before, after) = (shrunk.before, shrunk.after)
            words += [
                "steps=\(before.steps)->\(after.steps)", "faults=\(before.faults)->\(after.faults)",
                "ipads=\(before.ipads)->\(after.ipads)", "tries=\(shrunk.tries)",
                "shrunk=\(Self.seconds(shrunk.milliseconds))",
                shrunk.failsInFleet == false ? "NOT IN FLEET" : "fleet",
            ]
        }
        if let control {
            words.append(control == .valid ? "correct=valid" : "correct=\(control.rawValue.uppercased())")
        }
        return words.joined(separator: "  ")
    }
    static func seconds(_ milliseconds: Int64) -> String { "\(milliseconds / 1000).\(milliseconds % 1000 / 100)s" }

    var body: Value {
        [
            "id": .string(bug.id), "app": .string(bug.app), "mistake": .string(bug.mistake),
            "seed": .optional(seed.map { String($0) }), "findMilliseconds": .int(findMilliseconds),
            "class": .optional(lossClass?.rawValue), "classRight": .bool(isClassRight),
            "before": shrunk?.before.body ?? .null, "after": shrunk?.after.body ?? .null,
            "tries": shrunk.map { .int($0.tries) } ?? .null,
            "shrinkMilliseconds": shrunk.map { .int($0.milliseconds) } ?? .null,
            "failsInFleet": shrunk?.failsInFleet.map { .bool($0) } ?? .null,
            "correct": .optional(control?.rawValue),
        ]
    }

    /// What a part wrote.
    /// - Parameter bugs: nil for a bug that is not one of them.
    init?(_ body: Value, of bugs: [PlantedBug]) {
        guard let bug = bugs.first(where: { $0.id == body["id"]?.string }) else { return nil }
        self.bug = bug
        seed = body["seed"]?.string.flatMap { UInt64($0) }
        findMilliseconds = body["findMilliseconds"]?.int ?? 0
        lossClass = body["class"]?.string.flatMap(LossClass.init)
        control = body["correct"]?.string.flatMap(Verdict.init)
        guard let lossClass, let before = body["before"].flatMap(Size.init),
            let after = body["after"].flatMap(Size.init)
        else { return }
        shrunk = Shrunk(
            lossClass: lossClass, before: before, after: after, isOfAnySeed: false, seed: seed ?? 0,
            tries: Int(clamping: body["tries"]?.int ?? 0), milliseconds: body["shrinkMilliseconds"]?.int ?? 0)
        shrunk?.failsInFleet = body["failsInFleet"]?.bool
    }
}

extension Zoo {
    private var found: [Visit] { visits.filter { $0.seed != nil } }

    var status: ExitStatus { visits.allSatisfy(\.isGood) ? .asExpected : .unexpected }

    /// The last line says how many were found.
    var summary: [String] {
        var lines = ["class right: \(found.count(where: \.isClassRight)) of \(found.count)"]
        let small = found.compactMap(\.shrunk)
        if !small.isEmpty {
            let (steps, faults) = (small.map(\.after.steps).sorted(), small.map(\.after.faults).sorted())
            lines.append(
                "after shrinking: steps median \(steps[steps.count / 2]), most \(steps.last ?? 0); faults median \(faults[faults.count / 2]), most \(faults.last ?? 0); in fleet too \(small.count { $0.failsInFleet == true }); correct app valid \(visits.count { $0.control == .valid })"
            )
        }
        return lines + ["zoo: \(found.count) of \(visits.count)"]
    }
    var body: Value {
        ["bugs": .array(visits.map(\.body)), "found": .int(found.count), "all": .int(visits.count)]
    }
}
