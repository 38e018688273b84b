import FleetModel

/// What is asked of a service under load: so large a part of all edits is seen on another iPad within so long a time.
public struct ServiceLevel: Hashable, Sendable {
    /// 0.99 for p99.
    public var part: Double
    public var most: Span

    public init(part: Double = 0.99, most: Span) {
        self.part = part
        self.most = most
    }

    /// Whether a run kept it. An edit that was not performed or not seen in the storm took infinitely long.
    public func holds(_ run: RunFigures) -> Bool { run.rows.first?.sight(part).map { $0 <= most } ?? false }
}

extension RunFigures.Row {
    /// Edits that somebody else ought to have seen: not those whose item was deleted next.
    public var awaited: Int { max(0, planned - overtaken) }

    /// The time from the plan within which so large a part of the awaited edits was seen on another iPad; nil when fewer were ever seen.
    public func sight(_ part: Double) -> Span? {
        let seen = self[.firstSight].count
        guard awaited > 0, seen > 0 else { return nil }
        let partOfSeen = part * Double(max(awaited, seen)) / Double(seen)
        // 0.99 of 100 may come out a hair above 99.
        return partOfSeen <= 1 + 1e-9 ? self[.firstSight].quantile(partOfSeen) : nil
    }
}
