import ArgumentParser
import FleetModel
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
            "Measured figures: name, value, unit, and the command that repeats it. Use a release build on a quiet machine."
    )

    @Argument(help: "Only figures whose name begins with this.") var name: String?
    @Flag(help: "One JSON object a line.") var json = false

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
            Progress.show("measuring \(bench.name) ...")
            let figures = try bench.measure(scratch)
            Progress.clear()
            guard !Interruption.isAsked else { throw RunEnd.interrupted }
            for figure in figures { print(json ? figure.json(bench.name) : figure.line(bench.name)) }
        }
    }
}

/// One measured number.
struct Figure {
    var name: String
    var value: Double
    var unit: String
    /// What the design asks for first; nil where it asks nothing.
    var goal: Double?
    /// What to know when reading it.
    var remark: String?

    private var rounded: Double { (value * 100).rounded() / 100 }

    func line(_ bench: String) -> String {
        let against = (goal.map { "goal \($0.formatted) \(unit)" } ?? remark).map { "  (\($0))" } ?? ""
        return "\(name)  \(rounded.formatted) \(unit)\(against)  homeroom bench \(bench)"
    }
    func json(_ bench: String) -> String {
        var body: Value = [
            "name": .string(name), "value": .double(rounded), "unit": .string(unit),
            "command": .string("homeroom bench \(bench)"),
        ]
        if let goal { body["goal"] = .double(goal) }
        if let remark { body["remark"] = .string(remark) }
        return body.json
    }
}

extension Double {
    /// Without a point where it is a whole number.
    fileprivate var formatted: String { self == rounded() && magnitude < 1e15 ? String(Int64(self)) : String(self) }
}
