import FleetModel

extension FigureComparison {
    /// One number of one run.
    public struct Figure: Hashable, Sendable {
        /// What the number counts.
        public enum Unit: Hashable, Sendable {
            /// Lengths of time; rates; counts of edits and of requests; sizes.
            case nanoseconds, perSecond, edits, requests, bytes
            /// Of all edits that were planned, 0 to 1.
            case share

            /// Whether a larger number is the better one; else a smaller one is.
            public var isMoreBetter: Bool { self == .perSecond }
            /// Of a run that had something to measure and measured nothing.
            var worst: Double { isMoreBetter ? 0 : .infinity }
        }
        /// Row and figure: `record.firstSight.p99`.
        public var name: String
        /// What the number counts; times are nanoseconds.
        public var unit: Unit
        /// Infinite for a quantile that too few edits reached.
        public var value: Double
        /// The row that it is taken from; nil: the run as a whole.
        var row: String?
        /// Of that row; nil: of all channels.
        var channel: Channel?
    }

    private static let quantiles: [(name: String, part: Double)] = [
        ("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999),
    ]
    private static let ofRow = ["performedPerSecond", "notPerformed", "unseen"]
    private static let ofRun = "run.performedPerWallSecond"

    /// Numbers of a run that are worth comparing, by name: `record.firstSight.p99`, `all.performedPerSecond`.
    public static func figures(_ run: RunFigures) -> [Figure] {
        var figures: [Figure] = []
        for row in rows(run) {
            func add(_ name: String, _ unit: Figure.Unit, _ value: Double) {
                figures.append(
                    Figure(name: "\(row.name).\(name)", unit: unit, value: value, row: row.name, channel: row.channel))
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
        figures.append(Figure(name: ofRun, unit: .perSecond, value: run.performedPerWallSecond))
        return figures + (run.costs.map(Self.figures) ?? [])
    }

    /// Rows with edits. Those of the only channel are those of all edits too: another app may use another channel.
    static func rows(_ run: RunFigures) -> [RunFigures.Row] {
        let planned = run.rows.filter { $0.planned > 0 }
        guard !planned.contains(where: { $0.channel == nil }) else { return planned }
        return planned
            + planned.map { row in
                var all = row
                all.channel = nil
                return all
            }
    }

    /// While edits were made.
    private static func figures(_ costs: Costs) -> [Figure] {
        let processes = costs.processes.flatMap { kind in
            [
                Figure(name: "run.cpu.\(kind.kind)", unit: .nanoseconds, value: Double(kind.cpu.nanoseconds)),
                Figure(name: "run.memory.\(kind.kind)", unit: .bytes, value: Double(kind.privateKiB) * 1024),
            ]
        }
        let requests = costs.requests.filter { $0.phase == .edits }
        func sum(_ count: (Costs.Requests) -> Int) -> Double { Double(requests.reduce(0) { $0 + count($1) }) }
        return processes + [
            Figure(name: ofRequests[0], unit: .requests, value: sum { $0.latencies.count }),
            Figure(name: ofRequests[1], unit: .requests, value: sum(\.failed)),
            Figure(name: ofRequests[2], unit: .bytes, value: sum { $0.bytesSent + $0.bytesReceived }),
        ]
    }
    private static let ofRequests = ["run.requests", "run.failedRequests", "run.bytes"]
    private static var ofCosts: [String] {
        Costs.Kind.allCases.flatMap { ["run.cpu.\($0)", "run.memory.\($0)"] } + ofRequests
    }

    /// Names of all figures that runs may have whose apps use these channels.
    /// - Parameters:
    ///   - hasFaults: else there are no rows by what went on.
    ///   - hasCosts: whether runs may be of live.
    public static func names(channels: Set<Channel>, hasFaults: Bool, hasCosts: Bool) -> [String] {
        ([nil] + Channel.allCases.filter(channels.contains)).flatMap { channel in
            RunFigures.situations(hasFaults: hasFaults).flatMap { situation in
                let row = RunFigures.Row(channel: channel, situation: situation).name
                let stages = RunFigures.Stage.allCases.flatMap { stage in
                    quantiles.map { "\(stage.rawValue).\($0.name)" }
                }
                return (stages + ofRow).map { "\(row).\($0)" }
            }
        } + [ofRun] + (hasCosts ? ofCosts : [])
    }
}

/// The figures of one run, by name.
struct FiguresByName {
    let figures: [FigureComparison.Figure]
    private let values: [String: Double]
    private let rows: Set<String>
    /// Of its edits.
    let channels: Set<Channel>

    init(_ run: RunFigures) {
        figures = FigureComparison.figures(run)
        values = Dictionary(figures.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        let rows = FigureComparison.rows(run)
        self.rows = Set(rows.map(\.name))
        channels = Set(rows.compactMap(\.channel))
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
                message: "\(difference): their times cannot be compared; give results of one plan, mode and speed")
        }
    }
}
