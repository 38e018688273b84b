import FleetModel

/// The one pass over the history: each note is filed where it belongs, nothing is judged yet.
extension Ledger {
    mutating func take(_ event: HistoryEvent, at index: Int) {
        let note = event.note
        let pad = event.pad
        pass.work += 1
        switch note.kind {
        case .invoked: takeInvoked(note, pad: pad, at: index)
        case .began: takeBegan(note, at: index)
        case .performed: takePerformed(note, pad: pad, at: index)
        case .shareJoined, .shareLeft, .shareCovers: log.shares.take(note, at: index)
        case .zoneDeleted: forEachEdit(note) { entry in entry.zoneDeleted = index }
        case .refused: forEachEdit(note) { entry in entry.refused = entry.refused ?? index }
        case .handedOver, .handedBack, .committed, .replaced, .stamped, .transfersCancelled:
            takeLadder(note, pad: pad, at: index)
        case .read: takeReading(note, pad: pad, at: index)
        case .pending:
            forEachEdit(note) { entry in entry.pendingIn.append(index) }
            log.life.note(event, pad: pad, at: index)
        case .answered: takeAnswer(note, pad: pad, at: index)
        case .forgotten: takeForgotten(note, pad: pad, at: index)
        case .faultBegan, .faultHealed: log.faults.note(note, at: index)
        case .observed: takeObserved(note, pad: pad, at: index)
        case .appDeclared: takeDeclaration(note)
        case .clocks: run.clockError = max(run.clockError, Span(nanoseconds: note.detail["inRun"]?.int ?? 0))
        case .mark:
            if let name = note.detail["name"]?.string { run.marks.insert(name) }
            log.life.note(event, pad: pad, at: index)
        case .purged:
            // What a purge takes was there until then: the end of a process before it had done no harm.
            forEachEdit(note) { entry in if entry.pad == pad { entry.lastAlive = index - 1 } }
            if note.purgeReason == .temporarySession, let guest = note.person { guests.gone.insert(guest) }
            log.life.note(event, pad: pad, at: index)
        case .signedIn where note.detail["guest"]?.bool == true:
            guard let guest = note.person else { return }
            guests.all.insert(guest)
            guests.gone.remove(guest)
        default:
            log.life.note(event, pad: pad, at: index)
        }
    }

    /// The edit of that name. Neighbouring events tend to be about the same edit: the last answer is kept.
    private mutating func id(of token: Token) -> EntryID? {
        if let last = lookup.recent, entries[last].edit.token == token { return last }
        guard let id = lookup.ids[token] else { return nil }
        lookup.recent = id
        return id
    }

    mutating func forEachEdit(_ note: Note, _ body: (inout Entry) -> Void) {
        pass.work += note.tokens.count
        for token in note.tokens {
            if let id = id(of: token) { body(&entries[id]) }
        }
    }

    /// Whoever saves a record that holds somebody's edit is told of it too: only the edit's own iPad tries for it.
    private mutating func takeAnswer(_ note: Note, pad: Int?, at index: Int) {
        if note.detail["success"] == true { return takeSuccess(note, pad: pad, at: index) }
        let isConflict = note.detail["code"]?.int == Self.conflictCode
        forEachEdit(note) { entry in
            guard entry.pad == pad else { return }
            entry.answers.append(index)
            if isConflict { entry.conflictAnswer = index }
        }
        guard note.tokens.isEmpty else { return }
        for id in bareEdits(note, pad: pad) { entries[id].answers.append(index) }
    }

    /// Later versions of an item of which an earlier one was saved. ASSUMED: more than so many do not wait at a time.
    private static let versionsMax = 8
    private mutating func takeSuccess(_ note: Note, pad: Int?, at index: Int) {
        for token in note.tokens {
            guard let id = id(of: token), entries[id].pad == pad else { continue }
            for other in items[entries[id].item].edits.suffix(Self.versionsMax) where other > id {
                pass.work += 1
                let entry = entries[other]
                guard entry.pad == pad, entry.began != nil, entry.committed == nil, entry.olderSaved.last != index,
                    !note.tokens.contains(entry.edit.token)
                else { continue }
                entries[other].olderSaved.append(index)
            }
        }
    }
    private mutating func takeForgotten(_ note: Note, pad: Int?, at index: Int) {
        let isUnderWay = note.detail["underWay"] == true
        forEachEdit(note) { entry in
            guard entry.pad == pad else { return }
            if isUnderWay { entry.letGo = index } else { entry.forgotten = index }
        }
    }

