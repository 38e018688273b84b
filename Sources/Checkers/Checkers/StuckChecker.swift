import FleetModel

/// Calm is long enough: what a core iPad still has to send when it ends is stuck.
///
/// An edit that every reader shows is not stuck, whatever its queue says: nothing of it is lost.
public struct StuckChecker: Checker {
    /// One such edit makes a run invalid: there was time and a network.
    public static let lossClass = LossClass.stuck
    /// The budget is the plan's `calmBudget`, in virtual time.
    public static let summary = "still pending when the calm budget ended"
    /// Has no settings.
    public init() {}

    /// Only iPads of the core, and only edits that some reader lacks; each tells what it waits for and how often it was refused.
    public func findings(ledger: Ledger, history: [HistoryEvent]) -> [Finding] {
        ledger.failing.compactMap { id in
            guard let event = pending(ledger.entries[id], ledger, history) else { return nil }
            let detail = history[event].note.detail
            let what = detail["what"]?.string ?? "a queue"
            let waits = detail["waitsFor"]?.string.map { ", waiting for \($0)" } ?? ""
            let refused = DoomSearch(ledger, history).firstOfRefusals(id)
            let answers =
                refused.map { "; answered \($0.count) times \(AnswerNote(history[$0.event].note).words)" } ?? ""
            return ledger.finding(
                .stuck, id, "still pending at the end: \(what)\(waits)\(answers)", doomedBy: refused?.event,
                bearing: [event])
        }
    }

    /// The first pending note of a core iPad that is about this edit. Deletions and flags carry no token: there the queue of
    /// the same person and app on the same iPad speaks for them.
    private func pending(_ entry: Entry, _ ledger: Ledger, _ history: [HistoryEvent]) -> Int? {
        if let event = entry.pendingIn.first(where: { ledger.isCore(history[$0].pad) }) { return event }
        guard entry.edit.verb != .put, ledger.isCore(entry.pad), let order = entry.order, entry.committed == nil else {
            return nil
        }
        return ledger.log.life.first(
            .pending, pad: entry.pad, person: entry.edit.person, app: entry.edit.app, after: order)
    }
}
