import FleetModel
import Report
import Run
import Shrink
import Workload
import World

/// Plays candidates of a shrink in `sim`, some side by side: each is read from the very text that would be its file.
struct Trials {
    let jobs: Int
    /// Named in errors, and where the scenario's files of schemas are.
    let file: String
    let schemas: [AppName: String]
    /// A try with a longer trace counts as one that does not fail: without the time that messages need, an app that tries again at once goes on for
    /// millions of them.
    var linesMax: Int?
    /// Called while they run.
    var waiting: () -> Void = {}

    /// One that is being played, with the seeds that it still has to fail with.
    private struct Try {
        var place: Int
        var candidate: Candidate
        var seeds: [UInt64]
    }

    /// The candidate as its file has it; nil for one that no file may say.
    func loaded(_ candidate: Candidate) -> LoadedScenario? {
        let text = candidate.yaml
        guard let scenario = try? ScenarioFiles.parse(text, file: file).get() else { return nil }
        return LoadedScenario(scenario: scenario, text: text, file: file, schemas: schemas)
    }

    /// `Shrinker.Play`.
    /// - Throws: `RunEnd.interrupted` on Ctrl-C, and what keeps the machine from playing anything.
    func play(
        next: () -> (place: Int, candidate: Candidate)?, isRight: (Trial) -> Bool, failed: (Candidate) -> Void
    ) throws -> (place: Int, trial: Trial)? {
        var flights = Flights<Try>()
        defer { flights.stop() }
        var found: (place: Int, trial: Trial)?
        var isOver = false
        while true {
            // What comes later in the order is of no use once one has failed as it should.
            while found == nil, !isOver, flights.count < jobs {
                guard let (place, candidate) = next() else {
                    isOver = true
                    break
                }
                guard let loaded = loaded(candidate) else {
                    failed(candidate)
                    continue
                }
                try start(Try(place: place, candidate: candidate, seeds: candidate.seeds), loaded, &flights)
            }
            guard !flights.isEmpty else { return found }
            waiting()
            if Interruption.isAsked { throw RunEnd.interrupted }
            for (flight, end) in flights.landed() {
                var one = flight.purpose
                if let found, one.place > found.place { continue }
                let trial = try Self.trial { try flight.runner.conclude(end) }
                one.seeds = Array(one.seeds.dropFirst())
                if !isRight(trial) {
                    failed(one.candidate)
                } else if one.seeds.isEmpty {
                    found = (one.place, trial)
                    flights.stop { $0.place > one.place }
                } else {
                    try start(one, flight.runner.loaded, &flights)
                }
            }
        }
    }

    private func start(_ one: Try, _ loaded: LoadedScenario, _ flights: inout Flights<Try>) throws {
        var runner = Runner(loaded: loaded, seed: one.seeds.first ?? 1, mode: .sim, out: nil)
        runner.linesMax = linesMax
        try flights.start(runner, for: one)
    }

    /// How a candidate fails, by its first seed and each of the others alike.
    /// - Returns: nil when one of them does not fail as it should, or when no file may say it.
    func trial(of candidate: Candidate, _ isRight: (Trial) -> Bool) throws -> Trial? {
        var isGiven = false
        return try play(
            next: {
                defer { isGiven = true }
                return isGiven ? nil : (0, candidate)
            }, isRight: isRight, failed: { _ in })?.trial
    }

    /// A run that the harness could not finish does not fail as it should.
    /// - Throws: what ends every run on this machine.
    static func trial(_ run: () throws -> RunReport) throws -> Trial {
        do { return Trial(try run()) } catch let end as RunEnd where end.kind == .harness || end.kind == .inconclusive {
            return Trial()
        }
    }
}

extension Trial {
    init(_ report: RunReport) {
        guard report.verdict == .invalid else {
            self.init()
            return
        }
        var tokens: [LossClass: [Token]] = [:]
        for finding in report.findings { tokens[finding.lossClass, default: []].append(finding.token) }
        self.init(counts: report.counts, tokens: tokens)
    }
}
