import FleetModel

/// When the bytes of one direction arrive: a narrow place that they pass one after the other, and then the time of the way.
///
/// Invariant: nothing overtakes; release times never go back.
struct Lane: Hashable {
    /// When the narrow place is free again.
    private var free = Instant.zero
    /// Release of the newest bytes.
    private(set) var last = Instant.zero

    /// Bytes that have come at `now`, in pieces of about 20 ms where the line is narrow, so that they trickle as on a real one.
    /// - Parameters:
    ///   - latency: time of the way.
    ///   - rate: bytes per second of the narrow place; nil: it has none.
    ///   - notBefore: a release that holds everything back.
    ///   - piece: gets each part, counted from 0, and its release.
    mutating func release(
        _ count: Int, now: Instant, latency: Span, rate: Int?, notBefore: Instant = .zero,
        _ piece: (Range<Int>, Instant) -> Void
    ) {
        guard let rate else {
            last = max(last, notBefore, now + latency)
            return piece(0..<count, last)
        }
        let most = max(64, rate / 50)
        var at = 0
        while at < count {
            let size = min(most, count - at)
            free = max(free, now) + Span(nanoseconds: Int64(Double(size) / Double(rate) * 1e9))
            last = max(last, notBefore, free + latency)
            piece(at..<at + size, last)
            at += size
        }
    }
    /// For something without bytes, such as the end of the stream.
    mutating func release(now: Instant, latency: Span = .zero) -> Instant {
        last = max(last, now + latency)
        return last
    }
}
