import FleetModel

/// The story of any edit, also of one that ended well: what `homeroom explain TRACE EDIT` prints.
///
/// - Returns: nil when nobody tried an edit of that name in this history.
public func explain(_ token: Token, in history: [HistoryEvent]) -> Story? {
    let ledger = Ledger(history)
    guard let entry = ledger.entry(of: token) else { return nil }
    if let finding = judge(ledger, history).findings.first(where: { $0.token == token }) {
        return Story(finding, history: history)
    }
    let shown = entry.visibleIn.map { ledger.readings[$0].event }
    let (word, summary) = ending(entry, ledger)
    let pad = entry.pad.map { " on ipad-\($0)" } ?? ""
    return Story(
        title: "\(word)  \(token)  \(entry.edit.app)/\(entry.edit.item)  by \(entry.edit.person)\(pad)", summary: summary,
        steps: Story.steps(Set(entry.ladder + shown).sorted(), of: history, about: token, of: entry.edit.person))
}

/// How an edit without a finding ended: one word and one sentence.
private func ending(_ entry: Entry, _ ledger: Ledger) -> (String, String) {
    guard entry.happened else {
        return entry.refused != nil
            ? ("refused", "it was visibly refused: the person knows") : ("unanswered", "neither performed nor refused in time")
    }
    if let other = entry.superseder.map({ ledger.entries[$0].edit.token }) { return ("superseded", "by \(other), which saw it") }
    if entry.edit.verb == .put, entry.visibleIn.isEmpty { return ("beaten", "another edit of the item won by the channel's rule") }
    return ("kept", "every reader shows its effect")
}
