import FleetModel
import Load
import Report
import Run
import Workload

/// Files of figures, written and read.
enum FigureFiles {
    private static let name = "figures.json"
    /// More than any run writes.
    private static let bytesMax = 64 << 20

    /// Figures of every run in a folder of results, or in a folder of such folders, in the order of their names.
    /// - Parameter path: a folder, or one such file.
    /// - Throws: `RunEnd.input` when there are none, or one cannot be used: what an invalid run lost it did not have to carry.
    static func all(in path: String) throws -> [RunFigures] {
        guard Folders.isFolder(path) else { return [try sound(path)] }
        let base = path.hasSuffix("/") ? String(path.dropLast()) : path
        let places = [base] + Folders.list(base).map { "\(base)/\($0)" }
        let files = places.map { "\($0)/\(name)" }.filter { Folders.exists($0) }
        guard !files.isEmpty else {
            throw RunEnd.input(
                "\(path): holds no \(name); give results of runs of a scenario with 'measure: true'")
        }
        return try files.map(sound)
    }
    private static func sound(_ file: String) throws -> RunFigures {
        let figures = try read(file)
        if let flaw = try flaw(file) {
            throw RunEnd.input("\(file): its run \(flaw); only valid runs can be compared")
        }
        return figures
    }

    /// Why the run of a file of figures says nothing of how fast it was: lost edits cost no time.
    /// - Returns: nil for a valid one.
    static func flaw(_ file: String) throws -> String? {
        let parts = file.split(separator: "/", omittingEmptySubsequences: false)
        let verdict = (parts.dropLast() + ["verdict.json"]).joined(separator: "/")
        guard Folders.exists(verdict) else { return "has no verdict.json beside it" }
        let text = try Folders.read(verdict, bytesMax: bytesMax)
        guard let report = (try? Value(json: Array(text.utf8))).flatMap(RunReport.init) else {
            return "has a damaged verdict.json"
        }
        guard report.verdict != .valid else { return nil }
        let classes = report.counts.filter { $0.value > 0 }.map { "\($0.key.rawValue) \($0.value)" }.sorted()
        return (["is \(report.verdict.rawValue)"] + classes).joined(separator: ", ")
    }

    static func read(_ file: String) throws -> RunFigures {
        do {
            return try RunFigures(try Value(json: Array(try Folders.read(file, bytesMax: bytesMax).utf8)))
        } catch let problem as RunFigures.Problem {
            throw RunEnd.input("\(file): \(problem.message)")
        } catch let failure as DecodingFailure {
            throw RunEnd.input("\(file):1:\(failure.offset + 1): no JSON: \(failure.reason)")
        }
    }
}

extension RunFigures {
    /// Writes `figures.json` for scripts and `figures.html` for people.
    /// - Throws: `RunEnd.input` when that cannot be.
    func write(into folder: String) throws(RunEnd) {
        try OutputFile(folder + "/figures.json", orElse: .out).write(body.json + "\n")
        try OutputFile(folder + "/figures.html", orElse: .out).write(FigurePage.html(self))
    }
}

extension RunReport {
    /// Measures the run that it tells of, leaves its figures in the folder, and takes up their table.
    mutating func measure(
        _ history: [HistoryEvent], plan: [PlanStep], of scenario: Scenario, speed: Double, costs: Costs? = nil,
        into folder: String
    ) throws(RunEnd) {
        var measured = RunFigures(
            history: history, plan: plan, bells: scenario.bells, scenario: scenario.name, seed: seed, mode: mode,
            wallMilliseconds: wallMilliseconds)
        measured.speed = speed
        measured.costs = costs
        try measured.write(into: folder)
        figures = FigureTable.lines(measured)
    }
}
