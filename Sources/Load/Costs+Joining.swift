import FleetModel

extension Costs {
    /// What a split run cost, from what each of its parts says.
    ///
    /// Processes and requests of all are added: each part has its own. Of parts on one machine the machine counts once, and the Cloud, which
    /// all share, counts as the first part saw it.
    /// - Parameter parts: in their order, each with a name of the machine that it ran on.
    /// - Returns: nil for none.
    public static func joined(_ parts: [(machine: String, costs: Costs)]) -> Costs? {
        guard var all = parts.first?.costs else { return nil }
        var machines: [String: (cores: Int, busy: Span)] = [:]
        for (name, costs) in parts {
            let known = machines[name] ?? (0, .zero)
            machines[name] = (max(known.cores, costs.cores), max(known.busy, costs.machine))
        }
        all.cores = machines.values.reduce(0) { $0 + $1.cores }
        all.machine = machines.values.reduce(.zero) { $0 + $1.busy }
        for (_, costs) in parts.dropFirst() {
            all.length = max(all.length, costs.length)
            for processes in costs.processes { all.add(processes) }
            for requests in costs.requests { all.add(requests) }
            all.service = all.service ?? costs.service
        }
        let order = Phase.allCases
        all.requests.sort {
            (order.firstIndex(of: $0.phase) ?? 0, $0.route) < (order.firstIndex(of: $1.phase) ?? 0, $1.route)
        }
        return all
    }

    private mutating func add(_ other: Processes) {
        guard let index = processes.firstIndex(where: { $0.kind == other.kind }) else { return processes.append(other) }
        processes[index].most += other.most
        processes[index].cpu = processes[index].cpu + other.cpu
        processes[index].wakeUps += other.wakeUps
        processes[index].privateKiB += other.privateKiB
    }
    private mutating func add(_ other: Requests) {
        guard let index = requests.firstIndex(where: { ($0.phase, $0.route) == (other.phase, other.route) }) else {
            return requests.append(other)
        }
        requests[index].add(other)
    }
}
