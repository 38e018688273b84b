import FleetModel

/// Whether a history is all of a run: what is missing from it, or was put into it, makes any verdict worthless.
///
/// A history tells more than once what happened: the World says which phase begins and what it is about to read, people say what they try,
/// apps declare what they make. Where these do not fit each other the run is `unknown`. Linear in the history.
struct Wholeness {
    /// The phases of a run that was judged, in their order (architecture.md).
    static let phases = ["storm", "calm", "reading-core", "reading-new", "reading-again"]
    /// ASSUMED: no run lasts so long; a scenario has some days at most.
    static let longest = Span.hours(24 * 366)

    /// One sentence each: what does not fit, and where it shows first.
    private(set) var doubts: [String] = []

    /// - Parameter isRun: the history of a run from its beginning to its end, which has all phases; false: of any part of one, where phases
    ///   and plans of readings are looked at only when there are some.
    init(_ history: [HistoryEvent], isRun: Bool) {
        checkTimes(history)
        if isRun { checkPhases(history) }
        var readings = PlannedReadings()
        var edits = KnownEdits()
        for (index, event) in history.enumerated() {
            readings.take(event)
            edits.take(event, at: index)
        }
        if isRun || readings.isPlanned { doubts += readings.doubts }
        doubts += edits.doubts(history)
        doubts += RestlessApps(history).doubts
    }

    /// Time does not go back, and no run begins before it begins.
    private mutating func checkTimes(_ history: [HistoryEvent]) {
        // Of a live run the Cloud's notes may stand a little before their place (Docs/live.md).
        let hasClocks = history.contains { $0.note.kind == .clocks }
        let first = hasClocks ? Instant.zero + Span(nanoseconds: -Limits.clockErrorMax.nanoseconds) : .zero
        let last = Instant.zero + Self.longest
        if let index = history.firstIndex(where: { $0.at < first || $0.at > last }) {
            say("event \(index) (\(history[index].note.kind.rawValue)) is at \(history[index].at), outside of any run")
        }
        if let index = history.indices.dropFirst().first(where: { history[$0].at < history[$0 - 1].at }) {
            say("event \(index) (\(history[index].note.kind.rawValue)) is earlier than the one before it")
        }
    }

    private mutating func checkPhases(_ history: [HistoryEvent]) {
        let found = history.compactMap { $0.note.kind == .phase ? $0.note.detail["name"]?.string ?? "?" : nil }
        guard found != Self.phases else { return }
        let all = found.isEmpty ? "none" : found.joined(separator: ", ")
        say("a run has the phases \(Self.phases.joined(separator: ", ")), this one \(all)")
    }

    private mutating func say(_ what: String) { doubts.append("the history is not whole: \(what)") }
}

/// Names edits, and knows which were made and as what.
private struct KnownEdits {
    private struct Place: Hashable {
        var app: AppName
        var item: String
    }
    private var made: Set<Token> = []
    /// Tokens of which nobody is known to have made them when they are met, with the first event.
    private var met: [(token: Token, event: Int)] = []
    private var metTokens: Set<Token> = []
    /// What each action makes, and so what the items are that people edit; nil: some action is not declared.
    private var kinds: [AppName: [String: String]] = [:]
    private var edited: [Place: Set<String>?] = [:]
    /// All kinds of which an app says anything.
    private var declared: [AppName: Set<String>] = [:]
    private var strange: (item: String, kind: String, app: AppName, event: Int)?

    mutating func take(_ event: HistoryEvent, at index: Int) {
        let note = event.note
        switch note.kind {
        case .appDeclared: takeDeclaration(note)
        case .invoked:
            if let edit = note.detail["edit"].flatMap(Edit.init) { take(edit) }
        default: meet(note.tokens, at: index)
        }
        switch note.kind {
        case .began: meet(note.detail["saw"]?.strings ?? [], at: index)
        case .replaced: meet(note.detail["by"]?.strings ?? [], at: index)
        case .read: takeItems(note, at: index)
        default: break
        }
    }

    private mutating func takeDeclaration(_ note: Note) {
        guard let app = note.app else { return }
        declared[app, default: []].formUnion(note.detail["promises"]?.object?.pairs.map(\.key) ?? [])
        for action in note.detail["actions"]?.array ?? [] {
            guard let name = action["name"]?.string, let kind = action["kind"]?.string else { continue }
            kinds[app, default: [:]][name] = kind
            declared[app]?.insert(kind)
        }
    }
    private mutating func take(_ edit: Edit) {
        made.insert(edit.token)
        let place = Place(app: edit.app, item: edit.item)
        guard let kind = kinds[edit.app]?[edit.action], let known = edited[place] ?? [] else {
            edited[place] = .some(nil)
            return
        }
        edited[place] = known.union([kind])
    }
    private mutating func meet(_ tokens: [Token], at index: Int) {
        for token in tokens where !made.contains(token) && metTokens.insert(token).inserted {
            met.append((token, index))
        }
    }
    private mutating func takeItems(_ note: Note, at index: Int) {
        for item in (note.detail["items"]?.array ?? []).compactMap(Item.init) {
            meet(item.tokens + item.damaged, at: index)
            guard let app = note.app, isStrange(item, in: app) else { continue }
            strange = strange ?? (item.id, item.kind, app, index)
        }
    }

    /// What people edit is of a kind that they made; a copy, which nobody named, of some kind that the app declares.
    private func isStrange(_ item: Item, in app: AppName) -> Bool {
        if let kinds = edited[Place(app: app, item: item.id)] { return kinds.map { !$0.contains(item.kind) } ?? false }
        guard !item.tokens.isEmpty, let declared = declared[app] else { return false }
        return !declared.contains(item.kind)
    }

    func doubts(_ history: [HistoryEvent]) -> [String] {
        var doubts: [String] = []
        let nobodys = met.filter { !made.contains($0.token) }
        if let first = nobodys.first {
            let more = nobodys.count > 1 ? " (and \(nobodys.count - 1) more)" : ""
            doubts.append(
                "the history is not whole: event \(first.event) (\(history[first.event].note.kind.rawValue)) names "
                    + "\(first.token)\(more), which nobody made")
        }
        if let strange {
            doubts.append(
                "the history is not whole: event \(strange.event) reads \(strange.item) as '\(strange.kind)', which no action of "
                    + "\(strange.app) on it makes")
        }
        return doubts
    }
}
