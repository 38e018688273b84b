import FleetModel

/// What a run cost, for the terminal and the page.
enum CostTable {
    static let processHeads = ["at most", "CPU", "cores", "wake-ups", "a second", "memory"]
    static let requestHeads = ["requests", "p50", "p99", "again", "refused", "failed", "sent", "received"]

    static func lines(_ costs: Costs) -> [String] {
        let width = max(FigureTable.nameWidth, 2 + (costs.requests.map(\.route.count).max() ?? 0))
        func line(_ name: String, _ cells: [String]) -> String { FigureTable.line(name, cells, nameWidth: width) }
        var lines = [line("processes", processHeads)]
        lines += costs.processes.map { line("  " + words($0.kind), cells($0, of: costs)) }
        lines += (["  " + summary(costs)] + (service(costs).map { ["  " + $0] } ?? []) + [""])
        lines.append(line("requests, real time", requestHeads))
        lines += costs.requests.filter { $0.phase == .edits }.map { line("  " + $0.route, cells($0)) }
        return lines + others(costs).map { line("  \(words($0.phase)), but polls", cells($0.all)) } + [""]
    }

    /// Phases other than that of the edits in which anything was asked, with all their routes together but polls: the Cloud answers those when
    /// it has something to say, so how long they took nobody waited.
    private static func others(_ costs: Costs) -> [(phase: Costs.Phase, all: Costs.Requests)] {
        Costs.Phase.allCases.compactMap { phase in
            let routes = costs.requests.filter { $0.phase == phase && phase != .edits }
            guard !routes.isEmpty else { return nil }
            var all = Costs.Requests(route: "all", in: phase)
            for route in routes where route.route != "POST push poll" { all.add(route) }
            return (phase, all)
        }
    }
    static func words(_ phase: Costs.Phase) -> String {
        switch phase {
        case .arrival: "before the edits"
        case .edits: "while edits were made"
        case .tail: "after the edits"
        case .calm: "in calm"
        case .readingCore: "reading on the core"
        case .readingNew: "reading on new iPads"
        case .readingAgain: "reading again"
        }
    }

    static func words(_ kind: Costs.Kind) -> String {
        switch kind {
        case .ipads: "iPads"
        case .apps: "apps"
        case .cloud: "Cloud"
        case .run: "the run itself"
        }
    }
    static func cells(_ processes: Costs.Processes, of costs: Costs) -> [String] {
        [
            "\(processes.most)", processes.cpu.short, FigureTable.short(costs.cores(processes.cpu)),
            "\(processes.wakeUps)", FigureTable.short(costs.perSecond(processes.wakeUps)),
            size(processes.privateKiB << 10),
        ]
    }
    static func cells(_ requests: Costs.Requests) -> [String] {
        let latencies = requests.latencies
        let quantiles = [0.5, 0.99].map { latencies.quantile($0)?.short ?? "-" }
        return ["\(latencies.count)"] + quantiles
            + ["\(requests.repeated)", "\(requests.refused)", "\(requests.failed)"]
            + [size(requests.bytesSent), size(requests.bytesReceived)]
    }
    static func summary(_ costs: Costs) -> String {
        let busy = FigureTable.short(costs.cores(costs.machine))
        let percent = Int((costs.busyPart * 100).rounded())
        return "in \(costs.length.short); the machine was busy with \(busy) of \(costs.cores) cores (\(percent)%)"
    }

    static func service(_ costs: Costs) -> String? {
        guard let service = costs.service else { return nil }
        let each = service.commits > 0 ? Double(service.committed) / Double(service.commits) : 0
        let pace = FigureTable.short(costs.perSecond(service.commits))
        return
            "the Cloud answered \(service.answered) requests and committed \(service.commits) times (\(pace) a second), "
            + "\(FigureTable.short(each)) requests each"
    }

    // MARK: The page

    static func html(_ costs: Costs) -> String {
        let processes = costs.processes.map { (words($0.kind), cells($0, of: costs)) }
        let requests = { (phase: Costs.Phase) in
            table(
                "requests, in real time", requestHeads,
                costs.requests.filter { $0.phase == phase }.map { ($0.route, cells($0)) })
        }
        // Who looks for what the edits cost is not to search among the rest.
        let others = others(costs).map {
            "<details><summary>requests, \(words($0.phase))</summary>\n\(requests($0.phase))\n</details>"
        }
        return
            ([
                #"<p class="about">\#(([summary(costs)] + [service(costs)].compactMap { $0 }).joined(separator: "; ").escaped)</p>"#,
                table("processes", processHeads, processes),
                requests(.edits),
            ] + others).joined(separator: "\n")
    }
    private static func table(_ name: String, _ heads: [String], _ rows: [(String, [String])]) -> String {
        let head = heads.map { "<th>\($0)</th>" }.joined()
        let lines = rows.map { name, cells in
            "<tr><th>\(name.escaped)</th>" + cells.map { "<td>\($0.escaped)</td>" }.joined() + "</tr>"
        }
        let top = ["<table>", "<thead><tr><th>\(name)</th>\(head)</tr></thead>", "<tbody>"]
        return (top + lines + ["</tbody></table>"]).joined(separator: "\n")
    }

    /// Three digits and a unit.
    static func size(_ bytes: Int) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB"]
        var (number, unit) = (Double(max(0, bytes)), 0)
        while number >= 999.5, unit + 1 < units.count { (number, unit) = (number / 1024, unit + 1) }
        return "\(unit == 0 ? "\(max(0, bytes))" : FigureTable.short(number)) \(units[unit])"
    }
}
