import FleetModel
import Report

/// The violations of many runs by what happened: one bug is one entry, however many seeds and edits it hits.
struct ViolationLedger {
    /// What happened to an edit, without names and numbers.
    struct Shape: Hashable {
        var lossClass: LossClass
        /// The app, and what doomed the edit.
        var text: String
    }
    /// Violations of one shape.
    struct Entry {
        var shape: Shape
        var edits = 0
        var seeds: Set<UInt64> = []
        /// The run with the fewest events, of several the one with the smallest seed.
        var shortest: (events: Int, seed: UInt64)
    }
    private var entries: [Shape: Entry] = [:]

    mutating func take(_ result: SeedResult) {
        let (events, seed) = (result.report.events ?? .max, result.report.seed)
        for (shape, edits) in result.shapes {
            var entry = entries[shape] ?? Entry(shape: shape, shortest: (events, seed))
            entry.edits += edits
            entry.seeds.insert(seed)
            if (events, seed) < entry.shortest { entry.shortest = (events, seed) }
            entries[shape] = entry
        }
    }

    /// The most frequent first.
    var sorted: [Entry] {
        entries.values.sorted {
            ($1.seeds.count, $0.shape.lossClass.rawValue, $0.shape.text) < (
                $0.seeds.count, $1.shape.lossClass.rawValue, $1.shape.text
            )
        }
    }
    var lines: [String] {
        let entries = sorted
        guard entries.count > 1 else { return [] }
        return ["\(entries.count) kinds of violations, each with its shortest run:"]
            + entries.map {
                "  \($0.shape.lossClass.rawValue)  \($0.edits) edits in \($0.seeds.count) seeds, seed \($0.shortest.seed)  \($0.shape.text)"
            }
    }
    var body: Value {
        .array(
            sorted.map {
                [
                    "class": .string($0.shape.lossClass.rawValue), "shape": .string($0.shape.text),
                    "edits": .int($0.edits), "seeds": .int($0.seeds.count),
                    "shortest": .string(String($0.shortest.seed)),
                ]
            })
    }
}

extension ViolationLedger.Shape {
    /// The app, and the step that doomed the edit or what is said of it: without clocks, names of edits, numbers and what follows a semicolon.
    init(_ told: RunReport.Told) {
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
        self.init(lossClass: told.lossClass, text: ([app.map(String.init) ?? ""] + plain).joined(separator: " "))
    }
}
