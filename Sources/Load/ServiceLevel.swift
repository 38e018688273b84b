import FleetModel

/// What is asked of a service under load: so large a part of all edits is seen on another iPad within so long a time.
public struct ServiceLevel: Hashable, Sendable {
    /// 0.99 for p99.
    public var part: Double
    /// The time from the plan to the first sight, which that part of the edits keeps.
    public var most: Span

    /// From its parts.
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
    public func sight(_ part: Double) -> Span? { quantile(.firstSight, part, of: awaited) }

    /// Edits that a quantile of this stretch is taken of. Of sights those too that never came, which took infinitely long.
    func measured(_ stage: RunFigures.Stage) -> Int {
        let isSight = stage == .firstSight || stage == .lastSight
        return self[stage].count + (isSight ? max(0, unseen - overtaken) : 0)
    }

    /// The time within which so large a part of the performed edits came to the end of the stretch; nil when fewer ever did.
    func quantile(_ stage: RunFigures.Stage, _ part: Double) -> Span? { quantile(stage, part, of: measured(stage)) }

    private func quantile(_ stage: RunFigures.Stage, _ part: Double, of all: Int) -> Span? {
        let came = self[stage].count
        guard all > 0, came > 0 else { return nil }
        let partOfThem = part * Double(max(all, came)) / Double(came)
        // 0.99 of 100 may come out a hair above 99.
        return partOfThem <= 1 + 1e-9 ? self[stage].quantile(partOfThem) : nil
    }
}
