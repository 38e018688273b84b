import FleetModel

/// Nobody sees what another person made, or the same person in another iCloud account (identity.md 3): not in an app, not in what an edit saw, not in a place that belongs to another person or, in
/// CloudKit's public database, to all. What the app declares as meant for everyone is no secret; what it declares as shared may be seen by who has a
/// part in it (`ShareBook`).
public struct LeakedChecker: Checker {
    /// One such edit makes a run invalid, whatever else became of it.
    public static let lossClass = LossClass.leaked
    /// In reach: a place that belongs to the other one, even where no app has shown it yet.
    public static let summary = "an edit was visible to, or found in reach of, another person or iCloud account"
    /// Has no settings: what is meant for all is the app's declaration.
    public init() {}

    /// One for each edit, at the first event that shows it with somebody else.
    public func findings(ledger: Ledger, history: [HistoryEvent]) -> [Finding] {
        ledger.entries.indices.compactMap { id in
            guard let event = ledger.entries[id].leakedIn, history.indices.contains(event) else { return nil }
            let note = history[event].note
            let other =
                Ledger.isPublic(note) ? "everyone" : note.detail["account"]?.string ?? note.person ?? "another person"
            return ledger.finding(
                .leaked, id,
                "what \(ledger.entries[id].maker ?? ledger.entries[id].edit.person) made turned up with \(other)",
                doomedBy: event)
        }
    }
}
