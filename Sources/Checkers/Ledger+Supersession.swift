import FleetModel

/// Who supersedes whom.
///
/// A later edit supersedes one that it saw, directly or through others in between; a value that nobody typed is no edit and
/// supersedes nothing. To excuse the absence of an edit, the later one must have got at least as far: a save that was refused
/// and died in its app cannot have removed what the Cloud already held.
extension Ledger {
    /// Finds for each edit what its app promises, and what was not declared.
    mutating func settlePromises() {
        var undeclared: Set<AppName> = []
        for id in entries.indices {
            let edit = entries[id].edit
            entries[id].channel = entries[id].channel ?? apps[edit.app]?.channel
            guard edit.verb != .effect else { entries[id].promise = .effect; continue }
            guard let promise = promise(of: entries[id]) else { undeclared.insert(edit.app); continue }
            entries[id].promise = promise
        }
        for app in undeclared.sorted() {
            doubts.append("\(app) did not declare what it promises for every kind: its edits are judged as if it keeps all")
        }
    }

    private func promise(of entry: Entry) -> Promise? {
        guard let facts = apps[entry.edit.app] else { return nil }
        let kind = facts.kinds[entry.edit.action] ?? items[entry.item].sights.first?.kind
        if let kind, let promise = facts.promises[kind], promise != .effect { return promise }
        return facts.onlyPromise
    }

    /// Walks the edits that happened from the last to the first, so that whoever supersedes is settled before the superseded.
    mutating func settleSupersession() {
        var blind: [Int: EntryID] = [:]
        for id in happened.reversed() {
            let entry = entries[id]
            guard entry.happened else { continue }
            work += 1 + entry.saw.count
            let item = entry.item
            if let other = blind[item] { cover(id, by: other) }
            let own = ownReach(entry)
            entries[id].reach = max(own, entries[id].superseded)
            for seen in entry.saw { cover(seen, by: id) }
            if entry.edit.verb == .put, !entry.sawKnown { blind[item] = id }
            fileUnderItem(id)
        }
        for index in items.indices { settleBest(&items[index]) }
    }

    /// A deletion wants what it saw gone: that it is gone is all the reach it needs. A flag supersedes no payload.
    private func ownReach(_ entry: Entry) -> Rung {
        switch entry.edit.verb {
        case .delete: .visible
        case .put: entry.visibleIn.isEmpty ? entry.rung : .visible
        case .effect: entry.rung
        }
    }

    /// Notes that `later` supersedes `earlier`, when it is indeed a later edit of the same item.
    ///
    /// An edit whose handler never returned has an unknown view (`info`): it may have seen all that happened before it was
    /// tried, and gets the benefit of the doubt.
    private mutating func cover(_ earlier: EntryID, by later: EntryID) {
        let (old, new) = (entries[earlier], entries[later])
        guard old.item == new.item, new.edit.verb != .effect, let oldOrder = old.order, let newOrder = new.order,
            oldOrder < newOrder, new.sawKnown || oldOrder < new.invoked
        else { return }
        if new.reach > old.superseded {
            entries[earlier].superseded = new.reach
            entries[earlier].superseder = later
        }
    }

    /// Called from the last edit to the first.
    private mutating func fileUnderItem(_ id: EntryID) {
        let entry = entries[id]
        let item = entry.item
        switch entry.edit.verb {
        case .effect:
            items[item].lastEffect = items[item].lastEffect ?? id
            items[item].effects.append(id)
        case .delete:
            items[item].lastDelete = items[item].lastDelete ?? id
            items[item].lastPutOrDelete = items[item].lastPutOrDelete ?? id
        case .put:
            items[item].lastPutOrDelete = items[item].lastPutOrDelete ?? id
            let level = entry.reach.rawValue
            if items[item].latest[level] == nil { items[item].latest[level] = id }
            if let stamp = entry.stamp, items[item].best[level].flatMap({ entries[$0].stamp }).map({ $0 < stamp }) ?? true {
                items[item].best[level] = id
            }
        }
    }

    /// Turns "exactly this rung" into "at least this rung".
    private func settleBest(_ item: inout ItemState) {
        for level in stride(from: item.best.count - 2, through: 0, by: -1) {
            item.best[level] = larger(item.best[level], item.best[level + 1]) { entries[$0].stamp }
            item.latest[level] = larger(item.latest[level], item.latest[level + 1]) { entries[$0].order }
        }
    }
    private func larger<T: Comparable>(_ a: EntryID?, _ b: EntryID?, by key: (EntryID) -> T?) -> EntryID? {
        guard let a, let b else { return a ?? b }
        guard let first = key(a), let second = key(b) else { return a }
        return first < second ? b : a
    }

    /// Who beat a last-writer-wins edit by the channel's rule, or nil.
    ///
    /// With device stamps the largest wins. Without (a channel that gives none) any other edit of the item that got as far
    /// wins if it is later in true time, or concurrent and shown: the rule is then the channel's own.
    func winner(over id: EntryID) -> EntryID? {
        let entry = entries[id]
        let item = items[entry.item]
        if let stamp = entry.stamp {
            guard let best = item.best[entry.rung.rawValue], best != id, let bestStamp = entries[best].stamp else { return nil }
            return bestStamp > stamp ? best : nil
        }
        guard entry.rung >= .handedOver else { return nil }
        if let latest = item.latest[entry.rung.rawValue], latest != id, isLater(latest, than: id) { return latest }
        if let shown = item.latest[Rung.visible.rawValue], shown != id, !saw(id, shown) { return shown }
        return nil
    }

    func isLater(_ a: EntryID, than b: EntryID) -> Bool { (entries[a].order ?? -1) > (entries[b].order ?? -1) }
}
