import FleetModel

/// Which edits of one item were made at once: neither knew of the other.
///
/// An edit that saw all before it, and that all after it saw, was made at once with no other, and parts those before it from those after it:
/// what is made at once with an edit lies between two such ones. Knowledge that came by way of another item is not looked at. Linear in the
/// edits and in what they saw.
struct MadeAtOnce {
    /// Between which two an edit lies; none for one that parts the others.
    private var parts: [EntryID: Int] = [:]
    /// Deletions in each part, and how many of them an edit saw or was seen by.
    private var deletions: [Int: Int] = [:]
    private var known: [EntryID: Int] = [:]
    /// Edits and sights looked at.
    private(set) var work = 0

    init(_ edits: [EntryID], _ entries: [Entry]) {
        let order = edits.sorted {
            (entries[$0].began ?? entries[$0].invoked, $0) < (entries[$1].began ?? entries[$1].invoked, $1)
        }
        let all = Set(order)
        var seers: [EntryID: [EntryID]] = [:]
        for id in order {
            work += 1 + entries[id].saw.count
            for seen in entries[id].saw where all.contains(seen) { seers[seen, default: []].append(id) }
        }
        let sawAll = Self.coverAll(order) { entries[$0].saw }
        let seenByAll = Self.coverAll(order.reversed()) { seers[$0] ?? [] }
        var part = 0
        for id in order {
            if sawAll.contains(id), seenByAll.contains(id) { part += 1 } else { parts[id] = part }
        }
        for id in order where entries[id].edit.verb == .delete {
            guard let part = parts[id] else { continue }
            deletions[part, default: 0] += 1
            for other in Set(entries[id].saw + (seers[id] ?? []) + [id]) where parts[other] == part {
                known[other, default: 0] += 1
            }
        }
    }

    /// Those that, one after the other, leave nothing before them that they are not tied to.
    private static func coverAll(_ order: [EntryID], _ ties: (EntryID) -> [EntryID]) -> Set<EntryID> {
        var (open, covering) = (Set<EntryID>(), Set<EntryID>())
        for id in order {
            for tied in ties(id) { open.remove(tied) }
            if open.isEmpty { covering.insert(id) }
            open.insert(id)
        }
        return covering
    }

    /// Whether some other edit was made at once with it.
    func hasRival(_ id: EntryID) -> Bool { parts[id] != nil }
    /// Whether one of them is a deletion, as far as it is not known to have been made before or after it.
    func hasDeletion(_ id: EntryID) -> Bool {
        guard let part = parts[id] else { return false }
        return deletions[part] ?? 0 > known[id] ?? 0
    }
}
