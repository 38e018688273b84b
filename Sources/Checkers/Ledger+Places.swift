import FleetModel

/// The items that one reading shows.
struct ShownItems {
    private struct Name: Hashable {
        var id: String
        var kind: String
    }
    private var names: Set<Name> = []
    private(set) var ids: Set<String> = []
    /// Where each token is shown, first item first.
    private(set) var holders: [(token: Token, item: String)] = []

    /// - Returns: false for an item that was shown already, or that holds a token twice.
    mutating func take(_ item: Item) -> Bool {
        ids.insert(item.id)
        holders += item.tokens.map { ($0, item.id) }
        return names.insert(Name(id: item.id, kind: item.kind)).inserted && Set(item.tokens).count == item.tokens.count
    }
}

/// Whether what a person put into an item is read in that item.
///
/// A promise of one value is about its place: an answer to question 1 that is read as the answer to question 2 is no answer. So it is with
/// uploads, which go to an address. An app that keeps all may set a conflict copy apart under a name of its own, but only where there was a
/// conflict, and never in the place of an item that people name.
extension Ledger {
    /// Where a complete reading shows an edit, when it does not show it in the edit's own item.
    struct Astray: Sendable {
        /// The read event.
        var event: Int
        var item: String
        /// The reading shows the edit's own item too: somebody else's edit has the name.
        var isNameTaken: Bool
        /// The edit stands in its own item as well.
        var isAlsoAtHome: Bool
    }

    /// Files the edits that a complete reading shows elsewhere; whether they may stand there is settled when all is known.
    mutating func takePlaces(_ shown: ShownItems, at index: Int) {
        var atHome: Set<Token> = []
        for (token, item) in shown.holders {
            guard let id = ids[token], entries[id].edit.item == item else { continue }
            atHome.insert(token)
        }
        for (token, item) in shown.holders {
            guard let id = ids[token], entries[id].edit.item != item else { continue }
            let (isAtHome, isTaken) = (atHome.contains(token), shown.ids.contains(entries[id].edit.item))
            guard !entries[id].astray.contains(where: { $0.item == item && $0.isAlsoAtHome == isAtHome }) else {
                continue
            }
            entries[id].astray.append(
                Astray(event: index, item: item, isNameTaken: isTaken, isAlsoAtHome: isAtHome))
        }
    }

    /// Decides which of them are misplaced, and which are there twice.
    mutating func settlePlaces() {
        for id in entries.indices where !entries[id].astray.isEmpty {
            entries[id].misplaced = entries[id].astray.first { !$0.isAlsoAtHome && !mayStand(id, $0) }
            entries[id].isTwice = entries[id].astray.contains { $0.isAlsoAtHome && !mayBeCopied(id, $0) }
        }
    }

    /// A superseded edit is owed to nobody, and each side of a conflict may begin with it: both sides show it then, the copy too.
    private func mayBeCopied(_ id: EntryID, _ place: Astray) -> Bool {
        let entry = entries[id]
        guard entry.superseder != nil, entry.promise == .keepsAll, entry.channel != .upload else { return false }
        return !isNamed(place.item, besides: id)
    }

    private func mayStand(_ id: EntryID, _ place: Astray) -> Bool {
        let entry = entries[id]
        guard entry.promise == .keepsAll, entry.channel != .upload else { return false }
        let rivals = namesakes(of: entry).flatMap { items[$0].edits }.filter {
            $0 != id && !saw(id, $0) && !saw($0, id)
        }
        // The name went to another edit, or to nobody since somebody deleted that one.
        guard !rivals.isEmpty, place.isNameTaken || rivals.contains(where: { entries[$0].edit.verb == .delete }) else {
            return false
        }
        return !isNamed(place.item, besides: id)
    }

    /// Whether people name that item: then it is not a copy's, whatever it is called, unless somebody who wrote in it saw the edit there.
    private func isNamed(_ item: String, besides id: EntryID) -> Bool {
        let entry = entries[id]
        guard let place = accounts[entry.account].items[item] else { return false }
        return !items[place].edits.contains { entries[$0].saw.contains(id) }
    }

    /// Items of that name in any account of the same person: an app moves what was made in none.
    private func namesakes(of entry: Entry) -> [Int] {
        let home = accounts[entry.account].person
        let user = SecondAccount.user(of: home)
        let people = home == Self.everyone ? [home] : [user, SecondAccount.name(of: user)]
        return people.compactMap { person in
            accountIDs[AccountKey(person: person, app: entry.edit.app)].flatMap { accounts[$0].items[entry.edit.item] }
        }
    }
}
