import ArgumentParser
import FleetModel
import Report
import Run
import Trace

/// `homeroom replay TRACE`
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Run a recorded trace again from its tapes: 'identical', or the first difference.")

    @Argument(help: RecordedFiles.help) var trace: String
    @Option(help: "sim or fleet; the trace does not care.") var mode: Mode = .fleet
    @Option(help: "Folder for the results of the replay; of one that differs, for its logs. Default: nothing is kept.")
    var out: String?
    @OptionGroup var json: JSONOption

    func run() throws {
        let trace = try RecordedFiles.trace(trace)
        let recorded = try RecordedFiles.read(trace)
        try Self.requireOrder(of: recorded, trace, mode)
        if let out, Folders.isSame(trace, out + "/trace.jsonl") {
            throw RunEnd.input("\(out) holds the recording, which would be replaced: choose another --out")
        }
        var runner = Runner(
            loaded: try RecordedFiles.scenario(of: recorded, trace, isPlayed: true), seed: recorded.header.seed,
            mode: mode, out: out,
            recorded: recorded, traceFile: trace)
        runner.title = "replaying \(recorded.header.scenario)-\(recorded.header.seed)"
        do {
            let report = try runner.run()
            guard recorded.isIntact else {
                let difference = "first difference at line 1: scenario, seed or digest were edited after the recording"
                JSONOutput.print(
                    "replay", .unexpected, ["identical": false, "difference": .string(difference)])
                say(difference)
                throw ExitCode(.unexpected)
            }
            JSONOutput.print(
                "replay", .asExpected,
                [
                    "identical": true, "scenario": .string(report.scenario), "seed": .string(String(report.seed)),
                    "mode": .string(report.mode), "lines": .int(recorded.lines.count),
                    "digest": .string(report.digest),
                ])
            say(
                "identical  \(report.scenario)  seed=\(report.seed) mode=\(report.mode) lines=\(recorded.lines.count) digest=\(report.shortDigest)"
            )
        } catch let end as RunEnd where end.kind == .differs {
            JSONOutput.print(
                "replay", .unexpected, ["identical": false, "difference": .string(end.line)])
            say(end.line)
            if let out { say("the logs of the replay are in \(out)/failed-logs") }
            if !recorded.isIntact { say("the trace has been edited since it was recorded") }
            throw ExitCode(.unexpected)
        }
    }
}

extension ReplayCommand {
    /// Only a virtual clock makes the same order of things again.
    static func requireOrder(of recorded: RecordedTrace, _ trace: String, _ mode: Mode) throws {
        guard mode != .live else {
            throw RunEnd.input("a replay needs virtual time: use --mode fleet or sim")
        }
        guard !recorded.header.isLive else {
            throw RunEnd.input(
                "\(trace): was recorded in live, which fixes the plan and the faults but not the order of things: it cannot be replayed. "
                    + "Read it with check and explain, or run the scenario with --seed \(recorded.header.seed) in fleet, sim or live"
            )
        }
    }
}

/// Reading traces for commands.
enum RecordedFiles {
    /// What the argument is called in help texts.
    static let help: ArgumentHelp = "A trace.jsonl, also packed by gzip, or the folder of results that it is in."

    /// The trace that somebody means by a path: itself, or the one in a folder of results.
    /// - Throws: `RunEnd.input` for a folder without one.
    static func trace(_ path: String) throws -> String {
        guard Folders.isFolder(path) else { return path }
        let trace = (path.hasSuffix("/") ? path : path + "/") + "trace.jsonl"
        if !Folders.exists(trace), Folders.exists(trace + ".gz") { return trace + ".gz" }
        guard Folders.exists(trace) else {
            throw RunEnd.input(
                "\(path): holds no trace.jsonl; give a trace, or the folder of results of one run")
        }
        return trace
    }

    /// For a replay, which takes changed tapes.
    static func read(_ path: String) throws -> RecordedTrace {
        do { return try RecordedTrace.read(path: path) } catch { throw RunEnd.input(error.message) }
    }
    /// For who only judges: a history that was changed afterwards proves nothing, so it is refused.
    static func history(_ path: String) throws -> RecordedTrace {
        do { return try RecordedTrace.read(path: path, checkDigest: true, isReplayed: false) } catch {
            throw RunEnd.input(error.message)
        }
    }
    /// A history that can be judged: unchanged, and all of it.
    static func whole(_ path: String) throws -> RecordedTrace {
        let recorded = try history(path)
        if let part = RecordedPart(recorded) {
            throw RunEnd.input(
                "\(path): is part \(part.shard) of a split run and proves nothing alone: join all parts with "
                    + "'\(Homeroom.commandName) merge', then read what it writes")
        }
        return recorded
    }
    /// The scenario that travels in the trace's header.
    /// - Parameters:
    ///   - path: the trace's own.
    ///   - isPlayed: it is played again, for which this executable has to have its apps. Reading the history needs none of them.
    static func scenario(of trace: RecordedTrace, _ path: String, isPlayed: Bool = false) throws -> LoadedScenario {
        switch ScenarioFiles.parse(trace.header.scenarioText, file: trace.header.file, takesAnyApp: !isPlayed) {
        case .success(let scenario):
            return LoadedScenario(
                scenario: scenario, text: trace.header.scenarioText, file: trace.header.file,
                schemas: trace.header.schemas)
        case .failure(let problem):
            throw RunEnd.input(
                "\(path):1:1: the scenario inside the trace cannot be used by this homeroom:\n\(problem.message)")
        }
    }
}
