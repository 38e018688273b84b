import FleetModel

/// What a system service or the Cloud answered for stays, until an edit supersedes it.
///
/// A value that nobody typed (starter values, an empty file) supersedes nothing: what it replaced is lost. So is a key-value
/// write with the largest device stamp that is not there at the end.
public struct LostChecker: Checker {
    public static let lossClass = LossClass.lost
    public static let summary = "handed over or committed, now nowhere, and not superseded"
    public init() {}

    public func findings(ledger: Ledger, history: [HistoryEvent]) -> [Finding] {
        ledger.failing.compactMap { id in
            let entry = ledger.entries[id]
            guard entry.rung >= .handedOver else { return nil }
            let outOfCloud = entry.edit.verb == .put && entry.isDestroyedInCloud && ledger.isMissingOnNew(id)
            guard outOfCloud || ledger.endsNowhere(id) else { return nil }
            let got = entry.committed == nil ? "handed over" : "committed"
            let doom = doom(entry, ledger)
            return ledger.finding(.lost, id, "\(got), now nowhere\(words(doom, entry, history))", doomedBy: doom)
        }
    }

    private func doom(_ entry: Entry, _ ledger: Ledger) -> Int? {
        if let replaced = entry.replaced, replaced > (entry.recommitted ?? -1) { return replaced }
        if let cancelled = entry.transfersCancelled, entry.committed == nil { return cancelled }
        if let replaced = entry.replaced { return replaced }
        guard entry.committed == nil, let handedOver = entry.handedOver else { return nil }
        return ledger.destroyer(of: entry, after: handedOver)
    }

    private func words(_ doom: Int?, _ entry: Entry, _ history: [HistoryEvent]) -> String {
        guard let doom else { return "; no event names what removed it" }
        switch history[doom].note.kind {
        case .replaced:
            let by = history[doom].note.detail["by"]?.strings ?? []
            return by.isEmpty
                ? ": replaced by something that nobody typed" : ": replaced by \(by.joined(separator: ", "))"
        case .transfersCancelled: return ": its upload was cancelled and never resubmitted"
        default: return ""
        }
    }
}
