import FleetModel

/// The other half of S11: an app that does not declare `NSSupportsPurgeableLocalStorage` although a purge would cost it nothing. Advice and no
/// mistake: an app may have reasons that edits do not show, such as files without a person's work.
public enum PurgeAdvice {
    /// Edits that an app must have been given before anything is said of it. ASSUMED.
    static let editsMin = 2

    /// One line for each such app, in order of name: whenever it ended, each edit in its sandbox had been handed over or was in the Cloud.
    public static func lines(_ history: [HistoryEvent]) -> [String] {
        var safe: Set<Token> = []
        var performed: [AppName: Int] = [:]
        var ends: [AppName: Int] = [:]
        var needing: Set<AppName> = []
        for event in history {
            let note = event.note
            switch note.kind {
            case .handedOver, .committed: safe.formUnion(note.tokens)
            case .handedBack: safe.subtract(note.tokens)
            case .performed: performed[note.app ?? "", default: 0] += note.tokens.count
            case .habit where note.detail["what"] == "undeclared":
                ends[note.app ?? "", default: 0] += 1
                if !safe.isSuperset(of: note.tokens) { needing.insert(note.app ?? "") }
            default: break
            }
        }
        return ends.keys.sorted().filter { !needing.contains($0) && performed[$0, default: 0] >= editsMin }.map {
            "S11  \($0)  keeps nothing that a purge would cost, as its \(ends[$0] ?? 0) ends show; "
                + "declare NSSupportsPurgeableLocalStorage"
        }
    }
}
