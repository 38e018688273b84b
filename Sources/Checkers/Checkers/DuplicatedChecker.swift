import FleetModel

/// What was made once is there once: one reading shows no token in two items, and no item twice. Conflict copies hold different tokens.
public struct DuplicatedChecker: Checker {
    public static let lossClass = LossClass.duplicated
    public static let summary = "made once, there twice"
    public init() {}

    public func findings(ledger: Ledger, history: [HistoryEvent]) -> [Finding] {
        ledger.entries.indices.compactMap { id in
            let entry = ledger.entries[id]
            if let event = entry.twiceIn {
                return ledger.finding(
                    .duplicated, id, "its item \(entry.edit.item) was made once and is shown twice", bearing: [event])
            }
            guard let event = entry.duplicatedIn, entry.superseder == nil else { return nil }
            return ledger.finding(
                .duplicated, id, "it was made once and is shown in two items, one of them \(entry.shownInItem)",
                doomedBy: secondPlace(of: entry, history), bearing: [event])
        }
    }

    /// When the Cloud took it in where it was not before; nil when it has it in one place, and an app shows it in two.
    private func secondPlace(of entry: Entry, _ history: [HistoryEvent]) -> Int? {
        guard let first = entry.committed, let last = entry.recommitted, last > first else { return nil }
        let place = history[first].note.detail["where"]
        return (first + 1...last).first {
            let note = history[$0].note
            return note.kind == .committed && note.detail["where"] != place && note.tokens.contains(entry.edit.token)
        }
    }
}
