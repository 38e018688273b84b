import FleetModel

/// How each edit ended, by what the final readings of its account show.
enum Endings {
    static func settle(_ ledger: inout Ledger) {
        for id in ledger.entries.indices where ledger.entries[id].happened {
            switch ledger.entries[id].edit.verb {
            case .put: settlePut(id, &ledger)
            case .delete: settleDelete(id, &ledger)
            case .effect: settleEffect(id, &ledger)
            }
            if ledger.entries[id].ending != .fine { ledger.failing.append(id) }
        }
    }

    private static func ending(_ missing: Int, of all: Int) -> Ending {
        missing == 0 ? .fine : missing < all ? .partly : .gone
    }

    private static func settlePut(_ id: EntryID, _ ledger: inout Ledger) {
        let owed = ledger.items[ledger.entries[id].item].owed
        let all = owed ?? ledger.accounts[ledger.entries[id].account].readings
        ledger.pass.work += ledger.entries[id].visibleIn.count
        let shown = ledger.entries[id].visibleIn.count { ledger.readings[$0].isComplete && owed?.contains($0) ?? true }
        let isSuperseded = ledger.entries[id].superseded >= max(ledger.entries[id].rung, .performed)
        guard shown < all.count,
            !isSuperseded || (ledger.entries[id].promise == .lastWriterWins && mustStay(id, ledger))
        else {
            return
        }
        let entry = ledger.entries[id]
        if entry.promise == .lastWriterWins, let winner = ledger.winner(over: id) {
            if ledger.isLater(winner, than: id) || entry.channel != .keyValue { return }
            ledger.entries[id].skewWinner = winner
        }
        ledger.entries[id].ending = ending(all.count - shown, of: all.count)
    }

    /// The key-value store ends at the largest device stamp, even where a later edit saw the winner (S113, S114): when the
    /// Cloud took both and a smaller stamp is shown, the rule is broken and the winner is lost.
    private static func mustStay(_ id: EntryID, _ ledger: Ledger) -> Bool {
        let entry = ledger.entries[id]
        let item = ledger.items[entry.item]
        guard entry.channel == .keyValue, entry.committed != nil, let stamp = entry.stamp,
            item.best[Rung.committed.rawValue] == id, let other = item.latest[Rung.visible.rawValue], other != id
        else { return false }
        return !ledger.entries[other].visibleIn.isEmpty && ledger.entries[other].stamp.map { $0 < stamp } ?? false
    }

    private static func settleDelete(_ id: EntryID, _ ledger: inout Ledger) {
        let entry = ledger.entries[id]
        let alive = ledger.aliveReadings(entry)
        ledger.pass.work += entry.saw.count + alive.count
        guard !alive.isEmpty else { return }
        let isBack = isBack(alive, despite: id, ledger)
        let isStale = ledger.deletedInCloud(id) != nil && !isBack
        let everywhere = alive.contains { ledger.readings[$0.reading].reader == "new" }
        let all = ending(alive.count, of: ledger.accounts[entry.account].readings.count)
        ledger.entries[id].ending = everywhere ? .gone : isStale ? .partly : all
    }

    /// Whether what a deletion saw came back: to the Cloud, or to the iPad that deleted it. An iPad that shows it and never heard of the
    /// deletion is merely stale, be it the only one that was read.
    private static func isBack(
        _ alive: [(reading: Int, edit: EntryID)], despite deletion: EntryID, _ ledger: Ledger
    ) -> Bool {
        alive.contains {
            let reading = ledger.readings[$0.reading]
            return reading.reader == "new" || reading.pad == ledger.entries[deletion].pad
                || ledger.returned($0.edit, despite: deletion) != nil
        }
    }

