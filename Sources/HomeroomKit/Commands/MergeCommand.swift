import ArgumentParser
import FleetModel
import Load
import Report
import Run
import Trace
import Workload

/// `homeroom merge PART... --out FOLDER`, `homeroom merge FOLDER`
struct MergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract:
            "Join the parts of a search (explore --shard, zoo --shard), or those of a split run (run --shard), and judge them as one.",
        discussion: """
            The parts of a search lie anywhere in a folder, as explore and zoo left them there with --out. What is missing is named with the command that \
            plays it; run it, and merge again. Exit status: as of one process that had played everything, and 2 where a part is missing.
            """)

    @Argument(
        help:
            "A folder with the parts of a search; or the folders of results of all parts of a split run, or their trace.jsonl."
    )
    var parts: [String]
    @Option(help: "Folder of results of a split run; default .homeroom/SCENARIO-SEED.") var out: String?
    @Option(help: "Also write a JUnit file.") var junit: String?
    @OptionGroup var json: JSONOption

    func run() throws {
        Fallen.catchAll()
        let found = try parts.map { try PartFile.all(in: $0) }
        guard found.allSatisfy(\.isEmpty) else {
            if let empty = zip(parts, found).first(where: { $1.isEmpty })?.0 {
                throw RunEnd.input("\(empty): holds no part of a search (*\(PartFile.suffix)), and the others do")
            }
            return try SearchMerge(
                groups: JoinedParts.groups(found.flatMap { $0 }), folder: parts[0], junit: junit, out: out
            )
            .run()
        }
        try mergeRun()
    }

    private func mergeRun() throws {
        let found = try parts.map { path in
            if Folders.isFolder(path), ResultsTree.folders(in: path).isEmpty {
                throw RunEnd.input(
                    "\(path): holds nothing to join: neither a part of a search (explore --shard I/N --out \(Shell.quoted(path))) nor the trace.jsonl of a part of a run"
                )
            }
            let trace = try RecordedFiles.trace(path)
            return (path: trace, trace: try RecordedFiles.history(trace))
        }
        let ordered = try Joining.ordered(found)
        guard let first = ordered.first else { return }
        let header = first.trace.header
        let loaded = try RecordedFiles.scenario(of: first.trace, found[0].path)
        let junit = junit.map { OutputFile($0, orElse: .junit) }
        try junit?.probe()
        let began = TimeOfDay.now
        let folder = out ?? ".homeroom/\(loaded.scenario.name)-\(header.seed)"
        guard !found.contains(where: { Folders.isSame($0.path, folder + "/trace.jsonl") }) else {
            throw RunEnd.input(
                "\(folder) holds one of the parts, which would be replaced: choose another --out")
        }
        var report = try Self.keep(ordered, header, loaded, in: folder)
        let command = "\(Homeroom.commandName) check \(Shell.quoted(folder))"
        for line in report.figures + report.explanation(command: command) { say(line) }
        report.sayVerdict()
        report.origin = .init(file: loaded.file, command: command, trace: folder + "/trace.jsonl")
        try junit?.write(JUnit.xml([report], timestamp: began))
        JSONOutput.print("merge", report.exitStatus, ["run": report.told])
        throw ExitCode(report.exitStatus)
    }

    /// Leaves what one command that had played everything would have left.
    private static func keep(
        _ parts: [RecordedPart], _ header: TraceHeader, _ loaded: LoadedScenario, in folder: String
    ) throws -> RunReport {
        // Before, nothing is written that a signal could leave behind.
        Interruption.install()
        let results = try ResultsFolder.open(folder)
        defer { results.close() }
        do {
            try results.begin()
            let recorder = try record(parts, header, in: results.unfinished)
            var report = report(on: recorder, of: parts, header, loaded.scenario)
            report.drawn = header.drawn
            try OutputFile(results.unfinished + "/verdict.json", orElse: .out).write(report.body.json + "\n")
            if loaded.scenario.isMeasured {
                // What only some tell would pass for all.
                let costs = parts.compactMap(\.costs)
                try report.measure(
                    recorder.history, plan: parts[0].trace.plan, of: loaded.scenario, speed: parts[0].speed,
                    costs: costs.count == parts.count ? Costs.joined(costs) : nil, into: results.unfinished)
            }
            try goOn()
            if report.verdict != .valid {
                try draw(report, recorder.history, loaded, of: folder, in: results.unfinished)
            }
            try results.keep()
            return report
        } catch {
            _ = results.discard(keepingLogs: false)
            throw error
        }
    }

    private static func draw(
        _ report: RunReport, _ history: [HistoryEvent], _ loaded: LoadedScenario, of folder: String, in place: String
    ) throws {
        let heading = RunPicture.Heading(
            purpose: loaded.scenario.purpose, build: Homeroom.build,
            command: "\(Homeroom.commandName) check \(Shell.quoted(folder))", trace: "trace.jsonl")
        try PictureFiles.draw(report, heading, history, loaded.scenario.judged(history).findings, in: place)
    }

    private static func goOn() throws {
        if Interruption.isAsked { throw RunEnd.interrupted }
    }

    private static func record(
        _ parts: [RecordedPart], _ header: TraceHeader, in folder: String
    ) throws -> Recorder {
        let file = try TraceFile(path: folder + "/trace.jsonl", header: header)
        let recorder = Recorder(sink: file, header: header)
        for step in parts[0].trace.plan { try recorder.plan(step) }
        for fault in parts[0].trace.faults { try recorder.fault(fault) }
        for event in Joining.history(parts) {
            try goOn()
            try recorder.note(event)
        }
        try file.finish(lines: recorder.lines, digest: recorder.hex)
        return recorder
    }

    private static func report(
        on recorder: Recorder, of parts: [RecordedPart], _ header: TraceHeader, _ scenario: Scenario
    ) -> RunReport {
        let history = recorder.history
        var report = RunReport(
            judgement: scenario.judged(history), history: history, scenario: scenario, seed: header.seed,
            mode: Mode.live.rawValue, events: parts.reduce(0) { $0 &+ $1.events }, digest: recorder.hex,
            virtual: (history.last?.at ?? .zero) - .zero,
            wallMilliseconds: parts.map(\.wallMilliseconds).max() ?? 0,
            marks: history.marks.sorted())
        let live = LiveSettings(speed: parts[0].speed)
        let clocks = live.remark(clockError: parts.map(\.clockError).max() ?? 0)
        report.remarks = live.remarks + ["joined from \(parts.count) parts; their \(clocks)"]
        return report
    }
}
