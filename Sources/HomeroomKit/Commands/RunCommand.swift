import ArgumentParser
import FleetModel
import Report

/// `homeroom run PATH...`
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run scenarios and judge them: one verdict line each.")

    @Argument(help: "Scenario files, or folders of them.") var paths: [String]
    @Option(help: "Seed of all draws; default: the scenario's own.") var seed: UInt64?
    @Option(help: "sim or fleet.") var mode: Mode = .fleet
    @Option(help: "Folder of results; default .homeroom/SCENARIO-SEED. With several scenarios each gets a subfolder.") var out: String?
    @Option(help: "Also write a JUnit file.") var junit: String?
    @Flag(help: "Print verdict lines only.") var quiet = false
    @Option(help: "Wall seconds after which a step that does not end counts as a spin.") var spinLimit: Int32 = 10

    func validate() throws {
        guard (1...3600).contains(spinLimit) else { throw ValidationError("--spin-limit takes 1 to 3600 seconds") }
    }

    func run() throws {
        let scenarios = try ScenarioFiles.load(paths)
        let names = Set(scenarios.map(\.scenario.name))
        guard names.count == scenarios.count else {
            throw CommandProblem.badInput("two scenarios have the same name; results would overwrite each other: rename one")
        }
        if let junit { try Folders.write("", to: junit) }
        var reports: [RunReport] = []
        for loaded in scenarios { reports.append(try runOne(loaded, among: scenarios.count)) }
        if let junit { try Folders.write(JUnit.xml(reports), to: junit) }
        // A harness failure or bad input has ended the command above; an unmet expectation outranks an unknown.
        let statuses = reports.map(\.exitStatus)
        throw ExitCode(statuses.contains(1) ? 1 : statuses.max() ?? 0)
    }

    private func runOne(_ loaded: LoadedScenario, among count: Int) throws -> RunReport {
        let seed = self.seed ?? loaded.scenario.seed
        let name = "\(loaded.scenario.name)-\(seed)"
        let folder = out.map { count == 1 ? $0 : "\($0)/\(name)" } ?? ".homeroom/\(name)"
        if !quiet { Progress.show("running \(name) in \(mode.rawValue) ...") }
        let report = try Runner(
            loaded: loaded, seed: seed, mode: mode, out: folder, limitMilliseconds: spinLimit * 1000
        ).run()
        Progress.clear()
        if !quiet {
            let command = "homeroom run \(loaded.file) --seed \(seed) --mode \(report.mode)"
            for line in report.explanation(command: command) { print(line) }
        }
        print(report.line)
        return report
    }
}
