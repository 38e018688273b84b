import FleetModel
import Glibc

/// How long the slowest part of the edits took: each further line of the grid looks at a tenth of what the one before did.
enum PercentilePlot {
    private static let grid: [(part: Double, name: String)] = [
        (0, "0"), (0.5, "p50"), (0.9, "p90"), (0.99, "p99"), (0.999, "p99.9"), (0.9999, "p99.99"),
    ]
    private static let samples = 120

    /// - Parameter measured: a line each.
    /// - Returns: nil when nothing was measured.
    static func svg(_ measured: [RunFigures.Row], _ stage: RunFigures.Stage) -> String? {
        let most = measured.map { $0.measured(stage) }.max() ?? 0
        guard measured.contains(where: { $0[stage].count > 0 }) else { return nil }
        // What one edit in as many as there were would be, and no further.
        let end = min(max(log10(Double(most)), 1), 4)
        let values = measured.flatMap { row in
            [0, 1].compactMap { row[stage].quantile($0) }.map { Double($0.nanoseconds) }
        }
        let axis = LogAxis(values, least: 100_000)
        var drawing = Drawing()
        for (part, name) in grid where depth(part) <= end + 0.01 { drawing.verticalTick(depth(part) / end, name) }
        for tick in axis.ticks { drawing.horizontalTick(axis.place(tick), LogAxis.label(tick)) }
        drawing.caption("part of the edits")
        for row in measured {
            drawing.line(
                points(row, stage, until: end, axis), kind: FigurePage.style(row),
                title: title(row, stage))
        }
        return drawing.svg(title: "\(FigureTable.words(stage)): percentiles")
    }

    /// 0 for all edits, 1 for the slowest tenth, 2 for the slowest hundredth.
    private static func depth(_ part: Double) -> Double { -log10(1 - part) }

    static func points(
        _ row: RunFigures.Row, _ stage: RunFigures.Stage, until end: Double, _ axis: LogAxis
    ) -> [(x: Double, y: Double)] {
        let (came, all) = (row[stage].count, row.measured(stage))
        // The slowest of N edits is one in N: what would be farther out was not measured. Where some never came, the line ends with those
        // that did.
        let last = came < all ? depth(Double(came) / Double(all)) : log10(Double(all))
        let own = min(end, max(last, 0.01))
        var points: [(x: Double, y: Double)] = []
        for number in 0...samples {
            let depth = own * Double(number) / Double(samples)
            let isSlowest = number == samples && own < 4
            let span = isSlowest ? row[stage].quantile(1) : row.quantile(stage, 1 - pow(10, -depth))
            guard let span else { continue }
            points.append((x: depth / end, y: axis.place(Double(span.nanoseconds))))
        }
        return points
    }
    private static func title(_ row: RunFigures.Row, _ stage: RunFigures.Stage) -> String {
        let quantiles = LatencyHistogram.shown.map { "\($0.name) \(row.quantile(stage, $0.part)?.short ?? "never")" }
        let most = row.quantile(stage, 1)?.short ?? "never"
        return
            "\(FigureTable.title(row)): \(row.measured(stage)) edits, \(quantiles.joined(separator: ", ")), max \(most)"
    }
}

/// Edits and first sights over the storm, with bells and faults.
enum TimelinePlot {
    static let lines: [(name: String, kind: String, counts: KeyPath<RunFigures.Timeline, [Int]> & Sendable)] = [
        ("planned", "planned", \.planned), ("performed", "performed", \.performed),
        ("first seen elsewhere", "seen", \.seen),
    ]

