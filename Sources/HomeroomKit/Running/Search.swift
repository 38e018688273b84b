import CInterpose
import FleetModel
import Load
import Report
import Run
import World

/// Which seeds a search is to play.
struct Asked: Hashable {
    /// Nil together with `minutes`: a hundred.
    var seeds: Int?
    var from: UInt64 = 1
    var minutes: Double?
    /// Seeds that are under way when one fails are finished: one of them may be the first.
    var stopsAtFirst = false

    /// The last seed of all parts; none for a search that ends by the clock.
    var last: UInt64 { minutes == nil ? from + UInt64(seeds ?? 100) - 1 : .max }
    /// The options of `explore` that say it.
    var options: String {
        var words = minutes.map { "--minutes \(FigureTable.short($0))" } ?? "--seeds \(seeds ?? 100)"
        if from != 1 { words += " --from \(from)" }
        if stopsAtFirst { words += " --stop-at-first" }
        return words
    }
    /// Seeds of a part; none of a search that ends by the clock.
    func count(of part: Shard) -> UInt64? {
        guard minutes == nil else { return nil }
        let (all, own) = (last - from + 1, UInt64(part.index - 1))
        return all > own ? (all - own - 1) / UInt64(part.count) + 1 : 0
    }

    var body: Value {
        [
            "seeds": minutes == nil ? .int(seeds ?? 100) : .null, "from": .string(String(from)),
            "minutes": minutes.map { .double($0) } ?? .null, "stopsAtFirst": .bool(stopsAtFirst),
        ]
    }
    init(seeds: Int? = nil, from: UInt64 = 1, minutes: Double? = nil, stopsAtFirst: Bool = false) {
        (self.seeds, self.from, self.minutes, self.stopsAtFirst) = (seeds, from, minutes, stopsAtFirst)
    }
    init?(_ body: Value) {
        guard let from = body["from"]?.string.flatMap({ UInt64($0) }) else { return nil }
        self.init(
            seeds: body["seeds"]?.int.map { Int(clamping: $0) }, from: from, minutes: body["minutes"]?.double,
            stopsAtFirst: body["stopsAtFirst"]?.bool ?? false)
    }
}

/// Seeds in flight and what they came to.
struct Search {
    let jobs: Int
    let asked: Asked
    /// Of the seeds from the first on, each part has every so many-th.
    private let part: Shard
    private(set) var tally: SearchTally
    private var lines: SeedLines?
    private var next: UInt64
    /// By their seeds.
    private var flights = Flights<UInt64>()
    /// For JUnit.
    var keepsAll = false
    private(set) var reports: [RunReport] = []
    /// What an earlier process of this part has finished already.
    private var finished: Set<UInt64> = []
    private var file: PartFile?
    private let started = hr_real_ns()

    init(loaded: LoadedScenario, jobs: Int, asked: Asked, part: Shard = .whole, lines: SeedLines? = nil) {
        (self.jobs, self.asked, self.part, self.lines) = (jobs, asked, part, lines)
        tally = SearchTally(loaded)
        next = asked.from + UInt64(part.index - 1)
    }

    private var loaded: LoadedScenario { tally.loaded }

    /// Each seed leaves a line in the file of this part; those that an earlier process left there are not played again, but for those that could
    /// not be finished.
    /// - Throws: `RunEnd.input` when the file is of another search, or cannot be used.
    mutating func goOn(in folder: String) throws {
        let file = try PartFile(
            PartFile.path(in: folder, loaded.scenario.name, part),
            header: SearchPart(loaded, asked).header(part))
        self.file = file
        for line in file.content.lines {
            guard let result = SeedResult(line), finished.insert(result.report.seed).inserted else { continue }
            count(result)
        }
        guard !finished.isEmpty || file.content.isEnded else { return }
        say("part \(part): \(finished.count) seeds are finished in \(file.path) and not played again")
    }

