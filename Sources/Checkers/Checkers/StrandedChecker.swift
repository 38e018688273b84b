import FleetModel

/// Some iPads may stay dead or cut off for ever; what only they hold is counted, and makes no run invalid.
///
/// Besides the Pad's queues the app's own files count: an ordinary CloudKit operation is handed over only when the Cloud
/// acknowledges it, so a correct app's outbox is the only place for it while the iPad is offline.
public struct StrandedChecker: Checker {
    /// Makes no run invalid; above `Limits.maxStranded` a run is unknown.
    public static let lossClass = LossClass.stranded
    /// Durable: a queue or a file, as far as that can be seen from outside the iPad.
    public static let summary =
        "its only durable copy lies on an iPad outside the core, or waits for its iCloud account"
    /// Has no settings: the limit is the judgement's.
    public init() {}

    /// Waiting for an account first, then a copy seen on an iPad outside the core, then one that could not be looked for there.
    public func findings(ledger: Ledger, history: [HistoryEvent]) -> [Finding] {
        ledger.failing.compactMap { id in
            let entry = ledger.entries[id]
            if ledger.waitsForAccount(id), ledger.isMissingOnNew(id) {
                return ledger.finding(
                    .stranded, id, "only its app has it, until its iCloud account is signed in to again")
            }
            guard entry.committed == nil, ledger.isMissingOnNew(id) || entry.ending == .gone else { return nil }
            let seen = entry.pendingIn + entry.observedOnPads
            if let event = seen.first(where: {
                !ledger.isCore(history[$0].pad) && !isOutdated(entry, at: $0, ledger, history)
            }) {
                return ledger.finding(
                    .stranded, id, "its only copy lies on ipad-\(history[event].pad ?? 0), outside the core",
                    bearing: [event])
            }
            guard !ledger.isCore(entry.pad), isUnobservable(entry, ledger) else { return nil }
            return ledger.finding(.stranded, id, "done on ipad-\(entry.pad ?? 0), outside the core, and never sent")
        }
    }

    /// Deletions and flags leave no token in a queue; a payload may still have been in the memory of a running app when its iPad
    /// left the run, if nothing is known to have ended the app.
    private func isUnobservable(_ entry: Entry, _ ledger: Ledger) -> Bool {
        guard entry.edit.verb == .put else { return true }
        return entry.rung == .performed && ledger.destroyer(of: entry, after: entry.lastAlive) == nil
    }

    /// Bytes that a purge left behind on the disk are no copy: nobody can reach them.
    private func isOutdated(_ entry: Entry, at event: Int, _ ledger: Ledger, _ history: [HistoryEvent]) -> Bool {
        guard entry.rung == .performed, let performed = entry.performed else { return false }
        let purge = ledger.log.life.first(
            .purge, pad: history[event].pad, person: entry.edit.person, app: entry.edit.app, after: performed)
        return purge.map { $0 < event } ?? false
    }
}
