import FleetModel
import Report

/// The violations of many runs by what happened: one bug is one entry, however many seeds and edits it hits.
struct ViolationLedger {
    /// Violations of one shape.
    struct Entry {
        var lossClass: LossClass
        /// What doomed the edit, without names and numbers.
        var shape: String
        var edits = 0
        var seeds: Set<UInt64> = []
        /// The run with the fewest events, of several the one with the smallest seed.
        var shortest: RunReport
    }
    private var entries: [String: Entry] = [:]

    mutating func take(_ report: RunReport) {
        for told in report.findings {
            let shape = Self.shape(of: told)
            let key = "\(told.lossClass.rawValue) \(shape)"
            var entry = entries[key] ?? Entry(lossClass: told.lossClass, shape: shape, shortest: report)
            entry.edits += 1
            entry.seeds.insert(report.seed)
            if (report.events ?? .max, report.seed) < (entry.shortest.events ?? .max, entry.shortest.seed) {
                entry.shortest = report
            }
            entries[key] = entry
        }
    }

    /// The most frequent first.
    var sorted: [Entry] {
        entries.values.sorted {
            ($1.seeds.count, $0.lossClass.rawValue, $0.shape) < ($0.seeds.count, $1.lossClass.rawValue, $1.shape)
        }
    }

    /// The app, and the step that doomed the edit or what is said of it: without clocks, names of edits, numbers and what follows a semicolon.
    static func shape(of told: RunReport.Told) -> String {
        let app = told.story.first.map { title in
            title.split(separator: " ", omittingEmptySubsequences: true).dropFirst(2).first.map {
                $0.prefix { $0 != "/" }
            } ?? ""
        }
        let doom = told.story.first { $0.contains("<- data lost here") }.map { line in
            line.split(separator: " ", omittingEmptySubsequences: true).dropFirst(3).joined(separator: " ")
        }
        let words = (doom ?? told.summary).replacing("<- data lost here", with: "").prefix { $0 != ";" }
        let plain = words.split(separator: " ").map { word in
            let isEdit = word.contains(".") && (word.last?.isNumber == true || word.last == "," || word.last == ")")
            if isEdit { return "EDIT" }
            return word.contains("/") ? "ITEM" : String(word.filter { !$0.isNumber })
        }
        return ([app.map(String.init) ?? ""] + plain).joined(separator: " ")
    }

    var lines: [String] {
        let entries = sorted
        guard entries.count > 1 else { return [] }
        return ["\(entries.count) kinds of violations, each with its shortest run:"]
            + entries.map {
                "  \($0.lossClass.rawValue)  \($0.edits) edits in \($0.seeds.count) seeds, seed \($0.shortest.seed)  \($0.shape)"
            }
    }
    var body: Value {
        .array(
            sorted.map {
                [
                    "class": .string($0.lossClass.rawValue), "shape": .string($0.shape), "edits": .int($0.edits),
                    "seeds": .int($0.seeds.count), "shortest": .string(String($0.shortest.seed)),
                ]
            })
    }
}
