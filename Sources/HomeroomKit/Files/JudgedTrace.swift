import Checkers
import FleetModel
import Report
import Run
import Trace

/// A recorded run that was judged again.
struct JudgedTrace {
    let path: String
    let recorded: RecordedTrace
    let loaded: LoadedScenario
    let judgement: Judgement
    var report: RunReport

    /// - Throws: `RunEnd.input` for a trace that cannot be read, was changed, or is a part of a run.
    init(_ path: String) throws {
        self.path = path
        recorded = try RecordedFiles.whole(path)
        loaded = try RecordedFiles.scenario(of: recorded, path)
        judgement = loaded.scenario.judged(recorded.history)
        let lastNote = (recorded.history.last?.at ?? .zero) - .zero
        report = RunReport(
            judgement: judgement, history: recorded.history, scenario: loaded.scenario, seed: recorded.header.seed,
            mode: "check", events: recorded.header.isLive ? nil : recorded.events, digest: recorded.footer.digest,
            virtual: recorded.footer.virtual ?? lastNote, wallMilliseconds: 0,
            marks: recorded.history.marks)
        report.drawn = recorded.header.drawn
        report.origin = .init(file: loaded.file, trace: path)
    }
}

extension RunReport {
    /// `verdict.json` with where the run came from and what it left: what commands print of a run with `--json`.
    var told: Value {
        var body = self.body
        body["file"] = origin.file.map(Value.string)
        body["repeat"] = origin.command.map(Value.string)
        body["trace"] = origin.trace.map(Value.string)
        return body
    }
}

extension Story {
    /// For programs (Docs/schemas/explain.schema.json).
    var body: Value {
        [
            "title": .string(title), "summary": .string(summary),
            "steps": .array(
                steps.map {
                    [
                        "event": .int($0.event), "clock": .string($0.clock), "place": .string($0.place),
                        "text": .string($0.text), "dataLost": .bool($0.isDoom),
                    ]
                }),
        ]
    }
}
