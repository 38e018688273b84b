import FleetModel

/// What became of every edit, built from the history in one pass.
///
/// The ledger knows facts: how far each edit got, what it saw, who supersedes it, which final readers show it.
/// The checkers give them names. Building it is linear in the history (events, tokens in them, items read).
///
/// What an app declares as meant for everyone (CloudKit's public database; S294) belongs to one account that all people of the app read:
/// each of their readings has to show it. A token of any other kind that another person sees is a leak, and so is one that turns up in
/// another iCloud account of the same person than that in which it was made (identity.md 3).
///
/// What an app declares as shared belongs to one account too, of which each item is read by those who have a part in it (`ShareBook`).
///
/// Not modelled: items moved between ids.
public struct Ledger: Sendable {
    /// Every edit that was invoked, in that order.
    public internal(set) var entries: [Entry] = []
    /// Final readings in order.
    public internal(set) var readings: [Reading] = []
    /// Items in complete final readings.
    public internal(set) var readItems = 0
    /// Edits whose ending is not `fine`, in the order they were invoked.
    public internal(set) var failing: [EntryID] = []

    /// What is known of the run as a whole.
    public struct RunFacts: Sendable {
        /// Names of the marks that occurred.
        public internal(set) var marks: Set<String> = []
        /// How far notes of the Cloud may stand from their place among the others; of several parts the worst.
        public internal(set) var clockError = Span.zero
        /// What the ledger could not make sense of: each makes a verdict `unknown`.
        public internal(set) var doubts: [String] = []
    }
    public internal(set) var run = RunFacts()

    /// One reader's view of one account at the end.
    public struct Reading: Sendable {
        /// The read event.
        public let event: Int
        /// Who read: the owner of the account.
        public let person: Person
        /// The app that was opened.
        public let app: AppName
        /// `core`, `new` or `again`.
        public let reader: String
        /// The iPad on which it was opened; nil where the event names none.
        public let pad: Int?
        /// False when not every object could be opened: then what it lacks proves nothing.
        public let isComplete: Bool
        /// Why nothing was read at all.
        public let reason: String?
    }

    /// An account in an app, or everyone in it: the unit that is read.
    struct Account: Sendable {
        let person: Person
        let app: AppName
        var items: [String: Int] = [:]
        /// Complete readings.
        var readings: [Int] = []
        var hasNewReading = false
        /// The first edit that happened here.
        var firstHappened: EntryID?
    }

    /// What the final readings say about one item that somebody edited.
    struct ItemState: Sendable {
        struct Sight: Sendable {
            var reading: Int
            var kind: String
            var tokens: [Token]
            var digest: String
        }
        let id: String
        var sights: [Sight] = []
        /// Flag settings and deletions that were tried, in order: what a tokenless write of its key may be.
        var bare: [EntryID] = []
        /// All edits of it that were tried, in order.
        var edits: [EntryID] = []
        // Edits of the item that happened, by order.
        var lastEffect: EntryID?
        var lastPutOrDelete: EntryID?
        var lastDelete: EntryID?
        /// All of them, the last first.
        var deletions: [EntryID] = []
        var effects: [EntryID] = []
        /// Of what some people share: the complete readings that have to show it; nil: all of its account.
        var owed: [Int]?
        /// By rung: the stamped edit with the largest device stamp that reaches it.
        var best: [EntryID?] = [nil, nil, nil, nil, nil]
        /// By rung: the latest edit that reaches it.
        var latest: [EntryID?] = [nil, nil, nil, nil, nil]
    }

    /// What an app declared about itself.
    struct AppFacts: Sendable {
        var promises: [String: Promise] = [:]
        /// Kind by action name; may be empty.
        var kinds: [String: String] = [:]
        var channel: Channel?
        /// The promise of its kinds that carry payloads, when they all promise the same.
        var onlyPromise: Promise?
        /// Kinds that everyone may see, and those that some people share.
        var forEveryone: Set<String> = []
        var shared: Set<String> = []
        func audience(of kind: String?) -> Entry.Audience {
            guard let kind else { return .own }
            return forEveryone.contains(kind) ? .everyone : shared.contains(kind) ? .some : .own
        }
    }

    /// Whose account holds what is meant for all people of an app; nobody can be called so.
    static let everyone: Person = ""
    /// Whose account holds what some people share.
    static let sharers: Person = "*"

    struct AccountKey: Hashable, Sendable {
        var person: Person
        var app: AppName
    }

    struct PersonItem: Hashable, Sendable {
        var person: Person
        var item: String
    }

    /// What happened around the edits.
    struct Log: Sendable {
        /// When each event of the history was.
        let times: [Instant]
        /// In which iCloud account each edit was made.
        let book: AccountBook
        var life = LifeLog()
        var faults = FaultLog()
        /// Who has a part in what some people share.
        var shares = ShareBook()
    }
    var log: Log

