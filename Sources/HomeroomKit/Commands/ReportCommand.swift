import ArgumentParser
import FleetModel
import Nemesis
import Report
import Run
import Workload

/// `homeroom report PATH...`
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Draw a recorded run on one page, or sum up many runs on one that links to theirs.",
        discussion:
            "A trace, or the folder of one run, gives report.html next to the trace. Folders of many runs, or several paths, give summary.html, and "
            + "a report.html to each run that lacks one. The pages need no network and no other file."
    )

    @Argument(help: "A trace.jsonl, folders of results, or folders that hold many of them.") var paths: [String]
    @Option(name: .shortAndLong, help: "Where to write the page.") var out: String?

    func run() throws {
        Fallen.catchAll()
        let folders = paths.flatMap { Folders.isFolder($0) ? ResultsTree.folders(in: $0) : [] }
        guard paths.count == 1, folders.isEmpty || folders == [ResultsTree.plain(paths[0])] else {
            return try writeSummary(folders)
        }
        let judged = try PictureFiles.judged(paths[0])
        let file = out ?? PictureFiles.folder(of: judged.path) + "/report.html"
        try Self.write(judged, to: file)
        say("wrote \(file): open it in a browser")
    }

    private static func write(_ judged: JudgedTrace, to file: String) throws {
        let picture = try PictureFiles.picture(judged, PictureFiles.report(judged))
        try OutputFile(file, orElse: .out).write(ReportPage.html(picture))
    }

    private func writeSummary(_ folders: [String]) throws {
        // Somebody who names a trace among others means the folder that it is in.
        let named = paths.filter { !Folders.isFolder($0) }.map { PictureFiles.folder(of: $0) }
        var known: Set<String> = []
        let all = (folders + named).map(ResultsTree.plain).filter { known.insert($0).inserted }
        guard !all.isEmpty else {
            throw RunEnd.input(
                "\(paths.joined(separator: " ")): no results of runs; give folders that hold verdict.json or trace.jsonl"
            )
        }
        let file = out ?? (Folders.isFolder(paths[0]) ? ResultsTree.plain(paths[0]) + "/summary.html" : "summary.html")
        var rows: [SummaryPage.Row] = []
        var coverage = FaultCoverage()
        var remarks: [String] = []
        for folder in all {
            do { rows.append(try Self.row(folder, from: file, &coverage)) } catch {
                guard let problem = RunEnd(error) else { throw error }
                remarks.append("left out: \(problem.message)")
            }
        }
        for remark in remarks { printError("homeroom: \(remark)") }
        let page = SummaryPage.html(
            rows, coverage: coverage, marks: ReachableMarks.byFaults, faults: FaultRegistry.names.sorted(),
            remarks: remarks)
        try OutputFile(file, orElse: .out).write(page)
        say("wrote \(file): \(rows.count) runs")
    }

    /// One run of the summary; it gets a page where it has a trace and no page.
    private static func row(_ folder: String, from file: String, _ coverage: inout FaultCoverage) throws
        -> SummaryPage.Row
    {
        let hasTrace = Folders.exists(folder + "/trace.jsonl") || Folders.exists(folder + "/trace.jsonl.gz")
        let page = folder + "/report.html"
        guard hasTrace else {
            guard let report = PictureFiles.verdict(in: folder) else {
                throw RunEnd.input("\(folder)/verdict.json: is not a verdict of homeroom")
            }
            return .init(report: report, folder: folder, page: nil)
        }
        let judged = try PictureFiles.judged(folder)
        let report = PictureFiles.report(judged)
        let picture = try PictureFiles.picture(judged, report)
        coverage.add(picture)
        if !Folders.exists(page) { try OutputFile(page, orElse: .out).write(ReportPage.html(picture)) }
        return .init(report: report, folder: folder, page: ResultsTree.link(to: page, from: file))
    }
}
