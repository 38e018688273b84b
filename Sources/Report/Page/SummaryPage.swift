import FleetModel

/// A page over many runs: verdicts, marks, which faults met which states of apps, the slowest scenarios; each run with a link to its own page.
public enum SummaryPage {
    /// One run on the page.
    public struct Row: Hashable, Sendable {
        /// What the run came to.
        public var report: RunReport
        /// The folder of its results, as people know it.
        public var folder: String
        /// Its own page, as a link from this one; nil: it has none.
        public var page: String?

        /// From its parts.
        public init(report: RunReport, folder: String, page: String?) {
            self.report = report
            self.folder = folder
            self.page = page
        }
    }

    /// - Parameters:
    ///   - known: marks in their order; those that no run reached stay in the table.
    ///   - faults: kinds, those that no run tried too.
    ///   - remarks: what was left out, and why.
    public static func html(
        _ rows: [Row], coverage: FaultCoverage, marks known: [String], faults: [String], remarks: [String]
    ) -> [UInt8] {
        let marks = known + Set(rows.flatMap(\.report.marks)).subtracting(known).sorted()
        let data: Value = [
            "runs": .array(rows.map { run($0) }), "marks": .strings(marks), "states": .strings(FaultCoverage.states),
            "faults": .array(
                Set(faults + coverage.windows.keys).sorted().map { kind in
                    [
                        "kind": .string(kind),
                        "met": .array(FaultCoverage.states.map { .int(coverage.windows[kind]?[$0] ?? 0) }),
                    ]
                }),
            "remarks": .strings(remarks),
        ]
        return PageShell.html(
            title: "\(rows.count) runs", styles: [PackageResources.base_css, PackageResources.summary_css],
            body: PackageResources.summary_html, data: data,
            scripts: [PackageResources.words_js, PackageResources.summary_js])
    }

    private static func run(_ row: Row) -> Value {
        let report = row.report
        let classes = LossClass.allCases.filter { report.count($0) > 0 }
        return [
            "scenario": .string(report.scenario), "seed": .string(String(report.seed)), "mode": .string(report.mode),
            "verdict": .string(report.verdict.rawValue), "wanted": .string(report.wanted),
            "asExpected": .bool(report.isAsExpected), "edits": .int(report.edits),
            "counts": .array(classes.map { [.string($0.rawValue), .int(report.count($0)), .bool($0.isViolation)] }),
            "events": report.events.map { .int($0) } ?? .null, "wall": .int(report.wallMilliseconds),
            "virtual": .int(report.virtual.nanoseconds / 1_000_000), "digest": .string(report.shortDigest),
            "marks": .strings(report.marks), "folder": .string(row.folder), "page": .optional(row.page),
            "first": .optional(report.findings.first.map { "\($0.token): \($0.summary)" } ?? report.reasons.first),
        ]
    }
}