    /// Only the latest setting of a flag is judged, and only if nothing else was done to its item afterwards.
    private static func settleEffect(_ id: EntryID, _ ledger: inout Ledger) {
        let entry = ledger.entries[id]
        let item = ledger.items[entry.item]
        guard item.lastEffect == id else { return }
        if let other = item.lastPutOrDelete, ledger.isLater(other, than: id) { return }
        let wrong = ledger.flagReadings(entry)
        ledger.pass.work += item.sights.count
        ledger.entries[id].ending = ending(wrong.count, of: ledger.accounts[entry.account].readings.count)
        guard let shown = wrong.first?.digest, wrong.allSatisfy({ $0.digest == shown }) else { return }
        ledger.entries[id].skewWinner = item.effects.first { ledger.entries[$0].edit.value == shown }
    }
}

/// What the final readings say about one edit.
extension Ledger {
    /// The complete readings that lack an edit's effect: its payload, its absence, its flag. Empty when it needs none.
    func missingReadings(_ id: EntryID) -> [Int] {
        let entry = entries[id]
        guard entry.ending != .fine else { return [] }
        switch entry.edit.verb {
        case .put:
            let owed = items[entry.item].owed ?? accounts[entry.account].readings
            return owed.filter { !entry.visibleIn.contains($0) }
        case .delete: return aliveReadings(entry).map(\.reading)
        case .effect: return flagReadings(entry).map(\.reading)
        }
    }

    // MARK: Deletions

    /// When the Cloud had done what a deletion asks: its own commit, or the first time that something it saw went there. Nil: never.
    func deletedInCloud(_ id: EntryID) -> Int? {
        let entry = entries[id]
        guard entry.edit.verb == .delete, let order = entry.order else { return nil }
        return entry.committed ?? entry.saw.compactMap { entries[$0].replaced }.filter { $0 > order }.min()
    }
    /// The commit that brought an edit back to the Cloud after a deletion.
    func returned(_ edit: EntryID, despite deletion: EntryID) -> Int? {
        guard let done = deletedInCloud(deletion) ?? entries[deletion].order else { return nil }
        return entries[edit].recommitted.flatMap { $0 > done ? $0 : nil }
    }
    /// Readings that still show what a deletion saw, each once, with one edit that they show.
    func aliveReadings(_ entry: Entry) -> [(reading: Int, edit: EntryID)] {
        var alive: [(reading: Int, edit: EntryID)] = []
        for seen in entry.saw where (entries[seen].order ?? -1) < (entry.order ?? -1) {
            for reading in entries[seen].visibleIn where !alive.contains(where: { $0.reading == reading }) {
                if !isKept(seen, in: reading, despite: entry) { alive.append((reading, seen)) }
            }
        }
        return alive.sorted { $0.reading < $1.reading }
    }

    /// Whether an edit that did not know of the deletion kept the item, and with it what was to be deleted: a merge in
    /// which the edit wins over the deletion is not a resurrection.
    private func isKept(_ seen: EntryID, in reading: Int, despite deletion: Entry) -> Bool {
        guard let sight = items[deletion.item].sights.first(where: { $0.reading == reading }) else { return false }
        guard sight.tokens.contains(entries[seen].edit.token) else { return false }
        return sight.tokens.contains { token in
            guard let other = lookup.ids[token], other != seen, !deletion.saw.contains(other) else { return false }
            return !isLater(other, than: deletion) || entries[other].saw.contains(seen)
        }
    }
    private func isLater(_ id: EntryID, than deletion: Entry) -> Bool {
        (entries[id].order ?? -1) > (deletion.order ?? -1)
    }

    // MARK: Flags

    /// Complete readings that do not show the flag's value, with what they show instead.
    func flagReadings(_ entry: Entry) -> [(reading: Int, digest: String?)] {
        let sights = items[entry.item].sights
        var next = 0
        var wrong: [(reading: Int, digest: String?)] = []
        for reading in accounts[entry.account].readings {
            while next < sights.count, sights[next].reading < reading { next += 1 }
            let shown = next < sights.count && sights[next].reading == reading ? sights[next].digest : nil
            if shown != entry.edit.value { wrong.append((reading, shown)) }
        }
        return wrong
    }
}
