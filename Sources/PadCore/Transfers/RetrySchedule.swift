import FleetModel

/// When work that failed is tried again: after 2 s, 4 s, ... up to 2 min, or when the server's Retry-After allows it, whichever is later.
///
/// No jitter: what one iPad draws must not depend on what else it does. ASSUMED: Apple does not publish its daemons' back-off.
struct RetrySchedule: Hashable {
    /// Failures in a row; also the number of the next try of the task.
    private(set) var attempt = 0
    /// Nothing is tried before this instant.
    private(set) var notBefore = Instant.zero

    /// The longest pause that a server may ask for: a lie must not stop a queue for ever.
    static let longestHint = Span.hours(1)

    func isDue(at now: Instant) -> Bool { notBefore <= now }

    mutating func succeeded() { self = RetrySchedule() }

    /// - Parameter response: may carry a hint; nil when the request failed on its way.
    mutating func failed(at now: Instant, _ response: HTTPResponse? = nil) {
        let pause = Span.seconds(min(120, 2 << Int64(min(attempt, 10))))
        attempt += 1
        notBefore = now + max(pause, response.flatMap(Self.hint) ?? .zero)
    }

    /// The network is worth a new try at once; the tries stay counted.
    mutating func hasten() { notBefore = .zero }

    /// `Retry-After` in the header, or `retryAfter` in the error body, in seconds; nil when there is none.
    private static func hint(_ response: HTTPResponse) -> Span? {
        let seconds = response.headers["Retry-After"].flatMap { Int64($0) } ?? response.json?["retryAfter"]?.int
        guard let seconds, seconds > 0 else { return nil }
        return seconds < 3600 ? .seconds(seconds) : longestHint
    }
}
