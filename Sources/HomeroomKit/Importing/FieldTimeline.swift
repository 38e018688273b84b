import FleetModel

/// Moments of logs as moments of a run: in their order and with their distances, but nobody waits for hours.
struct FieldTimeline {
    /// ASSUMED: what happens in a longer pause is nothing that the app does by itself.
    static let pauseMax = Span.minutes(10)
    /// When the first thing happens.
    static let begin = Instant.zero + .seconds(10)

    private let moments: [Int64]
    private let instants: [Instant]

    /// - Parameter moments: ms since 1970, in ascending order.
    init(_ moments: [Int64]) {
        var (kept, instants): ([Int64], [Instant]) = ([], [])
        for moment in moments where kept.last != moment {
            let gap = kept.last.map { Span.milliseconds(moment - $0) } ?? .zero
            instants.append((instants.last ?? Self.begin) + min(gap, Self.pauseMax))
            kept.append(moment)
        }
        (self.moments, self.instants) = (kept, instants)
    }
    /// The moment of the run at which that happened.
    subscript(moment: Int64) -> Instant {
        let place = moments.lastIndex { $0 <= moment } ?? 0
        guard instants.indices.contains(place) else { return Self.begin }
        return instants[place] + min(.milliseconds(max(0, moment - moments[place])), Self.pauseMax)
    }
    var end: Instant { instants.last ?? Self.begin }
}
