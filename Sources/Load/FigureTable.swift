import FleetModel

/// Figures for the terminal.
public enum FigureTable {
    private static let heads = ["edits", "p50", "p90", "p99", "p99.9", "max"]
    static let nameWidth = 26
    private static let width = 10

    /// One block a row of the figures: its stages, then what did not arrive.
    public static func lines(_ figures: RunFigures) -> [String] {
        guard figures.rows.contains(where: { $0.planned > 0 }) else {
            return ["no edit was planned: nothing to measure"]
        }
        return figures.rows.filter { $0.planned > 0 }.flatMap { row in
            [line(title(row), heads)] + RunFigures.Stage.allCases.compactMap { stage($0, row) } + remarks(row)
        } + bells(figures) + (figures.costs.map(CostTable.lines) ?? [])
    }

    static let bellHeads = ["sign-ins", "answered", "walked", "settled"]
    /// Sign-ins after each bell; from it until the last was to be tried, and until the last had the iPad.
    private static func bells(_ figures: RunFigures) -> [String] {
        guard !figures.bells.isEmpty else { return [] }
        return [line("bell to the last sign-in", bellHeads)]
            + figures.bells.map { line("  \($0.at)", cells($0)) } + [""]
    }
    static func cells(_ bell: RunFigures.Bell) -> [String] {
        ["\(bell.planned)", "\(bell.answered)", bell.lastPlanned.short, bell.settled?.short ?? "never"]
    }

    /// What a row is about, for people.
    static func title(_ row: RunFigures.Row) -> String {
        let channel = row.channel.map(words) ?? "all edits"
        switch row.situation {
        case .all: return channel
        case .quiet: return "\(channel), no fault"
        case .faults: return "\(channel), under faults"
        }
    }
    static func words(_ channel: Channel) -> String {
        switch channel {
        case .record: "records"
        case .keyValue: "key-value"
        case .document: "documents"
        case .upload: "uploads"
        case .keychain: "keychain"
        }
    }
    static func words(_ stage: RunFigures.Stage) -> String {
        switch stage {
        case .performed: "plan to performed"
        case .handedOver: "  then to handed over"
        case .committed: "  then to committed"
        case .firstSight: "plan to first sight"
        case .lastSight: "plan to last sight"
        }
    }

    private static func stage(_ stage: RunFigures.Stage, _ row: RunFigures.Row) -> String? {
        row.measured(stage) > 0 ? line("  " + words(stage), cells(stage, row)) : nil
    }
    /// How many, and within which time so large a part of them came; the last of all too.
    static func cells(_ stage: RunFigures.Stage, _ row: RunFigures.Row) -> [String] {
        let parts = LatencyHistogram.shown.map(\.part) + [1]
        return ["\(row.measured(stage))"] + parts.map { row.quantile(stage, $0)?.short ?? "never" }
    }

    static func line(_ name: String, _ cells: [String], nameWidth: Int = Self.nameWidth) -> String {
        name.padded(to: nameWidth)
            + cells.map { String(repeating: " ", count: max(1, width - $0.count)) + $0 }.joined()
    }

    static func remarks(_ row: RunFigures.Row) -> [String] {
        var rate = "  planned \(row.planned)"
        if row.plannedPerSecond > 0 { rate += " (\(short(row.plannedPerSecond)) a second)" }
        rate += ", performed \(row.performed)"
        if row.performedPerSecond > 0 { rate += " (\(short(row.performedPerSecond)) a second)" }
        let counts = [
            (row.skipped, "never tried"), (row.refused, "refused"),
            (row.handedBack, "returned to the app to be tried again"),
        ].filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)" }.joined()
        guard row.unseen > 0 else { return [rate + counts, ""] }
        let overtaken = row.overtaken > 0 ? ", \(row.overtaken) of them deleted next" : ""
        return [
            rate + counts, "  never seen elsewhere \(row.unseen) of \(row[.firstSight].count + row.unseen)\(overtaken)",
            "",
        ]
    }

    /// Three digits.
    public static func short(_ number: Double) -> String {
        guard number.isFinite, number < 1e15 else { return "\(number)" }
        let places = number < 0.995 ? 3 : number < 9.95 ? 2 : number < 99.5 ? 1 : 0
        let scale = [1.0, 10, 100, 1000][places]
        let rounded = Int64((number * scale).rounded())
        let whole = rounded / Int64(scale)
        return places == 0 ? "\(whole)" : "\(whole).\(FleetModel.padded(rounded % Int64(scale), places))"
    }
}

extension Span {
    /// Three digits and a unit: `412 us`, `41.3 ms`, `1.02 s`, `2m05s`.
    public var short: String {
        let seconds = Double(nanoseconds) / 1e9
        if nanoseconds <= 0 { return "0" }
        if seconds < 0.000_999_5 { return "\(FigureTable.short(seconds * 1e6)) us" }
        if seconds < 0.9995 { return "\(FigureTable.short(seconds * 1000)) ms" }
        if seconds < 59.95 { return "\(FigureTable.short(seconds)) s" }
        let whole = Int64(seconds.rounded())
        if whole < 3600 { return "\(whole / 60)m\(FleetModel.padded(whole % 60, 2))s" }
        return "\(whole / 3600)h\(FleetModel.padded(whole / 60 % 60, 2))m"
    }
}

extension String {
    /// Filled with blanks.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