    private mutating func takeDeclaration(_ note: Note) {
        guard let app = note.app else { return }
        var facts = AppFacts()
        facts.channel = note.channel ?? note.detail["channel"]?.string.flatMap(Channel.init)
        var carrying: Set<Promise> = []
        for pair in note.detail["promises"]?.object?.pairs ?? [] {
            guard let promise = pair.value.string.flatMap(Promise.init) else { continue }
            facts.promises[pair.key] = promise
            if promise != .effect { carrying.insert(promise) }
        }
        for action in note.detail["actions"]?.array ?? [] {
            if let name = action["name"]?.string { facts.kinds[name] = action["kind"]?.string }
        }
        facts.onlyPromise = carrying.count == 1 ? carrying.first : nil
        facts.forEveryone = Set(note.detail["forEveryone"]?.strings ?? [])
        facts.shared = Set(note.detail["shared"]?.strings ?? [])
        apps[app] = facts
    }

    private mutating func takeInvoked(_ note: Note, pad: Int?, at index: Int) {
        guard let edit = note.detail["edit"].flatMap(Edit.init) else {
            run.doubts.append(
                "event \(index) invokes an edit that cannot be read: the history is damaged or of another version")
            return
        }
        guard lookup.ids[edit.token] == nil else { return }
        lookup.recent = entries.count
        let facts = apps[edit.app]
        let audience = facts?.audience(of: facts?.kinds[edit.action]) ?? .own
        let home = log.book.home(of: edit)
        let holder = audience == .everyone ? Self.everyone : audience == .some ? Self.sharers : home
        let account = account(holder, edit.app)
        let item = item(edit.item, in: account)
        lookup.ids[edit.token] = entries.count
        if edit.verb != .put {
            let name = PersonItem(person: home, item: edit.item)
            if !(lookup.bareItems[name] ?? []).contains(item) { lookup.bareItems[name, default: []].append(item) }
            // Few are kept, so that each note looks at few: a flag's latest setting on each iPad, and deletions that wait.
            items[item].bare.removeAll { id in
                let old = entries[id]
                return old.edit.verb == .effect ? old.pad == pad : old.committed != nil
            }
            items[item].bare.append(entries.count)
        }
        items[item].edits.append(entries.count)
        entries.append(
            Entry(
                edit, maker: log.book.maker(of: edit), account: account, item: item, audience: audience,
                invoked: index, pad: pad))
    }

    private mutating func takePerformed(_ note: Note, pad: Int?, at index: Int) {
        for token in note.tokens {
            guard let id = id(of: token), entries[id].performed == nil else { continue }
            entries[id].performed = index
            entries[id].lastAlive = index
            entries[id].pad = pad ?? entries[id].pad
            takeOwner(id, note, at: index)
            happen(id, at: index)
        }
    }
    private mutating func takeBegan(_ note: Note, at index: Int) {
        for token in note.tokens {
            guard let id = id(of: token), entries[id].began == nil else { continue }
            entries[id].began = index
            takeOwner(id, note, at: index)
            takeSight(note.detail["saw"], by: id, at: index)
        }
    }

    /// Files what an edit saw just before it; a token of somebody else in it is a leak.
    private mutating func takeSight(_ saw: Value?, by id: EntryID, at index: Int) {
        guard let tokens = saw?.array else { return }
        pass.work += tokens.count
        for token in tokens {
            guard let token = token.string, let other = lookup.ids[token], other != id else { continue }
            guard mayBeSeen(other, by: entries[id].edit.person, in: entries[id].maker, at: index) else {
                entries[other].leakedIn = entries[other].leakedIn ?? index
                continue
            }
            entries[id].saw.append(other)
            // Performed means taken or visible, whichever came first: an app that shows an edit while it still asks the server
            // has taken it.
            if entries[other].performed == nil {
                entries[other].performed = index
                happen(other, at: index)
            }
            if entries[other].pad == entries[id].pad { entries[other].lastAlive = index }
        }
    }

