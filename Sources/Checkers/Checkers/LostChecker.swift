import FleetModel

/// What a system service or the Cloud answered for stays, until an edit supersedes it.
///
/// A value that nobody typed (starter values, an empty file) supersedes nothing: what it replaced is lost. So is a key-value
/// write with the largest device stamp that is not there at the end.
public struct LostChecker: Checker {
    /// One such edit makes a run invalid: somebody had answered for it.
    public static let lossClass = LossClass.lost
    /// Nowhere: no reader that had the last word on its iPad shows it.
    public static let summary = "handed over or committed, now nowhere, and not superseded"
    /// Has no settings.
    public init() {}

    /// Handed over or more, and no reader shows it, or the Cloud lost it and a new iPad does not show it.
    public func findings(ledger: Ledger, history: [HistoryEvent]) -> [Finding] {
        ledger.failing.compactMap { id in
            let entry = ledger.entries[id]
            guard entry.rung >= .handedOver else { return nil }
            let outOfCloud = entry.edit.verb == .put && entry.isDestroyedInCloud && ledger.isMissingOnNew(id)
            guard outOfCloud || ledger.endsNowhere(id) else { return nil }
            let got = entry.committed == nil ? "handed over" : "committed"
            if let doom = doom(id, ledger, history) {
                return ledger.finding(
                    .lost, id, "\(got), now nowhere\(words(doom, id, ledger, history))", doomedBy: doom)
            }
            // The Cloud has it still: whoever does not show it has missed it.
            let lag = entry.isDestroyedInCloud ? nil : LagSearch(ledger, history).lag(of: id)
            return ledger.finding(
                .lost, id, "\(got), now nowhere; \(lag?.words ?? "no event names what removed it")",
                doomedBy: lag?.event, bearing: lag?.bearing ?? [])
        }
    }

    private func doom(_ id: EntryID, _ ledger: Ledger, _ history: [HistoryEvent]) -> Int? {
        let entry = ledger.entries[id]
        if let reset = entry.zoneDeleted, history[reset].isKeyReset, reset > (entry.recommitted ?? -1) { return reset }
        if let replaced = entry.replaced, replaced > (entry.recommitted ?? -1) { return replaced }
        if let cancelled = entry.transfersCancelled, entry.committed == nil { return cancelled }
        if let replaced = entry.replaced { return replaced }
        // The system had the only copy, and its answer ends that.
        if entry.committed == nil, let dropped = DoomSearch(ledger, history).dropped(id) { return dropped }
        guard entry.committed == nil, let handedOver = entry.handedOver else { return nil }
        return ledger.destroyer(of: entry, after: handedOver)
    }

    private func words(_ doom: Int, _ id: EntryID, _ ledger: Ledger, _ history: [HistoryEvent]) -> String {
        switch history[doom].note.kind {
        case .replaced:
            guard history[doom].note.detail["by"]?.strings.isEmpty == false else {
                return ": replaced by something that nobody typed"
            }
            let by = CulpritSearch(ledger, history).replacers(of: id).map { ledger.entries[$0] }
            let ofItem = by.filter { $0.item == ledger.entries[id].item }.map(\.edit.token)
            if !ofItem.isEmpty { return ": replaced by \(ofItem.joined(separator: ", "))" }
            guard let other = by.first else { return ": replaced by edits that the history does not know" }
            return ": replaced by what was saved with \(other.edit.token) (\(other.edit.item))"
        case .zoneDeleted: return ": its zone went with a reset of encrypted data, and no iPad sent it again"
        case .transfersCancelled: return ": its upload was cancelled and never resubmitted"
        case .answered, .forgotten: return ", \(DoomSearch(ledger, history).words(of: doom, of: id))"
        default: return ""
        }
    }
}
