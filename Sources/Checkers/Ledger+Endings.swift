import FleetModel

/// How each edit ended, by what the final readings of its account show.
extension Ledger {
    mutating func settleEndings() {
        for id in entries.indices where entries[id].happened {
            switch entries[id].edit.verb {
            case .put: settlePut(id)
            case .delete: settleDelete(id)
            case .effect: settleEffect(id)
            }
            if entries[id].ending != .fine { failing.append(id) }
        }
    }

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

    private func ending(_ missing: Int, of all: Int) -> Ending {
        missing == 0 ? .fine : missing < all ? .partly : .gone
    }

    private mutating func settlePut(_ id: EntryID) {
        let owed = items[entries[id].item].owed
        let all = owed ?? accounts[entries[id].account].readings
        work += entries[id].visibleIn.count
        let shown = entries[id].visibleIn.count { readings[$0].isComplete && owed?.contains($0) ?? true }
        let isSuperseded = entries[id].superseded >= max(entries[id].rung, .performed)
        guard shown < all.count, !isSuperseded || (entries[id].promise == .lastWriterWins && mustStay(id)) else {
            return
        }
        let entry = entries[id]
        if entry.promise == .lastWriterWins, let winner = winner(over: id) {
            if isLater(winner, than: id) || entry.channel != .keyValue { return }
            entries[id].skewWinner = winner
        }
        entries[id].ending = ending(all.count - shown, of: all.count)
    }

    /// The key-value store ends at the largest device stamp, even where a later edit saw the winner (S113, S114): when the
    /// Cloud took both and a smaller stamp is shown, the rule is broken and the winner is lost.
    private func mustStay(_ id: EntryID) -> Bool {
        let entry = entries[id]
        let item = items[entry.item]
        guard entry.channel == .keyValue, entry.committed != nil, let stamp = entry.stamp,
            item.best[Rung.committed.rawValue] == id, let other = item.latest[Rung.visible.rawValue], other != id
        else { return false }
        return !entries[other].visibleIn.isEmpty && entries[other].stamp.map { $0 < stamp } ?? false
    }

    // MARK: Deletions

    private mutating func settleDelete(_ id: EntryID) {
        let entry = entries[id]
        let alive = aliveReadings(entry)
        work += entry.saw.count + alive.count
        guard !alive.isEmpty else { return }
        let isBack = isBack(alive, despite: id)
        let isStale = deletedInCloud(id) != nil && !isBack
        let everywhere = alive.contains { readings[$0.reading].reader == "new" }
        let all = ending(alive.count, of: accounts[entry.account].readings.count)
        entries[id].ending = everywhere ? .gone : isStale ? .partly : all
    }

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
    /// Whether what a deletion saw came back: to the Cloud, or to the iPad that deleted it. An iPad that shows it and never heard of the
    /// deletion is merely stale, be it the only one that was read.
    private func isBack(_ alive: [(reading: Int, edit: EntryID)], despite deletion: EntryID) -> Bool {
        alive.contains {
            let reading = readings[$0.reading]
            return reading.reader == "new" || reading.pad == entries[deletion].pad
                || returned($0.edit, despite: deletion) != nil
        }
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
            guard let other = ids[token], other != seen, !deletion.saw.contains(other) else { return false }
            return !isLater(other, than: deletion) || entries[other].saw.contains(seen)
        }
    }
    private func isLater(_ id: EntryID, than deletion: Entry) -> Bool {
        (entries[id].order ?? -1) > (deletion.order ?? -1)
    }

    // MARK: Flags

    /// Only the latest setting of a flag is judged, and only if nothing else was done to its item afterwards.
    private mutating func settleEffect(_ id: EntryID) {
        let entry = entries[id]
        let item = items[entry.item]
        guard item.lastEffect == id else { return }
        if let other = item.lastPutOrDelete, isLater(other, than: id) { return }
        let wrong = flagReadings(entry)
        work += item.sights.count
        entries[id].ending = ending(wrong.count, of: accounts[entry.account].readings.count)
        guard let shown = wrong.first?.digest, wrong.allSatisfy({ $0.digest == shown }) else { return }
        entries[id].skewWinner = item.effects.first { entries[$0].edit.value == shown }
    }

    /// Complete readings that do not show the flag's value, with what they show instead.
    private func flagReadings(_ entry: Entry) -> [(reading: Int, digest: String?)] {
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
