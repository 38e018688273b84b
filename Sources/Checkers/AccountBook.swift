import FleetModel

extension Ledger {
    /// A second account of which no service has anything: the Cloud may never have heard of it, and nobody can read it.
    func isKnownToAppsOnly(_ account: Account) -> Bool {
        guard SecondAccount.isOne(account.person),
            let number = lookup.accountIDs[AccountKey(person: account.person, app: account.app)]
        else { return false }
        return !entries.contains { $0.account == number && $0.rung >= .handedOver }
    }

    /// It belongs to a second account, which is not there at the end: what only the app holds waits for it (identity.md 3).
    func waitsForAccount(_ id: EntryID) -> Bool {
        SecondAccount.isOne(accounts[entries[id].account].person) && entries[id].rung < .handedOver
    }
}

/// Under which iCloud account each edit was made, where that is not simply the person's own (`began`, `detail.account`).
///
/// What was made under no account belongs to nobody yet: an app may move it into the account that comes next, and never again into another
/// (identity.md 3). Where it was committed first is where it belongs, or else where it was handed over first; what never came so far goes
/// with the edit that saw it; else it is its person's.
struct AccountBook: Sendable {
    /// Of edits that were made elsewhere than in the own account; nil: in none.
    private var makers: [Token: Person?] = [:]
    /// Where edits that were made in none belong.
    private var homes: [Token: Person] = [:]

    init(_ history: [HistoryEvent]) {
        var begun: [(token: Token, saw: [Token])] = []
        var handedOver: [Token: Person] = [:]
        // Flags and deletions leave no token in what is committed: the newest of that item on the iPad that sent it.
        var items: [Token: String] = [:]
        var bare: [Bare: Token] = [:]
        for event in history {
            let note = event.note
            switch note.kind {
            case .invoked:
                guard let edit = note.detail["edit"].flatMap(Edit.init), edit.verb != .put else { continue }
                items[edit.token] = edit.item
            case .began:
                guard let token = note.tokens.first, makers[token] == nil else { continue }
                let place = items[token].map {
                    Bare(pad: event.pad, person: note.person ?? "", app: note.app ?? "", item: $0)
                }
                // What comes after it on that iPad is not its.
                if let place { bare[place] = nil }
                guard let account = note.detail["account"] else { continue }
                makers[token] = .some(account.string)
                begun.append((token, note.detail["saw"]?.strings ?? []))
                if account.string == nil, let place { bare[place] = token }
            case .committed:
                guard !makers.isEmpty, let account = note.person else { continue }
                for token in note.tokens where isNobodys(token) && homes[token] == nil { homes[token] = account }
            case .handedOver where !note.tokens.isEmpty:
                guard !makers.isEmpty, let account = note.person else { continue }
                for token in note.tokens where isNobodys(token) && handedOver[token] == nil {
                    handedOver[token] = account
                }
            case .handedOver:
                guard !bare.isEmpty, let account = note.person, let app = note.app,
                    let item = Ledger.place(note.detail),
                    let token = bare[
                        Bare(pad: event.pad, person: SecondAccount.user(of: account), app: app, item: item)],
                    homes[token] == nil
                else { continue }
                homes[token] = account
            default: continue
            }
        }
        homes.merge(handedOver) { committed, _ in committed }
        for (token, saw) in begun.reversed() {
            guard let home = maker(of: token) ?? homes[token] else { continue }
            for older in saw where isNobodys(older) && homes[older] == nil { homes[older] = home }
        }
    }

    private struct Bare: Hashable {
        var pad: Int?
        var person: Person
        var app: AppName
        var item: String
    }

    /// The account in which an edit was made, when the history names one that is not the own one.
    private func maker(of token: Token) -> Person? { makers[token] ?? nil }
    private func isNobodys(_ token: Token) -> Bool { makers[token].map { $0 == nil } ?? false }

    /// The account in which an edit was made; nil: in none.
    func maker(of edit: Edit) -> Person? { makers[edit.token] ?? edit.person }
    /// The account whose readers have to show it.
    func home(of edit: Edit) -> Person { maker(of: edit) ?? homes[edit.token] ?? edit.person }
}
