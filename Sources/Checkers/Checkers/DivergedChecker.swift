import FleetModel

/// After calm all readers of an account agree: on which edits they show, and on the content of items that show the same edits, or none.
///
/// Contents are compared within a round of reading (core with core, the new iPad with the fresh launches): an app may settle
/// a conflict between two rounds.
public struct DivergedChecker: Checker {
    /// One such edit makes a run invalid; the last class that is asked, since nothing is gone.
    public static let lossClass = LossClass.diverged
    /// After calm: until then readers may differ, because iPads still sync.
    public static let summary = "two readers of the same account disagree after calm"
    /// Has no settings.
    public init() {}

    /// Edits that some readers lack first, then items whose content differs though they show the same edits.
    public func findings(ledger: Ledger, history: [HistoryEvent]) -> [Finding] {
        ledger.failing.compactMap { partly($0, ledger, history) }
            + ledger.items.indices.compactMap { contents($0, ledger) }
    }

    private func partly(_ id: EntryID, _ ledger: Ledger, _ history: [HistoryEvent]) -> Finding? {
        let entry = ledger.entries[id]
        guard entry.ending == .partly else { return nil }
        let lacking = ledger.missingReadings(id)
        let shown = entry.visibleIn.map { ledger.readings[$0] }
        let readings = Array(shown.map(\.event).suffix(2)) + lacking.map { ledger.readings[$0].event }.suffix(2)
        // What never left its iPad is missing everywhere else, whatever the others did.
        if let doom = entry.committed == nil ? DoomSearch(ledger, history).dropped(id) : nil {
            return finding(
                id, "; \(DoomSearch(ledger, history).words(of: doom, of: id))", doom, readings, lacking, ledger)
        }
        if let left = DoomSearch(ledger, history).leftAccount(id) {
            return finding(id, "; it was made without iCloud and never moved there", left, readings, lacking, ledger)
        }
        let lag = LagSearch(ledger, history).lag(of: id, since: ledger.deletedInCloud(id))
        return finding(
            id, lag.map { "; \($0.words)" } ?? "", lag?.event, readings + (lag?.bearing ?? []), lacking, ledger)
    }

    private func finding(
        _ id: EntryID, _ why: String, _ doom: Int?, _ bearing: [Int], _ lacking: [Int], _ ledger: Ledger
    ) -> Finding {
        let places = names(lacking.map { ledger.readings[$0] })
        let what =
            ledger.entries[id].edit.verb == .delete
            ? "not deleted for \(places), yet gone elsewhere" : "missing for \(places), while other readers show it"
        return ledger.finding(.diverged, id, "\(what)\(why)", doomedBy: doom, bearing: bearing)
    }

    private func names(_ readings: [Ledger.Reading]) -> String {
        readings.map { $0.pad.map { "ipad-\($0)" } ?? $0.reader }.reduce(into: [String]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        .joined(separator: ", ")
    }

    private func contents(_ item: Int, _ ledger: Ledger) -> Finding? {
        let sights = ledger.items[item].sights
        for round in [["core"], ["again", "new"]] {
            // By whether it shows no edit.
            var first: [Bool: Ledger.ItemState.Sight] = [:]
            for sight in sights where round.contains(ledger.readings[sight.reading].reader) {
                guard ledger.readings[sight.reading].isComplete else { continue }
                guard let known = first[sight.tokens.isEmpty] else { first[sight.tokens.isEmpty] = sight; continue }
                guard known.digest != sight.digest, known.tokens.sorted() == sight.tokens.sorted(),
                    let id = known.tokens.lazy.compactMap({ ledger.lookup.ids[$0] }).first ?? ledger.latest(in: item)
                else { continue }
                let events = [ledger.readings[known.reading].event, ledger.readings[sight.reading].event]
                return ledger.finding(
                    .diverged, id,
                    "two readers show \(ledger.items[item].id) with the same edits and different content",
                    bearing: events)
            }
        }
        return nil
    }
}
