import FleetModel

/// `figures.html`: plots and numbers of one run on one page that needs nothing else.
public enum FigurePage {
    /// The whole page. Same figures, same bytes: neither the time of day nor a path is in it.
    public static func html(_ figures: RunFigures) -> String {
        let plotted = figures.rows.filter { $0.planned > 0 && $0.situation == .all }
        var parts = [head(figures)]
        if let figure = leading(figures) { parts.append(figure) }
        for (stage, title) in [
            (RunFigures.Stage.firstSight, "From the plan to the first sight on another iPad"),
            (RunFigures.Stage.performed, "From the plan to performed"),
        ] {
            let measured = plotted.filter { $0[stage].count > 0 }
            guard let plot = PercentilePlot.svg(measured, stage) else { continue }
            parts.append(section(title, legend(measured.map { (FigureTable.title($0), style($0)) }) + plot))
        }
        var marks = TimelinePlot.lines.map { ($0.name, $0.kind) }
        if !figures.timeline.bells.isEmpty { marks.append(("bell", "bell")) }
        if !figures.timeline.faults.isEmpty { marks.append(("fault at work", "fault")) }
        parts.append(section("Over time", legend(marks) + TimelinePlot.svg(figures.timeline)))
        if let plot = TimelinePlot.sights(figures.timeline) {
            let names = [("median", "seen"), ("longest", "longest")] + marks.dropFirst(TimelinePlot.lines.count)
            parts.append(section("How long until edits were visible on another iPad, over time", legend(names) + plot))
        }
        parts.append(section("All figures", table(figures) + words))
        if !figures.bells.isEmpty { parts.append(section("From the bell to the last sign-in", bells(figures))) }
        if let costs = figures.costs { parts.append(section("What it cost", CostTable.html(costs))) }
        return parts.joined(separator: "\n") + "\n</main>\n</html>\n"
    }

    /// The class of a row's line: one colour a channel.
    static func style(_ row: RunFigures.Row) -> String { "channel-\(row.channel?.rawValue ?? "all")" }

    private static func head(_ figures: RunFigures) -> String {
        let name = figures.scenario.escaped
        let mode = figures.mode.escaped
        let faster = figures.speed == 1 ? "real" : "\(figures.speed) times as long as real ones"
        let clock = figures.mode == "live" ? faster : "virtual"
        return """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(name), seed \(figures.seed): figures</title>
            <style>
            \(styleSheet)
            </style>
            <main>
            <h1>\(name)</h1>
            <p class="about">seed \(figures.seed), mode \(mode), times are \(clock); the machine took \(Span.milliseconds(max(0, figures.wallMilliseconds)).short)</p>
            """
    }

    /// What matters first.
    private static func leading(_ figures: RunFigures) -> String? {
        guard let row = figures.rows.first, row.planned > 0 else { return nil }
        var tiles: [(String, String)] = []
        for (name, part) in [("p50", 0.5), ("p99", 0.99)] {
            guard row.measured(.firstSight) > 0 else { continue }
            tiles.append(("\(name) to first sight", row.quantile(.firstSight, part)?.short ?? "never"))
        }
        tiles.append(("edits performed of \(row.planned)", "\(row.performed)"))
        tiles.append(("never seen elsewhere", "\(row.unseen)"))
        let cells = tiles.map { "<div><b>\($0.1.escaped)</b><span>\($0.0.escaped)</span></div>" }
        return #"<div class="tiles">\#(cells.joined())</div>"#
    }

    /// What the table's own words mean.
    private static let words = """

        <p class="about">never: so many edits did not arrive at all that this part of them has no time. returned to the app: a service gave the edit back \
        with an error, and the app has to try again. never tried: the person was not where the plan wanted them.</p>
        """

    private static func section(_ title: String, _ content: String) -> String {
        "<section>\n<h2>\(title.escaped)</h2>\n\(content)\n</section>"
    }

