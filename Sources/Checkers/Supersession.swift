import FleetModel

/// Who supersedes whom.
///
/// A later edit supersedes one that it saw, directly or through others in between; a value that nobody typed is no edit and
/// supersedes nothing. To excuse the absence of an edit, the later one must have got at least as far: a save that was refused
/// and died in its app cannot have removed what the Cloud already held.
enum Supersession {
    /// Finds for each edit what its app promises, and what was not declared.
    static func settlePromises(_ ledger: inout Ledger) {
        var undeclared: Set<AppName> = []
        let declared = ledger.accounts.map { ledger.apps[$0.app] }
        for id in ledger.entries.indices {
            let facts = declared[ledger.entries[id].account]
            if ledger.entries[id].channel == nil { ledger.entries[id].channel = facts?.channel }
            guard ledger.entries[id].edit.verb != .effect else { ledger.entries[id].promise = .effect; continue }
            guard let promise = promise(of: id, facts, ledger) else {
                undeclared.insert(ledger.entries[id].edit.app); continue
            }
            ledger.entries[id].promise = promise
        }
        for app in undeclared.sorted() {
            ledger.run.doubts.append(
                "\(app) did not declare what it promises for every kind: its edits are judged as if it keeps all")
        }
    }

    private static func promise(of id: EntryID, _ facts: Ledger.AppFacts?, _ ledger: Ledger) -> Promise? {
        guard let facts else { return nil }
        let kind =
            facts.kinds[ledger.entries[id].edit.action] ?? ledger.items[ledger.entries[id].item].sights.first?.kind
        if let kind, let promise = facts.promises[kind], promise != .effect { return promise }
        return facts.onlyPromise
    }

    /// Walks the edits that happened from the last to the first, so that whoever supersedes is settled before the superseded.
    static func settle(_ ledger: inout Ledger) {
        for id in ledger.happened.reversed() where ledger.entries[id].happened {
            ledger.entries[id].reach = max(ownReach(id, ledger), ledger.entries[id].superseded)
            let saw = ledger.entries[id].saw
            ledger.pass.work += 1 + saw.count
            for seen in saw {
                cover(seen, by: id, at: ledger.entries[id].order, reach: ledger.entries[id].reach, &ledger)
            }
            fileUnderItem(id, &ledger)
        }
        let unanswered = ledger.entries.indices.filter { ledger.entries[$0].isUnansweredDeletion }
        var later = unanswered.isEmpty ? nil : LaterEdits(of: ledger)
        for id in unanswered {
            let seemsDone = later?.seemsDone(id, ledger) ?? false
            for seen in ledger.entries[id].saw where seemsDone || wasSent(id, without: seen, ledger) {
                cover(seen, by: id, at: ledger.entries[id].began, reach: .visible, &ledger)
            }
        }
        ledger.pass.work += later?.work ?? 0
        for index in ledger.items.indices { ledger.items[index] = settled(ledger.items[index], ledger) }
    }

    /// The deletion's own iPad and person sent, later, what took the seen edit out of the Cloud: the app had kept the deletion before it died,
    /// and what others wrote meanwhile came back without all that was deleted. With some of it, it was no deletion.
    private static func wasSent(_ deletion: EntryID, without seen: EntryID, _ ledger: Ledger) -> Bool {
        let deletion = ledger.entries[deletion]
        guard let began = deletion.began, let replacement = ledger.entries[seen].replacement, replacement.event > began,
            let pad = replacement.pad, pad == deletion.pad,
            replacement.account.map(SecondAccount.user) == deletion.edit.person
        else { return false }
        return !deletion.saw.contains { replacement.holds.contains(ledger.entries[$0].edit.token) }
    }

    /// A deletion wants what it saw gone: that it is gone is all the reach it needs. A flag supersedes no payload.
    private static func ownReach(_ id: EntryID, _ ledger: Ledger) -> Rung {
        switch ledger.entries[id].edit.verb {
        case .delete: .visible
        case .put: ledger.entries[id].visibleIn.isEmpty ? ledger.entries[id].rung : .visible
        case .effect: ledger.entries[id].rung
        }
    }

    /// Notes that `later` supersedes `earlier`, when it is indeed a later edit of the same item.
    private static func cover(
        _ earlier: EntryID, by later: EntryID, at new: Int?, reach: Rung, _ ledger: inout Ledger
    ) {
        guard ledger.entries[earlier].item == ledger.entries[later].item, ledger.entries[later].edit.verb != .effect,
            let old = ledger.entries[earlier].order, let new, old < new
        else { return }
        if reach > ledger.entries[earlier].superseded {
            ledger.entries[earlier].superseded = reach
            ledger.entries[earlier].superseder = later
        }
    }

