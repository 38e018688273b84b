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
    private struct Flight {
        var place: Int
        var candidate: Candidate
        var seeds: [UInt64]
        var runner: Runner
        var worker: RunningWorker
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
        var flying: [Flight] = []
        defer { for flight in flying { flight.worker.stop() } }
        var found: (place: Int, trial: Trial)?
        var isOver = false
        while true {
            // What comes later in the order is of no use once one has failed as it should.
            while found == nil, !isOver, flying.count < jobs {
                guard let (place, candidate) = next() else {
                    isOver = true
                    break
                }
                guard let loaded = loaded(candidate) else {
                    failed(candidate)
                    continue
                }
                flying.append(try start(place, candidate, candidate.seeds, loaded))
            }
            guard !flying.isEmpty else { return found }
            waiting()
            if Interruption.isAsked { throw RunEnd.interrupted }
            for index in flying.indices.reversed() {
                let wait: Int32 = index == 0 ? 20 : 0
                guard
                    let end = flying[index].worker.poll(
                        waitMilliseconds: wait, limitMilliseconds: flying[index].runner.limitMilliseconds)
                else { continue }
                let flight = flying.remove(at: index)
                let trial = try Self.trial { try flight.runner.conclude(end) }
                let rest = Array(flight.seeds.dropFirst())
                if !isRight(trial) {
                    failed(flight.candidate)
                } else if rest.isEmpty {
                    found = (flight.place, trial)
                    for late in flying where late.place > flight.place { late.worker.stop() }
                    flying.removeAll { $0.place > flight.place }
                    // Places before it may be removed from the array by now: look again.
                    break
                } else {
                    flying.append(try start(flight.place, flight.candidate, rest, flight.runner.loaded))
                }
            }
        }
    }

    private func start(_ place: Int, _ candidate: Candidate, _ seeds: [UInt64], _ loaded: LoadedScenario) throws
        -> Flight
    {
        var runner = Runner(loaded: loaded, seed: seeds.first ?? 1, mode: .sim, out: nil)
        runner.linesMax = linesMax
        return Flight(place: place, candidate: candidate, seeds: seeds, runner: runner, worker: try runner.start())
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
