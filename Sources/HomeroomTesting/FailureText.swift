import FleetModel
import HomeroomKit
import Report

/// How a seed is repeated.
enum Repeating {
    static func command(_ place: TestPlace, _ seed: UInt64) -> String {
        "HOMEROOM_SEED=\(seed) swift test --filter '\(place.filter)'"
    }
}

/// One way in which seeds of a test fail, in words.
struct SeedFailure: Sendable {
    /// The first seed that fails so.
    let outcome: SeedOutcome
    /// All of them.
    let seeds: [UInt64]
    let text: String

    /// Seeds that fail in the same way are one failure, told of the first.
    static func all(_ outcomes: [SeedOutcome], of place: TestPlace) -> [SeedFailure] {
        var order: [String] = []
        var groups: [String: [SeedOutcome]] = [:]
        for outcome in outcomes where outcome.isFailure {
            if groups[outcome.signature] == nil { order.append(outcome.signature) }
            groups[outcome.signature, default: []].append(outcome)
        }
        return order.compactMap { groups[$0] }.map { group in
            SeedFailure(
                outcome: group[0], seeds: group.map(\.seed), text: text(group, of: outcomes.count, place))
        }
    }

    private static func text(_ group: [SeedOutcome], of count: Int, _ place: TestPlace) -> String {
        let first = group[0]
        var lines = [headline(first, group.count, count)]
        if let end = first.end { lines.append(end) }
        if first.isJudged, let report = first.report, report.verdict != .valid {
            for told in report.findings.prefix(3) { lines += [""] + told.story }
            if report.findings.count > 3 {
                lines.append("... and \(report.findings.count - 3) more edits that came to harm")
            }
            lines += report.reasons.map { "nothing is proved: \($0)" }
        }
        if !first.caught.isEmpty { lines.append("") }
        lines += first.caught.map { caught in
            (caught.place.map { "\($0.fileID.split(separator: "/").last ?? ""):\($0.line): " } ?? "") + caught.text
        }
        lines.append("")
        if group.count > 1 {
            let shown = group.prefix(12).map { String($0.seed) }.joined(separator: ", ")
            lines.append("fails so with seeds \(shown)" + (group.count > 12 ? ", ..." : ""))
        }
        lines.append("repeat with: \(Repeating.command(place, first.seed))")
        if let folder = first.folder { lines += files(folder, first) }
        return lines.joined(separator: "\n")
    }
    private static func headline(_ first: SeedOutcome, _ failing: Int, _ count: Int) -> String {
        let what = "seed \(first.seed), \(failing) of \(count) seeds:"
        let digest = first.report.map { ", digest \($0.digest.prefix(12))" } ?? ""
        guard first.isJudged, let report = first.report, report.verdict != .valid else {
            return "\(what) the test fails\(digest)"
        }
        let classes = report.counts.sorted { $0.key.rawValue < $1.key.rawValue }.map {
            "\($0.key.rawValue) \($0.value)"
        }
        let words = classes.isEmpty ? "" : " (\(classes.joined(separator: ", ")))"
        return "\(what) \(report.verdict.rawValue)\(words)\(digest)"
    }
    private static func files(_ folder: String, _ outcome: SeedOutcome) -> [String] {
        var lines = ["trace, verdict and page: \(folder)"]
        if let difference = outcome.difference {
            lines.append("as a scenario it would be another run: \(difference)")
        } else {
            let same = outcome.repeated == nil ? "the same run" : "the same digest, as was tried"
            lines.append(
                "as a scenario: homeroom run \(folder)/scenario.yaml --seed \(outcome.seed) --mode sim, in a command with this app (\(same))"
            )
        }
        return lines
    }
}
