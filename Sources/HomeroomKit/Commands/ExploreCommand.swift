import ArgumentParser
import CInterpose
import FleetModel
import Report
import Run
import Workload
import World

/// `homeroom explore PATH`
struct ExploreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explore",
        abstract: "Try many seeds of one scenario in sim, side by side; tell the first failure of each class.",
        discussion:
            "Exit status: 0 every seed gave what the scenario expects, 1 some did not, 2 some were unknown or none was finished, 3 bad input or results that could not be written, 4 some could not be finished, 130 interrupted."
    )

    @Argument(help: "A scenario file.") var path: String
    @Option(parsing: .unconditional, help: "How many seeds.") var seeds: Int?
    @Option(parsing: .unconditional, help: "Or how long to search, in minutes.") var minutes: Double?
    @Option(parsing: .unconditional, help: "Worker processes at a time; default: the machine's cores.") var jobs: Int?
    @Option(parsing: .unconditional, help: "The first seed.") var from: UInt64 = 1
    @Option(
        help:
            "Only part I of N of the seeds, as 2/5; auto: as the environment of a job array says (Kubernetes, Slurm, GitLab, Buildkite, CircleCI, or HOMEROOM_SHARD=I/N)."
    )
    var shard: String?
    @Option(help: "Folder for the runs that the summary names: each is played again and leaves its results there.")
    var out: String?
    @Option(help: "Also write a JUnit file, with a case for each seed.") var junit: String?
    @OptionGroup var json: JSONOption
    @Flag(help: "Start no more seeds once one did not give what the scenario expects.") var stopAtFirst = false
    @Flag(help: "Print a line for each seed, in their order, with what it drew.") var each = false

    func validate() throws {
        guard seeds == nil || minutes == nil else { throw ValidationError("give --seeds or --minutes, not both") }
        guard (1...1_000_000_000).contains(seeds ?? 1) else { throw ValidationError("--seeds takes 1 to 1000000000") }
        guard minutes ?? 1 > 0, minutes ?? 1 <= 525_600 else {
            throw ValidationError("--minutes takes more than 0 and at most 525600, a year")
        }
        guard (1...1024).contains(jobs ?? 1) else { throw ValidationError("--jobs takes 1 to 1024") }
        guard from <= .max / 2 else { throw ValidationError("--from takes at most \(UInt64.max / 2)") }
    }

    func run() throws {
        let loaded = try ScenarioFiles.load([path])
        guard loaded.count == 1 else {
            throw RunEnd.input("explore takes one scenario; \(path) holds \(loaded.count)")
        }
        let part = try shard.map { try JobArray.shard($0) } ?? .whole
        var search = Search(
            loaded: loaded[0], jobs: jobs ?? Machine.cores, from: from, part: part, stopsAtFirst: stopAtFirst,
            lines: each ? SeedLines(from: from + UInt64(part.index - 1), by: UInt64(part.count)) : nil)
        search.keepsAll = junit != nil
        let junit = junit.map { OutputFile($0, orElse: .junit) }
        try junit?.probe()
        let folder = try out.map { try OutputFolder($0) }
        defer { folder?.close() }
        let began = TimeOfDay.now
        let end = minutes.map { hr_real_ns() + Int64($0 * 60e9) }
        let last = seeds.map { from + UInt64($0) - 1 }
        try search.run(until: end, last: last ?? (end == nil ? from + 99 : .max))
        let status = search.summary()
        let kept = folder.map { search.keep(in: $0.path) } ?? (traces: [:], problem: nil)
        // The seeds have their verdicts, whatever became of the runs that were to be kept.
        if let problem = kept.problem { printError(problem.line) }
        try junit?.write(search.junit(traces: kept.traces, began: began))
        JSONOutput.print("explore", .worst([status, kept.problem?.status ?? .asExpected]), search.body)
        guard !Interruption.isAsked else {
            throw RunEnd(.interrupted, "interrupted: the summary tells the seeds that were finished")
        }
        throw ExitCode(.worst([status, kept.problem?.status ?? .asExpected]))
    }
}

/// Seeds in flight and what they came to.
struct Search {
    let loaded: LoadedScenario
    let jobs: Int
    let first: UInt64
    /// Seeds that are under way when one fails are finished: one of them may be the first.
    let stopsAtFirst: Bool
    private var lines: SeedLines?
    var next: UInt64
    /// Of the seeds from `first` on, each part has every so many-th.
    private let part: Shard
    private(set) var ledger = ViolationLedger()
    /// By their seeds.
    private var flights = Flights<UInt64>()
    private(set) var done = 0
    private(set) var verdicts: [Verdict: Int] = [:]
    private(set) var counted: [LossClass: Int] = [:]
    private(set) var firstOfClass: [LossClass: RunReport] = [:]
    private(set) var firstUnknown: RunReport?
    /// Runs that the harness could not finish.
    private(set) var failures: [(seed: UInt64, message: String)] = []
    /// Seeds that did not give what the scenario expects, and the first of them.
    private(set) var missed = 0
    private(set) var firstMissed: RunReport?
    private var marks: Set<String> = []
    private(set) var edits = 0
    /// For JUnit.
    var keepsAll = false
    private(set) var reports: [RunReport] = []
    let started = hr_real_ns()

