import ArgumentParser
import FleetModel
import Load
import Run

/// `homeroom bench compare A B`
struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Two sets of measured runs beside each other: ratios of medians, their spread, and limits for CI.",
        discussion: """
            A and B are folders of results (or folders of such), or they are run here: two scenario files, or two homeroom executables with \
            --scenario. Then A and B take turns, so that both meet the same moods of the machine; both runs of a round have the same seed, \
            and each round the next one. In live an executable starts the homeroom-cloud that lies beside it, so that builds of the Cloud can \
            be compared too; --cloud-program names one for both.

            Exit status: 0 all limits kept, 1 one was not, 3 bad input (results of a run that was not valid too), 4 a run failed or was not valid.
            """)

    @Argument(help: "Results, a scenario file, or a homeroom executable.") var a: String
    @Argument(help: "What is held against it.") var b: String
    @Option(help: "File of limits: on each line a figure's name and how many times worse it may be.") var limits:
        String?
    @Option(parsing: .unconditional, help: "How often each is run.") var rounds = 5
    @Option(help: "Scenario that two executables run.") var scenario: String?
    @Option(parsing: .unconditional, help: "Seed of the first round; default: the scenario's own.") var seed: UInt64?
    @Option(help: "sim, fleet or live.") var mode: Mode = .fleet
    @OptionGroup var live: OwnCloudOptions
    @Flag(help: "One JSON object a line.") var json = false

    func validate() throws {
        guard (1...1000).contains(rounds) else { throw ValidationError("--rounds takes 1 to 1000") }
        try live.validate(mode)
    }

    func run() throws {
        let subjects = try [a, b].map { try ComparedRuns.Subject($0, scenario: scenario) }
        // Before anything takes time.
        let limitsText = try limits.map { try Folders.read($0) }
        let possible = try ComparedRuns.requireComparable(subjects, mode: mode)
        _ = try read(limitsText, known: possible)
        if let named = live.cloudProgram { _ = try CloudProgram.required(named) }
        let comparison = try comparison(of: subjects)
        let kept = try read(limitsText, known: comparison.lines.map(\.name))
        if json {
            for body in comparison.body(kept) { print(body.json) }
        } else {
            say("A: \(a), \(count(comparison.runs[0]))")
            say("B: \(b), \(count(comparison.runs[1]))")
            if !comparison.isSamePlan {
                say("the plans of A and B differ: not everything is because of what is compared")
            }
            if !comparison.oneSided.isEmpty {
                let channels = comparison.oneSided.map(\.rawValue).joined(separator: ", ")
                say(
                    "only one side edits by \(channels): left out but where a limit names them; 'all' is what both have"
                )
            }
            for line in comparison.table(kept) { say(line) }
        }
        let beyond = comparison.beyond(kept)
        if limits != nil, !json {
            say(
                beyond.isEmpty
                    ? "all \(kept.most.count) limits are kept"
                    : "\(beyond.count) of \(kept.most.count) limits are not kept: \(beyond.map(\.name).joined(separator: ", "))"
            )
        }
        throw ExitCode(beyond.isEmpty ? .asExpected : .unexpected)
    }

    private func count(_ runs: Int) -> String { runs == 1 ? "1 run" : "\(runs) runs" }

    private func read(_ text: String?, known: [String]) throws -> FigureLimits {
        guard let text, let limits else { return FigureLimits() }
        do { return try FigureLimits(text: text, file: limits, known: known) } catch {
            throw RunEnd.input(error.messages.joined(separator: "\n"))
        }
    }

    private func comparison(of subjects: [ComparedRuns.Subject]) throws -> FigureComparison {
        do {
            if case .results(let first) = subjects[0], case .results(let second) = subjects[1] {
                return try FigureComparison(try FigureFiles.all(in: first), try FigureFiles.all(in: second))
            }
            let runs = ComparedRuns(subjects: subjects, rounds: rounds, seed: seed, mode: mode, live: live.words)
            let (first, second) = try runs.run()
            return try FigureComparison(first, second, scenariosMayDiffer: true)
        } catch let problem as FigureComparison.Problem { throw RunEnd.input(problem.message) }
    }
}
