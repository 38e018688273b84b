import FleetModel
import HeapModule
import Nemesis

/// A message on its way.
package struct Delivery {
    package var from: ParticipantID
    package var to: ParticipantID
    package var payload: Payload
    package var exchange: UInt64
    package var cause: String
    /// The life of the receiver that it is meant for; a later life never gets it (a rebooted Pad counts its exchanges anew).
    /// Nil: whoever lives under this name (a request to the Cloud).
    package var life: Int?
    /// Of a request: the life of the iPad that asks. Only that one gets the answer.
    package var askerLife: Int?

    package init(
        from: ParticipantID, to: ParticipantID, payload: Payload, exchange: UInt64, cause: String, life: Int?,
        askerLife: Int? = nil
    ) {
        self.from = from
        self.to = to
        self.payload = payload
        self.exchange = exchange
        self.cause = cause
        self.life = life
        self.askerLife = askerLife
    }
}

/// Something that will happen at an instant.
package enum Happening {
    case arrival(Delivery)
    /// `generation` is compared with the participant's present timer: a replaced timer is dropped.
    case timer(ParticipantID, generation: UInt64)
    case faultBegins(Int)
    case faultHeals(Int)
    /// A command that a fault wants later than its beginning; void in calm.
    case laterCommand(ParticipantID, Message)
    /// A dead Pad or the Cloud comes back.
    case boot(ParticipantID)
}

/// The one heap of the run, ordered by (time, sequence).
package struct EventQueue {
    private struct Entry: Comparable {
        var at: Instant
        var sequence: UInt64
        var happening: Happening
        static func < (a: Entry, b: Entry) -> Bool { (a.at, a.sequence) < (b.at, b.sequence) }
        static func == (a: Entry, b: Entry) -> Bool { a.sequence == b.sequence }
    }
    private var heap = Heap<Entry>()
    private var sequence: UInt64 = 0

    package init() {}

    package mutating func add(_ happening: Happening, at: Instant) {
        sequence += 1
        heap.insert(Entry(at: at, sequence: sequence, happening: happening))
    }
    package var next: Instant? { heap.min?.at }
    /// All that is to come, in its order. `number` names an entry as long as it is there.
    package var entries: [(number: UInt64, at: Instant, happening: Happening)] {
        heap.unordered.sorted().map { ($0.sequence, $0.at, $0.happening) }
    }
    /// Takes an entry out; nil: it is not there any more.
    package mutating func take(_ number: UInt64) -> (at: Instant, happening: Happening)? {
        guard let entry = heap.unordered.first(where: { $0.sequence == number }) else { return nil }
        heap = Heap(heap.unordered.filter { $0.sequence != number })
        return (entry.at, entry.happening)
    }
    package mutating func pop() -> (Instant, Happening)? { heap.popMin().map { ($0.at, $0.happening) } }
}

extension EventQueue: InvariantHolder {
    package func checkInvariants() throws(BrokenInvariant) {
        let waiting = heap.unordered
        try invariant(
            Set(waiting.map(\.sequence)).count == waiting.count,
            "two events that wait have one place in the order of events")
        for entry in waiting {
            try invariant(entry.sequence <= sequence, "an event waits in a place that is not given out yet")
            try invariant(entry.at >= next ?? .zero, "the next event is not the first that waits")
        }
    }
}
