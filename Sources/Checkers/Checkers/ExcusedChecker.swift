import FleetModel

/// Gone by a documented rule. Each excuse names an event on this edit's person, iPad and channel, between hand-over and commit:
///
/// - the key-value store keeps the largest device stamp, and a fast clock beat a later edit (S113, S114);
/// - a force-quit cancelled the upload (S146), and the source was removed before the app ran again to resubmit it.
/// - the person deleted the zone that it was in (cloudkit-framework.md 3), and no iPad had it any more to send it again. Where the keys of
///   encrypted data were reset apps send again what they have, so that excuses only what its own iPad had no more; ASSUMED, for Apple's
///   pages differ;
/// - an administrator deleted the person by force or erased the iPad before it was sent (shared-ipad.md 5, 9.3).
///
/// - the person's part in the share that it belongs to had ended before it was sent (cloudkit-framework.md 16).
///
/// What a guest does is nobody's afterwards: it needs no excuse, for nobody reads it.
public struct ExcusedChecker: Checker {
    /// Makes no run invalid; above `Limits.maxExcused` a run is unknown.
    public static let lossClass = LossClass.excused
    /// The event is what keeps it honest: without one the edit is judged as if there were no rule.
    public static let summary = "gone by a documented rule, with the event that excuses it"
    /// Has no settings: the limit is the judgement's.
    public init() {}

    /// The first rule that applies, in this order: device stamp, deletion that lost by stamp, force-quit, deleted zone, removal by force.
    public func findings(ledger: Ledger, history: [HistoryEvent]) -> [Finding] {
        ledger.failing.compactMap { id in
            skewed(id, ledger, history) ?? deletionBeaten(id, ledger) ?? cancelled(id, ledger)
                ?? zoneDeleted(id, ledger, history) ?? removedByForce(id, ledger, history) ?? partEnded(id, ledger)
        }
    }

    private func skewed(_ id: EntryID, _ ledger: Ledger, _ history: [HistoryEvent]) -> Finding? {
        let entry = ledger.entries[id]
        guard entry.channel == .keyValue, entry.rung >= .handedOver,
            let winner = entry.skewWinner.map({ ledger.entries[$0] }),
            !winner.visibleIn.isEmpty || entry.edit.verb == .effect, beats(winner.stamp, entry.stamp)
        else { return nil }
        let event = winner.stamped ?? winner.committed ?? winner.invoked
        return ledger.finding(
            .excused, id, "it lost to \(winner.edit.token), made earlier on an iPad whose clock is ahead (S113, S114)",
            doomedBy: event, bearing: winner.ladder)
    }

    private func beats(_ winner: DeviceStamp?, _ loser: DeviceStamp?) -> Bool {
        guard let winner, let loser else { return false }
        return winner > loser
    }

    /// A removal competes by device stamp like a value does (key-value-store.md 6).
    private func deletionBeaten(_ id: EntryID, _ ledger: Ledger) -> Finding? {
        let entry = ledger.entries[id]
        guard entry.edit.verb == .delete, entry.channel == .keyValue, let stamp = entry.stamp else { return nil }
        guard let alive = ledger.aliveReadings(entry).first.map({ ledger.entries[$0.edit] }),
            let other = alive.stamp, other > stamp
        else { return nil }
        return ledger.finding(
            .excused, id,
            "the removal lost to \(alive.edit.token), made earlier on an iPad whose clock is ahead (S113, S114)",
            doomedBy: alive.stamped, bearing: alive.ladder)
    }

    private func zoneDeleted(_ id: EntryID, _ ledger: Ledger, _ history: [HistoryEvent]) -> Finding? {
        let entry = ledger.entries[id]
        guard let event = entry.zoneDeleted, (entry.recommitted ?? -1) < event, ledger.endsNowhere(id) else {
            return nil
        }
        if history[event].isKeyReset {
            let made = entry.performed ?? entry.invoked
            let purge = ledger.log.life.first(
                .purge, pad: entry.pad, person: entry.edit.person, app: entry.edit.app, after: made)
            guard purge.map({ $0 < event }) ?? false else { return nil }
        }
        return ledger.finding(.excused, id, "its zone was deleted in iCloud", doomedBy: event)
    }

    /// Only what was there until then: an edit that an app lost before has no excuse in it. What bears no token (flags, deletions) cannot
    /// show where it was.
    private func removedByForce(_ id: EntryID, _ ledger: Ledger, _ history: [HistoryEvent]) -> Finding? {
        let entry = ledger.entries[id]
        guard entry.committed == nil, ledger.endsNowhere(id),
            let event = forcedRemoval(of: entry, ledger, history)
        else { return nil }
        let end = ledger.destroyer(of: entry, after: entry.lastAlive)
        let wasThere = end.map { $0 >= event || history[$0].note.endReason == .erase } ?? true
        guard wasThere || entry.rung >= .handedOver || entry.edit.verb != .put else { return nil }
        let isErased = history[event].note.purgeReason == .eraseDevice
        let how = isErased ? "its iPad was erased" : "\(entry.edit.person) was deleted by force"
        return ledger.finding(.excused, id, "\(how) before it was sent", doomedBy: event)
    }

    private func partEnded(_ id: EntryID, _ ledger: Ledger) -> Finding? {
        let entry = ledger.entries[id]
        guard entry.committed == nil, ledger.endsNowhere(id),
            let end = ledger.log.shares.end(of: entry.maker ?? entry.edit.person, in: entry.item)
        else { return nil }
        return ledger.finding(
            .excused, id, "\(entry.edit.person) had no part in it any more when it was to be sent", doomedBy: end)
    }

    private func forcedRemoval(of entry: Entry, _ ledger: Ledger, _ history: [HistoryEvent]) -> Int? {
        var event = entry.performed ?? entry.invoked
        while let purge = ledger.log.life.first(
            .purge, pad: entry.pad, person: entry.edit.person, app: entry.edit.app, after: event)
        {
            if [.forceDeletion, .eraseDevice].contains(history[purge].note.purgeReason) { return purge }
            event = purge
        }
        return nil
    }

    private func cancelled(_ id: EntryID, _ ledger: Ledger) -> Finding? {
        let entry = ledger.entries[id]
        guard let event = entry.transfersCancelled, entry.committed == nil, ledger.endsNowhere(id) else { return nil }
        let (person, app) = (entry.edit.person, entry.edit.app)
        guard let purge = ledger.log.life.first(.purge, pad: entry.pad, person: person, app: app, after: event) else {
            return nil
        }
        if let launch = ledger.log.life.first(.launch, pad: entry.pad, person: person, app: app, after: event),
            launch < purge
        {
            return nil
        }
        return ledger.finding(
            .excused, id,
            "a force-quit cancelled the upload and its source was removed before the app ran again (S146)",
            doomedBy: event, bearing: [purge])
    }
}

extension HistoryEvent {
    /// A zone went because its person reset the keys of encrypted data.
    var isKeyReset: Bool { note.kind == .zoneDeleted && note.detail["reason"]?.string == "encryptedDataReset" }
}
