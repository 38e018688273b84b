import FleetModel

/// What the edits after a deletion tell of it, when its app died before it answered.
struct LaterEdits {
    private struct Place: Hashable {
        var item: Int
        var pad: Int?
    }
    /// Edits that happened, and when each began, in that order.
    private struct Made {
        var edits: [EntryID] = []
        var began: [Int] = []
    }
    /// ASSUMED: what so many edits of that iPad still saw had not been deleted by its app.
    private static let edits = 8

    private var made: [Place: Made] = [:]
    private var sights: [EntryID: Set<EntryID>] = [:]
    /// Edits looked at: shows that the work is linear.
    private(set) var work = 0

    init(of ledger: Ledger) {
        let begun = ledger.happened.compactMap { id in ledger.entries[id].began.map { (id: id, began: $0) } }
        for (id, began) in begun.sorted(by: { $0.began < $1.began }) {
            let place = Place(item: ledger.entries[id].item, pad: ledger.entries[id].pad)
            made[place, default: Made()].edits.append(id)
            made[place]?.began.append(began)
        }
        work = begun.count
    }

    /// A later edit of that iPad no longer saw what was to be deleted, and nobody else had replaced it by then: the app may have taken the
    /// deletion before it died.
    mutating func seemsDone(_ deletion: EntryID, _ ledger: Ledger) -> Bool {
        let old = ledger.entries[deletion]
        guard let began = old.began, let made = made[Place(item: old.item, pad: old.pad)] else { return false }
        let replaced = old.saw.map { ledger.entries[$0].replaced ?? .max }.min() ?? .max
        let first = LifeLog.position(after: began, in: made.began)
        for position in made.edits.indices[first...].prefix(Self.edits) {
            guard made.began[position] < replaced else { return false }
            let edit = made.edits[position]
            let saw = sights[edit] ?? Set(ledger.entries[edit].saw)
            sights[edit] = saw
            work += 1 + old.saw.count
            if !old.saw.contains(where: saw.contains) { return true }
        }
        return false
    }
}
