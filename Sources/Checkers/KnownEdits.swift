import FleetModel

/// Names edits, and knows which were made and as what: a part of `Wholeness`.
struct KnownEdits {
    private struct Place: Hashable {
        var app: AppName
        var person: Person
        var item: String
    }
    /// An edit's item, and the kind that its action makes; nil: not declared.
    private struct Made {
        var item: String
        var kind: String?
    }
    private var made: [Token: Made] = [:]
    /// Tokens of which nobody is known to have made them when they are met, with the first event.
    private var met: [(token: Token, event: Int)] = []
    private var metTokens: Set<Token> = []
    /// What each action makes, and what of it is not its person's alone.
    private var kinds: [AppName: [String: String]] = [:]
    private var forEveryone: [AppName: Set<String>] = [:]
    /// As what each person made an item; nil: some action is not declared.
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
        forEveryone[app, default: []].formUnion(
            (note.detail["forEveryone"]?.strings ?? []) + (note.detail["shared"]?.strings ?? []))
        for action in note.detail["actions"]?.array ?? [] {
            guard let name = action["name"]?.string, let kind = action["kind"]?.string else { continue }
            kinds[app, default: [:]][name] = kind
            declared[app]?.insert(kind)
        }
    }
    private mutating func take(_ edit: Edit) {
        let kind = kinds[edit.app]?[edit.action]
        made[edit.token] = made[edit.token] ?? Made(item: edit.item, kind: kind)
        let isForEveryone = kind.map { forEveryone[edit.app]?.contains($0) == true } ?? false
        let place = Place(app: edit.app, person: isForEveryone ? Ledger.everyone : edit.person, item: edit.item)
        guard let kind, let known = edited[place] ?? [] else {
            edited[place] = .some(nil)
            return
        }
        edited[place] = known.union([kind])
    }
    private mutating func meet(_ tokens: [Token], at index: Int) {
        for token in tokens where made[token] == nil && metTokens.insert(token).inserted {
            met.append((token, index))
        }
    }
    private mutating func takeItems(_ note: Note, at index: Int) {
        for item in (note.detail["items"]?.array ?? []).compactMap(Item.init) {
            meet(item.tokens + item.damaged, at: index)
            guard let app = note.app, let person = note.person, isStrange(item, in: app, of: person) else { continue }
            strange = strange ?? (item.id, item.kind, app, index)
        }
    }

    /// An item is of a kind that was made of it: by the edits that it shows, or, when it shows none, by those of its name that its person or
    /// everyone made. A copy, which shows edits of other items only, is of some kind that the app declares.
    private func isStrange(_ item: Item, in app: AppName, of account: Person) -> Bool {
        let shown = (item.tokens + item.damaged).compactMap { made[$0] }
        guard shown.isEmpty else {
            if shown.contains(where: { $0.kind == nil || $0.kind == item.kind }) { return false }
            return shown.contains { $0.item == item.id } || !(declared[app]?.contains(item.kind) ?? true)
        }
        let places = [SecondAccount.user(of: account), Ledger.everyone].compactMap {
            edited[Place(app: app, person: $0, item: item.id)]
        }
        return !places.isEmpty && places.allSatisfy { $0.map { !$0.contains(item.kind) } ?? false }
    }

    func doubts(_ history: [HistoryEvent]) -> [String] {
        var doubts: [String] = []
        let nobodys = met.filter { made[$0.token] == nil }
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