    /// Positions by name.
    struct Lookup: Sendable {
        var ids: [Token: EntryID] = [:]
        /// The edit that the last event was about.
        var recent: EntryID?
        var accountIDs: [AccountKey: Int] = [:]
        /// Items with edits whose bytes hold no token (flags, deletions), of whatever app: the key or path that a service names is the item's id.
        var bareItems: [PersonItem: [Int]] = [:]
    }
    var lookup = Lookup()

    /// People who ever had a session without an account, and those of them whose last one is over.
    struct Guests: Sendable {
        var all: Set<Person> = []
        var gone: Set<Person> = []
    }
    var guests = Guests()

    /// What only the passes over the history need.
    struct Pass: Sendable {
        /// Edits in items that are not their own, each pair once.
        var strays: Set<Places.Stray> = []
        /// Steps taken in loops over tokens, items and readings: shows that the work is linear.
        var work = 0
    }
    var pass = Pass()

    var accounts: [Account] = []
    var items: [ItemState] = []
    var apps: [AppName: AppFacts] = [:]
    /// Edits that happened, in the order of the event that shows it.
    var happened: [EntryID] = []
    /// iPads that were read at the end; empty when the readings do not say.
    var corePads: Set<Int> = []

    /// Reads the whole history. Any history is taken: what makes no sense becomes a doubt, never a trap.
    public init(_ history: [HistoryEvent]) {
        log = Log(times: history.map(\.at), book: AccountBook(history))
        entries.reserveCapacity(history.count / 8)
        for index in history.indices { take(history[index], at: index) }
        log.faults.settle()
        Supersession.settlePromises(&self)
        Supersession.settle(&self)
        Places.settle(&self)
        ShareBook.settle(&self)
        Endings.settle(&self)
        do { try LedgerAudit(ledger: self).checkInvariants() } catch {
            run.doubts.append("the ledger contradicts itself: \(error)")
        }
    }

    /// The edit of that name.
    public func entry(of token: Token) -> Entry? { lookup.ids[token].map { entries[$0] } }

    /// Whether an iPad belongs to the core. When no reading names its iPad, all do.
    func isCore(_ pad: Int?) -> Bool {
        guard let pad else { return true }
        return corePads.isEmpty || corePads.contains(pad)
    }

    /// Whether `ancestor` was visible to `id` or to one of the edits that it saw, and so on. Each edit is looked at once.
    func saw(_ id: EntryID, _ ancestor: EntryID) -> Bool {
        var met: Set<EntryID> = []
        var open = entries[id].saw
        while let next = open.popLast() {
            if next == ancestor { return true }
            // Nobody sees what was done later: what is older than the ancestor did not see it.
            guard !isLater(ancestor, than: next), met.insert(next).inserted else { continue }
            open.append(contentsOf: entries[next].saw)
        }
        return false
    }

    /// The first event after which the app alone could not know the edit any more: its end, a power cut or a purge.
    func destroyer(of entry: Entry, after index: Int) -> Int? {
        let kinds: [LifeLog.Kind] = [.exit, .powerCut, .purge]
        return kinds.compactMap {
            log.life.first($0, pad: entry.pad, person: entry.edit.person, app: entry.edit.app, after: index)
        }.min()
    }

    /// Whether no reader that had the last word on its iPad shows the edit: a view that a fresh launch lost counts for nothing.
    func endsNowhere(_ id: EntryID) -> Bool {
        let entry = entries[id]
        guard entry.edit.verb == .put, entry.ending == .partly else { return entry.ending == .gone }
        let all = accounts[entry.account].readings
        return !entry.visibleIn.contains { shown in
            let reading = readings[shown]
            return reading.reader != "core"
                || !all.contains {
                    let later = readings[$0]
                    return $0 > shown && later.reader == "again" && later.pad == reading.pad
                        && later.person == reading.person
                }
        }
    }

    /// Whether the brand-new iPad lacks the edit's effect.
    func isMissingOnNew(_ id: EntryID) -> Bool { missingReadings(id).contains { readings[$0].reader == "new" } }

    /// A finding with its story: the edit's ladder, what bears on it, and the step that doomed it.
    func finding(
        _ lossClass: LossClass, _ id: EntryID, _ summary: String, doomedBy: Int? = nil, bearing: [Int] = []
    ) -> Finding {
        let entry = entries[id]
        var story = entry.ladder + bearing
        if let doomedBy { story.append(doomedBy) }
        if let reading = missingReadings(id).last { story.append(readings[reading].event) }
        story.sort()
        var unique: [Int] = []
        for index in story where unique.last != index { unique.append(index) }
        return Finding(
            lossClass, token: entry.edit.token, person: entry.edit.person, app: entry.edit.app, summary: summary,
            doomedBy: doomedBy, story: unique)
    }
}
