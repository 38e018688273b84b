import FleetModel

/// What a person deleted, and the Cloud let go, stays away. The finding is the deletion's: it is the edit that was undone.
///
/// It came back when the Cloud has it once more, or the iPad that deleted it shows it. Not a resurrection: an item kept by an edit that did
/// not know of the deletion, and other iPads that merely missed it (`diverged`), whoever else was read.
public struct ResurrectedChecker: Checker {
    /// One such deletion makes a run invalid.
    public static let lossClass = LossClass.resurrected
    /// Acknowledged: the Cloud let it go, or its own iPad shows what came back.
    public static let summary = "deleted and acknowledged, yet back"
    /// Has no settings.
    public init() {}

    /// Deletions only; each names the edit that is back and, where it is known, the step that brought it.
    public func findings(ledger: Ledger, history: [HistoryEvent]) -> [Finding] {
        ledger.failing.compactMap { id in
            let entry = ledger.entries[id]
            guard entry.edit.verb == .delete, entry.ending == .gone else { return nil }
            let alive = ledger.aliveReadings(entry)
            guard let shown = alive.last(where: { ledger.returned($0.edit, despite: id) != nil }) ?? alive.last else {
                return nil
            }
            let back = ledger.entries[shown.edit]
            let acknowledged = ledger.deletedInCloud(id)
            let returned = ledger.returned(shown.edit, despite: id)
            // Not acknowledged, and done where nobody can look any more: it may wait there still (`stranded`).
            let isLookedFor = ledger.isCore(entry.pad) && !ledger.waitsForAccount(id)
            guard acknowledged != nil || returned != nil && isLookedFor else { return nil }
            // Nobody brought it back to the Cloud: the iPad that shows it missed the deletion.
            let lag = returned == nil ? LagSearch(ledger, history).lag(of: id, since: acknowledged) : nil
            return ledger.finding(
                .resurrected, id,
                "\(entry.edit.item) was deleted, yet \(back.edit.token) is back in it\(lag.map { "; \($0.words)" } ?? "")",
                doomedBy: returned ?? lag?.event,
                bearing: back.ladder + [ledger.readings[shown.reading].event] + (lag?.bearing ?? []))
        }
    }
}
