import FleetModel

/// An app hands over what a person did before its iPad can take it away. When only the app held an edit and it is gone,
/// that is the app's own bug; the story names the answer, kill, power cut or purge after which no iPad had the edit.
public struct UnsavedChecker: Checker {
    /// One such edit makes a run invalid: it is the app's own loss.
    public static let lossClass = LossClass.unsaved
    /// Below the rung of a hand-over no service is to blame.
    public static let summary = "performed, never handed over, destroyed by a purge, kill or power cut"
    /// Has no settings.
    public init() {}

    /// Never handed over, or handed back and not again, and no reader shows it.
    public func findings(ledger: Ledger, history: [HistoryEvent]) -> [Finding] {
        ledger.failing.compactMap { id in
            let entry = ledger.entries[id]
            guard entry.rung < .handedOver, ledger.endsNowhere(id) else { return nil }
            let doom = DoomSearch(ledger, history).doom(ofHeld: id)
            return ledger.finding(
                .unsaved, id, "\(deed(entry)), \(DoomSearch(ledger, history).words(of: doom, of: id))", doomedBy: doom)
        }
    }

    /// What was refused and shown all the same was never performed: the person was told two things.
    private func deed(_ entry: Entry) -> String {
        if entry.refused != nil, entry.handedOver == nil { return "refused, yet shown" }
        let held = entry.handedBack == nil ? "never handed over" : "handed back and not handed over again"
        return "performed, \(held)"
    }
}
