import FleetModel

/// Whom a note without tokens is about: flags and deletions leave none in the bytes that services see.
extension Ledger {
    /// The flag setting or deletions that a note without tokens is about: tried on the iPad that it comes from, and the first note of its
    /// kind since. Deletions that wait together are done by one write, an interrupted one among them; of flags it is the latest.
    func bareEdits(_ note: Note, pad: Int?) -> [EntryID] {
        guard note.kind != .replaced, let person = note.person, let name = Self.place(note.detail),
            let named = lookup.bareItems[PersonItem(person: person, item: name)]
        else { return [] }
        let origin = pad ?? Self.device(note.detail)
        let tried = named.flatMap { items[$0].bare }.sorted().filter { id in
            (origin == nil || entries[id].pad == origin) && (note.app == nil || note.app == entries[id].edit.app)
        }
        guard let last = tried.last else { return [] }
        let own = entries[last].edit.verb == .delete ? tried.filter { entries[$0].edit.verb == .delete } : [last]
        return own.filter { !isKnown(note.kind, of: entries[$0]) }
    }
    private func isKnown(_ kind: Note.Kind, of entry: Entry) -> Bool {
        switch kind {
        case .handedOver: entry.handedOver != nil
        case .committed: entry.committed != nil
        case .stamped: entry.stamped != nil
        default: false
        }
    }

    /// The iPad that sent what the Cloud tells of.
    static func device(_ detail: Value) -> Int? {
        detail["device"]?.string.flatMap { ParticipantID($0) }?.pad
    }
    /// The last part of the key or place that a note names: `flag` of `key flag`, `note-1` of `record zone/note-1`.
    static func place(_ detail: Value) -> String? {
        guard let text = detail["key"]?.string ?? detail["where"]?.string else { return nil }
        return text.split { $0 == " " || $0 == "/" }.last.map(String.init)
    }
}
