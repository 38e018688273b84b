import FleetModel

/// What was made once is there once: one reading shows no token in two items, none twice in one, and no item twice. Conflict copies hold
/// different tokens.
public struct DuplicatedChecker: Checker {
    /// One such edit makes a run invalid.
    public static let lossClass = LossClass.duplicated
    /// Counted within one reading: the same edit on two iPads is how it should be.
    public static let summary = "made once, there twice"
    /// Has no settings.
    public init() {}

    /// An item shown twice goes before a payload twice in one item, and that before one payload in two items.
    public func findings(ledger: Ledger, history: [HistoryEvent]) -> [Finding] {
        ledger.entries.indices.compactMap { id in
            let entry = ledger.entries[id]
            if let event = entry.shownTwice.asItem {
                return ledger.finding(
                    .duplicated, id, "its item \(entry.edit.item) was made once and is shown twice",
                    doomedBy: doom(entry) ?? second(entry, ledger), bearing: [event])
            }
            if let event = entry.shownTwice.inItem {
                return ledger.finding(
                    .duplicated, id, "it was made once and stands twice in \(entry.shownInItem)",
                    doomedBy: entry.recommitted, bearing: [event])
            }
            guard let event = entry.shownTwice.inTwoItems, entry.superseder == nil || entry.isTwice else { return nil }
            return ledger.finding(
                .duplicated, id, "it was made once and is shown in two items, one of them \(entry.shownInItem)",
                doomedBy: doom(entry), bearing: [event])
        }
    }

    /// The commit by which an item of the same name was there a second time.
    private func second(_ entry: Entry, _ ledger: Ledger) -> Int? {
        guard let (committed, place) = entry.committed.flatMap({ first in entry.place.map { (first, $0) } }) else {
            return nil
        }
        let others = ledger.items[entry.item].edits.map { ledger.entries[$0] }.filter {
            $0.place != nil && $0.place != place
        }
        return others.compactMap(\.committed).map { max(committed, $0) }.min()
    }
    /// The answer after which the app made a second one, or else the second one's commit.
    private func doom(_ entry: Entry) -> Int? {
        guard let copied = entry.copied else { return nil }
        return entry.answers.last { $0 > entry.committed ?? .max && $0 < copied } ?? copied
    }
}
