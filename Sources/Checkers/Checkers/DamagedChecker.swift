import FleetModel

/// What a final reader shows of an edit is whole: its length and checksum fit.
public struct DamagedChecker: Checker {
    public static let lossClass = LossClass.damaged
    public static let summary = "an edit's payload is truncated, mixed or changed"
    public init() {}

    public func findings(ledger: Ledger, history: [HistoryEvent]) -> [Finding] {
        ledger.entries.indices.compactMap { id in
            guard let event = ledger.entries[id].damagedIn else { return nil }
            return ledger.finding(.damaged, id, "its payload is read truncated or changed", bearing: [event])
        }
    }
}