    static func svg(_ timeline: RunFigures.Timeline) -> String {
        let bins = max(timeline.planned.count, 1)
        let most = lines.compactMap { timeline[keyPath: $0.counts].max() }.max() ?? 0
        let top = ceiling(most)
        var drawing = field(of: timeline)
        for tick in ticks(top) { drawing.horizontalTick(Double(tick) / Double(top), "\(tick)") }
        drawing.caption("time of the run; edits in each \(timeline.bin)")
        for line in lines {
            let counts = timeline[keyPath: line.counts]
            let points = counts.enumerated().map { index, count in
                (x: (Double(index) + 0.5) / Double(bins), y: Double(count) / Double(top))
            }
            drawing.line(points, kind: line.kind, title: "\(line.name): \(counts.reduce(0, +))")
        }
        return drawing.svg(title: "edits over time")
    }

    /// How long until edits were visible on another iPad, by when they were made; nil when none was.
    static func sights(_ timeline: RunFigures.Timeline) -> String? {
        let values = (timeline.medianSight + timeline.longestSight).compactMap { $0.map { Double($0.nanoseconds) } }
        guard !values.isEmpty else { return nil }
        let bins = max(timeline.planned.count, 1)
        let axis = LogAxis(values, least: 100_000)
        var drawing = field(of: timeline)
        for tick in axis.ticks { drawing.horizontalTick(axis.place(tick), LogAxis.label(tick)) }
        drawing.caption("time of the run; edits planned in each \(timeline.bin)")
        for (list, kind, name) in [
            (timeline.medianSight, "seen", "median"), (timeline.longestSight, "longest", "longest"),
        ] {
            let points = list.enumerated().compactMap { index, span in
                span.map { (x: (Double(index) + 0.5) / Double(bins), y: axis.place(Double($0.nanoseconds))) }
            }
            drawing.line(points, kind: kind, title: "\(name) time from the plan to the first sight")
        }
        return drawing.svg(title: "time to the first sight, over time")
    }

    /// The axis of time with what was at work when.
    private static func field(of timeline: RunFigures.Timeline) -> Drawing {
        let length = Double(timeline.bin.nanoseconds) * Double(max(timeline.planned.count, 1))
        func place(_ moment: Instant) -> Double { min(max(Double(moment.nanoseconds) / length, 0), 1) }
        var drawing = Drawing()
        for (index, fault) in timeline.faults.enumerated() {
            drawing.band(
                from: place(fault.from), until: place(fault.until), name: fault.name, row: index % 5,
                title: "\(fault.name), \(fault.from) to \(fault.until)")
        }
        for moment in moments(length) { drawing.verticalTick(place(moment), (moment - .zero).clock) }
        for bell in timeline.bells { drawing.mark(place(bell), title: "bell at \(bell)") }
        return drawing
    }

    /// Round moments of a run, seven at most.
    static func moments(_ nanoseconds: Double) -> [Instant] {
        let step = RunFigures.Timeline.lengths.first { Double($0.nanoseconds) * 6.5 >= nanoseconds } ?? .hours(24)
        return stride(from: 0, through: nanoseconds, by: Double(step.nanoseconds)).prefix(7).map {
            Instant(nanoseconds: Int64($0))
        }
    }

    /// 1, 2 or 5 times a power of ten, at least as large.
    static func ceiling(_ count: Int) -> Int {
        var scale = 1
        while scale < 1_000_000_000_000 {
            for factor in [1, 2, 5] where scale * factor >= count { return scale * factor }
            scale *= 10
        }
        return max(count, 1)
    }
    private static func ticks(_ top: Int) -> [Int] {
        let parts = top % 4 == 0 ? 4 : top % 5 == 0 ? 5 : top % 2 == 0 ? 2 : 1
        return (0...parts).map { top / parts * $0 }
    }
}

extension Span {
    /// `0:00`, `12:30`, `1:05:00`.
    var clock: String {
        let seconds = nanoseconds / 1_000_000_000
        let tail = "\(FleetModel.padded(seconds % 60, 2))"
        guard seconds >= 3600 else { return "\(seconds / 60):\(tail)" }
        return "\(seconds / 3600):\(FleetModel.padded(seconds / 60 % 60, 2)):\(tail)"
    }
}
