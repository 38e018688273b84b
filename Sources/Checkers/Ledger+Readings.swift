import FleetModel

/// What readings and looks into disks and services show: who sees which edit, whole or damaged, and where it has gone astray.
extension Ledger {
    /// Whether something was found in a public database; the person is then who made the record.
    static func isPublic(_ note: Note) -> Bool { note.detail["where"]?.string?.hasPrefix("record public ") ?? false }

    /// What lay in somebody else's hands was leaked, whether or not it is there at the end. The Cloud keeps by account what an iPad does for
    /// the person who is signed in; background transfers and the keychain know the person only (identity.md 3).
    mutating func takeOwner(_ id: EntryID, _ note: Note, at index: Int) {
        let entry = entries[id]
        guard let owner = note.person, !entry.isForEveryone, note.kind != .replaced else { return }
        if entry.audience == .some {
            let account = note.kind == .committed ? owner : nil
            let isOwn = account.map { $0 == entry.maker ?? $0 } ?? (SecondAccount.user(of: owner) == entry.edit.person)
            if !isOwn { log.shares.see(id, by: owner, in: account, at: index) }
            return
        }
        let isOfAccount = note.kind == .committed && note.channel != .upload && note.channel != .keychain
        let isOwn = !isOfAccount || entry.maker == nil || entry.maker == owner
        guard SecondAccount.user(of: owner) != entry.edit.person || !isOwn else { return }
        entries[id].leakedIn = entry.leakedIn ?? index
    }

    mutating func takeObserved(_ note: Note, pad: Int?, at index: Int) {
        let isPublic = Self.isPublic(note)
        let gone = guests.gone
        var shared: [Token] = []
        let isOnDisk = note.detail["where"] == "padDisk"
        forEachEdit(note) { entry in
            // An app's files are its person's: it may keep each account's there. All else is an account's.
            let isOfPerson = note.person.map(SecondAccount.user) == entry.edit.person
            let isOfAccount =
                isOnDisk || note.channel == .upload || entry.maker == nil || entry.maker == note.person
            let isOwn = note.person == nil || isOfPerson && isOfAccount
            let isAstray = isPublic || !isOwn
            if entry.audience == .some, !isPublic {
                if !isOfPerson, note.person != nil { shared.append(entry.edit.token) }
                if pad != nil, isOwn { entry.observedOnPads.append(index) }
            } else if isAstray && !entry.isForEveryone || note.person != nil && gone.contains(entry.edit.person) {
                entry.leakedIn = entry.leakedIn ?? index
            } else if pad != nil, isOwn {
                entry.observedOnPads.append(index)
            }
        }
        guard let person = note.person else { return }
        for id in shared.compactMap({ lookup.ids[$0] }) {
            log.shares.see(id, by: person, in: isOnDisk ? nil : person, at: index)
        }
    }

    mutating func takeReading(_ note: Note, pad: Int?, at index: Int) {
        guard let person = note.person, let app = note.app, let reader = note.detail["reader"]?.string else {
            run.doubts.append("event \(index) is a reading that does not say of whom, of which app or by which reader")
            return
        }
        let reading = Reading(
            event: index, person: person, app: app, reader: reader, pad: pad,
            isComplete: note.detail["complete"]?.bool ?? false, reason: note.detail["reason"]?.string)
        let account = account(person, app)
        let facts = apps[app] ?? AppFacts()
        let common = facts.forEveryone.isEmpty ? account : self.account(Self.everyone, app)
        let sharers = facts.shared.isEmpty ? account : self.account(Self.sharers, app)
        let number = readings.count
        readings.append(reading)
        if let pad { corePads.insert(pad) }
        let bodies = note.detail["items"]?.array ?? []
        if reading.isComplete {
            accounts[account].readings.append(number)
            if common != account { accounts[common].readings.append(number) }
            if sharers != account { accounts[sharers].readings.append(number) }
            if reader == "new" { accounts[account].hasNewReading = true }
            readItems += bodies.count
        }
        var shown = ShownItems()
        for body in bodies {
            guard let item = Item(body) else {
                run.doubts.append(
                    "event \(index) reads an item that cannot be understood: \(app) answers in another form")
                continue
            }
            let audience = facts.audience(of: item.kind)
            let holder = audience == .everyone ? common : audience == .some ? sharers : account
            takeItem(item, reading: number, account: holder, at: index)
            if !shown.take(item) { takeTwice(item, account: holder, at: index) }
        }
        if reading.isComplete { Places.take(shown, at: index, &self) }
    }

    private mutating func takeItem(_ item: Item, reading: Int, account: Int, at index: Int) {
        pass.work += 1 + item.tokens.count + item.damaged.count
        if let state = accounts[account].items[item.id] {
            items[state].sights.append(
                .init(reading: reading, kind: item.kind, tokens: item.tokens, digest: item.digest))
        }
        let account = readings[reading].person
        let person = SecondAccount.user(of: account)
        let isLast = readings[reading].isComplete
        for token in item.tokens {
            guard let id = lookup.ids[token] else { continue }
            guard mayBeSeen(id, by: person, in: account, at: index, isLast: isLast) else {
                entries[id].leakedIn = entries[id].leakedIn ?? index; continue
            }
            if entries[id].visibleIn.last != reading {
                entries[id].visibleIn.append(reading)
            } else if entries[id].shownInItem != item.id {
                entries[id].shownTwice.inTwoItems = entries[id].shownTwice.inTwoItems ?? index
            }
            entries[id].shownInItem = item.id
            if entries[id].pad == readings[reading].pad { entries[id].lastAlive = index }
        }
        // A payload that stands twice in one item: its app put it there again.
        for id in item.repeated.compactMap({ lookup.ids[$0] }) where entries[id].shownTwice.inItem == nil {
            entries[id].shownTwice.inItem = index
        }
        for token in item.damaged {
            guard let id = lookup.ids[token] else { continue }
            if !mayBeSeen(id, by: person, in: account, at: index, isLast: isLast) {
                entries[id].leakedIn = entries[id].leakedIn ?? index
            }
            entries[id].damagedIn = entries[id].damagedIn ?? index
        }
        takeContent(item, at: index)
    }

    /// An item that one reading shows twice under one name was made once: so say the edits in it, or of a flag its latest setting.
    private mutating func takeTwice(_ item: Item, account: Int, at index: Int) {
        var made = item.tokens.compactMap { lookup.ids[$0] }
        if made.isEmpty, let state = accounts[account].items[item.id] { made = items[state].bare.suffix(1) }
        for id in made where entries[id].shownTwice.asItem == nil { entries[id].shownTwice.asItem = index }
        if made.isEmpty {
            run.doubts.append(
                "the history is not whole: event \(index) reads \(item.id) twice, and nobody's edit is in it")
        }
    }
}