    /// - Parameter entries: a name, and the class of its line.
    private static func legend(_ entries: [(String, String)]) -> String {
        let items = entries.map { #"<span><i class="\#($0.1)"></i>\#($0.0.escaped)</span>"# }
        return #"<p class="legend">\#(items.joined())</p>"# + "\n"
    }

    private static func bells(_ figures: RunFigures) -> String {
        let heads = ([""] + FigureTable.bellHeads).map { "<th>\($0)</th>" }.joined()
        let rows = figures.bells.map { bell in
            "<tr><th>bell at \(bell.at)</th>" + FigureTable.cells(bell).map { "<td>\($0)</td>" }.joined() + "</tr>"
        }
        return (["<table>", "<thead><tr>\(heads)</tr></thead>"] + rows + ["</table>"]).joined(separator: "\n")
    }

    private static func table(_ figures: RunFigures) -> String {
        let heads = ["", "edits"] + LatencyHistogram.shown.map { $0.name == "p999" ? "p99.9" : $0.name } + ["max"]
        var lines = ["<table>", "<thead><tr>" + heads.map { "<th>\($0)</th>" }.joined() + "</tr></thead>"]
        for row in figures.rows where row.planned > 0 {
            let remarks = FigureTable.remarks(row).map { $0.trimmed }.filter { !$0.isEmpty }
            lines.append(
                #"<tbody><tr class="title"><th>\#(FigureTable.title(row).escaped)</th><td colspan="6">\#(remarks.joined(separator: "; ").escaped)</td></tr>"#
            )
            for stage in RunFigures.Stage.allCases where row.measured(stage) > 0 {
                lines.append(
                    "<tr><th>\(FigureTable.words(stage).trimmed.escaped)</th>"
                        + FigureTable.cells(stage, row).map { "<td>\($0.escaped)</td>" }.joined() + "</tr>")
            }
            lines.append("</tbody>")
        }
        return (lines + ["</table>"]).joined(separator: "\n")
    }

    /// Colours that people with any kind of sight can tell apart, on light and on dark ground.
    private static let styleSheet = """
        :root { color-scheme: light dark; --ink: light-dark(#1d2329, #e6e9ec); --soft: light-dark(#66707a, #98a2ac);
          --rule: light-dark(#e2e6ea, #333b43); --ground: light-dark(#ffffff, #14181c);
          --record: light-dark(#0067a5, #56b4e9); --key: light-dark(#c26a00, #f0a63c); --doc: light-dark(#00805c, #3ecf9e);
          --up: light-dark(#b0478c, #e38ac4); --chain: light-dark(#6a5acd, #a99cf5); --fault: light-dark(#d5483022, #ff7a5c26) }
        body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.45 system-ui, sans-serif }
        main { max-width: 800px; margin: 0 auto; padding: 24px 20px 60px }
        h1 { font-size: 26px; margin: 0 } h2 { font-size: 17px; margin: 36px 0 6px }
        .about, .legend, .label, .tiles span { color: var(--soft) } .about { margin: 2px 0 20px }
        .tiles { display: flex; flex-wrap: wrap; gap: 12px 36px }
        .tiles b { display: block; font-size: 24px; font-weight: 600; font-variant-numeric: tabular-nums }
        .tiles span, .legend { font-size: 13px } .legend { margin: 0 0 4px }
        .legend span { margin-right: 18px; white-space: nowrap }
        .legend i { display: inline-block; width: 14px; height: 3px; margin-right: 6px; vertical-align: middle; background: currentColor }
        .legend i.fault { height: 11px; background: var(--fault) }
        svg { display: block; width: 100%; height: auto }
        .label { fill: var(--soft); font-size: 12px; font-family: inherit } .grid { stroke: var(--rule) }
        .line { fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round }
        .line.planned { stroke-width: 6; opacity: .4 } .line.seen { stroke-dasharray: 7 3 } .line.longest { stroke-dasharray: 2 3 }
        .line.channel-keyValue { stroke-dasharray: 9 3 } .line.channel-document { stroke-dasharray: 5 3 }
        .line.channel-upload { stroke-dasharray: 2 3 } .line.channel-keychain { stroke-dasharray: 9 3 2 3 }
        .name { font-size: 11px }
        .fault { fill: var(--fault) } .bell { color: var(--soft); stroke: currentColor; stroke-dasharray: 3 3 }
        .channel-all, .performed { color: var(--ink) } .longest { color: var(--up) } .channel-record, .seen { color: var(--record) }
        .channel-keyValue, .planned { color: var(--key) } .channel-document { color: var(--doc) }
        .channel-upload { color: var(--up) } .channel-keychain { color: var(--chain) }
        table { border-collapse: collapse; width: 100%; font-size: 13.5px; font-variant-numeric: tabular-nums }
        th { text-align: left; font-weight: 400; white-space: nowrap } thead th { color: var(--soft) } td, thead th:not(:first-child) { text-align: right }
        th, td { padding: 3px 6px } tr { border-top: 1px solid var(--rule) }
        .title th { font-weight: 600; padding-top: 12px } .title td { text-align: left; color: var(--soft); padding-top: 12px }
        """
}

extension String {
    /// Without blanks at its ends.
    var trimmed: String {
        var text = Substring(self)
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
