import ArgumentParser
import FleetModel
import Report
import Run
import Shrink
import Workload

/// `homeroom shrink PATH`
struct ShrinkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shrink",
        abstract: "Make a failing run small: the fewest iPads, people, steps and faults that fail in the same class.",
        discussion: """
            Takes a scenario and a seed, or the trace of a failing run, and writes a scenario that fails by itself: what the seed drew is written out, \
            and what the failure can do without is gone. Exit status: 0 it is written and fails in fleet too, 1 it is written and does not fail in \
            fleet, 3 bad input, or a run that does not fail, 130 interrupted: the smallest scenario so far is written.
            """)

    @Argument(help: "A scenario file, or a trace.jsonl or the folder of results of a failing run.") var path: String
    @Option(parsing: .unconditional, help: "Seed of the failing run; default: the scenario's own. A trace has its own.")
    var seed: UInt64?
    @Option(
        name: .customLong("class"),
        help: "The class that has to stay; default: the one that the scenario expects, or has most findings.")
    var wanted: LossClass?
    @Option(name: .shortAndLong, help: "File to write; default: NAME-shrunk.yaml in the folder .homeroom.")
    var output: String?
    @Option(
        parsing: .unconditional,
        help: "Tries at a time; default: the machine's cores. The result does not depend on it.")
    var jobs: Int?
    @Option(parsing: .unconditional, help: "Stop after so many minutes with the smallest scenario so far.")
    var minutes: Double?
    @Flag(help: "Only write out what the seed drew, and take nothing away.") var writeOut = false
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard (1...1024).contains(jobs ?? 1) else { throw ValidationError("--jobs takes 1 to 1024") }
        guard minutes ?? 1 > 0, minutes ?? 1 <= 525_600 else {
            throw ValidationError("--minutes takes more than 0 and at most 525600, a year")
        }
    }

    func run() throws {
        let failing = try FailingRun(path, seed: seed)
        let place = output ?? ".homeroom/\(failing.shrunkName).yaml"
        if Folders.isSame(path, place) {
            throw RunEnd.input("\(place) is the scenario to shrink, which would be replaced: choose another -o")
        }
        let file = OutputFile(place, orElse: .out)
        try file.probe()
        guard !writeOut else {
            try file.write(Candidate(failing.written, isOfAnySeed: false).yaml)
            JSONOutput.print("shrink", .asExpected, ["file": .string(place), "before": Size(failing.written).body])
            return say("written out  \(Size(failing.written).words)  \(place)")
        }
        var shrinking = Shrinking(failing, jobs: jobs ?? Machine.cores, minutes: minutes)
        try shrinking.begin(wanted: wanted)
        try shrinking.run()
        let shrunk = try shrinking.conclude()
        try file.write(shrunk.text)
        let status: ExitStatus = shrunk.failsInFleet == false ? .unexpected : .asExpected
        JSONOutput.print("shrink", status, shrunk.body(file: place))
        for line in shrunk.lines(file: place) { say(line) }
        let rest = "\(place) is the smallest scenario so far; shrink it again to go on"
        if Interruption.isAsked { throw RunEnd(.interrupted, "interrupted: \(rest)") }
        if shrunk.isInterrupted { say("the time is over: \(rest)") }
        throw ExitCode(status)
    }
}

extension LossClass: ExpressibleByArgument {
    /// Those that make a run fail.
    public static var allValueStrings: [String] { allCases.filter(\.isViolation).map(\.rawValue) }
}
