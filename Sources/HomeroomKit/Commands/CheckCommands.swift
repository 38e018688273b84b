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
    @Flag(help: "Also find the cause: play the run again in sim without each fault and each other edit of the item.")
    var cause = false
    @Option(
        parsing: .unconditional,
        help: "With --cause: from each moment of the story on, so many other draws of the scenario's swarm.")
    var futures: Int = 4
    @Option(parsing: .unconditional, help: "With --cause: runs at a time; default: the machine's cores.") var jobs: Int?
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard (0...1000).contains(futures) else { throw ValidationError("--futures takes 0 to 1000") }
        guard (1...1024).contains(jobs ?? 1) else { throw ValidationError("--jobs takes 1 to 1024") }
    }

    func run() throws {
        // Not in a process that runs apps.
        if !cause { Fallen.catchAll() }
        let trace = try RecordedFiles.trace(trace)
        let recorded = try RecordedFiles.whole(trace)
        let loaded = try RecordedFiles.scenario(of: recorded, trace)
        let judgement = loaded.scenario.judged(recorded.history)
        if let edit {
            guard let story = Story(of: edit, history: recorded.history, findings: judgement.findings) else {
                throw RunEnd.input(
                    "\(trace): nobody made an edit called '\(edit)'; edits are named like maya.12")
            }
            let finding = judgement.findings.first { $0.token == edit }
            guard !cause || finding != nil else {
                throw RunEnd.input("\(trace): nothing went wrong with \(edit), so there is no cause to look for")
            }
            return try tell([story], cause: finding, trace, recorded)
        }
        let stories = judgement.findings.map { Story($0, history: recorded.history) }
        guard !judgement.findings.isEmpty else {
            JSONOutput.print("explain", .asExpected, ["stories": []])
            return say("nothing went wrong with any of the \(judgement.attempted) edits")
        }
        try tell(stories, cause: judgement.violations.first ?? judgement.findings.first, trace, recorded)
    }

    /// Stories first: the cause takes its time.
    private func tell(_ stories: [Story], cause finding: Finding?, _ trace: String, _ recorded: RecordedTrace) throws {
        for story in stories {
            for line in story.lines { say(line) }
            if edit == nil { say("") }
        }
        var body: Value = ["stories": .array(stories.map(\.body))]
        if cause, let finding {
            printNow("")
            Interruption.install()
            var cause = Cause(
                try FailingRun(trace, seed: nil), finding, history: recorded.history, jobs: jobs ?? Machine.cores)
            try cause.run(futures: futures)
            Progress.clear()
            for line in cause.lines { say(line) }
            body["cause"] = cause.body
        }
        JSONOutput.print("explain", .asExpected, body)
    }
}
