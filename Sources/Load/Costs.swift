import FleetModel

/// What a run in real time cost the machine while edits were made: processes by what they are; requests by what they asked for, also at
/// other times.
public struct Costs: Hashable, Sendable {
    /// How long it was looked at, of the machine's time.
    public var length: Span
    /// Cores of the machine; at least 1.
    public var cores: Int
    /// CPU time of the whole machine meanwhile, whoever used it.
    public var machine: Span
    /// One entry a kind; none for a kind without a process.
    public var processes: [Processes]
    /// By phase, then by route in order of their names.
    public var requests: [Requests]
    /// What the Cloud counted itself; nil when it could not be asked, or began anew meanwhile.
    public var service: Service?

    /// What a process is there for.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The iPads' own processes; the processes of their apps; the Cloud's server.
        case ipads, apps, cloud
        /// The supervisor of the run, which plays the people: who makes the load.
        case run
    }

    /// Processes of one kind.
    public struct Processes: Hashable, Sendable {
        /// What they are there for.
        public var kind: Kind
        /// At most at a time.
        public var most: Int
        /// Together; what a process did after it was looked at last is not in it.
        public var cpu: Span
        /// Together: how often one waited and went on.
        public var wakeUps: Int
        /// Together, at the end of the storm: memory that they share with nobody.
        public var privateKiB: Int
        /// From its parts.
        public init(kind: Kind, most: Int, cpu: Span, wakeUps: Int = 0, privateKiB: Int) {
            self.kind = kind
            self.most = most
            self.cpu = cpu
            self.wakeUps = wakeUps
            self.privateKiB = privateKiB
        }
    }

    /// Of the Cloud's own figures.
    public struct Service: Hashable, Sendable {
        /// Requests that were answered, whoever asked.
        public var answered: Int
        /// Transactions, and requests in them: one commit for all that has gathered.
        public var commits: Int
        /// Requests that were in those transactions.
        public var committed: Int
        /// From its parts.
        public init(answered: Int, commits: Int, committed: Int) {
            self.answered = answered
            self.commits = commits
            self.committed = committed
        }
    }

    /// When a request was made, in the order of a run. The names of the run's own phases (Docs/architecture.md), of which the storm is three.
    public enum Phase: String, Hashable, Sendable, CaseIterable {
        /// Of a `load`: until its first edit everybody signs in.
        case arrival
        /// While people make edits.
        case edits
        /// Of a `load`: what is still on its way after the last edit.
        case tail
        /// Everything has healed, and the core catches up (Docs/architecture.md).
        case calm
        /// The iPads of the core are read.
        case readingCore = "reading-core"
        /// Brand-new iPads are read.
        case readingNew = "reading-new"
        /// The core is read once more.
        case readingAgain = "reading-again"

        /// - Parameters:
        ///   - name: the run's phase at that moment; nil before the first one.
        ///   - window: when edits are made.
        /// - Returns: nil for a phase that runs do not have.
        public init?(at moment: Instant, inPhase name: String?, edits window: ClosedRange<Instant>) {
            if let name, name != "storm" {
                self.init(rawValue: name)
            } else {
                self = moment < window.lowerBound ? .arrival : moment <= window.upperBound ? .edits : .tail
            }
        }
    }

    /// Requests of one route in one phase.
    public struct Requests: Hashable, Sendable {
        /// When they were made.
        public var phase: Phase
        /// What was asked for, without what differs from person to person: `POST database records/modify`.
        public var route: String
        /// Requests whose predecessor for the same purpose had failed.
        public var repeated = 0
        /// Requests that the Cloud refused for good: 4xx but 429.
        public var refused = 0
        /// Requests without an answer, or with one that says to come again: 429, 5xx.
        public var failed = 0
        /// Bytes of the requests as HTTP/1.1 writes them: line, header fields, body.
        public var bytesSent = 0
        /// Bytes of the answers, counted likewise.
        public var bytesReceived = 0
        /// From leaving an iPad's network stack to the answer there, or to giving up.
        public var latencies = LatencyHistogram()

        /// No request so far.
        public init(route: String, in phase: Phase) {
            self.route = route
            self.phase = phase
        }

        /// Counts a request that has ended.
        public mutating func add(_ end: RequestEnd) {
            if end.isRepeated { repeated += 1 }
            switch end.outcome {
            case .answered: break
            case .refused: refused += 1
            case .failed: failed += 1
            }
            bytesSent += end.bytesSent
            bytesReceived += end.bytesReceived
            latencies.record(end.took)
        }

        /// What others took, under this name.
        public mutating func add(_ other: Requests) {
            for path in Self.counts.map(\.path) { self[keyPath: path] += other[keyPath: path] }
            latencies.add(other.latencies)
        }
        static let counts: [(key: String, path: WritableKeyPath<Self, Int> & Sendable)] = [
            ("repeated", \.repeated), ("refused", \.refused), ("failed", \.failed), ("bytesSent", \.bytesSent),
            ("bytesReceived", \.bytesReceived),
        ]
    }

    /// From its parts, without the Cloud's own figures.
    public init(length: Span, cores: Int, machine: Span, processes: [Processes], requests: [Requests]) {
        self.length = length
        self.cores = cores
        self.machine = machine
        self.processes = processes
        self.requests = requests
    }

    /// How many cores that CPU time kept busy.
    public func cores(_ cpu: Span) -> Double { Double(cpu.nanoseconds) / Double(max(1, length.nanoseconds)) }
    /// How many of these there were in a second of `length`.
    public func perSecond(_ count: Int) -> Double { Double(count) * 1e9 / Double(max(1, length.nanoseconds)) }
    /// Of the machine's cores, the part that was busy: near 1 the machine was the limit.
    public var busyPart: Double { cores(machine) / Double(max(1, cores)) }
}

