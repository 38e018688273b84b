import ArgumentParser
import Checkers
import FleetModel
import Report
import Run
import Trace

/// `homeroom check TRACE`
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Judge a recorded history again, without running anything.")

    @Argument(help: RecordedFiles.help) var trace: String

    func run() throws {
        Fallen.catchAll()
        let trace = try RecordedFiles.trace(trace)
        let recorded = try RecordedFiles.whole(trace)
        let loaded = try RecordedFiles.scenario(of: recorded, trace)
        let judgement = loaded.scenario.judged(recorded.history)
        let lastNote = (recorded.history.last?.at ?? .zero) - .zero
        var report = RunReport(
            judgement: judgement, history: recorded.history, scenario: loaded.scenario, seed: recorded.header.seed,
            mode: "check", events: recorded.header.isLive ? nil : recorded.events, digest: recorded.footer.digest,
            virtual: recorded.footer.virtual ?? lastNote, wallMilliseconds: 0,
            marks: recorded.history.marks)
        report.drawn = recorded.header.drawn
        for line in report.explanation(command: "\(Homeroom.commandName) replay \(Shell.quoted(trace))") { say(line) }
        report.sayVerdict()
        throw ExitCode(report.exitStatus)
    }
}

/// `homeroom explain TRACE [EDIT]`
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Tell the story of an edit; without one, of everything that went wrong.")

    @Argument(help: RecordedFiles.help) var trace: String
    @Argument(help: "An edit, as maya.12.") var edit: String?

    func run() throws {
        Fallen.catchAll()
        let trace = try RecordedFiles.trace(trace)
        let recorded = try RecordedFiles.whole(trace)
        let loaded = try RecordedFiles.scenario(of: recorded, trace)
        let judgement = loaded.scenario.judged(recorded.history)
        if let edit {
            guard let story = Story(of: edit, history: recorded.history, findings: judgement.findings) else {
                throw RunEnd.input(
                    "\(trace): nobody made an edit called '\(edit)'; edits are named like maya.12")
            }
            for line in story.lines { say(line) }
            return
        }
        guard !judgement.findings.isEmpty else {
            return say("nothing went wrong with any of the \(judgement.attempted) edits")
        }
        for finding in judgement.findings {
            for line in Story(finding, history: recorded.history).lines { say(line) }
            say("")
        }
    }
}
