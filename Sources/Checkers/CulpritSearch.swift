import FleetModel

/// Who took an edit's place. What replaces it in the Cloud may hold many edits: where one record or key holds several items, most of them
/// are about other items and were there before.
struct CulpritSearch {
    let ledger: Ledger
    let history: [HistoryEvent]

    init(_ ledger: Ledger, _ history: [HistoryEvent]) { (self.ledger, self.history) = (ledger, history) }

    /// The edits that may have pushed this one out of the Cloud, the likeliest first: the edit of the same item before one of another, the
    /// deletion that the sender had done before what merely remained, and what came with this very write before what was there already.
    func replacers(of id: EntryID) -> [EntryID] {
        guard let replacement = ledger.entries[id].replacement else { return [] }
        let named = replacement.holds.compactMap { ledger.lookup.ids[$0] }
        let candidates = Set(named + deletions(behind: replacement, of: id)).filter { $0 != id }
        return candidates.map { (id: $0, rank: rank($0, for: id, replacement)) }
            .sorted { $0.rank != $1.rank ? $1.rank.lexicographicallyPrecedes($0.rank) : $0.id > $1.id }
            .map(\.id)
    }

    /// Deletions of the same item that the sender of the replacement had done by then: they leave no token in what is left.
    private func deletions(behind replacement: Entry.Replacement, of id: EntryID) -> [EntryID] {
        let isHeld = replacement.holds.contains { token in
            ledger.lookup.ids[token].map { ledger.entries[$0].item == ledger.entries[id].item } ?? false
        }
        guard !isHeld else { return [] }
        return ledger.items[ledger.entries[id].item].deletions.filter { other in
            guard let order = ledger.entries[other].order, order < replacement.event else { return false }
            return replacement.pad == nil || ledger.entries[other].pad == replacement.pad
        }
    }

    /// Larger is likelier; compared from the left.
    private func rank(
        _ other: EntryID, for id: EntryID, _ replacement: Entry.Replacement
    ) -> [Int] {
        let (entry, isBefore) = (ledger.entries[other], (ledger.entries[other].order ?? .max) < replacement.event)
        let isOfItem = entry.item == ledger.entries[id].item
        let isOfSender = replacement.pad != nil && entry.pad == replacement.pad
        let isNews = entry.committed.map { history[$0].at == history[replacement.event].at } ?? false
        return [isOfItem, isNews, isOfSender && isBefore].map { $0 ? 1 : 0 } + [isBefore ? entry.order ?? 0 : 0]
    }
}
