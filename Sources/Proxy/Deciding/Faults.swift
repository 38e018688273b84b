import FleetModel
import Nemesis

/// The faults of a proxy: which are active now, and what becomes of the next message or portion of bytes.
///
/// Draws are those of the World: (seed, link, cause, attempt, id of the fault), with the cause from `X-Homeroom-Cause`.
public struct Faults: Sendable {
    private var nemesis: Nemesis
    /// Those that need to know no messages, for connections that only carry bytes; `places` says where each of all is among them.
    private var onBytes: Nemesis
    private let places: [Int?]
    private let seed: UInt64
    private var tries = AttemptCounter(most: 50_000)
    /// iPads by the address they connect from.
    let sources: [String: Int]
    /// Whether connections have to be split into messages from their first byte on.
    let needsMessages: Bool
    /// The scenario that the faults are of: messages of a live run of it are bent by that run, and meet the healthy link only.
    public var scenario: String?
    /// Without any faults.
    private var link: Nemesis
    /// After so long a connection on which a message was lost breaks for its client; nil: whoever waits gives up by itself.
    public var patience: Span?
    /// Whether everything arrives at once, now.
    private(set) var isQuiet: Bool
    /// What went through so far.
    public internal(set) var counters = Counters()

    /// - Parameters:
    ///   - sources: iPads by the address they connect from; others are known by `X-Homeroom-Device`.
    ///   - pads: all iPads of the run; empty: whoever comes.
    /// - Throws: `Nemesis.Problem` for a specification that cannot be.
    public init(
        specs: [FaultSpec], link: LinkModel, seed: UInt64, sources: [String: Int] = [:], pads: [Int] = [],
        end: Instant = Instant(nanoseconds: .max)
    ) throws(Nemesis.Problem) {
        nemesis = try Nemesis(specs: specs, link: link, pads: pads, stormEnd: end)
        let reaches = specs.map { FaultRegistry.named($0.kind)?.reach ?? .elsewhere }
        var places: [Int?] = []
        for reach in reaches { places.append(reach == .bytes ? places.count { $0 != nil } : nil) }
        self.places = places
        onBytes = try Nemesis(
            specs: zip(specs, reaches).filter { $0.1 == .bytes }.map(\.0), link: link, pads: pads, stormEnd: end)
        self.link = try Nemesis(specs: [], link: link, pads: pads, stormEnd: end)
        self.seed = seed
        self.sources = Dictionary(
            sources.map { (Endpoint.plain($0.key), $0.value) }, uniquingKeysWith: { max($0, $1) })
        let known = Set(sources.values)
        needsMessages = zip(specs, reaches).contains { spec, reach in
            // Without its message nobody knows whose a connection is, when its address does not say.
            reach == .messages || reach == .bytes && !(spec.pads.isEmpty ? pads : spec.pads).allSatisfy(known.contains)
        }
        isQuiet = nemesis.isQuiet
    }

    /// In the order of the specifications.
    public var all: [any Fault] { nemesis.faults }

    /// Which are active.
    var activity: [Bool] { nemesis.faults.indices.map(nemesis.isActive) }

    /// Begins a fault by its index; an event, or an index that does not exist, changes nothing.
    public mutating func begin(_ index: Int) { change(index) { $0.begin($1) } }
    /// Heals a fault by its index.
    public mutating func heal(_ index: Int) { change(index) { $0.heal($1) } }
    /// Heals all.
    public mutating func healAll() { for index in nemesis.faults.indices { heal(index) } }

    private mutating func change(_ index: Int, _ deed: (inout Nemesis, Int) -> Void) {
        guard places.indices.contains(index) else { return }
        deed(&nemesis, index)
        if let place = places[index] { deed(&onBytes, place) }
        isQuiet = nemesis.isQuiet
    }

    /// What becomes of a message that starts its way now.
    /// - Parameter run: the scenario of the live run that sent the request; nil: of none.
    mutating func outcome(
        _ direction: NetworkMessage.Direction, pad: Int, route: String, cause: String, run: String?, now: Instant
    ) -> DeliveryOutcome {
        let attempt = tries.next(direction, pad: pad, cause: cause)
        guard !isQuiet else { return DeliveryOutcome(latency: .zero) }
        // Bytes are timed as they come: `bytesPerSecond` says how.
        let message = NetworkMessage(
            direction: direction, pad: pad, route: route, cause: cause, attempt: attempt, at: now, bytes: 0)
        if let run, run == scenario { return link.outcome(of: message, seed: seed) }
        let outcome = nemesis.outcome(of: message, seed: seed)
        counters.note(outcome, of: direction)
        return outcome
    }
    /// What becomes of a portion of bytes on a connection that carries no messages we know.
    mutating func portion(_ direction: NetworkMessage.Direction, pad: Int, now: Instant) -> DeliveryOutcome {
        guard !isQuiet else { return DeliveryOutcome(latency: .zero) }
        let attempt = tries.next(direction, pad: pad, cause: "bytes")
        let message = NetworkMessage(
            direction: direction, pad: pad, route: "", cause: "bytes", attempt: attempt, at: now, bytes: 0)
        let outcome = onBytes.outcome(of: message, seed: seed)
        counters.note(outcome, of: direction)
        return outcome
    }
}
