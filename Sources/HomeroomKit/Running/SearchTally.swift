import FleetModel
import Report
import Workload

/// What the seeds of one scenario came to.
///
/// Invariant: it does not depend on the order in which seeds are taken in, nor on who played them, so parts that are joined say what one process says.
struct SearchTally {
    let loaded: LoadedScenario
    private(set) var ledger = ViolationLedger()
    private(set) var done = 0
    private(set) var verdicts: [Verdict: Int] = [:]
    private(set) var counted: [LossClass: Int] = [:]
    private(set) var firstOfClass: [LossClass: RunReport] = [:]
    private(set) var firstUnknown: RunReport?
    /// What kept the harness from finishing a run, by seed.
    private(set) var failures: [UInt64: String] = [:]
    /// Seeds that did not give what the scenario expects, and the first of them.
    private(set) var missed = 0
    private(set) var firstMissed: RunReport?
    private(set) var marks: Set<String> = []
    private(set) var edits = 0

    init(_ loaded: LoadedScenario) { self.loaded = loaded }

    /// - Returns: whether the summary names the run, as far as is known now.
    @discardableResult mutating func take(_ result: SeedResult) -> Bool {
        let report = result.report
        failures[report.seed] = nil
        done += 1
        edits += report.edits
        verdicts[report.verdict, default: 0] += 1
        marks.formUnion(report.marks)
        ledger.take(result)
        var isNamed = false
        func isFirst(_ first: RunReport?) -> Bool { first.map { $0.seed > report.seed } ?? true }
        if !report.isAsExpected {
            missed += 1
            if isFirst(firstMissed) { (firstMissed, isNamed) = (report, true) }
        }
        for (lossClass, number) in report.counts { counted[lossClass, default: 0] += number }
        for finding in report.findings where isFirst(firstOfClass[finding.lossClass]) {
            (firstOfClass[finding.lossClass], isNamed) = (report, true)
        }
        if report.verdict == .unknown, isFirst(firstUnknown) { (firstUnknown, isNamed) = (report, true) }
        return isNamed
    }

    mutating func fail(_ seed: UInt64, _ message: String) { failures[seed] = message }

    /// Marks that no seed reached: those that the scenario asks for, or that the faults of a swarm can lead to.
    var unreached: [String] {
        let asked = loaded.scenario.swarm == nil ? loaded.scenario.mustReach : ReachableMarks.byFaults
        return asked.filter { !marks.contains($0) }
    }

    /// The runs that the summary tells of, by seed.
    var named: [RunReport] {
        let all = [firstUnknown, firstMissed].compactMap { $0 } + LossClass.allCases.compactMap { firstOfClass[$0] }
        var seeds: Set<UInt64> = []
        return all.filter { seeds.insert($0.seed).inserted }.sorted { $0.seed < $1.seed }
    }

    var status: ExitStatus {
        if !failures.isEmpty { return .harness }
        if done == 0 { return .unknown }
        if missed == 0 { return .asExpected }
        return verdicts[.unknown] == missed ? .unknown : .unexpected
    }

    private func repetition(_ seed: UInt64) -> String {
        "repeat with: \(loaded.command(seed: seed, mode: "sim"))"
    }

    /// Prints what was found, and last one line with all numbers.
    /// - Parameters:
    ///   - word: what was done: it begins the last line.
    ///   - more: ends it.
    func tell(_ word: String, _ more: String) {
        for lossClass in LossClass.allCases {
            guard let report = firstOfClass[lossClass],
                let told = report.findings.first(where: { $0.lossClass == lossClass })
            else { continue }
            for line in told.story { say(line) }
            say("first at seed \(report.seed); \(repetition(report.seed))\n")
        }
        for line in ledger.lines { say(line) }
        if let firstUnknown {
            for reason in firstUnknown.reasons { say("  unknown because: \(reason)") }
            say("first at seed \(firstUnknown.seed); \(repetition(firstUnknown.seed))\n")
        }
        if let failure = failures.min(by: { $0.key < $1.key }) {
            say(failure.value)
            say("\(failures.count) runs could not be finished; the first: \(repetition(failure.key))\n")
        }
        if !unreached.isEmpty, done > 0 { say("reached by no seed: \(unreached.joined(separator: ", "))") }
        if let firstMissed {
            say(
                "\(missed) seeds did not give what the scenario expects (\(firstMissed.wanted)); first at seed \(firstMissed.seed), which is \(firstMissed.verdict.rawValue); \(repetition(firstMissed.seed))"
            )
        }
        let classes = LossClass.allCases.compactMap { lossClass in
            counted[lossClass].map { "\(lossClass.rawValue)=\($0)" }
        }
        say(
            "\(word)  \(loaded.scenario.name)  seeds=\(done) valid=\(verdicts[.valid] ?? 0) invalid=\(verdicts[.invalid] ?? 0) "
                + "unknown=\(verdicts[.unknown] ?? 0) edits=\(edits)\(classes.isEmpty ? "" : " ")\(classes.joined(separator: " ")) \(more)"
        )
    }

    /// The summary for programs (Docs/schemas/explore.schema.json).
    var body: Value {
        var first = Value.empty
        for (lossClass, report) in firstOfClass { first[lossClass.rawValue] = .string(String(report.seed)) }
        return [
            "scenario": .string(loaded.scenario.name), "seeds": .int(done),
            "verdicts": .object(
                Value.Object(Verdict.allCases.map { ($0.rawValue, .int(verdicts[$0] ?? 0)) })),
            "edits": .int(edits),
            "counts": .object(Value.Object(counted.map { ($0.key.rawValue, .int($0.value)) })),
            "missed": .int(missed), "firstMissed": .optional(firstMissed.map { String($0.seed) }),
            "firstOfClass": first, "distinct": ledger.body, "unreached": done > 0 ? .strings(unreached) : .array([]),
            "runs": .array(
                named.map { report in
                    var report = report
                    report.origin.command = loaded.command(seed: report.seed, mode: Mode.sim.rawValue)
                    report.origin.file = loaded.file
                    return report.told
                }),
            "failures": .array(
                failures.sorted { $0.key < $1.key }.map {
                    ["seed": .string(String($0.key)), "message": .string($0.value)]
                }),
        ]
    }
}

/// JUnit of many seeds.
enum SeedCases {
    /// A case for each seed that was finished, in their order, and one for each that could not be.
    /// - Parameters:
    ///   - reports: in any order.
    ///   - traces: by seed.
    ///   - began: when the search began.
    static func junit(
        _ tally: SearchTally, _ reports: [RunReport], traces: [UInt64: String], began: String
    ) -> String {
        func origin(_ seed: UInt64, trace: String?) -> RunReport.Origin {
            .init(
                file: tally.loaded.file, command: tally.loaded.command(seed: seed, mode: Mode.sim.rawValue),
                trace: trace)
        }
        let cases = reports.sorted { $0.seed < $1.seed }.map { report in
            var report = report
            report.origin = origin(report.seed, trace: traces[report.seed])
            return report
        }
        let broken = tally.failures.sorted { $0.key < $1.key }.map {
            JUnit.Failure(
                scenario: "\(tally.loaded.scenario.name) seed=\($0.key)", mode: Mode.sim.rawValue, message: $0.value,
                origin: origin($0.key, trace: nil))
        }
        return JUnit.xml(cases, failures: broken, timestamp: began)
    }
}
