import FleetModel

/// Two sets of runs beside each other: for each figure the ratio of the medians, and how far ratios of single runs are apart.
public struct FigureComparison: Hashable, Sendable {
    /// In the order of the figures of A, then those that only B has.
    public var lines: [Line]
    /// How many runs each set has.
    public var runs: [Int]
    /// Whether runs of both sets had the same plan; else everybody did something else in A than in B.
    public var isSamePlan: Bool
    /// Channels that only one side has edits in: their apps differ.
    public var oneSided: [Channel]

    /// One figure of both sets.
    public struct Line: Hashable, Sendable {
        /// Row and figure: `record.firstSight.p99`.
        public var name: String
        /// The unit of both medians.
        public var unit: Figure.Unit
        /// Median of each set.
        public var a: Double
        /// Median of B.
        public var b: Double
        /// Of single runs: the smallest and the largest ratio of B to A.
        public var spread: ClosedRange<Double>
        /// Told only where it has a limit: one side has no edits in its channel, or it says the same as that of the only channel.
        public var isAside: Bool

        /// B to A; 1 for two zeros, infinite where only A is zero.
        public var ratio: Double { FigureComparison.ratio(b, a) }
        /// How many times worse B is than A; below 1 it is better.
        public var worsening: Double { unit.isMoreBetter ? FigureComparison.ratio(a, b) : ratio }
    }

    /// Why two sets cannot be held against each other.
    public struct Problem: Error, Hashable, Sendable {
        /// What does not fit, and what to give instead.
        public var message: String
    }

    /// - Parameter scenariosMayDiffer: two settings are compared on purpose; else runs of different scenarios are refused, but those of one
    ///   plan: two apps or settings.
    /// - Throws: `Problem` when a set is empty, or its runs were not made in one way: of another mode, speed or scenario times mean something else.
    public init(_ a: [RunFigures], _ b: [RunFigures], scenariosMayDiffer: Bool = false) throws(Problem) {
        let settings = (try Setting(of: a, "A"), try Setting(of: b, "B"))
        runs = [a.count, b.count]
        let isSamePlan = !Set(a.map(\.plan)).isDisjoint(with: b.map(\.plan))
        self.isSamePlan = isSamePlan
        try settings.0.requireLike(settings.1, scenariosMayDiffer: scenariosMayDiffer || isSamePlan)
        let (left, right) = (a.map(FiguresByName.init), b.map(FiguresByName.init))
        let channels = [left, right].map { side in side.reduce(into: Set<Channel>()) { $0.formUnion($1.channels) } }
        let oneSided = channels[0].symmetricDifference(channels[1])
        self.oneSided = Channel.allCases.filter(oneSided.contains)
        let hasOneChannel = oneSided.isEmpty && channels[0].count == 1
        // Runs of one plan are held against each other; where no plan is in both sets, all against all.
        var pairs: [(Int, Int)] = []
        for i in a.indices {
            for j in b.indices where !isSamePlan || a[i].plan == b[j].plan { pairs.append((i, j)) }
        }
        var known: Set<String> = []
        let all = (left + right).flatMap(\.figures).filter { known.insert($0.name).inserted }
        lines = all.map { figure in
            let ratios = pairs.compactMap { i, j -> Double? in
                guard let one = left[i].value(of: figure), let other = right[j].value(of: figure) else { return nil }
                return Self.ratio(other, one)
            }
            // What nothing was planned for in any run of a set is missing there, and that is as bad as can be.
            let (ofA, ofB) = (left.compactMap { $0.value(of: figure) }, right.compactMap { $0.value(of: figure) })
            let (one, other) = (
                Self.median(ofA) ?? figure.unit.worst, Self.median(ofB) ?? figure.unit.worst
            )
            let ratio = Self.ratio(other, one)
            return Line(
                name: figure.name, unit: figure.unit, a: one, b: other,
                spread: (ratios.min() ?? ratio)...(ratios.max() ?? ratio),
                isAside: figure.row != nil && (figure.channel.map(oneSided.contains) ?? hasOneChannel))
        }
    }

    /// Equal numbers are equal, two zeros too.
    static func ratio(_ b: Double, _ a: Double) -> Double { a == b ? 1 : a == 0 ? .infinity : b / a }

    /// - Returns: nil of nothing.
    static func median(_ values: [Double]) -> Double? {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
