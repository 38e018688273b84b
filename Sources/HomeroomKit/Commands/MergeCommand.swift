import ArgumentParser
import FleetModel
import Report
import Trace

/// `homeroom merge PART... --out FOLDER`
struct MergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge", abstract: "Join the parts of a split run (run --shard) and judge them as one.")

    @Argument(help: "The folders of results of all parts, or their trace.jsonl.") var parts: [String]
    @Option(help: "Folder of results; default .homeroom/SCENARIO-SEED.") var out: String?
    @Option(help: "Also write a JUnit file.") var junit: String?

    func run() throws {
        let found = try parts.map { path in
            let trace = try RecordedFiles.trace(path)
            return (path: trace, trace: try RecordedFiles.read(trace, isIntact: true))
        }
        let ordered = try Joining.ordered(found)
        guard let first = ordered.first else { return }
        let header = first.trace.header
        let loaded = try RecordedFiles.scenario(of: first.trace, found[0].path)
        let junit = junit.map { OutputFile($0, orElse: .junit) }
        try junit?.probe()
        let folder = out ?? ".homeroom/\(header.scenario)-\(header.seed)"
        let report = try Self.keep(ordered, header, loaded, in: folder)
        let command = "\(Homeroom.commandName) check \(Shell.quoted(folder))"
        for line in report.explanation(command: command) { print(line) }
        print(report.line)
        try junit?.write(JUnit.xml([report], failures: []))
        throw ExitCode(report.exitStatus)
    }

    /// Writes trace and verdict, as one command that had played everything would.
    private static func keep(
        _ parts: [RecordedPart], _ header: TraceHeader, _ loaded: LoadedScenario, in folder: String
    ) throws -> RunReport {
        let results = try ResultsFolder.open(folder)
        defer { results.close() }
        do {
            try results.begin()
            let file = try TraceFile(path: results.unfinished + "/trace.jsonl", header: header)
            let recorder = Recorder(sink: file, header: header)
            for step in parts[0].trace.plan { try recorder.plan(step) }
            for fault in parts[0].trace.faults { try recorder.fault(fault) }
            for event in Joining.history(parts) { try recorder.note(event) }
            try file.finish(lines: recorder.lines, digest: recorder.hex)
            let history = recorder.history
            var report = RunReport(
                judgement: loaded.scenario.judged(history), history: history, scenario: loaded.scenario,
                seed: header.seed, mode: Mode.live.rawValue, events: parts.reduce(0) { $0 + $1.events },
                digest: recorder.hex, virtual: (history.last?.at ?? .zero) - .zero, wallMilliseconds: 0,
                marks: history.compactMap { $0.note.kind == .mark ? $0.note.detail["name"]?.string : nil }.sorted())
            report.remarks = ["joined from \(parts.count) parts that were played side by side against one Cloud"]
            try OutputFile(results.unfinished + "/verdict.json", orElse: .out).write(report.body.json + "\n")
            try results.keep()
            return report
        } catch {
            results.discard(keepingLogs: false)
            throw error
        }
    }
}
