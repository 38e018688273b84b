import FleetModel

/// The doomed step: the event after which no iPad had an edit, or after which its app did nothing more for it.
///
/// What an app was answered is a cause only if the app let go after it. It did when its last file with the edit went at once, or when it ran
/// for long enough afterwards and never tried again.
struct DoomSearch {
    let ledger: Ledger
    let history: [HistoryEvent]

    init(_ ledger: Ledger, _ history: [HistoryEvent]) { (self.ledger, self.history) = (ledger, history) }

    /// ASSUMED: so soon after an answer the app acts on that answer.
    private static let wake = Span.seconds(5)
    /// ASSUMED: whoever means to try again after a refusal has done so by then; of what passes by itself after more time, counted from the end
    /// of the faults that were at work.
    private static let (patienceAfterRefusal, patienceAfterFailure) = (Span.seconds(5), Span.seconds(60))

    /// The answer after which the app let go of an edit; nil when something else may have kept it from trying again.
    func dropped(_ id: EntryID) -> Int? {
        let entry = ledger.entries[id]
        if let older = takenForSaved(id) { return older }
        guard let last = told(entry), last > (entry.recommitted ?? -1) else { return nil }
        // A transfer was handed over before it failed; all else that is handed over after its failure is in good hands again.
        guard entry.channel == .upload || last > (entry.handedOver ?? -1) else { return nil }
        if let handedOver = entry.handedOver, handedOver > last { return nil }
        // Without a copy of its own it could not try again, whatever the answer was.
        if let letGo = entry.letGo, (entry.handedOver ?? -1) < letGo, letGo < last { return letGo }
        let destroyer = ledger.destroyer(of: entry, after: max(last, entry.lastAlive))
        let answer = AnswerNote(history[last].note)
        let cause = answer.isCutOff ? lastExit(of: entry, before: last) ?? last : last
        if let forgotten = entry.forgotten, forgotten > last, forgotten < destroyer ?? .max,
            history[forgotten].at - history[last].at <= Self.wake
        {
            return cause
        }
        guard let end = [destroyer, entry.forgotten.flatMap { $0 > last ? $0 : nil }].compactMap({ $0 }).min() else {
            return cause
        }
        return hadItsChance(entry, after: last, until: end, answer) ? cause : nil
    }

    /// The answer after which an app that has been told the same in several launches did nothing more: the system keeps the result of what was
    /// handed over, and tells each launch that asks. The first one that went on long enough to act on it counts.
    private func told(_ entry: Entry) -> Int? {
        guard let last = entry.answers.last, let handedOver = entry.handedOver, entry.channel == .record else {
            return entry.answers.last
        }
        func what(_ index: Int) -> [Value?] {
            [history[index].note.detail["code"], history[index].note.detail["serverTag"]]
        }
        let same = entry.answers.reversed().prefix { $0 > handedOver && what($0) == what(last) }.reversed()
        return same.first { answer in
            first(.exit, of: entry, after: answer).map { history[$0].at - history[answer].at > Self.wake } ?? true
        } ?? last
    }

    /// The answer to an earlier version that the app took for one to this edit: it did not hand this one over again, and if the system gave it
    /// back, then because that earlier version was there.
    private func takenForSaved(_ id: EntryID) -> Int? {
        let entry = ledger.entries[id]
        guard entry.committed == nil, entry.rung < .handedOver,
            let saved = entry.olderSaved.first(where: { $0 > entry.handedOver ?? -1 }),
            // Told to a later launch it says nothing: what that launch lacks the one before may have lost.
            first(.exit, of: entry, after: entry.began ?? entry.invoked).map({ $0 > saved }) ?? true
        else { return nil }
        let later = entry.answers.filter { $0 > saved }
        guard later.isEmpty else {
            let known = history[saved].note.tokens
            let isAllOfIt = later.allSatisfy { index in
                let answer = history[index].note.detail
                return answer["code"]?.int == Ledger.conflictCode
                    && answer["by"]?.strings.contains(where: known.contains) ?? false
            }
            return isAllOfIt ? saved : nil
        }
        let destroyer = ledger.destroyer(of: entry, after: max(saved, entry.lastAlive))
        if let forgotten = entry.forgotten, forgotten > saved, history[forgotten].at - history[saved].at <= Self.wake {
            return saved
        }
        guard let end = [destroyer, entry.forgotten.flatMap { $0 > saved ? $0 : nil }].compactMap({ $0 }).min() else {
            return saved
        }
        return hadItsChance(entry, after: saved, until: end, AnswerNote(history[saved].note)) ? saved : nil
    }

