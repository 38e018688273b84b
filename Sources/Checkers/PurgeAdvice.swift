import FleetModel

/// The other half of S11: an app that does not declare `NSSupportsPurgeableLocalStorage` although a purge would cost it nothing. Advice and no
/// mistake: an app may have reasons that edits do not show, such as files without a person's work.
public enum PurgeAdvice {
    /// Edits that an app must have been given before anything is said of it. ASSUMED.
    static let editsMin = 2

    /// One line for each such app, in order of name: whenever it ended, each edit in its sandbox had been handed over or was in the Cloud.
    ///
    /// An end proves something only where an edit was still on its way: an outbox of the app's own is empty as long as nothing goes wrong, and
    /// whoever declares the key then loses what waits in it.
    public static func lines(_ history: [HistoryEvent]) -> [String] {
        var seen = Seen()
        for event in history { seen.take(event) }
        return seen.ends.keys.sorted().filter {
            !seen.needing.contains($0) && seen.performed[$0, default: 0] >= editsMin
        }
        .map { app in
            let count = seen.ends[app] ?? 0
            return seen.proving.contains(app)
                ? "S11  \(app)  keeps nothing that a purge would cost, as its \(count) ends show; "
                    + "declare NSSupportsPurgeableLocalStorage"
                : "S11  \(app)  kept nothing that a purge would cost at its \(count) ends, but nothing was on its way at any of them; "
                    + "lint it in a scenario with the fault `partition` before you declare NSSupportsPurgeableLocalStorage"
        }
    }

    /// What the ends of apps showed.
    private struct Seen {
        private struct Place: Hashable {
            var pad: Int?
            var person: Person?
            var app: AppName
        }
        private var safe: Set<Token> = []
        private var payloads: Set<Token> = []
        /// Performed, and not in the Cloud yet.
        private var underWay: [Place: Set<Token>] = [:]
        private var places: [Token: Place] = [:]
        var performed: [AppName: Int] = [:]
        var ends: [AppName: Int] = [:]
        var needing: Set<AppName> = []
        var proving: Set<AppName> = []

        mutating func take(_ event: HistoryEvent) {
            let note = event.note
            let app = note.app ?? ""
            let place = Place(pad: event.pad, person: note.person, app: app)
            switch note.kind {
            case .invoked:
                if note.detail["edit"].flatMap(Edit.init)?.verb == .put { payloads.formUnion(note.tokens) }
            case .handedOver: safe.formUnion(note.tokens)
            case .committed:
                safe.formUnion(note.tokens)
                for token in note.tokens { if let place = places[token] { underWay[place]?.remove(token) } }
            case .handedBack: safe.subtract(note.tokens)
            case .performed:
                performed[app, default: 0] += note.tokens.count
                for token in note.tokens where payloads.contains(token) && places[token] == nil {
                    places[token] = place
                    underWay[place, default: []].insert(token)
                }
            case .habit where note.detail["what"] == "undeclared":
                ends[app, default: 0] += 1
                if !safe.isSuperset(of: note.tokens) { needing.insert(app) }
                if underWay[place]?.isEmpty == false { proving.insert(app) }
            default: break
            }
        }
    }
}
