import FleetModel

/// How long calm waits for queues that still hold something: for the scenario's budget, and in real time for as long as they move.
///
/// A slow machine moves things slowly. What stands still there is stuck; of what still moved when even that patience ended nothing is known.
package struct QueuePatience {
    /// What an iPad's queues hold.
    package typealias Held = (pad: Int, items: [Value])

    /// Waiting ends here, unless something moves until then.
    package private(set) var end: Instant
    private let last: Instant
    private let pause: Span
    private var seen: [[Thing]]?
    /// Whether the last look found something else than the one before.
    package private(set) var isMoving = false

    /// What counts as one thing that waits. What it waits for may change without end and without progress: the answer, the network, the answer.
    private struct Thing: Equatable {
        var pad: Int
        var what, person: String?
        var tokens: [Token]
    }

    /// - Parameters:
    ///   - budget: of the scenario, in virtual time.
    ///   - pause: after so long without a move nothing moves any more; zero where no real time passes.
    ///   - most: the longest that moving queues are waited for; the same.
    package init(now: Instant, budget: Span, pause: Span, most: Span) {
        end = now + max(budget, pause)
        last = end + most
        self.pause = pause
    }

    /// Takes what a look at the queues has found.
    /// - Returns: whether to look again later.
    package mutating func goesOn(_ held: [Held], now: Instant) -> Bool {
        let things = held.map { pad, items in
            items.map {
                Thing(
                    pad: pad, what: $0["what"]?.string, person: $0["person"]?.string,
                    tokens: $0["tokens"]?.strings ?? [])
            }
        }
        isMoving = seen.map { $0 != things } ?? false
        seen = things
        if isMoving { end = max(end, min(last, now + pause)) }
        return !things.isEmpty && now < end
    }

    /// Why a run whose queues still hold something proves nothing; nil when they stand still, or no real time passes.
    package func doubt(_ held: [Held]) -> String? {
        guard isMoving, pause > .zero, !held.isEmpty else { return nil }
        let pads = held.map { "ipad-\($0.pad)" }.joined(separator: ", ")
        let words = "queues of \(pads) still moved when calm had lasted as long as it may"
        return words + ": this machine is too slow for so many iPads at this speed; lower --speed or use fewer"
    }
}
