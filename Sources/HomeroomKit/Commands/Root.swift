import ArgumentParser
import Trace

/// The command line: a contract, scripts depend on it (Docs: README).
struct Root: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "homeroom",
        abstract:
            "Emulates a fleet of Shared iPads, breaks it, and checks that no edit was lost in this run, or tells how one was.",
        discussion: """
            Exit status: 0 valid, 1 invalid, 2 unknown, 3 bad input or usage, 4 the harness failed. A scenario may expect \
            'invalid': 'run' exits 0 when every scenario gave what it expects.
            """,
        version: "homeroom \(Homeroom.version), writes traces of format \(TraceHeader.version)",
        subcommands: [
            RunCommand.self, MergeCommand.self, ReplayCommand.self, ExploreCommand.self, ProveCommand.self,
            ShrinkCommand.self, ImportCommand.self, ExplainCommand.self,
            CheckCommand.self, DebugCommand.self, ReportCommand.self, ExportCommand.self,
            ListCommand.self, LintCommand.self, ZooCommand.self, AdoptCommand.self,
            ValidateCommand.self, SchemaCommand.self, BenchCommand.self, DoctorCommand.self, ProxyCommand.self,
            PagesCommand.self,
        ])
}

/// Where participants run.
enum Mode: String, ExpressibleByArgument, CaseIterable {
    /// Objects in one forked worker: fast. Cannot show: traps, spins and statics of apps, real memory, real files.
    case sim
    /// Real processes in lockstep, virtual time. Cannot show: real clocks, real networks, throughput.
    case fleet
    /// Real processes that run freely, real time and HTTP. Cannot show: the same order of things twice.
    case live

    static var defaultValue: Mode { .fleet }
}
