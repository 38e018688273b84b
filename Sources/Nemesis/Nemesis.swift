import FleetModel

/// All faults of one run: says when they begin and heal, and what becomes of each network message. Decides, never sends.
///
/// Every draw depends only on (seed, link, cause, attempt, fault id): removing an edit, an iPad or a fault shifts nobody else's luck.
public struct Nemesis: Sendable {
    /// A moment at which a fault wants something done.
    public struct Event: Hashable, Sendable {
        public enum Kind: String, Hashable, Sendable { case heal, begin, during }
        public var at: Instant
        public var kind: Kind
        public var spec: FaultSpec
        public var acts: [FaultAct]

        /// What enters the history; nil for acts inside a window.
        public var note: Note? {
            let target = spec.pads.map { "ipad-\($0)" }.joined(separator: " ")
            let detail: Value = ["id": .string(spec.id), "kind": .string(spec.kind), "target": .string(target)]
            switch kind {
            case .begin: return Note(.faultBegan, detail: detail)
            case .heal: return Note(.faultHealed, detail: detail)
            case .during: return nil
            }
        }
    }

    /// A specification that cannot be, by its place in the list.
    public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        public var index: Int
        public var id: String
        public var problem: FaultProblem
        public var description: String { "fault '\(id)': \(problem.message)" }
    }

    /// The specifications as they were given: what the fault tape holds.
    public let specs: [FaultSpec]
    private let faults: [any Fault]
    private let link: LinkModel
    private let seed: UInt64
    private var events: [Event]
    private var next = 0
    private var begun: Set<String> = []
    private var healed = false

    /// - Parameters:
    ///   - pads: all iPads of the run; a specification without iPads concerns them all.
    ///   - stormEnd: windows end here at the latest.
    /// - Throws: `Problem` for the first specification that cannot be.
    public init(specs: [FaultSpec], link: LinkModel = LinkModel(), seed: UInt64, pads: [Int], stormEnd: Instant)
        throws(Problem)
    {
        self.specs = specs
        self.link = link
        self.seed = seed
        var faults: [any Fault] = []
        var ids: Set<String> = []
        for (index, spec) in specs.enumerated() {
            let problem = { Problem(index: index, id: spec.id, problem: $0) }
            guard ids.insert(spec.id).inserted else {
                throw problem(FaultProblem("id", "the id '\(spec.id)' is used twice; give each fault its own"))
            }
            guard spec.from < stormEnd else {
                throw problem(FaultProblem("from", "begins at \(spec.from), after the storm has ended at \(stormEnd)"))
            }
            do throws(FaultProblem) {
                _ = try FaultRegistry.make(spec)
                faults.append(try FaultRegistry.make(Self.concrete(spec, pads: pads, stormEnd: stormEnd)))
            } catch { throw problem(error) }
        }
        self.faults = faults
        events = Self.schedule(faults)
    }

    private static func concrete(_ spec: FaultSpec, pads: [Int], stormEnd: Instant) -> FaultSpec {
        var spec = spec
        if spec.pads.isEmpty { spec.pads = pads } else { spec.pads = spec.pads.filter(pads.contains) }
        spec.until = min(spec.until, stormEnd)
        return spec
    }

    /// By time; at one time heals first, so that a window may follow another; then in the order of the specifications.
    private static func schedule(_ faults: [any Fault]) -> [Event] {
        var events: [Event] = []
        for fault in faults where !fault.spec.pads.isEmpty {
            let spec = fault.spec
            events.append(Event(at: spec.from, kind: .begin, spec: spec, acts: fault.begin()))
            for moment in fault.during() where spec.from + moment.after < spec.until {
                events.append(Event(at: spec.from + moment.after, kind: .during, spec: spec, acts: moment.acts))
            }
            if spec.until > spec.from { events.append(Event(at: spec.until, kind: .heal, spec: spec, acts: fault.heal())) }
        }
        let order = events.enumerated().sorted { a, b in
            if a.element.at != b.element.at { return a.element.at < b.element.at }
            let heals = (a.element.kind == .heal, b.element.kind == .heal)
            if heals.0 != heals.1 { return heals.0 }
            return a.offset < b.offset
        }
        return order.map(\.element)
    }

    /// When the nemesis next wants to act; nil: never again.
    public var nextAt: Instant? { !healed && next < events.count ? events[next].at : nil }

    /// The events that are due, in order; each is given once.
    public mutating func take(at now: Instant) -> [Event] {
        var due: [Event] = []
        while !healed, next < events.count, events[next].at <= now {
            let event = events[next]
            if event.kind == .begin { begun.insert(event.spec.id) }
            if event.kind == .heal { begun.remove(event.spec.id) }
            due.append(event)
            next += 1
        }
        return due
    }

    /// Heals whatever is under way and lets nothing begin any more. What calm begins with.
    public mutating func healAll(at now: Instant) -> [Event] {
        guard !healed else { return [] }
        healed = true
        let open = faults.filter { begun.contains($0.spec.id) && $0.spec.until > $0.spec.from }
        begun = []
        return open.map { Event(at: now, kind: .heal, spec: $0.spec, acts: $0.heal()) }
    }

    /// The specifications whose window covers the moment, in their order.
    public func active(at moment: Instant) -> [FaultSpec] { bending(at: moment).map(\.spec) }

    private func bending(at moment: Instant) -> [any Fault] {
        healed ? [] : faults.filter { !$0.spec.pads.isEmpty && $0.spec.from <= moment && moment < $0.spec.until }
    }

    /// What becomes of a network message: the healthy link, then each active fault in the order of the specifications.
    public func fate(of passage: Passage) -> Fate {
        let luck = luck(of: passage)
        var draw = Draw(seed: luck)
        var fate = Fate(latency: latency(bytes: passage.bytes, &draw))
        for fault in bending(at: passage.at) {
            var draw = Draw(seed: luck, name: fault.spec.id)
            fault.bend(&fate, of: passage, &draw)
        }
        return fate
    }

    private func luck(of passage: Passage) -> UInt64 {
        var hash = StableHash(seed)
        hash.add(passage.direction.rawValue)
        hash.add(UInt64(truncatingIfNeeded: passage.pad))
        hash.add(passage.cause)
        hash.add(UInt64(truncatingIfNeeded: passage.attempt))
        return hash.value
    }

    /// Skewed to the small side with a rare long tail, like the log-normal law measured on real links; made of products,
    /// because `exp` of the C library may differ in its last bit between machines.
    private func latency(bytes: Int, _ draw: inout Draw) -> Span {
        let width = max(link.most.nanoseconds - link.least.nanoseconds, 0)
        let body = draw.unit()
        let tail = draw.chance(0.02) ? 1 + 3 * draw.unit() : 1
        var latency = Span(nanoseconds: link.least.nanoseconds + Int64(Double(width) * body * body * tail))
        if link.bytesPerSecond > 0 {
            latency = latency + Span(nanoseconds: Int64(Double(bytes) / Double(link.bytesPerSecond) * 1e9))
        }
        return latency
    }
}
