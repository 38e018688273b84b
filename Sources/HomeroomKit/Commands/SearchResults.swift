import CInterpose
import FleetModel
import Load
import Report
import Run

/// What a search over seeds leaves behind and shows, beside its summary.
extension Search {
    /// Plays the runs that the summary names once more, each into a folder of its own, until one of them cannot be played or written.
    /// - Returns: their traces, by seed, and why there are not more.
    func keep(in folder: String) -> (traces: [UInt64: String], problem: RunEnd?) {
        let named = [firstUnknown, firstMissed].compactMap { $0 } + Array(firstOfClass.values)
        var traces: [UInt64: String] = [:]
        for seed in Set(named.map(\.seed)).sorted() where !Interruption.isAsked {
            let place = "\(folder)/\(loaded.scenario.name)-\(seed)"
            var runner = Runner(loaded: loaded, seed: seed, mode: .sim, out: place)
            runner.title = "\(loaded.scenario.name)-\(seed), again"
            do { _ = try runner.run() } catch {
                let problem = RunEnd.of(error)
                return (traces, Interruption.isAsked ? nil : problem)
            }
            traces[seed] = place + "/trace.jsonl"
        }
        return (traces, nil)
    }

    /// A case for each seed that was finished, in their order, and one for each that could not be.
    /// - Parameters:
    ///   - traces: by seed.
    ///   - began: when the search began.
    func junit(traces: [UInt64: String], began: String) -> String {
        let cases = reports.sorted { $0.seed < $1.seed }.map { report in
            var report = report
            report.origin = origin(report.seed, trace: traces[report.seed])
            return report
        }
        let broken = failures.sorted { $0.seed < $1.seed }.map {
            JUnit.Failure(
                scenario: "\(loaded.scenario.name) seed=\($0.seed)", mode: Mode.sim.rawValue, message: $0.message,
                origin: origin($0.seed, trace: nil))
        }
        return JUnit.xml(cases, failures: broken, timestamp: began)
    }
    private func origin(_ seed: UInt64, trace: String?) -> RunReport.Origin {
        .init(file: loaded.file, command: loaded.command(seed: seed, mode: Mode.sim.rawValue), trace: trace)
    }

    /// For the line of progress: how much is done, seeds in a second, and how long the rest takes at this rate.
    func pace(until end: Int64?, last: UInt64) -> String {
        let (finished, real) = (Double(done + failures.count), Double(hr_real_ns() - started) / 1e9)
        guard finished > 0, real > 0.5 else { return "" }
        let rate = " \(FigureTable.short(finished / real)) seeds/s"
        if let end { return " \(Terminal.bar(real * 1e9 / Double(max(1, end - started))))\(rate)" }
        let all = Double(count(upTo: last))
        guard let left = Span(rest: (all - finished) * real / finished) else { return rate }
        return " \(Terminal.bar(finished / all))\(rate), \(left) left"
    }
}

extension Search {
    /// The summary for programs (Docs/schemas/explore.schema.json).
    var body: Value {
        var first = Value.empty
        for (lossClass, report) in firstOfClass { first[lossClass.rawValue] = .string(String(report.seed)) }
        let named = [firstUnknown, firstMissed].compactMap { $0 } + LossClass.allCases.compactMap { firstOfClass[$0] }
        var seeds: Set<UInt64> = []
        let runs = named.filter { seeds.insert($0.seed).inserted }.sorted { $0.seed < $1.seed }
        return [
            "scenario": .string(loaded.scenario.name), "seeds": .int(done),
            "verdicts": .object(
                Value.Object(Verdict.allCases.map { ($0.rawValue, .int(verdicts[$0] ?? 0)) })),
            "edits": .int(edits),
            "counts": .object(Value.Object(counted.map { ($0.key.rawValue, .int($0.value)) })),
            "missed": .int(missed), "firstMissed": .optional(firstMissed.map { String($0.seed) }),
            "firstOfClass": first, "distinct": ledger.body, "unreached": done > 0 ? .strings(unreached) : .array([]),
            "runs": .array(
                runs.map { report in
                    var report = report
                    report.origin.command = loaded.command(seed: report.seed, mode: Mode.sim.rawValue)
                    report.origin.file = loaded.file
                    return report.told
                }),
            "failures": .array(
                failures.map { ["seed": .string(String($0.seed)), "message": .string($0.message)] }),
        ]
    }
}
