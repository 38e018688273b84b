import FleetModel

/// Two sets of runs beside each other: for each figure the ratio of the medians, and how far ratios of single runs are apart.
public struct FigureComparison: Hashable, Sendable {
    public var lines: [Line]
    /// Whether runs of both sets had the same plan; else everybody did something else in A than in B.
    public var isSamePlan: Bool

    /// One figure of both sets.
    public struct Line: Hashable, Sendable {
        public var name: String
        public var unit: Figure.Unit
        /// Median of each set.
        public var a: Double
        public var b: Double
        /// Of single runs: the smallest and the largest ratio of B to A.
        public var spread: ClosedRange<Double>

        public var ratio: Double { FigureComparison.ratio(b, a) }
        /// How many times worse B is than A; below 1 it is better.
        public var worsening: Double { unit.isMoreBetter ? FigureComparison.ratio(a, b) : ratio }
    }

    /// One number of one run.
    public struct Figure: Hashable, Sendable {
        public enum Unit: Hashable, Sendable {
            case nanoseconds, perSecond, edits
            public var isMoreBetter: Bool { self == .perSecond }
        }
        public var name: String
        public var unit: Unit
        public var value: Double
    }

    /// - Returns: nil when a set is empty.
    public init?(_ a: [RunFigures], _ b: [RunFigures]) {
        guard !a.isEmpty, !b.isEmpty else { return nil }
        isSamePlan = !Set(a.map(\.plan)).isDisjoint(with: b.map(\.plan))
        let (left, right) = (a.map(Self.table), b.map(Self.table))
        // Runs of one plan are held against each other; where no plan is in both sets, all against all.
        var pairs: [(Int, Int)] = []
        for i in a.indices {
            for j in b.indices where !isSamePlan || a[i].plan == b[j].plan { pairs.append((i, j)) }
        }
        lines = Self.figures(a[0]).compactMap { figure in
            let (ofA, ofB) = (left.compactMap { $0[figure.name] }, right.compactMap { $0[figure.name] })
            let ratios = pairs.compactMap { i, j -> Double? in
                guard let one = left[i][figure.name], let other = right[j][figure.name] else { return nil }
                return Self.ratio(other, one)
            }
            guard let least = ratios.min(), let most = ratios.max() else { return nil }
            return Line(
                name: figure.name, unit: figure.unit, a: Self.median(ofA), b: Self.median(ofB), spread: least...most)
        }
    }

    /// Numbers of a run that are worth comparing, by name: `record.firstSight.p99`, `all.performedPerSecond`.
    public static func figures(_ run: RunFigures) -> [Figure] {
        var figures: [Figure] = []
        for row in run.rows where row.planned > 0 {
            for stage in RunFigures.Stage.allCases {
                for (name, part) in [("p50", 0.5), ("p99", 0.99)] {
                    guard let span = row[stage].quantile(part) else { continue }
                    let name = "\(row.name).\(stage.rawValue).\(name)"
                    figures.append(Figure(name: name, unit: .nanoseconds, value: Double(span.nanoseconds)))
                }
            }
            figures.append(
                Figure(name: "\(row.name).performedPerSecond", unit: .perSecond, value: row.performedPerSecond))
            figures.append(Figure(name: "\(row.name).unseen", unit: .edits, value: Double(row.unseen)))
        }
        figures.append(
            Figure(name: "run.performedPerWallSecond", unit: .perSecond, value: run.performedPerWallSecond))
        return figures
    }
    private static func table(_ run: RunFigures) -> [String: Double] {
        Dictionary(figures(run).map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// Equal numbers are equal, two zeros too.
    static func ratio(_ b: Double, _ a: Double) -> Double { a == b ? 1 : a == 0 ? .infinity : b / a }

    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}

extension FigureComparison {
    /// For the terminal: a line a figure, and behind it what a limit says.
    public func table(_ limits: FigureLimits) -> [String] {
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
        lines.map { line in
            var body: Value = [
                "name": .string(line.name), "a": .double(line.a), "b": .double(line.b),
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
    /// JSON has no infinity.
    private static func number(_ ratio: Double) -> Value { ratio.isFinite ? .double(ratio) : .null }
}

extension FigureComparison.Figure.Unit {
    var name: String {
        switch self {
        case .nanoseconds: "ns"
        case .perSecond: "edits/s"
        case .edits: "edits"
        }
    }
    func words(_ value: Double) -> String {
        switch self {
        case .nanoseconds: Span(nanoseconds: Int64(value)).short
        case .perSecond: "\(FigureTable.short(value))/s"
        case .edits: FigureTable.short(value)
        }
    }
}
