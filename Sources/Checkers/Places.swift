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

    /// - Returns: false for an item that was shown already.
    mutating func take(_ item: Item) -> Bool {
        ids.insert(item.id)
        holders += item.tokens.map { ($0, item.id) }
        return names.insert(Name(id: item.id, kind: item.kind)).inserted
    }
}

/// Whether what a person put into an item is read in that item.
///
/// A promise of one value is about its place: an answer to question 1 that is read as the answer to question 2 is no answer. So it is with
/// uploads, which go to an address. An app that keeps all may set a conflict copy apart under a name of its own, but only where there was a
/// conflict, and never in the place of an item that people name.
enum Places {
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

    struct Stray: Hashable, Sendable {
        var edit: EntryID
        var item: String
        var isAlsoAtHome: Bool
    }

    /// Files the edits that a complete reading shows elsewhere; whether they may stand there is settled when all is known.
    static func take(_ shown: ShownItems, at index: Int, _ ledger: inout Ledger) {
        var atHome: Set<Token> = []
        ledger.pass.work += 2 * shown.holders.count
        for (token, item) in shown.holders {
            guard let id = ledger.lookup.ids[token], ledger.entries[id].edit.item == item else { continue }
            atHome.insert(token)
        }
        for (token, item) in shown.holders {
            guard let id = ledger.lookup.ids[token], ledger.entries[id].edit.item != item else { continue }
            let (isAtHome, isTaken) = (atHome.contains(token), shown.ids.contains(ledger.entries[id].edit.item))
            guard ledger.pass.strays.insert(Stray(edit: id, item: item, isAlsoAtHome: isAtHome)).inserted else {
                continue
            }
            ledger.entries[id].astray.append(
                Astray(event: index, item: item, isNameTaken: isTaken, isAlsoAtHome: isAtHome))
        }
    }

    /// Decides which of them are misplaced, and which are there twice.
    static func settle(_ ledger: inout Ledger) {
        let astray = ledger.entries.indices.filter { !ledger.entries[$0].astray.isEmpty }
        guard !astray.isEmpty else { return }
        let seen = seenElsewhere(&ledger)
        var groups: [Int: MadeAtOnce] = [:]
        for id in astray {
            let names = namesakes(of: ledger.entries[id], ledger)
            guard let name = names.first else { continue }
            if groups[name] == nil {
                let group = MadeAtOnce(names.flatMap { ledger.items[$0].edits }, ledger.entries)
                groups[name] = group
                ledger.pass.work += group.work
            }
            ledger.pass.work += ledger.entries[id].astray.count
            ledger.entries[id].misplaced = ledger.entries[id].astray.first {
                !$0.isAlsoAtHome && !mayStand(id, $0, groups[name], seen, ledger)
            }
            ledger.entries[id].isTwice = ledger.entries[id].astray.contains {
                $0.isAlsoAtHome && !mayBeCopied(id, $0, seen, ledger)
            }
        }
    }

    private static func mayStand(
        _ id: EntryID, _ place: Astray, _ group: MadeAtOnce?, _ seen: Set<Sighting>, _ ledger: Ledger
    ) -> Bool {
        let entry = ledger.entries[id]
        guard entry.promise == .keepsAll, entry.channel != .upload, let group else { return false }
        // The name went to another edit, or to nobody since somebody deleted that one.
        guard place.isNameTaken ? group.hasRival(id) : group.hasDeletion(id) else { return false }
        return !isNamed(place.item, besides: id, seen, ledger)
    }

    /// A superseded edit is owed to nobody, and each side of a conflict may begin with it: both sides show it then, the copy too.
    private static func mayBeCopied(
        _ id: EntryID, _ place: Astray, _ seen: Set<Sighting>, _ ledger: Ledger
    ) -> Bool {
        let entry = ledger.entries[id]
        guard entry.superseder != nil, entry.promise == .keepsAll, entry.channel != .upload else { return false }
        return !isNamed(place.item, besides: id, seen, ledger)
    }

    /// Whether people name that item: then it is not a copy's, whatever it is called, unless somebody who wrote in it saw the edit there.
    private static func isNamed(
        _ item: String, besides id: EntryID, _ seen: Set<Sighting>, _ ledger: Ledger
    ) -> Bool {
        guard let place = ledger.accounts[ledger.entries[id].account].items[item] else { return false }
        return !seen.contains(Sighting(item: place, edit: id))
    }

    /// An edit of one item that somebody saw who wrote in another.
    private struct Sighting: Hashable {
        var item: Int
        var edit: EntryID
    }
    private static func seenElsewhere(_ ledger: inout Ledger) -> Set<Sighting> {
        var seen: Set<Sighting> = []
        for entry in ledger.entries {
            ledger.pass.work += 1 + entry.saw.count
            for other in entry.saw where ledger.entries[other].item != entry.item {
                seen.insert(Sighting(item: entry.item, edit: other))
            }
        }
        return seen
    }

    /// Items of that name in any account of the same person, in a fixed order: an app moves what was made in none.
    private static func namesakes(of entry: Entry, _ ledger: Ledger) -> [Int] {
        let home = ledger.accounts[entry.account].person
        let user = SecondAccount.user(of: home)
        let people =
            [Ledger.everyone, Ledger.sharers].contains(home) ? [home] : [user, SecondAccount.name(of: user)]
        return people.compactMap { person in
            ledger.lookup.accountIDs[Ledger.AccountKey(person: person, app: entry.edit.app)].flatMap {
                ledger.accounts[$0].items[entry.edit.item]
            }
        }
    }
}
