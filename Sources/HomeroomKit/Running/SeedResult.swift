import FleetModel
import Report

/// What a search over seeds keeps of one seed, in memory and in the file of a part.
struct SeedResult {
    /// In a file it is whole where a summary may name the run; else it has no findings, and only marks that no earlier seed of the part reached.
    var report: RunReport
    /// Violations by what happened, with how many edits they hit.
    var shapes: [ViolationLedger.Shape: Int]

    init(_ report: RunReport) {
        self.report = report
        shapes = report.findings.reduce(into: [:]) { $0[ViolationLedger.Shape($1), default: 0] += 1 }
    }

    /// A line of the file of a part.
    init?(_ line: Value) {
        guard let report = RunReport(line) else { return nil }
        self.report = report
        shapes = (line["shapes"]?.array ?? []).reduce(into: [:]) { all, told in
            guard let lossClass = told["class"]?.string.flatMap(LossClass.init), let text = told["shape"]?.string
            else { return }
            all[.init(lossClass: lossClass, text: text)] = Int(clamping: told["edits"]?.int ?? 0)
        }
    }

    /// - Parameters:
    ///   - isNamed: a summary may tell its findings.
    ///   - known: marks that an earlier line has.
    func line(isNamed: Bool, known: Set<String>) -> Value {
        var report = report
        if !isNamed {
            report.findings = []
            report.marks.removeAll { known.contains($0) }
        }
        var line = report.body
        line["shapes"] = .array(
            shapes.sorted { ($0.key.lossClass.rawValue, $0.key.text) < ($1.key.lossClass.rawValue, $1.key.text) }.map {
                ["class": .string($0.key.lossClass.rawValue), "shape": .string($0.key.text), "edits": .int($0.value)]
            })
        return line
    }
}
