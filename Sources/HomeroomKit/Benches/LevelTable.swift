import FleetModel
import Load

/// Levels of a load for the terminal and for scripts.
enum LevelTable {
    private static let columns = ["iPads", "edits", "seen", "p50", "p99", "max", "busy cores", "the run's", "level"]

    static let heads = line(columns)

    static func line(_ measurement: FleetLevels.Measurement) -> String {
        if let failure = measurement.failure { return line(["\(measurement.ipads)"]) + "  BROKEN: \(failure)" }
        let row = measurement.figures?.rows.first
        let costs = measurement.figures?.costs
        let run = costs?.processes.first { $0.kind == .run }
        return line([
            "\(measurement.ipads)", "\(row?.awaited ?? 0)", "\(row?[.firstSight].count ?? 0)",
            row?.sight(0.5)?.short ?? "never", row?.sight(0.99)?.short ?? "never", row?.sight(1)?.short ?? "never",
            costs.map { "\(brief($0.cores($0.machine))) of \($0.cores)" } ?? "-",
            run.flatMap { run in costs.map { brief($0.cores(run.cpu)) } } ?? "-",
            measurement.holds ? "kept" : "BROKEN",
        ])
    }
    private static func brief(_ cores: Double) -> String { FigureTable.short(cores) }
    private static func line(_ cells: [String]) -> String {
        cells.map { String(repeating: " ", count: max(1, 12 - $0.count)) + $0 }.joined()
    }

    /// What a search found.
    static func words(_ found: (holds: Int?, fails: Int?), _ level: ServiceLevel) -> String {
        let asked = "99 of 100 edits seen within \(level.most)"
        switch found {
        case (nil, let fails): return "limit: not even \(fails ?? 0) iPads keep the level: \(asked)"
        case (let holds?, nil): return "limit: beyond \(holds) iPads, where the search ended: \(asked)"
        case (let holds?, let fails?): return "limit: \(holds) iPads: \(asked); with \(fails) it fails"
        }
    }
}

extension FleetLevels.Measurement {
    /// Times in nanoseconds; null: so many edits were never seen.
    var body: Value {
        if let failure { return ["ipads": .int(ipads), "failed": .string(failure), "kept": false] }
        let row = figures?.rows.first
        func time(_ part: Double) -> Value { row?.sight(part).map { .int($0.nanoseconds) } ?? .null }
        var body: Value = [
            "ipads": .int(ipads), "edits": .int(row?.awaited ?? 0), "performed": .int(row?.performed ?? 0),
            "seen": .int(row?[.firstSight].count ?? 0), "p50": time(0.5), "p90": time(0.9), "p99": time(0.99),
            "kept": .bool(holds),
        ]
        if let costs = figures?.costs {
            body["busyCores"] = .double(costs.cores(costs.machine))
            body["cores"] = .int(costs.cores)
            body["cpu"] = .object(
                Value.Object(costs.processes.map { ($0.kind.rawValue, .int($0.cpu.nanoseconds)) }))
        }
        return body
    }
}