    init(
        loaded: LoadedScenario, jobs: Int, from: UInt64, part: Shard = .whole, stopsAtFirst: Bool, lines: SeedLines?
    ) {
        self.stopsAtFirst = stopsAtFirst
        self.lines = lines
        self.loaded = loaded
        self.jobs = jobs
        first = from
        next = from + UInt64(part.index - 1)
        self.part = part
    }

    /// Seeds of this part up to the last one.
    func count(upTo last: UInt64) -> UInt64 {
        let (all, own) = (last - first + 1, UInt64(part.index - 1))
        return all > own ? (all - own - 1) / UInt64(part.count) + 1 : 0
    }

    mutating func run(until end: Int64?, last: UInt64) throws {
        showProgress(until: end, last: last)
        while true {
            let isOver = stopsAtFirst && (missed > 0 || !failures.isEmpty)
            while !isOver, flights.count < jobs, next <= last, end.map({ hr_real_ns() < $0 }) ?? true {
                try flights.start(Runner(loaded: loaded, seed: next, mode: .sim, out: nil), for: next)
                next += UInt64(part.count)
            }
            guard !flights.isEmpty else { return }
            if Interruption.isAsked { return flights.stop() }
            try collect { $0.showProgress(until: end, last: last) }
            showProgress(until: end, last: last)
        }
    }

    private func showProgress(until end: Int64?, last: UInt64) {
        let left = end.map { max(0, $0 - hr_real_ns()) / 1_000_000_000 }
        let goal = left.map { " seeds, \($0)s left" } ?? " of \(count(upTo: last)) seeds"
        Progress.show(
            "\(loaded.scenario.name): \(done + failures.count)\(goal), \(edits) edits, \(verdicts[.invalid] ?? 0) invalid, "
                + "\(verdicts[.unknown] ?? 0) unknown\(pace(until: end, last: last))")
    }

    /// - Parameter each: called after every seed that was finished, so that none is left out of the progress.
    private mutating func collect(each: (Search) -> Void) throws {
        for (flight, end) in flights.landed() {
            do { count(try flight.runner.conclude(end)) } catch let end as RunEnd where end.status == .harness {
                failures.append((flight.purpose, end.line))
                tell(flight.purpose, ["failed  \(loaded.scenario.name)  seed=\(flight.purpose) \(end.line)"])
            }
            each(self)
        }
    }

    private mutating func count(_ report: RunReport) {
        done += 1
        edits += report.edits
        verdicts[report.verdict, default: 0] += 1
        marks.formUnion(report.marks)
        if keepsAll { reports.append(report) }
        ledger.take(report)
        tell(report.seed, [report.line] + (report.drawnLine.map { ["  drawn: \($0)"] } ?? []))
        if !report.isAsExpected {
            missed += 1
            if firstMissed.map({ $0.seed > report.seed }) ?? true { firstMissed = report }
        }
        for (lossClass, number) in report.counts { counted[lossClass, default: 0] += number }
        for finding in report.findings where firstOfClass[finding.lossClass].map({ $0.seed > report.seed }) ?? true {
            firstOfClass[finding.lossClass] = report
        }
        if report.verdict == .unknown, firstUnknown.map({ $0.seed > report.seed }) ?? true { firstUnknown = report }
    }

    private mutating func tell(_ seed: UInt64, _ text: [String]) {
        for line in lines?.take(seed, text) ?? [] {
            Progress.clear()
            say(line)
        }
    }

    private func repetition(_ seed: UInt64) -> String {
        "repeat with: \(loaded.command(seed: seed, mode: "sim"))"
    }

    /// Marks that no seed reached: those that the scenario asks for, or that the faults of a swarm can lead to.
    var unreached: [String] {
        let asked = loaded.scenario.swarm == nil ? loaded.scenario.mustReach : ReachableMarks.byFaults
        return asked.filter { !marks.contains($0) }
    }

    /// Prints the end and gives the exit status.
    func summary() -> ExitStatus {
        Progress.clear()
        for line in lines?.rest ?? [] { say(line) }
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
        if let failure = failures.min(by: { $0.seed < $1.seed }) {
            say(failure.message)
            say("\(failures.count) runs could not be finished; the first: \(repetition(failure.seed))\n")
        }
        if !unreached.isEmpty, done > 0 { say("reached by no seed: \(unreached.joined(separator: ", "))") }
        if let firstMissed {
            say(
                "\(missed) seeds did not give what the scenario expects (\(firstMissed.wanted)); first at seed \(firstMissed.seed), which is \(firstMissed.verdict.rawValue); \(repetition(firstMissed.seed))"
            )
        }
        let milliseconds = (hr_real_ns() - started) / 1_000_000
        let classes = LossClass.allCases.compactMap { lossClass in
            counted[lossClass].map { "\(lossClass.rawValue)=\($0)" }
        }
        say(
            "explored  \(loaded.scenario.name)  seeds=\(done) valid=\(verdicts[.valid] ?? 0) invalid=\(verdicts[.invalid] ?? 0) "
                + "unknown=\(verdicts[.unknown] ?? 0) edits=\(edits)\(classes.isEmpty ? "" : " ")\(classes.joined(separator: " ")) "
                + "wall=\(milliseconds / 1000).\((milliseconds % 1000) / 100)s")
        if !failures.isEmpty { return .harness }
        if done == 0 { return .unknown }
        if missed == 0 { return .asExpected }
        return verdicts[.unknown] == missed ? .unknown : .unexpected
    }
}
