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
        let all = Double(last - first) + 1
        guard let left = Span(rest: (all - finished) * real / finished) else { return rate }
        return " \(Terminal.bar(finished / all))\(rate), \(left) left"
    }
}
