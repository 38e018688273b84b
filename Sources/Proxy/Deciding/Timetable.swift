import FleetModel
import Nemesis

/// When the faults of a proxy begin and heal by themselves.
struct Timetable {
    struct Event: Hashable {
        var at: Instant
        var index: Int
        var begins: Bool
    }
    private var events: [Event]
    private var at = 0

    /// Healing comes before what begins at the same instant.
    init(_ faults: [any Fault]) {
        var events: [Event] = []
        for (index, fault) in faults.enumerated() where fault.spec.until > fault.spec.from {
            events.append(Event(at: fault.spec.from, index: index, begins: true))
            if !fault.spec.stays { events.append(Event(at: fault.spec.until, index: index, begins: false)) }
        }
        self.events = events.sorted { ($0.at, $0.begins ? 1 : 0, $0.index) < ($1.at, $1.begins ? 1 : 0, $1.index) }
    }
    /// Somebody else says when.
    static let none = Timetable([])

    /// When the next event is due.
    var next: Instant? { at < events.count ? events[at].at : nil }
    /// The next event that is due by now.
    mutating func due(_ now: Instant) -> Event? {
        guard let next, next <= now else { return nil }
        at += 1
        return events[at - 1]
    }
}
