import FleetModel

extension Story {
    /// The story of any edit, also of one that ended well: its own ladder and the readings that show it.
    /// - Returns: nil when nobody tried an edit of this name.
    public init?(of token: Token, history: [HistoryEvent], findings: [Finding]) {
        guard let story = Stories(history: history, findings: findings).story(of: token) else { return nil }
        self = story
    }

    /// The story of an edit that has no finding.
    init(_ entry: Entry, _ ledger: Ledger, _ history: [HistoryEvent]) {
        let shown = entry.visibleIn.map { ledger.readings[$0].event }
        let (word, summary) = Self.ending(entry, ledger, history)
        let pad = entry.pad.map { " on ipad-\($0)" } ?? ""
        let token = entry.edit.token
        self.init(
            title: "\(word)  \(token)  \(entry.edit.app)/\(entry.edit.item)  by \(entry.edit.person)\(pad)",
            summary: summary,
            steps: Self.steps(Set(entry.ladder + shown).sorted(), of: history, about: token, of: entry.edit.person))
    }

    /// How an edit without a finding ended: one word and one sentence.
    static func ending(
        _ entry: Entry, _ ledger: Ledger, _ history: [HistoryEvent]
    ) -> (word: String, summary: String) {
        guard entry.happened else {
            guard entry.refused == nil else { return ("refused", "visibly refused: the person knows") }
            let end = ledger.log.life.first(
                .abruptExit, pad: entry.pad, person: entry.edit.person, app: entry.edit.app, after: entry.invoked)
            let reason = end.flatMap { history[$0].note.detail["reason"]?.string }
            return (
                "unanswered",
                reason.map { "the app ended before it answered: \($0)" } ?? "neither performed nor refused in time"
            )
        }
        if let other = entry.superseder.map({ ledger.entries[$0].edit.token }) {
            return ("superseded", "by \(other), which saw it")
        }
        if entry.edit.verb == .put, entry.visibleIn.isEmpty {
            return ledger.readings.isEmpty
                ? ("unread", "nothing was read at the end")
                : ("beaten", "another edit of the item won by the channel's rule")
        }
        return ("kept", "every reader shows its effect")
    }
}
