import FleetModel

/// What a person deleted, and the Cloud let go, stays away. The finding is the deletion's: it is the edit that was undone.
///
/// Not a resurrection: an item kept by an edit that did not know of the deletion, and a view that is merely stale (`diverged`).
public struct ResurrectedChecker: Checker {
    public static let lossClass = LossClass.resurrected
    public static let summary = "deleted and acknowledged, yet back"
    public init() {}

    public func findings(ledger: Ledger, history: [HistoryEvent]) -> [Finding] {
        ledger.failing.compactMap { id in
            let entry = ledger.entries[id]
            guard entry.edit.verb == .delete, entry.ending == .gone, let order = entry.order else { return nil }
            guard let alive = ledger.aliveReadings(entry).last else { return nil }
            let back = ledger.entries[alive.edit]
            let acknowledged =
                entry.committed ?? entry.saw.compactMap { ledger.entries[$0].replaced }.filter { $0 > order }.min()
            let returned = back.recommitted.flatMap { $0 > (acknowledged ?? order) ? $0 : nil }
            // Not acknowledged, and done where nobody can look any more: it may wait there still (`stranded`).
            let isLookedFor = ledger.isCore(entry.pad) && !entry.waitsForAccount
            guard acknowledged != nil || returned != nil && isLookedFor else { return nil }
            // Nobody brought it back to the Cloud: the iPad that shows it missed the deletion.
            let lag = returned == nil ? ledger.lag(of: id, since: acknowledged, history) : nil
            return ledger.finding(
                .resurrected, id,
                "\(entry.edit.item) was deleted, yet \(back.edit.token) is back in it\(lag.map { "; \($0.words)" } ?? "")",
                doomedBy: returned ?? lag?.event,
                bearing: back.ladder + [ledger.readings[alive.reading].event] + (lag?.bearing ?? []))
        }
    }
}
