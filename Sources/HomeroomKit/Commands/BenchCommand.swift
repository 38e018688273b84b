import ArgumentParser
import FleetModel
import Glibc
import Run

/// `homeroom bench`
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract:
            "Measurements: figures of this machine, a fleet or a bell in live, two sets of measured runs compared.",
        subcommands: [
            FiguresCommand.self, CompareCommand.self, FleetBenchCommand.self, BellBenchCommand.self,
            RequestBenchCommand.self,
        ],
        defaultSubcommand: FiguresCommand.self)
}

/// `homeroom bench [NAME] [--json]`
struct FiguresCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "figures",
        abstract:
            "Measured figures: name, value, unit, and the command that repeats it. Use a release build on a quiet machine.",
        discussion: """
            Each is measured in five rounds, in turn with a fixed calibration loop. Printed are the median, the least and the greatest, and what one loop's \
            time brings: that compares with a machine that is slower, or busy.
            """)

    @Argument(help: "Only figures whose name begins with this.") var name: String?
    @Option(parsing: .unconditional, help: "How often each is measured, 1 to 100.") var rounds = 5
    @Flag(help: "One JSON object a line: what Scripts/figures --take reads.") var json = false

    func validate() throws {
        guard (1...100).contains(rounds) else { throw ValidationError("--rounds takes 1 to 100") }
    }

    func run() throws {
        let chosen = Bench.all.filter { name.map($0.name.hasPrefix) ?? true }
        guard !chosen.isEmpty else {
            throw RunEnd.input(
                "no figure is called '\(name ?? "")'; there are: \(Bench.all.map(\.name).joined(separator: ", "))")
        }
        Interruption.install()
        let scratch = try Folders.temporary()
        defer { Folders.remove(scratch) }
        for bench in chosen {
            let figures = try MeasuredFigure.measure(bench, rounds: rounds, scratch: scratch) { round in
                guard !Interruption.isAsked else { throw RunEnd.interrupted }
                Progress.show("measuring \(bench.name), round \(round) of \(rounds) ...")
            }
            Progress.clear()
            guard !Interruption.isAsked else { throw RunEnd.interrupted }
            for figure in figures { print(json ? figure.json(bench) : figure.line(bench)) }
            fflush(nil)
        }
    }
}
