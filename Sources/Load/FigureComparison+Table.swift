import FleetModel

extension FigureComparison {
    /// For the terminal: a line a figure, and behind it what a limit says.
    public func table(_ limits: FigureLimits) -> [String] {
        let lines = told(limits)
        let width = max(24, lines.map(\.name.count).max() ?? 0) + 2
        let head = Self.row("", ["A", "B", "B / A", "spread", "limit"], width)
        return [head]
            + lines.map { line in
                let spread =
                    "\(FigureTable.short(line.spread.lowerBound)) to \(FigureTable.short(line.spread.upperBound))"
                var cells = [line.unit.words(line.a), line.unit.words(line.b), FigureTable.short(line.ratio), spread]
                if let limit = limits.most[line.name] {
                    cells.append("\(FigureTable.short(limit)) \(line.worsening <= limit ? "kept" : "BEYOND")")
                }
                return Self.row(line.name, cells, width)
            }
    }
    private func told(_ limits: FigureLimits) -> [Line] {
        lines.filter { !$0.isAside || limits.most[$0.name] != nil }
    }
    private static func row(_ name: String, _ cells: [String], _ width: Int) -> String {
        let widths = [10, 10, 8, 17, 14]
        let text = zip(cells, widths).map { String(repeating: " ", count: max(1, $1 - $0.count)) + $0 }.joined()
        return (name.padded(to: width) + text)
    }

    /// Figures that are worse by more than their limit.
    public func beyond(_ limits: FigureLimits) -> [Line] {
        lines.filter { line in limits.most[line.name].map { line.worsening > $0 } ?? false }
    }

    /// A line for scripts.
    public func body(_ limits: FigureLimits) -> [Value] {
        told(limits).map { line in
            var body: Value = [
                "name": .string(line.name), "a": Self.number(line.a), "b": Self.number(line.b),
                "ratio": Self.number(line.ratio),
                "least": Self.number(line.spread.lowerBound), "most": Self.number(line.spread.upperBound),
                "unit": .string(line.unit.name),
            ]
            if let limit = limits.most[line.name] {
                body["limit"] = .double(limit)
                body["kept"] = .bool(line.worsening <= limit)
            }
            return body
        }
    }
    /// JSON has no infinity: null is a time after which nothing was seen, and a ratio with it.
    private static func number(_ number: Double) -> Value { number.isFinite ? .double(number) : .null }
}

extension FigureComparison.Figure.Unit {
    var name: String {
        switch self {
        case .nanoseconds: "ns"
        case .perSecond: "edits/s"
        case .edits: "edits"
        case .requests: "requests"
        case .bytes: "bytes"
        case .share: "share"
        }
    }
    func words(_ value: Double) -> String {
        guard value.isFinite else { return self == .nanoseconds ? "never" : "none" }
        return switch self {
        case .nanoseconds: Span(nanoseconds: Int64(value)).short
        case .perSecond: "\(FigureTable.short(value))/s"
        case .edits, .requests: FigureTable.short(value)
        case .bytes: CostTable.size(Int(value))
        case .share: "\(FigureTable.short(value * 100))%"
        }
    }
}
