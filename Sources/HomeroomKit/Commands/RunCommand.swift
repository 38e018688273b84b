import ArgumentParser
import FleetModel
import Report
import Run

/// `homeroom run PATH...`
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run scenarios and judge them: one verdict line each.")

    @Argument(help: "Scenario files, or folders of them.") var paths: [String]
    @Option(parsing: .unconditional, help: "Seed of all draws; default: the scenario's own.") var seed: UInt64?
    @Option(help: "sim, fleet or live.") var mode: Mode = .fleet
    @OptionGroup var live: LiveOptions
    @Option(help: "Folder of results; default .homeroom/SCENARIO-SEED. With several scenarios each gets a subfolder.")
    var out: String?
    @Option(help: "Also write a JUnit file.") var junit: String?
    @OptionGroup var json: JSONOption
    @Flag(help: "Write report.html for a valid run too; others always have one.") var report = false
    @Flag(help: "Print verdict lines only, each behind ok or FAIL: whether it is what the scenario expects.")
    var quiet = false
    @Option(
        help:
            "Leave out this fault (its id in the trace) or this edit (maya.3), and nothing else: what was its part? Repeatable."
    )
    var without: [String] = []
    @Option(parsing: .unconditional, help: "Wall seconds after which a step that does not end counts as a spin.")
    var spinLimit: Int32 = 10

    func validate() throws {
        guard (1...3600).contains(spinLimit) else { throw ValidationError("--spin-limit takes 1 to 3600 seconds") }
        try live.validate(mode)
        guard live.shard == nil || junit == nil else {
            throw ValidationError("--junit wants a verdict, and a part has none: give it to merge")
        }
    }

    func run() throws {
        let scenarios = try ScenarioFiles.load(paths)
        try Self.refuseDoubles(scenarios)
        guard live.shard?.isWhole ?? true || scenarios.count == 1 else {
            throw RunEnd.input(
                "--shard plays one scenario: each run needs a Cloud of its own; give one file")
        }
        guard live.cloud == nil && live.cloudFile == nil || scenarios.count == 1 else {
            throw RunEnd.input(
                "a Cloud that is given is for one run, and these are \(scenarios.count) scenarios: give one file, or let each run start its own Cloud"
            )
        }
        Interruption.install()
        let junit = junit.map { OutputFile($0, orElse: .junit) }
        try junit?.probe()
        let began = TimeOfDay.now
        var reports: [RunReport] = []
        var failures: [(JUnit.Failure, status: ExitStatus)] = []
        var interruption: RunEnd?
        for (index, loaded) in scenarios.enumerated() where interruption == nil {
            do { reports.append(try runOne(loaded, number: index + 1, of: scenarios.count)) } catch {
                // One scenario that cannot be judged does not keep the others from it.
                guard let problem = RunEnd(error) else { throw error }
                guard problem.kind != .interrupted else {
                    interruption = problem
                    continue
                }
                printError(problem.line)
                failures.append(
                    (
                        JUnit.Failure(
                            scenario: loaded.scenario.name, mode: mode.rawValue, message: problem.line,
                            origin: origin(of: loaded, mode: mode.rawValue)),
                        problem.status
                    ))
            }
            if Interruption.isAsked { interruption = .interruptedLate }
        }
        let done = reports.count + failures.count
        if let interruption {
            if done > 0 {
                let open = scenarios.dropFirst(done).map {
                    JUnit.Failure(
                        scenario: $0.scenario.name, mode: mode.rawValue, message: "interrupted before its verdict")
                }
                do throws(RunEnd) {
                    try junit?.write(JUnit.xml(reports, failures: failures.map(\.0) + open, timestamp: began))
                } catch { printError(error.line) }
            }
            throw interruption.after(done, of: scenarios.count)
        }
        var statuses = reports.map(\.exitStatus) + failures.map(\.status)
        do throws(RunEnd) {
            try junit?.write(JUnit.xml(reports, failures: failures.map(\.0), timestamp: began))
        } catch {
            printError(error.line)
            statuses.append(error.status)
        }
        JSONOutput.print(
            "run", .worst(statuses),
            [
                "runs": .array(reports.map(\.told)),
                "failures": .array(
                    failures.map { failure, status in
                        [
                            "scenario": .string(failure.scenario), "mode": .string(failure.mode),
                            "message": .string(failure.message), "status": .int(Int(status.rawValue)),
                        ]
                    }),
            ])
        if scenarios.count > 1 {
            say("\(reports.count(where: \.isAsExpected)) of \(scenarios.count) scenarios gave what they expect")
        }
        throw ExitCode(.worst(statuses))
    }

    /// Their results would overwrite each other.
    private static func refuseDoubles(_ scenarios: [LoadedScenario]) throws {
        var files: [String: String] = [:]
        let doubles = scenarios.compactMap { loaded -> String? in
            let name = loaded.scenario.name
            guard let other = files.updateValue(loaded.file, forKey: name) else { return nil }
            return other == loaded.file
                ? "\(other) is given twice; once is enough"
                : "two scenarios have the same name '\(name)': \(other) and \(loaded.file); rename one"
        }
        guard doubles.isEmpty else { throw RunEnd.input(doubles.joined(separator: "\n")) }
    }

    /// What can never be reached is told before hours have gone.
    private static func require(_ loaded: LoadedScenario, of live: LiveSettings) throws {
        if live.cloud != nil, !loaded.scenario.fixedSettings.isEmpty {
            throw RunEnd.input(
                "\(loaded.file): sets 'cloud', and a Cloud that is given is set when it is started (serve --set NAME=VALUE): "
                    + "let the run start its own, or leave 'cloud' out")
        }
        guard live.cloud != nil, loaded.scenario.mustReach.contains(Mark.cloudCrashed.rawValue) else { return }
        throw RunEnd.input(
            "\(loaded.file): must reach 'cloud-crashed', and a Cloud that is given cannot be crashed: let the run start its own"
        )
    }

    private func runOne(_ loaded: LoadedScenario, number: Int, of count: Int) throws -> RunReport {
        let seed = self.seed ?? loaded.scenario.seed
        let name = "\(loaded.scenario.name)-\(seed)"
        let part = live.shard.map { $0.isWhole ? "" : "-part-\($0.index)-of-\($0.count)" } ?? ""
        let folder = out.map { count == 1 ? $0 : "\($0)/\(name)" } ?? ".homeroom/\(name)\(part)"
        var runner = Runner(
            loaded: loaded, seed: seed, mode: mode, out: folder, limitMilliseconds: spinLimit * 1000)
        runner.without = Set(without)
        runner.isPictured = report
        runner.options = options
        if mode == .live {
            runner.live = try live.settings()
            try Self.require(loaded, of: runner.live)
        }
        if !quiet { runner.title = count == 1 ? name : "\(number) of \(count): \(name)" }
        var report = try runner.run()
        report.origin = origin(of: loaded, mode: report.mode)
        if report.part == nil { report.origin.trace = folder + "/trace.jsonl" }
        if !quiet {
            for line in report.figures + report.explanation(command: report.origin.command ?? "") { say(line) }
        }
        report.sayVerdict(isAlone: quiet)
        return report
    }

    /// What of the command repeats the run next to its scenario, seed and mode.
    private var options: String {
        let limit = spinLimit == 10 ? "" : " --spin-limit \(spinLimit)"
        let missing = without.map { " --without " + Shell.quoted($0) }.joined()
        return missing + limit + (mode == .live ? live.words : "")
    }

    /// - Parameter mode: the one that the run ended in.
    private func origin(of loaded: LoadedScenario, mode: String) -> RunReport.Origin {
        let command = loaded.command(seed: seed ?? loaded.scenario.seed, mode: mode) + options
        return .init(file: loaded.file, command: command)
    }
}
