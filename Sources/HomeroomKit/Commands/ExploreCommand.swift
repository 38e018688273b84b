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
    @Option(
        help:
            "Folder for the runs that the summary names: each is played again and leaves its results there. A part also leaves what 'merge' joins, and goes on from it when it is run again."
    )
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
        let asked = Asked(seeds: seeds, from: from, minutes: minutes, stopsAtFirst: stopAtFirst)
        var search = Search(
            loaded: loaded[0], jobs: jobs ?? Machine.cores, asked: asked, part: part,
            lines: each ? SeedLines(from: from + UInt64(part.index - 1), by: UInt64(part.count)) : nil)
        search.keepsAll = junit != nil
        let junit = junit.map { OutputFile($0, orElse: .junit) }
        try junit?.probe()
        let folder = try out.map { try OutputFolder($0) }
        defer { folder?.close() }
        if let folder, shard != nil { try search.goOn(in: folder.path) }
        let began = TimeOfDay.now
        try search.run()
        let status = search.summary()
        let kept = folder.map { search.keep(in: $0.path) } ?? (traces: [:], problem: nil)
        // The seeds have their verdicts, whatever became of the runs that were to be kept.
        if let problem = kept.problem { printError(problem.line) }
        try junit?.write(SeedCases.junit(search.tally, search.reports, traces: kept.traces, began: began))
        JSONOutput.print("explore", .worst([status, kept.problem?.status ?? .asExpected]), search.tally.body)
        guard !Interruption.isAsked else {
            throw RunEnd(.interrupted, "interrupted: the summary tells the seeds that were finished")
        }
        throw ExitCode(.worst([status, kept.problem?.status ?? .asExpected]))
    }
}