    /// - Throws: what keeps the machine from playing, and what the file of this part does not take.
    mutating func run() throws {
        defer { file?.close() }
        let end = asked.minutes.map { hr_real_ns() + Int64($0 * 60e9) }
        let wasEnded = file?.content.isEnded ?? false
        showProgress(until: end)
        while true {
            let isOver = wasEnded || asked.stopsAtFirst && (tally.missed > 0 || !tally.failures.isEmpty)
            while !isOver, flights.count < jobs, end.map({ hr_real_ns() < $0 }) ?? true {
                while finished.contains(next) { next += UInt64(part.count) }
                guard next <= asked.last else { break }
                try flights.start(Runner(loaded: loaded, seed: next, mode: .sim, out: nil), for: next)
                next += UInt64(part.count)
            }
            guard !flights.isEmpty else { break }
            if Interruption.isAsked { return flights.stop() }
            try collect { $0.showProgress(until: end) }
            showProgress(until: end)
        }
        // A part with a seed that could not be finished has not done what it was asked for: run again, it tries that seed once more.
        if !Interruption.isAsked, tally.failures.isEmpty { try file?.end() }
    }

    private func showProgress(until end: Int64?) {
        let left = end.map { max(0, $0 - hr_real_ns()) / 1_000_000_000 }
        let goal = left.map { " seeds, \($0)s left" } ?? " of \(asked.count(of: part) ?? 0) seeds"
        let (invalid, unknown) = (tally.verdicts[.invalid] ?? 0, tally.verdicts[.unknown] ?? 0)
        Progress.show(
            "\(loaded.scenario.name): \(tally.done + tally.failures.count)\(goal), \(tally.edits) edits, \(invalid) invalid, "
                + "\(unknown) unknown\(pace(until: end))")
    }

    /// For the line of progress: how much is done, seeds in a second, and how long the rest takes at this rate.
    private func pace(until end: Int64?) -> String {
        let all = Double(tally.done + tally.failures.count)
        let (played, real) = (all - Double(finished.count), Double(hr_real_ns() - started) / 1e9)
        guard played > 0, real > 0.5 else { return "" }
        let rate = " \(FigureTable.short(played / real)) seeds/s"
        if let end { return " \(Terminal.bar(real * 1e9 / Double(max(1, end - started))))\(rate)" }
        let goal = Double(asked.count(of: part) ?? 0)
        guard let left = Span(rest: (goal - all) * real / played) else { return rate }
        return " \(Terminal.bar(all / goal))\(rate), \(left) left"
    }

    /// - Parameter each: called after every seed that was finished, so that none is left out of the progress.
    private mutating func collect(each: (Search) -> Void) throws {
        for (flight, end) in flights.landed() {
            do {
                let result = SeedResult(try flight.runner.conclude(end))
                let known = tally.marks
                let isNamed = count(result)
                try file?.append(result.line(isNamed: isNamed, known: known))
            } catch let end as RunEnd where end.status == .harness {
                tally.fail(flight.purpose, end.line)
                try file?.append(["seed": .string(String(flight.purpose)), "failure": .string(end.line)])
                tell(flight.purpose, ["failed  \(loaded.scenario.name)  seed=\(flight.purpose) \(end.line)"])
            }
            each(self)
        }
    }

    /// - Returns: whether the summary names the run, as far as is known now.
    @discardableResult private mutating func count(_ result: SeedResult) -> Bool {
        let report = result.report
        if keepsAll { reports.append(report) }
        tell(report.seed, [report.line] + (report.drawnLine.map { ["  drawn: \($0)"] } ?? []))
        return tally.take(result)
    }

    private mutating func tell(_ seed: UInt64, _ text: [String]) {
        for line in lines?.take(seed, text) ?? [] {
            Progress.clear()
            say(line)
        }
    }

    /// Prints the end and gives the exit status.
    func summary() -> ExitStatus {
        Progress.clear()
        for line in lines?.rest ?? [] { say(line) }
        let milliseconds = (hr_real_ns() - started) / 1_000_000
        tally.tell("explored", "wall=\(milliseconds / 1000).\((milliseconds % 1000) / 100)s")
        return tally.status
    }

    /// Plays the runs that the summary names once more, each into a folder of its own, until one of them cannot be played or written.
    /// - Returns: their traces, by seed, and why there are not more.
    func keep(in folder: String) -> (traces: [UInt64: String], problem: RunEnd?) {
        var traces: [UInt64: String] = [:]
        for seed in tally.named.map(\.seed) where !Interruption.isAsked {
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
}
