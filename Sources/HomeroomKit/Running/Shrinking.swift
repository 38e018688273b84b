import CInterpose
import FleetModel
import Report
import Run
import Shrink
import Workload

/// One shrink from the failing run to the file: plays, searches, and plays the result in `fleet`.
struct Shrinking {
    private let failing: FailingRun
    private var trials: Trials
    private let until: Int64?
    private let began = hr_real_ns()
    private var first: Candidate
    private var shrinker: Shrinker?
    /// The smallest so far.
    var best: Candidate { shrinker?.best ?? first }

    init(_ failing: FailingRun, jobs: Int, minutes: Double? = nil) {
        self.failing = failing
        first = Candidate(failing.readable, isOfAnySeed: false)
        trials = Trials(jobs: jobs, file: failing.runner.loaded.file, schemas: failing.runner.loaded.schemas)
        until = minutes.map { hr_real_ns() + Int64($0 * 60e9) }
    }

    /// Plays the run as it is written out.
    /// - Throws: `RunEnd.input` for one that does not fail, or not in that class.
    mutating func begin(wanted: LossClass?) throws {
        Interruption.install()
        let (name, seed) = (failing.runner.loaded.scenario.name, failing.runner.seed)
        Progress.show("\(failing.shrunkName): writing out seed \(seed)")
        defer { Progress.clear() }
        // Every error of a file that the writer made would be ours.
        let loaded = LoadedScenario(
            scenario: try ScenarioFiles.parse(first.yaml, file: failing.shrunkName + ".yaml").get(), text: first.yaml,
            file: failing.runner.loaded.file, schemas: trials.schemas)
        let report = try Runner(loaded: loaded, seed: seed, mode: .sim, out: nil).run()
        let trial = Trial(report)
        trials.linesMax = report.events.map { 6 * $0 + 20_000 }
        let expected = failing.written.expect.lossClass.flatMap { trial.counts[$0] == nil ? nil : $0 }
        guard let goal = Trial.Goal(wanted ?? expected, of: trial) else {
            let found = trial.counts.keys.map(\.rawValue).sorted()
            throw RunEnd.input(
                found.isEmpty
                    ? "\(failing.path): '\(name)' is \(report.verdict.rawValue) with seed \(seed), so there is nothing to shrink: find a seed that fails with '\(Homeroom.commandName) explore'"
                    : "\(failing.path): no edit is '\(wanted?.rawValue ?? "")' with seed \(seed), but \(found.joined(separator: ", ")): name one of these with --class"
            )
        }
        if let any = try trials.trial(of: Candidate(failing.readable, isOfAnySeed: true), goal.isMet) {
            first.isOfAnySeed = true
            if seed != 1 { first.scenario.seed = 1 }
            shrinker = make(first, any, goal)
        } else {
            shrinker = make(first, trial, goal)
        }
    }

    private func make(_ first: Candidate, _ trial: Trial, _ goal: Trial.Goal) -> Shrinker {
        Shrinker(first, failing: trial, goal: goal) { [trials, until] next, isRight, failed in
            guard until.map({ hr_real_ns() < $0 }) ?? true else { throw Self.timeIsOver }
            return try trials.play(next: next, isRight: isRight, failed: failed)
        } onBetter: { [failing] shrinker in
            Progress.show(
                "\(failing.shrunkName): \(Size(shrinker.best.scenario).words) after \(shrinker.tries) tries, now \(shrinker.pass)"
            )
        }
    }

    /// Searches until nothing is left to try.
    /// - Throws: what keeps the machine from playing; Ctrl-C and the end of the time only end the search.
    mutating func run() throws {
        defer { Progress.clear() }
        shrinker?.run()
        guard let stop = shrinker?.stop else { return }
        guard let end = RunEnd(stop), [.interrupted, .inconclusive].contains(end.kind) else { throw stop }
    }
    private static let timeIsOver = RunEnd.inconclusive("the time that the search was given is over")

