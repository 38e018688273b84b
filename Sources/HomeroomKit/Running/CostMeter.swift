import CInterpose
import FleetModel
import Glibc
import Live
import Load
import Workload

/// Measures what a run in live costs while its edits are made.
final class CostMeter {
    /// Of virtual time.
    private let window: ClosedRange<Instant>
    private var census = Census()
    private var requests: [Costs.Phase: [String: Costs.Requests]] = [:]
    /// Real time and the machine's CPU time at the first look.
    private var began: (at: Int64, busy: Span)?
    private var nextLook: Int64 = 0
    /// Asked at both ends of the window.
    private var cloud: (process: Int32?, metrics: CloudMetrics?) = (nil, nil)
    /// At the end of the window, with the memory at the end of the storm; nil before.
    private(set) var costs: Costs?

    /// More than the service has.
    private static let routesMax = 100
    /// Looks cost a millisecond for each hundred processes.
    private static let pauseNanoseconds: Int64 = 5_000_000_000

    /// So long the Cloud is waited for when the storm is over.
    private static let patienceMilliseconds: Int32 = 2000

    init(window: ClosedRange<Instant>) { self.window = window }

    /// - Parameters:
    ///   - end: told some time after it ended; what counts is when it began.
    ///   - name: the run's phase at that time.
    func take(_ end: RequestEnd, inPhase name: String?) {
        guard let phase = Costs.Phase(at: end.began, inPhase: name, edits: window) else { return }
        // An app may ask for anything.
        let isKnown = requests[phase]?[end.route] != nil || (requests[phase]?.count ?? 0) < Self.routesMax
        let route = isKnown ? end.route : "others"
        requests[phase, default: [:]][route, default: Costs.Requests(route: route, in: phase)].add(end)
    }

    /// Called again and again while the run goes on.
    func look(_ world: LiveWorld) {
        cloud.metrics?.goOn()
        let now = hr_real_ns()
        guard costs == nil, world.now >= window.lowerBound, now >= nextLook || world.now >= window.upperBound else {
            return
        }
        nextLook = now + Self.pauseNanoseconds
        guard let busy = Machine.busy else { return }
        census.look(Machine.processes, roots(of: world), wakeUps: Machine.wakeUps)
        guard let began else {
            began = (now, busy)
            cloud = (world.cloudProcess, world.cloudMetrics)
            return cloud.metrics?.ask() ?? ()
        }
        guard world.now >= window.upperBound else { return }
        cloud.metrics?.ask()
        costs = Costs(
            length: Span(nanoseconds: now - began.at), cores: Machine.cores,
            machine: Span(nanoseconds: max(0, busy.nanoseconds - began.busy.nanoseconds)),
            processes: census.processes, requests: [])
    }
    private func roots(of world: LiveWorld) -> Census.Roots {
        Census.Roots(run: getpid(), cloud: world.cloudProcess, ipads: Set(world.padProcesses))
    }

    /// Called when the storm has ended: reading the memory of a thousand processes keeps a core busy for a while, and before that somebody may
    /// still wait for the last edits.
    func weigh(_ world: LiveWorld) {
        look(world)
        // Of another life of the server the counters begin again.
        if cloud.process == world.cloudProcess { costs?.service = service }
        var census = self.census
        let present = census.look(Machine.processes, roots(of: world))
        for index in costs?.processes.indices ?? 0..<0 {
            let pids = costs.flatMap { present[$0.processes[index].kind] } ?? []
            costs?.processes[index].privateKiB = pids.reduce(0) { $0 + (Machine.memory(of: $1)?.privateKiB ?? 0) }
        }
    }
    private var service: Costs.Service? {
        guard let first = cloud.metrics?.next(waiting: Self.patienceMilliseconds),
            let last = cloud.metrics?.next(waiting: Self.patienceMilliseconds)
        else { return nil }
        let counts = ["requests_total", "commits_total", "committed_requests_total"].compactMap { name in
            let name = "homeroom_cloud_" + name
            return last[name].flatMap { Int(exactly: $0 - (first[name] ?? 0)) }
        }
        guard counts.count == 3, counts.allSatisfy({ $0 >= 0 }) else { return nil }
        return Costs.Service(answered: counts[0], commits: counts[1], committed: counts[2])
    }

    /// At the end of the run: requests are told with what else an iPad has to tell, the last ones after the window.
    var finished: Costs? {
        var costs = self.costs
        costs?.requests = Costs.Phase.allCases.flatMap { phase in
            (requests[phase] ?? [:]).values.sorted { $0.route < $1.route }
        }
        return costs
    }
}

extension Scenario {
    /// When edits are made.
    var busy: ClosedRange<Instant> { load.map { $0.from...$0.until } ?? .zero ... .zero + storm }
}
