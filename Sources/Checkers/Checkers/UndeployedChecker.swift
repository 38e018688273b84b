import FleetModel

/// The bug most often reported of CloudKit is no race: a record type, a field or an index that exists in development only. Production
/// refused an edit for it, and would refuse it of everybody.
public struct UndeployedChecker: Checker {
    /// One such edit makes a run invalid; asked first, since everything else may follow from it.
    public static let lossClass = LossClass.undeployed
    /// Only runs that watch the schema of production have notes of it.
    public static let summary = "refused by production, whose schema does not have what the app saves"
    /// Has no settings.
    public init() {}

    /// One for each edit, at its first refusal, with the lines to deploy; an edit that was committed before has none.
    public func findings(ledger: Ledger, history: [HistoryEvent]) -> [Finding] {
        var told: Set<Token> = []
        var found: [Finding] = []
        for index in history.indices where history[index].note.kind == .undeployed {
            let note = history[index].note
            for token in note.tokens where told.insert(token).inserted {
                guard let id = ledger.lookup.ids[token] else { continue }
                // What lies in another field of the same record was taken before.
                if let committed = ledger.entries[id].committed, committed < index { continue }
                let lines = note.detail["lines"]?.strings.joined(separator: "; ") ?? ""
                found.append(
                    ledger.finding(.undeployed, id, "production does not have what it needs: \(lines)", doomedBy: index)
                )
            }
        }
        return found
    }

    /// What production lacks, whether an edit was refused for it or a query: each line once, with where it was missed first.
    static func lines(_ history: [HistoryEvent]) -> [String] {
        var seen: Set<String> = []
        var lines: [String] = []
        for event in history where event.note.kind == .undeployed {
            let detail = event.note.detail
            let (container, device) = (detail["container"]?.string ?? "?", detail["device"]?.string ?? "?")
            for line in detail["lines"]?.strings ?? [] where seen.insert("\(container) \(line)").inserted {
                lines.append(
                    "\(container): \(line)   (first by \(device) at \(event.at): \(detail["use"]?.string ?? "used"))")
            }
        }
        return lines
    }
}