    /// The file, after a run in `fleet`.
    func conclude() throws -> Shrunk {
        guard let shrinker else { throw RunEnd.harness("a shrink that has not begun") }
        var best = shrinker.best
        // After Ctrl-C nothing more is played: the file has no story then.
        let isAsked = Interruption.isAsked
        let loaded = isAsked ? nil : trials.loaded(best)
        let report = try loaded.map {
            Progress.show("\(failing.shrunkName): a run in fleet")
            defer { Progress.clear() }
            return try Runner(loaded: $0, seed: best.seeds[0], mode: .fleet, out: nil).run()
        }
        let told = report?.findings.first { $0.lossClass == shrinker.goal.lossClass }
        if best.scenario.expect.lossClass != shrinker.goal.lossClass { best.scenario.expect = .init(.valid) }
        if let told { best.scenario.purpose = "\(told.token) is \(told.lossClass.rawValue): \(told.summary)." }
        var shrunk = Shrunk(
            lossClass: shrinker.goal.lossClass, before: Size(failing.written), after: Size(best.scenario),
            isOfAnySeed: best.isOfAnySeed, seed: best.seeds[0], tries: shrinker.tries,
            milliseconds: (hr_real_ns() - began) / 1_000_000)
        // What was small already stays as somebody wrote it.
        let isSame = shrinker.best.scenario == first.scenario && failing.isWritten
        shrunk.text = isSame ? failing.runner.loaded.text : best.yaml(comments: Self.story(told, best))
        shrunk.isUnchanged = isSame
        shrunk.isInterrupted = shrinker.stop != nil
        shrunk.failsInFleet = isAsked ? nil : report.map { shrinker.goal.isMet(by: Trial($0)) } ?? false
        return shrunk
    }

    private static func story(_ told: RunReport.Told?, _ best: Candidate) -> [String] {
        guard let told else { return [] }
        let seeds = best.isOfAnySeed ? "whatever the seed" : "with the seed \(best.scenario.seed)"
        return ["How the edit comes to harm, \(seeds):", ""] + told.story + [""]
    }
}

/// How much there is in a scenario.
struct Size: Hashable {
    var ipads: Int
    var people: Int
    var steps: Int
    var edits: Int
    var faults: Int
    /// When the last person acts.
    var length: Span

    init(_ scenario: Scenario) {
        ipads = scenario.ipads
        people = scenario.people.count + scenario.guests.count
        steps = scenario.steps.count
        edits = scenario.steps.count { if case .edit = $0.deed { true } else { false } }
        faults = scenario.faults.count
        length = (scenario.steps.last?.at ?? .zero) - .zero
    }

    var words: String {
        "\(ipads) iPads, \(people) people, \(steps) steps (\(edits) edits), \(faults) faults"
    }
    var body: Value {
        [
            "ipads": .int(ipads), "people": .int(people), "steps": .int(steps), "edits": .int(edits),
            "faults": .int(faults), "lengthNanoseconds": .int(length.nanoseconds),
        ]
    }
    init?(_ body: Value) {
        func number(_ key: String) -> Int { Int(clamping: body[key]?.int ?? 0) }
        guard body["steps"]?.int != nil else { return nil }
        (ipads, people, steps) = (number("ipads"), number("people"), number("steps"))
        (edits, faults) = (number("edits"), number("faults"))
        length = Span(nanoseconds: body["lengthNanoseconds"]?.int ?? 0)
    }
}

/// What a shrink came to.
struct Shrunk {
    var lossClass: LossClass
    var before: Size
    var after: Size
    var isOfAnySeed: Bool
    var seed: UInt64
    var tries: Int
    var milliseconds: Int64
    var text = ""
    /// Nothing could be taken away: the file is the one that was given.
    var isUnchanged = false
    var isInterrupted = false
    /// Nil: not tried.
    var failsInFleet: Bool?

    func lines(file: String) -> [String] {
        let seeds = isOfAnySeed ? "whatever the seed" : "with seed \(seed), which the file names"
        let fleet =
            switch failsInFleet {
            case true?: "in sim and in fleet"
            case false?: "in sim only: in fleet it does NOT fail so"
            case nil: "in sim; fleet was not tried"
            }
        return [
            "before  \(before.words)", "after   \(after.words)\(isUnchanged ? ", as it was" : "")",
            "fails   \(seeds), \(fleet)",
            "repeat with: \(Homeroom.commandName) run \(Shell.quoted(file))",
            "shrunk  \(lossClass.rawValue)  steps=\(after.steps) faults=\(after.faults) tries=\(tries) wall=\(milliseconds / 1000).\((milliseconds % 1000) / 100)s  \(file)",
        ]
    }
    func body(file: String) -> Value {
        [
            "file": .string(file), "class": .string(lossClass.rawValue), "before": before.body, "after": after.body,
            "anySeed": .bool(isOfAnySeed), "seed": .string(String(seed)), "tries": .int(tries),
            "wallMilliseconds": .int(milliseconds), "unchanged": .bool(isUnchanged),
            "interrupted": .bool(isInterrupted), "failsInFleet": failsInFleet.map { .bool($0) } ?? .null,
            "scenario": .string(text),
        ]
    }
}
