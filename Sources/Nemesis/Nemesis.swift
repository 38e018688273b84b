import FleetModel

/// All faults of one run: which are active, and what becomes of each network message. Decides, never sends.
///
/// The World calls `begin` and `heal` at the edges of each window and performs the acts of the fault.
/// Every draw depends only on (seed, link, cause, attempt, fault id): removing an edit, an iPad or a fault shifts no other draw.
public struct Nemesis: Sendable {
    /// A specification that cannot be, by its place in the list.
    public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// Its place in the list, from 0.
        public var index: Int
        /// The id of the specification, which messages name.
        public var id: String
        /// The parameter, and what would be right.
        public var problem: FaultProblem
        /// The id and what is wrong, without the place in the file: that is the reader's to add, from `index`.
        public var description: String { "fault '\(id)': \(problem.message)" }
    }

    /// In the order of the specifications, with all iPads filled in where none were named and windows cut at the storm's end, but for what
    /// stays.
    public private(set) var faults: [any Fault]
    private let link: LinkModel
    private let pads: [Int]
    private var active: [Bool]
    /// For each fault that numbers messages: how many came so far, by iPad.
    private var counted: [[Int: Int]]

    /// - Parameters:
    ///   - pads: all iPads of the run; a specification without iPads concerns them all.
    ///   - stormEnd: windows end here at the latest, but for what stays.
    /// - Throws: `Problem` for the first specification that cannot be.
    public init(specs: [FaultSpec], link: LinkModel = LinkModel(), pads: [Int], stormEnd: Instant) throws(Problem) {
        self.link = link
        self.pads = pads
        var faults: [any Fault] = []
        for (index, spec) in specs.enumerated() {
            do throws(FaultProblem) {
                guard !specs[..<index].contains(where: { $0.id == spec.id }) else {
                    throw FaultProblem("id", "the id '\(spec.id)' is used twice; give each fault its own")
                }
                guard spec.from < stormEnd else {
                    throw FaultProblem("from", "begins at \(spec.from), when the storm is over at \(stormEnd)")
                }
                _ = try FaultRegistry.make(spec)
                guard !spec.stays || FaultRegistry.named(spec.kind)?.mayStay == true else {
                    throw FaultProblem(
                        "until",
                        "'\(spec.kind)' cannot stay for ever: it closes roads; give it an end, or leave its iPads out of 'core'"
                    )
                }
                faults.append(try FaultRegistry.make(Self.concrete(spec, pads: pads, stormEnd: stormEnd)))
            } catch { throw Problem(index: index, id: spec.id, problem: error) }
        }
        self.faults = faults
        active = faults.map { _ in false }
        counted = faults.map { _ in [:] }
    }

    /// One more fault, whose window begins now: of a test that breaks things while it runs. Its end may be set later (`end`).
    /// - Returns: its place in `faults`.
    /// - Throws: what of it cannot be.
    package mutating func add(_ spec: FaultSpec) throws(FaultProblem) -> Int {
        faults.append(try FaultRegistry.make(Self.concrete(spec, pads: pads, stormEnd: FaultSpec.forever)))
        active.append(false)
        counted.append([:])
        return faults.count - 1
    }
    /// The window of a fault that was added ends at this moment, which was not known when it began.
    package mutating func end(_ index: Int, at moment: Instant) throws(FaultProblem) {
        var spec = faults[index].spec
        spec.until = moment
        faults[index] = try FaultRegistry.make(spec)
    }

    private static func concrete(_ spec: FaultSpec, pads: [Int], stormEnd: Instant) -> FaultSpec {
        var spec = spec
        if spec.pads.isEmpty { spec.pads = pads }
        if !spec.stays { spec.until = min(spec.until, stormEnd) }
        return spec
    }

    /// A window opens. Events (a kill) are over at once and never become active.
    public mutating func begin(_ index: Int) {
        guard faults.indices.contains(index) else { return }
        active[index] = faults[index].spec.until > faults[index].spec.from
    }
    /// A window closes; does nothing for one that is not open. `healing` says what that does.
    public mutating func heal(_ index: Int) {
        guard faults.indices.contains(index) else { return }
        active[index] = false
    }
    /// What the end of a fault's window does. Windows may overlap: a command that another fault has still to give at its own end is left to
    /// that one, and what others have set by the same command (the space that is free, whose account) is theirs again.
    ///
    /// Not modelled: what others did once (a jump of the clock) is not done again.
    public func healing(_ index: Int) -> [FaultAct] {
        let ended = faults[index].spec.until
        let others = faults.indices.filter { $0 != index && active[$0] && faults[$0].spec.until > ended }
            .sorted { (faults[$0].spec.from, $0) < (faults[$1].spec.from, $1) }.map { faults[$0] }
        return faults[index].heal().flatMap { act in
            let again = others.flatMap { $0.begin() }.filter { $0.setsTheSame(as: act) }
            return others.contains { $0.heal().contains(act) } ? again.suffix(1) : [act] + again
        }
    }
    /// Whether the window of that fault is open; false where there is no such fault.
    public func isActive(_ index: Int) -> Bool { active.indices.contains(index) && active[index] }
    /// Whether every message arrives at once: no fault is active and the healthy link takes no time.
    public var isQuiet: Bool {
        link.most == .zero && link.least == .zero && link.bytesPerSecond == 0 && !active.contains(true)
    }

    /// What becomes of a network message: the healthy link, then each active fault in the order of the specifications.
    ///
    /// Changes only the counts of the faults that number messages.
    public mutating func outcome(of message: NetworkMessage, seed: UInt64) -> DeliveryOutcome {
        let messageSeed = Self.messageSeed(of: message, seed: seed)
        var draw = Draw(seed: messageSeed)
        var outcome = DeliveryOutcome(latency: latency(bytes: message.bytes, &draw))
        let usual = link.bytesPerSecond > 0 ? link.bytesPerSecond : nil
        outcome.bytesPerSecond = usual
        for (index, fault) in faults.enumerated() where active[index] {
            var draw = Draw(seed: messageSeed, name: fault.spec.id)
            var message = message
            if fault.counts(message) {
                message.ordinal = counted[index][message.pad, default: 0] + 1
                counted[index][message.pad] = message.ordinal
            }
            fault.apply(to: &outcome, of: message, &draw)
        }
        if let narrow = outcome.bytesPerSecond, narrow != usual {
            outcome.latency = outcome.latency + Self.time(bytes: message.bytes, perSecond: narrow)
        }
        return outcome
    }
    private static func time(bytes: Int, perSecond: Int) -> Span {
        Span(nanoseconds: Int64(Double(bytes) / Double(perSecond) * 1e9))
    }

    private static func messageSeed(of message: NetworkMessage, seed: UInt64) -> UInt64 {
        var hash = StableHash(seed)
        hash.add(message.direction.rawValue)
        hash.add(UInt64(truncatingIfNeeded: message.pad))
        hash.add(message.cause)
        hash.add(UInt64(truncatingIfNeeded: message.attempt))
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
            latency = latency + Self.time(bytes: bytes, perSecond: link.bytesPerSecond)
        }
        return latency
    }
}
