import Checkers
import FleetModel
import Glibc
import Report
import Run
import Trace

/// Pictures of recorded runs, from their files to a page.
enum PictureFiles {
    /// The picture of a recorded run. The trace is read once to be judged and once to be drawn; neither holds it.
    static func picture(_ judged: JudgedTrace, _ report: RunReport, limits: PictureMaker.Limits = .page) throws
        -> RunPicture
    {
        let mode = report.mode == "check" ? (judged.recorded.header.isLive ? "live" : "fleet") : report.mode
        let heading = RunPicture.Heading(
            purpose: judged.loaded.scenario.purpose, build: Homeroom.build,
            command: judged.loaded.command(seed: report.seed, mode: mode), trace: judged.path)
        return try picture(
            report, heading, judged.recorded.history, judged.judgement.findings, trace: judged.path, limits: limits)
    }

    static func picture(
        _ report: RunReport, _ heading: RunPicture.Heading, _ history: [HistoryEvent], _ findings: [Finding],
        trace: String, limits: PictureMaker.Limits = .page
    ) throws -> RunPicture {
        var maker = PictureMaker(
            report, heading, history: history, findings: findings, end: .zero + report.virtual, limits: limits)
        do { try RecordedTrace.scan(path: trace) { maker.take($0) } } catch { throw RunEnd.input(error.message) }
        return maker.finish()
    }

    /// Writes `report.html` next to the trace in a folder of results.
    static func draw(
        _ report: RunReport, _ heading: RunPicture.Heading, _ history: [HistoryEvent], _ findings: [Finding],
        in place: String
    ) throws {
        let picture = try picture(report, heading, history, findings, trace: place + "/trace.jsonl")
        try OutputFile(place + "/report.html", orElse: .out).write(ReportPage.html(picture))
    }

    /// A trace that can be read twice.
    /// - Throws: `RunEnd.input` for a pipe.
    static func judged(_ path: String) throws -> JudgedTrace {
        let trace = try RecordedFiles.trace(path)
        var status = stat()
        guard stat(trace, &status) != 0 || status.st_mode & S_IFMT != S_IFIFO else {
            throw RunEnd.input(
                "\(trace): is a pipe, and a picture reads its trace twice; save it to a file and give that")
        }
        return try JudgedTrace(trace)
    }

    /// The verdict next to a trace knows of the run what its trace does not tell: mode and wall time. Only if it is of that run.
    static func verdict(in folder: String) -> RunReport? {
        let path = folder + "/verdict.json"
        guard Folders.exists(path), let text = try? Folders.read(path), let body = try? Value(json: Array(text.utf8))
        else { return nil }
        return RunReport(body)
    }

    /// The folder that a file is in.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// What is known of a judged trace, with its verdict's help.
    static func report(_ judged: JudgedTrace) -> RunReport {
        guard var told = verdict(in: folder(of: judged.path)), told.digest == judged.report.digest,
            told.verdict == judged.report.verdict
        else { return judged.report }
        told.origin = judged.report.origin
        return told
    }
}

extension Runner {
    /// `report.html` of a run that is not valid, or of any when it was asked for.
    func picture(_ report: RunReport, _ judgement: Judgement, _ history: [HistoryEvent], in place: String) throws {
        guard live.shard.isWhole, report.verdict != .valid || isPictured else { return }
        let heading = RunPicture.Heading(
            purpose: loaded.scenario.purpose, build: Homeroom.build,
            command: loaded.command(seed: seed, mode: mode.rawValue) + options, trace: "trace.jsonl")
        try PictureFiles.draw(report, heading, history, judgement.findings, in: place)
    }
}