    /// Of what some people share it is settled later.
    /// - Parameters:
    ///   - account: the one that the person is signed in to; nil: none, where what the iPad kept is there to see.
    ///   - isLast: it is in a complete reading.
    mutating func mayBeSeen(
        _ id: EntryID, by person: Person, in account: Person?, at index: Int, isLast: Bool = false
    ) -> Bool {
        let entry = entries[id]
        if entry.isForEveryone { return true }
        if entry.audience == .some {
            let isOwn = entry.edit.person == person && (account == nil || entry.maker == nil || entry.maker == account)
            if !isOwn { log.shares.see(id, by: person, in: account, at: index, isLast: isLast) }
            return true
        }
        guard entry.edit.person == person else { return false }
        return account == nil || entry.maker == nil || entry.maker == account
    }

    private mutating func happen(_ id: EntryID, at index: Int) {
        guard entries[id].order == nil else { return }
        entries[id].order = index
        happened.append(id)
        // Whoever edits has to be read on a new iPad, whoever else may see it.
        let account =
            entries[id].audience != .own
            ? self.account(entries[id].edit.person, entries[id].edit.app) : entries[id].account
        if accounts[account].firstHappened == nil { accounts[account].firstHappened = id }
    }

    private mutating func takeLadder(_ note: Note, pad: Int?, at index: Int) {
        pass.work += note.tokens.count
        for token in note.tokens {
            if let id = id(of: token) { climb(id, note, pad: pad, at: index) }
        }
        guard note.tokens.isEmpty else { return }
        for id in bareEdits(note, pad: pad) { climb(id, note, pad: pad, at: index) }
    }

    private mutating func climb(_ id: EntryID, _ note: Note, pad: Int?, at index: Int) {
        entries[id].channel = entries[id].channel ?? note.channel
        takeOwner(id, note, at: index)
        switch note.kind {
        case .handedOver:
            entries[id].handedOver = index
            entries[id].pad = entries[id].pad ?? pad
            happen(id, at: index)
        case .handedBack:
            entries[id].handedBack = index
            entries[id].metConflict = note.detail["code"]?.int == Self.conflictCode
            entries[id].lastAlive = index
        case .committed:
            entries[id].committed = entries[id].committed ?? index
            entries[id].recommitted = index
            if entries[id].audience == .some { log.shares.commit(id, note, at: index) }
            let place = note.detail["where"]?.string
            entries[id].place = entries[id].place ?? place
            if entries[id].place != place { entries[id].copied = entries[id].copied ?? index }
            happen(id, at: index)
        case .replaced:
            entries[id].replacement = Entry.Replacement(
                event: index, pad: Self.device(note.detail), account: note.person,
                holds: note.detail["by"]?.strings ?? [])
        case .transfersCancelled: entries[id].transfersCancelled = index
        default:
            entries[id].stamped = entries[id].stamped ?? index
            // Accepted for upload is persisted: the hand-over, even where no note of its own could name the edit.
            entries[id].handedOver = entries[id].handedOver ?? index
            happen(id, at: index)
            guard let nanoseconds = note.detail["stamp"]?.int else { return }
            let stamp = DeviceStamp(nanoseconds: nanoseconds, device: note.detail["device"]?.string ?? "")
            entries[id].stamp = max(entries[id].stamp ?? stamp, stamp)
        }
    }

    mutating func account(_ person: Person, _ app: AppName) -> Int {
        let key = AccountKey(person: person, app: app)
        if let known = lookup.accountIDs[key] { return known }
        lookup.accountIDs[key] = accounts.count
        accounts.append(Account(person: person, app: app))
        return accounts.count - 1
    }

    mutating func item(_ name: String, in account: Int) -> Int {
        if let known = accounts[account].items[name] { return known }
        accounts[account].items[name] = items.count
        items.append(ItemState(id: name))
        return items.count - 1
    }
}
