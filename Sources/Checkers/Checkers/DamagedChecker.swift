import FleetModel

/// What a final reader shows of an edit is whole and in its place: its length and checksum fit, the item's digest is that of what people put
/// into it, and the item is the one that the person edited (or a copy that an app made which keeps all, `Places.swift`).
public struct DamagedChecker: Checker {
    public static let lossClass = LossClass.damaged
    public static let summary = "an edit's payload is truncated, mixed, changed or in another item"
    public init() {}

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
