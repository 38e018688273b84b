import FleetModel

/// Answers of the debugger as lines for people.
enum DebugText {
    static func lines(_ result: Value, of command: String) -> [String] {
        switch command {
        case "help":
            return (result.array ?? []).map { entry in
                let form = entry["command"]?.string ?? ""
                return "  " + form + String(repeating: " ", count: max(1, 34 - form.count))
                    + (entry["does"]?.string ?? "")
            }
        case "edit":
            let steps = (result["steps"]?.array ?? []).map { step in
                ["clock", "place", "text"].map { step[$0]?.string ?? "" }.joined(separator: "  ")
            }
            return [result["title"]?.string ?? ""] + steps.map { "   " + $0 }
        default: break
        }
        if result["turn"] != nil, result["clock"] != nil { return place(result) }
        return tree(result, indent: "")
    }

    /// Where somebody stands: one line, what was delivered last, and what the history holds of this turn.
    static func place(_ place: Value) -> [String] {
        var first =
            "\(place["clock"]?.string ?? "")  turn \(place["turn"]?.int ?? 0), message #\(place["message"]?.int ?? 0)"
        if let phase = place["phase"]?.string { first += ", \(phase)" }
        if place["over"]?.bool == true { first += ", the end" }
        var lines = [first]
        if let hit = place["hit"]?.string { lines.append("  break: \(hit)") }
        if let last = place["last"]?.string { lines.append("  last: \(last)") }
        return lines + (place["notes"]?.strings ?? []).prefix(20).map { "  note: \($0)" }
    }

    private static func tree(_ value: Value, indent: String) -> [String] {
        if let rows = value["rows"]?.array, let columns = value["columns"]?.strings {
            let more = value["more"]?.int.map { [indent + "(\($0) more rows)"] } ?? []
            return table(columns, rows.map { ($0.array ?? []).map(word) }, indent) + more
        }
        switch value {
        case .object(let object):
            let width = min(20, object.keys.map(\.count).max() ?? 0)
            return object.pairs.flatMap { pair -> [String] in
                let name = pair.key + String(repeating: " ", count: max(0, width - pair.key.count))
                guard !isWord(pair.value) else {
                    let text = word(pair.value).split(separator: "\n", omittingEmptySubsequences: false)
                    guard text.count > 1 else { return ["\(indent)\(name)  \(text.first ?? "")"] }
                    return ["\(indent)\(pair.key)"] + text.map { "\(indent)  | \($0)" }
                }
                return ["\(indent)\(pair.key)"] + tree(pair.value, indent: indent + "  ")
            }
        case .array(let values):
            guard !values.isEmpty else { return [indent + "(none)"] }
            guard values.allSatisfy({ $0.object?.pairs.allSatisfy { isWord($0.value) } ?? false }) else {
                return values.flatMap { value -> [String] in
                    guard !isWord(value) else { return [indent + word(value)] }
                    let lines = tree(value, indent: "")
                    return lines.enumerated().map { indent + ($0 == 0 ? "- " : "  ") + $1 }
                }
            }
            var columns: [String] = []
            for key in values.flatMap({ $0.object?.keys ?? [] }) where !columns.contains(key) { columns.append(key) }
            columns.sort { (rank($0), $0) < (rank($1), $1) }
            return table(columns, values.map { value in columns.map { value[$0].map(word) ?? "" } }, indent)
        default: return [indent + word(value)]
        }
    }
    /// Whether it stands on one line.
    private static func isWord(_ value: Value) -> Bool {
        switch value {
        case .object(let object): object.isEmpty
        case .array(let values): values.allSatisfy { $0.object == nil && $0.array == nil } && values.count < 20
        default: true
        }
    }
    private static func word(_ value: Value) -> String {
        switch value {
        case .null: "-"
        case .string(let text): text
        case .bool(let flag): flag ? "yes" : "no"
        case .array(let values): values.isEmpty ? "(none)" : values.map(word).joined(separator: " ")
        case .object: "-"
        default: value.json
        }
    }
    /// Columns that say what a row is about stand first, long ones last.
    private static func rank(_ column: String) -> Int {
        if let place = firstColumns.firstIndex(of: column) { return place }
        return lastColumns.contains(column) ? 101 : 100
    }
    private static let firstColumns = [
        "number", "line", "here", "at", "edit", "id", "launch", "app", "person", "ipad", "item", "state", "who", "from",
        "to",
    ]
    private static let lastColumns = ["what", "path", "request", "task", "waitsFor", "next", "summary", "change"]
    /// The last column has no end of its own.
    private static let cellMax = 60
    private static func table(_ columns: [String], _ rows: [[String]], _ indent: String) -> [String] {
        guard !rows.isEmpty else { return [indent + "(none)"] }
        let cells = ([columns] + rows).map { row in
            row.enumerated().map { column, cell in
                let line = cell.replacing("\n", with: " ")
                return line.count > cellMax && column < columns.count - 1 ? line.prefix(cellMax - 1) + "…" : line
            }
        }
        let widths = columns.indices.map { column in
            cells.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
        }
        return cells.map { row in
            var line = indent
            for (column, cell) in row.enumerated() {
                line += cell
                if column < row.count - 1 { line += String(repeating: " ", count: widths[column] - cell.count + 2) }
            }
            return line
        }
    }
}
