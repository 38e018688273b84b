import FleetModel

/// Who may see what of whom by CloudKit's shares (cloudkit-framework.md 16), as the Cloud tells it: people come and go, records come under
/// shares and out of them.
///
/// An edit of a shared kind lies where it was committed. Another person may see it who took part in a share that covers that place after it
/// was there: until an iPad hears that this has ended it may go on showing what it has. What is read at the end is stricter: who has
/// no part any more shows nothing any more. A part is an account's, not its user's: who has two has it in one of them (identity.md 3).
struct ShareBook: Sendable {
    private struct Share: Hashable {
        var owner: Person
        var zone: String
        var name: String
    }
    /// A record: whose, and `zone/record`.
    private struct Place: Hashable {
        var owner: Person
        var name: String
        var zone: String { name.split(separator: "/", maxSplits: 1).first.map(String.init) ?? name }
    }
    /// From one event to another; nil: to the end.
    private struct Stay: Hashable {
        var from: Int
        var until: Int?
        func contains(_ event: Int) -> Bool { from <= event && event < until ?? .max }
    }
    private struct Sight {
        var edit: EntryID
        var person: Person
        var event: Int
        /// It is read at the end, and the reading is whole.
        var isLast: Bool
        /// Whatever account the user was signed in to.
        var isOfUser: Bool

        func isBy(_ account: Person) -> Bool {
            account == person || isOfUser && SecondAccount.user(of: account) == SecondAccount.user(of: person)
        }
    }
    private struct Part: Hashable {
        var item: Int
        var person: Person
    }

    private var people: [Share: [Person: [Stay]]] = [:]
    private var covers: [Place: [String: [Stay]]] = [:]
    /// Where each edit was committed, and first when.
    private var places: [EntryID: [Place: Int]] = [:]
    private var sights: [Sight] = []
    /// When the part of somebody in an item has ended, for those who have none at the end.
    private var ended: [Part: Int] = [:]

    /// Record name of a share that covers all of its zone.
    private static let wholeZone = "cloudkit.zoneshare"

    // MARK: Hearing

    mutating func take(_ note: Note, at index: Int) {
        guard let person = note.person, let name = note.detail["share"]?.string else { return }
        if note.kind == .shareCovers {
            let place = Place(owner: person, name: note.detail["where"]?.string ?? "")
            for share in (covers[place] ?? [:]).keys where share != name {
                Self.end(&covers[place, default: [:]][share], index)
            }
            if !name.isEmpty { Self.begin(&covers[place, default: [:]][name], index) }
            return
        }
        let owner = note.detail["owner"]?.string ?? ""
        let share = Share(owner: owner, zone: note.detail["zone"]?.string ?? "", name: name)
        if note.kind == .shareJoined {
            Self.begin(&people[share, default: [:]][person], index)
        } else {
            Self.end(&people[share, default: [:]][person], index)
        }
    }
    private static func begin(_ stays: inout [Stay]?, _ index: Int) {
        if stays?.last.map({ $0.until == nil }) ?? false { return }
        stays = (stays ?? []) + [Stay(from: index)]
    }
    private static func end(_ stays: inout [Stay]?, _ index: Int) {
        guard var last = stays?.popLast() else { return }
        last.until = last.until ?? index
        stays?.append(last)
    }

    /// An edit was committed; `detail.owner` says where that was not in a database of the writer's own.
    mutating func commit(_ id: EntryID, _ note: Note, at index: Int) {
        guard let owner = note.detail["owner"]?.string ?? note.person, let name = note.detail["where"]?.string else {
            return
        }
        let place = Place(owner: owner, name: name)
        places[id, default: [:]][place] = places[id]?[place] ?? index
    }
    /// Another account has seen an edit, or has it; whether that was right is settled when all is known.
    /// - Parameter account: nil: whichever of the person's.
    mutating func see(_ id: EntryID, by person: Person, in account: Person?, at index: Int, isLast: Bool = false) {
        sights.append(
            Sight(edit: id, person: account ?? person, event: index, isLast: isLast, isOfUser: account == nil))
    }

