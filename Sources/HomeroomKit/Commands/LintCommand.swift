import ArgumentParser
import FleetModel
import Report
import Run

/// `homeroom lint PATH...`
struct LintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract:
            "Run scenarios and report risky habits of their apps that have not lost data yet, each with the statement it breaks.",
        discussion:
            "Exit status: 0 nothing found (advice is no finding), 1 something found, 2 nothing found in a run that shows too little, 3 bad input, 4 the harness failed."
    )

    @Argument(help: "Scenario files, or folders of them.") var paths: [String]
    @Option(parsing: .unconditional, help: "Seed of all draws; default: the scenario's own.") var seed: UInt64?
    @Option(parsing: .unconditional, help: "Wall seconds after which a step that does not end counts as a spin.")
    var spinLimit: Int32 = 10
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard (1...3600).contains(spinLimit) else { throw ValidationError("--spin-limit takes 1 to 3600 seconds") }
    }

    func run() throws {
        var (isClean, isWhole) = (true, true)
        var told: [Value] = []
        for loaded in try ScenarioFiles.load(paths) {
            var runner = Runner(loaded: loaded, seed: seed ?? loaded.scenario.seed, mode: .sim)
            runner.limitMilliseconds = spinLimit * 1000
            runner.judgesHabits = true
            let report = try runner.run()
            guard !Interruption.isAsked else { throw RunEnd.interruptedLate }
            isClean = isClean && report.habits.isEmpty
            isWhole = isWhole && report.reasons.isEmpty
            told.append([
                "scenario": .string(loaded.scenario.name), "seed": .string(String(report.seed)),
                "habits": .strings(report.habits), "advice": .strings(report.advice),
                "reasons": .strings(report.reasons),
            ])
            for line in report.habits { say("\(loaded.scenario.name): \(Statements.explained(line))") }
            for line in report.advice { say("\(loaded.scenario.name): advice: \(Statements.explained(line))") }
            // A run that ended before its time shows no habits either.
            for reason in report.reasons { say("\(loaded.scenario.name): unknown because: \(reason)") }
            if report.habits.isEmpty, report.reasons.isEmpty { say("\(loaded.scenario.name): no risky habits") }
        }
        let status: ExitStatus = !isClean ? .unexpected : isWhole ? .asExpected : .unknown
        JSONOutput.print("lint", status, ["scenarios": .array(told)])
        throw ExitCode(status)
    }
}
