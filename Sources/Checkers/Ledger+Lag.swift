import FleetModel

/// Why an iPad lags behind: what it missed of an edit that the Cloud has.
///
/// Known of each iPad are the looks that its apps took at what has changed (`fetched`), the pushes that did not reach it, and the ends of apps.
extension Ledger {
    /// What went wrong on one iPad, and what it did before and after the commit.
    struct Lag: Hashable, Sendable {
        var event: Int?
        var words: String
        var bearing: [Int] = []
    }

    /// ASSUMED: whoever asks for a next page does it at once, and so does whoever keeps what came.
    private static let (nextPage, keeping) = (Span.seconds(10), Span.seconds(5))
    /// ASSUMED: a push that is lost so soon after a commit is about it.
    private static let pushing = Span.seconds(2)

    /// - Parameter acknowledged: when the Cloud had it, for a deletion that left no trace of its own there; nil: its commit.
    /// - Returns: nil when the Cloud never had the edit, or when no reading that lacks it names its iPad.
    func lag(of id: EntryID, since acknowledged: Int? = nil, _ history: [HistoryEvent]) -> Lag? {
        let entry = entries[id]
        guard let committed = acknowledged ?? entry.committed else { return nil }
        let lacking = missingReadings(id).map { readings[$0] }
        // A brand-new iPad has missed nothing that the others had; it says something only when all others are well.
        guard let reading = lacking.first(where: { $0.reader != "new" && $0.pad != nil }) ?? lacking.first,
            let pad = reading.pad
        else { return nil }
        let looks = life.all(.fetch, pad: pad, person: reading.person, app: reading.app).filter {
            history[$0].note.detail["what"]?.string != RecordMessages.Lookup.name
                || history[$0].note.tokens.contains(entry.edit.token)
        }
        let before = looks.last { $0 < committed }
        // The reading itself opens the app once more: what it finds only then comes too late to be a cause.
        let after = looks.filter { $0 > committed && $0 < reading.event }
        var lag = cause(entry, committed, on: pad, of: reading, after, before, history)
        lag.bearing = [before, after.first].compactMap { $0 } + lag.bearing
        return lag
    }

    private func cause(
        _ entry: Entry, _ committed: Int, on pad: Int, of reading: Reading, _ after: [Int], _ before: Int?,
        _ history: [HistoryEvent]
    ) -> Lag {
        let place = "ipad-\(pad)"
        if let handed = after.first(where: { history[$0].note.tokens.contains(entry.edit.token) }) {
            return lost(handed, on: place, of: reading, history)
        }
        if let failed = after.first(where: { isFailure(history[$0].note) }) {
            let words = AnswerNote(history[failed].note).words
            return Lag(event: failed, words: "\(place) asked for changes, was answered \(words) and did not start over")
        }
        if let page = after.first(where: { isCutShort($0, after, history) }) {
            return Lag(event: page, words: "\(place) took the first page of the changes and never asked for the next")
        }
        // The Cloud tells of a push in the instant of the commit, before or after it.
        let push = life.all(.pushLost, pad: pad).first {
            let delay = history[$0].at - history[committed].at
            return delay >= .zero && delay <= Self.pushing && $0 < reading.event
        }
        if let push, after.first ?? .max > push {
            let then = after.isEmpty ? " and never looked by itself" : ""
            return Lag(event: push, words: "the push to \(place) was lost\(then)", bearing: after.prefix(1).map { $0 })
        }
        if let look = after.first { return Lag(event: look, words: "\(place) looked for changes and did not find it") }
        if let before, isFailure(history[before].note) {
            let words = AnswerNote(history[before].note).words
            return Lag(event: before, words: "\(place) was answered \(words) and never asked for changes again")
        }
        let why = before == nil ? "\(place) never looked for changes" : "\(place) did not look for changes afterwards"
        return Lag(event: unusedChance(reading, on: pad, after: committed), words: why)
    }

    /// When the app could have looked and did not: the first time that it ran after the commit, or its end before it got to look.
    private func unusedChance(_ reading: Reading, on pad: Int, after committed: Int) -> Int? {
        let person = SecondAccount.user(of: reading.person)
        let runs = [LifeLog.Kind.launch, .resume].map {
            life.first($0, pad: pad, person: person, app: reading.app, after: committed)
        }
        return (runs + [first(ofEnds: reading, on: pad, after: committed, before: reading.event)]).compactMap { $0 }
            .filter { $0 < reading.event }.min()
    }

    /// It was there and did not stay: the end of the app, when one came at once.
    private func lost(_ handed: Int, on place: String, of reading: Reading, _ history: [HistoryEvent]) -> Lag {
        let end = first(ofEnds: reading, on: reading.pad, after: handed, before: reading.event)
        guard let end, history[end].at - history[handed].at <= Self.keeping else {
            return Lag(event: handed, words: "\(place) was handed it and does not show it")
        }
        return Lag(event: end, words: "\(place) was handed it, and the app ended before it kept it", bearing: [handed])
    }
    private func first(ofEnds reading: Reading, on pad: Int?, after: Int, before: Int) -> Int? {
        [LifeLog.Kind.abruptExit, .powerCut].compactMap {
            life.first($0, pad: pad, person: SecondAccount.user(of: reading.person), app: reading.app, after: after)
        }
        .min().flatMap { $0 < before ? $0 : nil }
    }

    private func isFailure(_ note: Note) -> Bool { note.detail["code"] != nil || note.detail["status"] != nil }
    /// More was to come, and the same launch did not ask for it.
    private func isCutShort(_ look: Int, _ looks: [Int], _ history: [HistoryEvent]) -> Bool {
        guard history[look].note.detail["more"]?.bool == true else { return false }
        return !looks.contains { next in
            next > look && history[next].at - history[look].at <= Self.nextPage
                && history[next].note.detail["launch"] == history[look].note.detail["launch"]
        }
    }
}
