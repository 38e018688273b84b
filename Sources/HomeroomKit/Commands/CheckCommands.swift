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
    @OptionGroup var json: JSONOption

    func run() throws {
        Fallen.catchAll()
        let trace = try RecordedFiles.trace(trace)
        let judged = try JudgedTrace(trace)
        let (report, command) = (judged.report, "\(Homeroom.commandName) replay \(Shell.quoted(trace))")
        JSONOutput.print("check", report.exitStatus, ["run": report.told])
        for line in report.explanation(command: command) { say(line) }
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
    @OptionGroup var json: JSONOption

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
            JSONOutput.print("explain", .asExpected, ["stories": [story.body]])
            for line in story.lines { say(line) }
            return
        }
        let stories = judgement.findings.map { Story($0, history: recorded.history) }
        JSONOutput.print("explain", .asExpected, ["stories": .array(stories.map(\.body))])
        guard !judgement.findings.isEmpty else {
            return say("nothing went wrong with any of the \(judgement.attempted) edits")
        }
        for story in stories {
            for line in story.lines { say(line) }
            say("")
        }
    }
}
