import FleetModel

/// Where an app promises to keep all, an edit goes away only by one that saw it.
///
/// Needs a culprit: the edit (or deletion) that took its place without having seen it. Replaced by something that nobody
/// typed, or by an older value that the edit itself had replaced, it is `lost`.
public struct OverwrittenChecker: Checker {
    /// One such edit makes a run invalid; asked before `lost`, because it names who did it.
    public static let lossClass = LossClass.overwritten
    /// Only for kinds of items with the promise `keepsAll`.
    public static let summary = "replaced by an edit that never saw it, where the app promises to keep both"
    /// Has no settings: the promise is the app's.
    public init() {}

    /// Only payloads (`put`), and only with a culprit among the edits.
    public func findings(ledger: Ledger, history: [HistoryEvent]) -> [Finding] {
        ledger.failing.compactMap { id in
            let entry = ledger.entries[id]
            guard entry.edit.verb == .put, entry.promise == .keepsAll, wasReplaced(id, ledger),
                let culprit = culprit(id, ledger, history)
            else { return nil }
            let other = ledger.entries[culprit]
            let held =
                entry.rung < .handedOver
                ? DoomSearch(ledger, history).dropped(id) ?? DoomSearch(ledger, history).laidOver(id) : nil
            let event = held ?? step(entry, by: other)
            let why =
                history[event].note.kind == .answered ? "; \(DoomSearch(ledger, history).words(of: event, of: id))" : ""
            let deed = other.edit.verb == .delete ? "deleted" : "replaced"
            let place = other.item == entry.item ? "" : " (\(other.edit.item))"
            return ledger.finding(
                .overwritten, id, "\(deed) by \(other.edit.token)\(place), which never saw it\(why)", doomedBy: event,
                bearing: other.ladder)
        }
    }

    /// Gone after a service answered for it, or taken out of the Cloud although some iPad still shows it; an edit that only
    /// its app held was overwritten when nothing else can have destroyed it there.
    private func wasReplaced(_ id: EntryID, _ ledger: Ledger) -> Bool {
        let entry = ledger.entries[id]
        if entry.isDestroyedInCloud, ledger.isMissingOnNew(id) { return true }
        guard ledger.endsNowhere(id) else { return false }
        return entry.rung >= .handedOver || ledger.destroyer(of: entry, after: entry.lastAlive) == nil
    }

    private func culprit(_ id: EntryID, _ ledger: Ledger, _ history: [HistoryEvent]) -> EntryID? {
        let entry = ledger.entries[id]
        let named = CulpritSearch(ledger, history).replacers(of: id).first { other in
            let isTooEarly = ledger.entries[other].edit.verb == .delete && !ledger.isLater(other, than: id)
            return !isTooEarly && isStranger(other, to: id, ledger)
        }
        if let named { return named }
        let item = ledger.items[entry.item]
        if let shown = item.latest[Rung.visible.rawValue], isStranger(shown, to: id, ledger) { return shown }
        if let deletion = item.lastDelete, ledger.isLater(deletion, than: id), isStranger(deletion, to: id, ledger) {
            return deletion
        }
        return nil
    }

    /// Neither saw the other. (An edit that saw this one and took effect would supersede it.)
    private func isStranger(_ other: EntryID, to id: EntryID, _ ledger: Ledger) -> Bool {
        other != id && !ledger.saw(id, other) && !ledger.saw(other, id)
    }

    private func step(_ entry: Entry, by other: Entry) -> Int {
        if let replaced = entry.replaced, replaced > (entry.recommitted ?? -1) { return replaced }
        let since = entry.order ?? entry.invoked
        return [other.committed, other.recommitted, other.handedOver, other.performed].compactMap { $0 }.first {
            $0 > since
        }
            ?? other.order ?? other.invoked
    }
}
