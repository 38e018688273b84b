import FleetModel

/// Adds up what the processes of a run used, from looks at all processes of the machine.
///
/// A process counts from its beginning, or from the first look when it was there then, until it was looked at last: what one did between
/// the last look and its end is missing. So the looks have to be closer together than processes are short-lived.
public struct Census {
    /// One process in one look.
    public struct Sample: Hashable, Sendable {
        /// The machine's number of the process; used again after its end.
        public var pid: Int32
        /// The process that started it, or the one that took it over.
        public var parent: Int32
        /// Tells two processes with one number apart.
        public var began: UInt64
        /// Used since it began.
        public var cpu: Span
        /// From its parts.
        public init(pid: Int32, parent: Int32, began: UInt64, cpu: Span) {
            self.pid = pid
            self.parent = parent
            self.began = began
            self.cpu = cpu
        }
    }

    /// Whose processes are whose: what an iPad starts are the processes that start its apps, and what those start are the apps.
    public struct Roots: Hashable, Sendable {
        /// The supervisor of the run.
        public var run: Int32
        /// The Cloud's process; nil where it has none of its own.
        public var cloud: Int32?
        /// The process of each iPad.
        public var ipads: Set<Int32>
        /// From its parts.
        public init(run: Int32, cloud: Int32?, ipads: Set<Int32>) {
            self.run = run
            self.cloud = cloud
            self.ipads = ipads
        }
    }

    private struct Identity: Hashable {
        var pid: Int32
        var began: UInt64
    }
    private struct Use {
        var kind: Costs.Kind
        var first: Span
        var last: Span
        var firstWakeUps: Int
        var wakeUps: Int
    }
    private var uses: [Identity: Use] = [:]
    private var most: [Costs.Kind: Int] = [:]
    private var isFirst = true

    /// Nothing has been looked at.
    public init() {}

    /// - Parameter wakeUps: how often a process has waited and gone on since it began; nil: it has ended meanwhile.
    /// - Returns: the processes of the run that there are, by kind, each in order of their numbers.
    @discardableResult
    public mutating func look(
        _ samples: [Sample], _ roots: Roots, wakeUps: (Int32) -> Int? = { _ in nil }
    ) -> [Costs.Kind: [Int32]] {
        let parents = Dictionary(samples.map { ($0.pid, $0.parent) }, uniquingKeysWith: { first, _ in first })
        var present: [Costs.Kind: [Int32]] = [:]
        for sample in samples.sorted(by: { $0.pid < $1.pid }) {
            guard let kind = Self.kind(of: sample, parents, roots) else { continue }
            present[kind, default: []].append(sample.pid)
            let identity = Identity(pid: sample.pid, began: sample.began)
            let woken = wakeUps(sample.pid)
            let begun = Use(
                kind: kind, first: isFirst ? sample.cpu : .zero, last: sample.cpu,
                firstWakeUps: isFirst ? woken ?? 0 : 0, wakeUps: 0)
            uses[identity, default: begun].last = sample.cpu
            if let woken { uses[identity]?.wakeUps = woken }
        }
        isFirst = false
        most.merge(present.mapValues(\.count)) { max($0, $1) }
        return present
    }

    private static func kind(of sample: Sample, _ parents: [Int32: Int32], _ roots: Roots) -> Costs.Kind? {
        if roots.ipads.contains(sample.pid) || roots.ipads.contains(sample.parent) { return .ipads }
        if let grandparent = parents[sample.parent], roots.ipads.contains(grandparent) { return .apps }
        if let cloud = roots.cloud, sample.pid == cloud || sample.parent == cloud { return .cloud }
        return sample.pid == roots.run || sample.parent == roots.run ? .run : nil
    }

    /// By kind; their memory is for the caller to fill in.
    public var processes: [Costs.Processes] {
        Costs.Kind.allCases.compactMap { kind -> Costs.Processes? in
            guard let most = most[kind] else { return nil }
            let own = uses.values.filter { $0.kind == kind }
            let cpu = own.reduce(0) { $0 + max(0, $1.last.nanoseconds - $1.first.nanoseconds) }
            // Threads that have ended took their count along.
            let wakeUps = own.reduce(0) { $0 + max(0, $1.wakeUps - $1.firstWakeUps) }
            return Costs.Processes(
                kind: kind, most: most, cpu: Span(nanoseconds: cpu), wakeUps: wakeUps, privateKiB: 0)
        }
    }
}