    /// Called from the last edit to the first.
    private static func fileUnderItem(_ id: EntryID, _ ledger: inout Ledger) {
        let item = ledger.entries[id].item
        switch ledger.entries[id].edit.verb {
        case .effect:
            ledger.items[item].lastEffect = ledger.items[item].lastEffect ?? id
            ledger.items[item].effects.append(id)
        case .delete:
            ledger.items[item].lastDelete = ledger.items[item].lastDelete ?? id
            ledger.items[item].deletions.append(id)
            ledger.items[item].lastPutOrDelete = ledger.items[item].lastPutOrDelete ?? id
        case .put:
            ledger.items[item].lastPutOrDelete = ledger.items[item].lastPutOrDelete ?? id
            let level = ledger.entries[id].reach.rawValue
            if ledger.items[item].latest[level] == nil { ledger.items[item].latest[level] = id }
            if let stamp = ledger.entries[id].stamp,
                ledger.items[item].best[level].flatMap({ ledger.entries[$0].stamp }).map({ $0 < stamp }) ?? true
            {
                ledger.items[item].best[level] = id
            }
        }
    }

    /// Turns "exactly this rung" into "at least this rung".
    private static func settled(_ item: Ledger.ItemState, _ ledger: Ledger) -> Ledger.ItemState {
        var item = item
        for level in stride(from: item.best.count - 2, through: 0, by: -1) {
            item.best[level] = larger(item.best[level], item.best[level + 1]) { ledger.entries[$0].stamp }
            item.latest[level] = larger(item.latest[level], item.latest[level + 1]) { ledger.entries[$0].order }
        }
        return item
    }
    private static func larger<T: Comparable>(_ a: EntryID?, _ b: EntryID?, by key: (EntryID) -> T?) -> EntryID? {
        guard let a, let b else { return a ?? b }
        guard let first = key(a), let second = key(b) else { return a }
        return first < second ? b : a
    }
}

/// Who won where only one value stays.
extension Ledger {
    /// Who beat a last-writer-wins edit by the channel's rule, or nil.
    ///
    /// With device stamps the largest wins. Without (a channel that gives none) any other edit of the item that got as far
    /// wins if it is later in true time, or concurrent and shown: the rule is then the channel's own.
    func winner(over id: EntryID) -> EntryID? {
        let entry = entries[id]
        let item = items[entry.item]
        if let stamp = entry.stamp {
            guard let best = item.best[entry.rung.rawValue], best != id, let bestStamp = entries[best].stamp else {
                return nil
            }
            return bestStamp > stamp ? best : nil
        }
        guard entry.rung >= .handedOver else { return settledWinner(over: id) }
        if let latest = item.latest[entry.rung.rawValue], latest != id, isLater(latest, than: id) { return latest }
        if let shown = item.latest[Rung.visible.rawValue], shown != id, !saw(id, shown) { return shown }
        return nil
    }

    /// The code of `serverRecordChanged` (cloudkit-framework.md 13).
    static let conflictCode: Int64 = 14

    /// Who beat a last-writer-wins edit that its app did not hand over again, because the app settled it so: when the server's refusal told
    /// it of the other version (an older one stays by the app's own rule only, so the app must have settled it), or when it fetched a later
    /// one before it had sent its own. Gone before that other version was there to be compared with, it was not settled.
    private func settledWinner(over id: EntryID) -> EntryID? {
        let entry = entries[id]
        guard entry.channel == .record, let shown = items[entry.item].latest[Rung.visible.rawValue], shown != id,
            !saw(id, shown), let committed = entries[shown].committed
        else { return nil }
        if let refusal = entry.handedBack {
            return entry.metConflict && (isLater(shown, than: id) || isSettled(entry, since: refusal)) ? shown : nil
        }
        guard isLater(shown, than: id), entries[shown].pad != entry.pad else { return nil }
        return destroyer(of: entry, after: entry.lastAlive).map { $0 > committed } ?? true ? shown : nil
    }

    /// ASSUMED: an app that has met a conflict has settled it so soon after.
    private static let settling = Span.seconds(5)

    /// Whether the app decided a conflict against its own edit: it let go of it, or was there long enough to do so. An app that was answered
    /// something else since, or nothing because it ended, had sent its own again.
    private func isSettled(_ entry: Entry, since refusal: Int) -> Bool {
        if let forgotten = entry.forgotten, forgotten > refusal { return true }
        if let answer = entry.answers.last, answer > refusal, answer != entry.conflictAnswer { return false }
        guard let end = destroyer(of: entry, after: max(refusal, entry.lastAlive)) else { return true }
        return log.times[end] - log.times[refusal] > Self.settling
    }

    /// The last edit of an item that happened, if any.
    func latest(in item: Int) -> EntryID? {
        let (effect, other) = (items[item].lastEffect, items[item].lastPutOrDelete)
        guard let effect, let other else { return effect ?? other }
        return isLater(effect, than: other) ? effect : other
    }

    func isLater(_ a: EntryID, than b: EntryID) -> Bool { (entries[a].order ?? -1) > (entries[b].order ?? -1) }
}