    /// Whether the app ran for long enough in between, with no fault of then at work any more.
    private func hadItsChance(
        _ entry: Entry, after last: Int, until end: Int, _ answer: AnswerNote
    ) -> Bool {
        let patience = answer.isPassing ? Self.patienceAfterFailure : Self.patienceAfterRefusal
        var since = history[last].at
        if answer.isPassing, let healed = ledger.log.faults.lastHealing(ofFaultsAt: last, pad: entry.pad) {
            since = max(since, history[healed].at)
        }
        // Who ended in the middle of it has to start again first.
        guard var start = answer.isCutOff ? first(.launch, of: entry, after: last) : last else { return false }
        while start < end {
            let stop = min(end, first(.exit, of: entry, after: start) ?? end)
            if history[stop].at - max(history[start].at, since) >= patience { return true }
            guard let launch = first(.launch, of: entry, after: stop) else { return false }
            start = launch
        }
        return false
    }

    private func first(_ kind: LifeLog.Kind, of entry: Entry, after index: Int) -> Int? {
        ledger.log.life.first(kind, pad: entry.pad, person: entry.edit.person, app: entry.edit.app, after: index)
    }
    private func lastExit(of entry: Entry, before index: Int) -> Int? {
        ledger.log.life.last(.exit, pad: entry.pad, person: entry.edit.person, app: entry.edit.app, before: index)
    }

    /// What ended an edit that only its app held: an answer, its last file, or what destroyed the rest.
    func doom(ofHeld id: EntryID) -> Int? {
        if let dropped = dropped(id) { return dropped }
        let entry = ledger.entries[id]
        let held = max(entry.lastAlive, entry.answers.last ?? -1)
        let destroyer = ledger.destroyer(of: entry, after: held)
        if let forgotten = entry.forgotten, forgotten > held, forgotten < destroyer ?? .max { return forgotten }
        return destroyer
    }

    /// The moment when the app laid something else over an edit in its last file, which nothing shows alive after it.
    func laidOver(_ id: EntryID) -> Int? {
        let entry = ledger.entries[id]
        return entry.forgotten.flatMap { $0 > max(entry.lastAlive, entry.answers.last ?? -1) ? $0 : nil }
    }

    /// The change by which there was no iCloud account when an edit was made that never got into one; nil for any other edit.
    func leftAccount(_ id: EntryID) -> Int? {
        let entry = ledger.entries[id]
        guard entry.maker == nil, entry.committed == nil, entry.rung < .handedOver else { return nil }
        return ledger.log.life.last(
            .identity, pad: entry.pad, person: entry.edit.person, app: entry.edit.app,
            before: entry.began ?? entry.invoked)
    }

    /// The first of the equal answers that came to the end: what keeps an edit waiting.
    func firstOfRefusals(_ id: EntryID) -> (event: Int, count: Int)? {
        let answers = ledger.entries[id].answers
        guard let last = answers.last, last > (ledger.entries[id].recommitted ?? -1) else { return nil }
        let kind = AnswerNote(history[last].note).kind
        let equal = answers.reversed().prefix { AnswerNote(history[$0].note).kind == kind }
        return equal.last.map { ($0, equal.count) }
    }

    /// `gone when the app ended (memory)`, `dropped after its app was answered with ...`.
    func words(of doom: Int?, of id: EntryID) -> String {
        guard let doom else { return "and dropped by the app itself" }
        let note = history[doom].note
        let reason = note.detail["reason"]?.string.map { " (\($0))" } ?? ""
        switch note.kind {
        case .answered where AnswerNote(note).isSuccess:
            return
                "taken for saved when the app was answered about an earlier version (\(note.tokens.joined(separator: ", ")))"
        case .answered:
            let count = firstOfRefusals(id)?.count ?? 1
            let times = count > 1 ? " for the last of \(count) times" : ""
            return "dropped after the app was answered\(times) \(AnswerNote(note).words)"
        case .forgotten: return "gone with its last copy (\(removal(note)))"
        case .powerCut: return "gone with a power cut"
        case .purged: return "gone with a purge of local data\(reason)"
        default: return "gone when the app ended\(reason)"
        }
    }
    /// `the app removed /home/outbox, which an upload still needed`.
    private func removal(_ note: Note) -> String {
        let who = note.detail["what"]?.string == PadCommand.Purge.name ? "the system purged" : "the app removed"
        let needed = note.detail["underWay"] == true ? " before the upload had arrived" : ""
        return "\(who) \(note.detail["where"]?.string ?? "a file")\(needed)"
    }
}
