import FleetModel

/// Everything the system itself waits for. One timer a name: setting it again moves it.
enum PadTimer: Hashable {
    /// The answer to a request is overdue.
    case request(UInt64)
    /// Requests that the iPad itself refused get their failure.
    case refusals
    /// A process has been loaded, or a suspended one is back in memory.
    case ready(launch: Int)
    /// An app has not returned from a callback in time.
    case callback(launch: Int, exchange: UInt64)
    /// An app in the background has nothing more to do.
    case suspend(launch: Int)
    /// The time for background tasks is used up.
    case backgroundLimit(launch: Int)
    /// Expiration handlers have had their seconds.
    case expiryGrace(launch: Int)
    /// A memory warning did not help.
    case memoryKill(launch: Int)
    case localNotification
    /// Apps are told of a change of identity that has been one for a while.
    case identityNotice(Person)
    /// Warned apps have had their time to give memory back.
    case memoryPressure
    /// The key of protected files is thrown away some time after the lock; apps are told before.
    case protectedDataNotice
    case protectedData
    /// A person's question to an app waits too long.
    case question(Int)
    case signInRetry
    /// Nobody does anything: the session ends, or the screen is locked.
    case idle
    case autoLock
    case renewal(Person)
    /// The next poll for pushes, after one that failed.
    case poll
    /// A management server is asked again: after a failure, or when the iPad is able again.
    case management(ManagementSide)
    /// A person is not held in Setup Assistant for ever.
    case setup
    /// Someone's app may fetch in the background.
    case fetch
}

/// A short list of timers in the order in which they fall due; equal instants in the order they were set.
struct TimerQueue {
    private struct Entry {
        var at: Instant
        var order: UInt64
        var timer: PadTimer
    }
    /// Last due first, so that the next one is popped from the end.
    private var entries: [Entry] = []
    private var order: UInt64 = 0

    var next: Instant? { entries.last?.at }
    /// All that are set, the next one first.
    var all: [(at: Instant, timer: PadTimer)] { entries.reversed().map { ($0.at, $0.timer) } }

    /// When a timer is due; nil: it is not set.
    func next(_ timer: PadTimer) -> Instant? { entries.first { $0.timer == timer }?.at }

    mutating func set(_ timer: PadTimer, at instant: Instant) {
        cancel(timer)
        order += 1
        let place = entries.firstIndex { $0.at <= instant } ?? entries.endIndex
        entries.insert(Entry(at: instant, order: order, timer: timer), at: place)
    }
    mutating func setIfAbsent(_ timer: PadTimer, at instant: Instant) {
        if !entries.contains(where: { $0.timer == timer }) { set(timer, at: instant) }
    }
    mutating func cancel(_ timer: PadTimer) { entries.removeAll { $0.timer == timer } }
    mutating func cancel(where matches: (PadTimer) -> Bool) { entries.removeAll { matches($0.timer) } }

    /// Takes the next timer that is due.
    mutating func popDue(_ now: Instant) -> PadTimer? {
        guard let last = entries.last, last.at <= now else { return nil }
        return entries.removeLast().timer
    }
}

extension TimerQueue: InvariantHolder {
    func checkInvariants() throws(BrokenInvariant) {
        try invariant(
            isAscending(entries.reversed().map { Due(at: $0.at, order: $0.order) }),
            "the timers of an iPad do not stand in the order in which they fall due")
        try invariant(
            Set(entries.map(\.timer)).count == entries.count,
            "a timer of an iPad is set twice: setting it again moves it")
    }
    private struct Due: Comparable {
        var at: Instant
        var order: UInt64
        static func < (a: Due, b: Due) -> Bool { (a.at, a.order) < (b.at, b.order) }
    }
}