    // MARK: Settling

    /// Finds what leaked, and which readings owe each item to whom.
    static func settle(_ ledger: inout Ledger) {
        let book = ledger.log.shares
        for sight in book.sights where ledger.entries[sight.edit].leakedIn == nil && !book.isFair(sight) {
            ledger.entries[sight.edit].leakedIn = sight.event
        }
        var items: [Int: [EntryID]] = [:]
        for id in ledger.entries.indices where ledger.entries[id].audience == .some {
            items[ledger.entries[id].item, default: []].append(id)
        }
        for item in items.keys.sorted() { settle(item, items[item] ?? [], &ledger) }
    }
    /// An item has to be shown by the complete readings of who has a part in it then.
    private static func settle(_ item: Int, _ edits: [EntryID], _ ledger: inout Ledger) {
        let parts = ledger.log.shares.parts(of: edits, ledger)
        guard let account = edits.first.map({ ledger.entries[$0].account }) else { return }
        ledger.items[item].owed = ledger.accounts[account].readings.filter { number in
            let reading = ledger.readings[number]
            let stays = parts.stays[reading.person] ?? []
            return stays.contains { $0.0 <= reading.event && reading.event < $0.1 }
        }
        for (person, stays) in parts.stays where parts.isShared {
            guard let last = stays.map(\.1).max(), last != .max else { continue }
            ledger.log.shares.ended[Part(item: item, person: person)] = last
        }
    }

    private func isFair(_ sight: Sight) -> Bool {
        (places[sight.edit] ?? [:]).contains { place, committed in
            if sight.isBy(place.owner) { return true }
            return shares(of: place).contains { name, cover in
                (people[share(name, of: place)] ?? [:]).filter { sight.isBy($0.key) }.flatMap(\.value).contains {
                    stay in
                    // Who was in it when the edit came there, or came later, has it rightly.
                    guard sight.isLast else { return stay.from < sight.event && stay.until ?? .max > committed }
                    return stay.contains(sight.event) && cover.contains { $0.contains(sight.event) }
                }
            }
        }
    }
    private func share(_ name: String, of place: Place) -> Share {
        Share(owner: place.owner, zone: place.zone, name: name)
    }
    /// Shares that cover a place at some time, and when.
    private func shares(of place: Place) -> [String: [Stay]] {
        var found = covers[place] ?? [:]
        if people[share(Self.wholeZone, of: place)] != nil { found[Self.wholeZone] = [Stay(from: 0)] }
        return found
    }

    /// Who has a part in an item whose edits these are, and until when each had who has none any more. Without a share it is the business of
    /// those in whose databases it lies, or who made it.
    private func parts(of edits: [EntryID], _ ledger: Ledger) -> (stays: [Person: [(Int, Int)]], isShared: Bool) {
        var stays: [Person: [(Int, Int)]] = [:]
        let all = Set(edits.flatMap { (places[$0] ?? [:]).keys })
        let shared = all.filter { !shares(of: $0).isEmpty }
        for place in shared {
            stays[place.owner, default: []].append((0, .max))
            for (name, cover) in shares(of: place) {
                for (person, parts) in people[share(name, of: place)] ?? [:] {
                    for part in parts {
                        for time in cover {
                            let span = (max(part.from, time.from), min(part.until ?? .max, time.until ?? .max))
                            if span.0 < span.1 { stays[person, default: []].append(span) }
                        }
                    }
                }
            }
        }
        guard shared.isEmpty else { return (stays, true) }
        for place in all { stays[place.owner] = [(0, .max)] }
        if all.isEmpty {
            for id in edits { stays[ledger.entries[id].maker ?? ledger.entries[id].edit.person] = [(0, .max)] }
        }
        return (stays, false)
    }

    /// The event that ended somebody's part in an item for good; nil: they have it still, or never had.
    func end(of person: Person, in item: Int) -> Int? { ended[Part(item: item, person: person)] }
}
