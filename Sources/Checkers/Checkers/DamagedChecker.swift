import FleetModel

/// What a final reader shows of an edit is whole and in its place: its length and checksum fit, the item's digest is that of what people put
/// into it, and the item is the one that the person edited (or a copy that an app made which keeps all, `Places.swift`).
public struct DamagedChecker: Checker {
    /// One such edit makes a run invalid, however the bytes were hurt.
    public static let lossClass = LossClass.damaged
    /// Truncated and mixed show by length and checksum, changed by the item's digest.
    public static let summary = "an edit's payload is truncated, mixed, changed or in another item"
    /// Has no settings.
    public init() {}

    /// Damage in the payload goes before a wrong place: an edit that has both is reported for the first.
    public func findings(ledger: Ledger, history: [HistoryEvent]) -> [Finding] {
        ledger.entries.indices.compactMap { id in
            let entry = ledger.entries[id]
            if let event = entry.damagedIn {
                return ledger.finding(.damaged, id, "its payload is read truncated or changed", bearing: [event])
            }
            guard let place = entry.misplaced else { return nil }
            return ledger.finding(
                .damaged, id, "it was made in \(entry.edit.item) and is read in \(place.item)", bearing: [place.event])
        }
    }
}