// MARK: figures.json, and the note of a part

extension Costs {
    /// More than a run can have, and few enough that those of all parts together are a number too.
    static let numberMax: Int64 = 1 << 52

    /// As in `figures.json`; times in nanoseconds.
    public var body: Value {
        var body: Value = [
            "length": .int(length.nanoseconds), "cores": .int(cores), "machine": .int(machine.nanoseconds),
            "processes": .array(
                processes.map {
                    [
                        "kind": .string($0.kind.rawValue), "most": .int($0.most), "cpu": .int($0.cpu.nanoseconds),
                        "wakeUps": .int($0.wakeUps), "privateKiB": .int($0.privateKiB),
                    ]
                }), "requests": .array(requests.map(\.body)),
        ]
        if let service {
            body["service"] = [
                "answered": .int(service.answered), "commits": .int(service.commits),
                "committed": .int(service.committed),
            ]
        }
        return body
    }

    /// Nil when it is damaged.
    public init?(_ body: Value) {
        guard let length = body["length"]?.int, let cores = body["cores"]?.int, let machine = body["machine"]?.int,
            (1...Self.numberMax).contains(length), (1...Self.numberMax).contains(cores),
            (0...Self.numberMax).contains(machine), let processes = body["processes"]?.array,
            let requests = body["requests"]?.array
        else { return nil }
        let readProcesses = processes.compactMap(Processes.init)
        let readRequests = requests.compactMap(Requests.init)
        guard readProcesses.count == processes.count, readRequests.count == requests.count else { return nil }
        self.init(
            length: Span(nanoseconds: length), cores: Int(clamping: cores), machine: Span(nanoseconds: machine),
            processes: readProcesses, requests: readRequests)
        guard let service = body["service"] else { return }
        let counts = ["answered", "commits", "committed"].compactMap { service[$0]?.int }
            .filter { (0...Self.numberMax).contains($0) }
        guard counts.count == 3 else { return nil }
        self.service = Service(
            answered: Int(clamping: counts[0]), commits: Int(clamping: counts[1]), committed: Int(clamping: counts[2]))
    }
}

extension Costs.Processes {
    fileprivate init?(_ body: Value) {
        guard let kind = body["kind"]?.string.flatMap(Costs.Kind.init), let most = body["most"]?.int,
            let cpu = body["cpu"]?.int, let memory = body["privateKiB"]?.int,
            // Runs of earlier versions did not count them.
            let wakeUps = (body["wakeUps"] ?? .int(0)).int,
            [most, cpu, memory, wakeUps].allSatisfy((0...Costs.numberMax).contains)
        else { return nil }
        self.init(
            kind: kind, most: Int(clamping: most), cpu: Span(nanoseconds: cpu), wakeUps: Int(clamping: wakeUps),
            privateKiB: Int(clamping: memory))
    }
}

extension Costs.Requests {
    fileprivate var body: Value {
        var body: Value = [
            "phase": .string(phase.rawValue), "route": .string(route), "latencies": latencies.body,
        ]
        for (key, path) in Self.counts { body[key] = .int(self[keyPath: path]) }
        return body
    }
    fileprivate init?(_ body: Value) {
        guard let route = body["route"]?.string, let latencies = body["latencies"].flatMap(LatencyHistogram.init),
            // Runs of earlier versions counted no others.
            let phase = (body["phase"] ?? "edits").string.flatMap(Costs.Phase.init)
        else { return nil }
        self.init(route: route, in: phase)
        self.latencies = latencies
        for (key, path) in Self.counts {
            guard let number = body[key]?.int, (0...Costs.numberMax).contains(number) else { return nil }
            self[keyPath: path] = Int(clamping: number)
        }
    }
}
