import FleetModel

extension FigureComparison {
    /// One number of one run.
    public struct Figure: Hashable, Sendable {
        public enum Unit: Hashable, Sendable {
            case nanoseconds, perSecond, edits
            /// Of all edits that were planned, 0 to 1.
            case share

            public var isMoreBetter: Bool { self == .perSecond }
            /// Of a run that had something to measure and measured nothing.
            var worst: Double { isMoreBetter ? 0 : .infinity }
        }
        public var name: String
        public var unit: Unit
        public var value: Double
        /// The row that it is taken from; nil: the run as a whole.
        var row: String?
    }

    private static let quantiles: [(name: String, part: Double)] = [("p50", 0.5), ("p99", 0.99)]
    private static let ofRow = ["performedPerSecond", "notPerformed", "unseen"]
    private static let ofRun = "run.performedPerWallSecond"

    /// Numbers of a run that are worth comparing, by name: `record.firstSight.p99`, `all.performedPerSecond`.
    public static func figures(_ run: RunFigures) -> [Figure] {
        var figures: [Figure] = []
        for row in run.rows where row.planned > 0 {
            func add(_ name: String, _ unit: Figure.Unit, _ value: Double) {
                figures.append(Figure(name: "\(row.name).\(name)", unit: unit, value: value, row: row.name))
            }
            for stage in RunFigures.Stage.allCases where row.measured(stage) > 0 {
                for (name, part) in quantiles {
                    let value = row.quantile(stage, part).map { Double($0.nanoseconds) } ?? .infinity
                    add("\(stage.rawValue).\(name)", .nanoseconds, value)
                }
            }
            let values: [(Figure.Unit, Double)] = [
                (.perSecond, row.performedPerSecond),
                (.share, Double(row.planned - row.performed) / Double(row.planned)), (.edits, Double(row.unseen)),
            ]
            for (name, (unit, value)) in zip(ofRow, values) { add(name, unit, value) }
        }
        return figures + [Figure(name: ofRun, unit: .perSecond, value: run.performedPerWallSecond)]
    }

    /// Names of all figures that runs may have whose apps use these channels.
    /// - Parameter hasFaults: else there are no rows by what went on.
    public static func names(channels: Set<Channel>, hasFaults: Bool) -> [String] {
        RunFigures.groups(channels).flatMap { channel in
            RunFigures.situations(hasFaults: hasFaults).flatMap { situation in
                let row = RunFigures.Row(channel: channel, situation: situation).name
                let stages = RunFigures.Stage.allCases.flatMap { stage in
                    quantiles.map { "\(stage.rawValue).\($0.name)" }
                }
                return (stages + ofRow).map { "\(row).\($0)" }
            }
        } + [ofRun]
    }
}

/// The figures of one run, by name.
struct FiguresByName {
    let figures: [FigureComparison.Figure]
    private let values: [String: Double]
    private let rows: Set<String>

    init(_ run: RunFigures) {
        figures = FigureComparison.figures(run)
        values = Dictionary(figures.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        rows = Set(run.rows.filter { $0.planned > 0 }.map(\.name))
    }

    /// - Parameter figure: of this run or of another one.
    /// - Returns: the worst when edits were planned and not even one came so far; nil when none were planned.
    func value(of figure: FigureComparison.Figure) -> Double? {
        values[figure.name] ?? figure.row.flatMap { rows.contains($0) ? figure.unit.worst : nil }
    }
}

extension FigureComparison {
    /// How the runs of a set were made.
    struct Setting {
        var side: String
        var scenario: String
        var mode: String
        var speed: Double

        /// - Throws: `Problem` when there are none, or they were made in several ways.
        init(of runs: [RunFigures], _ side: String) throws(Problem) {
            guard let first = runs.first else {
                throw Problem(message: "nothing to compare: \(side) holds no runs")
            }
            self.init(of: first, side)
            for run in runs.dropFirst() { try requireLike(Setting(of: run, side), scenariosMayDiffer: false) }
        }
        private init(of run: RunFigures, _ side: String) {
            (self.side, scenario, mode, speed) = (side, run.scenario, run.mode, run.speed)
        }

        func requireLike(_ other: Setting, scenariosMayDiffer: Bool) throws(Problem) {
            func words(_ what: String, _ own: String, _ theirs: String) -> String {
                side == other.side
                    ? "\(side) holds runs of \(what) \(own) and of \(what) \(theirs)"
                    : "\(side) holds runs of \(what) \(own), \(other.side) of \(what) \(theirs)"
            }
            let difference: String? =
                if mode != other.mode {
                    words("mode", mode, other.mode)
                } else if speed != other.speed {
                    words("speed", FigureTable.short(speed), FigureTable.short(other.speed))
                } else if scenario != other.scenario, !scenariosMayDiffer {
                    words("scenario", "'\(scenario)'", "'\(other.scenario)'")
                } else {
                    nil
                }
            guard let difference else { return }
            throw Problem(
                message: "\(difference): their times cannot be compared; give results of one scenario, mode and speed")
        }
    }
}
