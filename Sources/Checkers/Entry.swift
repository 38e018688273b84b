import FleetModel

/// How far an edit got, lowest first (Docs/architecture.md, The life of one edit). A rung is a promise: nothing may undo it but what the promise allows.
public enum Rung: Int, Comparable, Sendable {
    /// Neither performed nor answered for by anybody.
    case attempted
    /// The handler returned; only the app answers for it. Also the rung of an edit that was handed back.
    case performed
    /// A system service answers for it.
    case handedOver
    /// The Cloud acknowledged it.
    case committed
    /// A final reader shows it.
    case visible

    /// Lower is less far.
    public static func < (a: Rung, b: Rung) -> Bool { a.rawValue < b.rawValue }
}

/// How the final readings show an edit.
public enum Ending: Hashable, Sendable {
    /// Everywhere as it should be, superseded, or never happened.
    case fine
    /// Some readers of the account show its effect, others do not.
    case partly
    /// No reader shows its effect.
    case gone
}

/// The position of an edit in `Ledger.entries`.
public typealias EntryID = Int

/// One edit's line in the ledger. All `Int?` that name an event are indices into the history.
public struct Entry: Sendable {
    /// What the person tried.
    public let edit: Edit
    /// The account (person and app) and the item, as positions in the ledger.
    let account: Int
    let item: Int
    /// The iCloud account in which it was made; nil: in none.
    let maker: Person?
    /// Who may see it, by what its app declares.
    let audience: Audience
    /// All people see it: nobody's sight of it is a leak.
    public var isForEveryone: Bool { audience == .everyone }
    /// What the app promises for the item's kind.
    public internal(set) var promise: Promise = .keepsAll
    /// The service that carries it: by a note about it, else the one that its app uses; nil where nothing says so.
    public internal(set) var channel: Channel?
    /// The iPad it was performed on.
    public internal(set) var pad: Int?

    // The ladder
    /// When the person tried it: the first event of its story.
    public let invoked: Int
    /// Its handler was called.
    public internal(set) var began: Int?
    /// When its handler returned.
    public internal(set) var performed: Int?
    /// When app or iPad visibly refused it.
    public internal(set) var refused: Int?
    /// The latest hand-over, and the latest return of the edit to its app.
    public internal(set) var handedOver: Int?
    /// After a hand-over: a definite refusal, so that the app answers for it again.
    public internal(set) var handedBack: Int?
    /// The latest return was a conflict: the server has another version, and the app is to settle which one stays.
    var metConflict = false
    /// The first commit, and the latest one of bytes that hold the edit.
    public internal(set) var committed: Int?
    /// The latest commit of bytes that hold it, in any place.
    public internal(set) var recommitted: Int?
    /// The latest time the Cloud replaced or removed bytes that held it, and what is told of it.
    var replacement: Replacement?
    /// When the Cloud replaced or removed bytes that held it, the latest time.
    public var replaced: Int? { replacement?.event }
    /// When a key-value write with it was accepted for upload.
    public internal(set) var stamped: Int?
    /// The largest device stamp of a key-value write that held it.
    var stamp: DeviceStamp?
    var transfersCancelled: Int?
    /// Where it was committed first, and the first commit in another place: a second copy.
    var place: String?
    var copied: Int?
    /// What its app was answered about it on its own iPad, plain successes left out, in order.
    var answers: [Int] = []
    /// The latest of them that told of another version on the server.
    var conflictAnswer: Int?
    /// The last time when the last file of its app that held it went.
    var forgotten: Int?
    /// The last time when it went while an upload that had not ended still had the edit.
    var letGo: Int?
    /// When the app was told that an earlier version of the item was saved, while it had this one.
    var olderSaved: [Int] = []
    /// The latest deletion of a zone that held it.
    var zoneDeleted: Int?
    /// The first event that shows that the edit happened; nil when none does.
    var order: Int?

    // What it saw
    /// Edits visible in the item just before this one.
    public internal(set) var saw: [EntryID] = []

    // Where it was seen
    /// Readings that show it whole, in order, each once.
    var visibleIn: [Int] = []
    /// The item in which the latest reading showed it.
    var shownInItem: String = ""
    /// The latest event that shows the edit alive on its iPad.
    var lastAlive: Int
    /// First reading (event) that shows it truncated or changed; to another person; twice.
    var damagedIn: Int?
    var leakedIn: Int?
    var shownTwice = ShownTwice()
    /// Other items in which complete readings show it, and the first of them where it may not stand.
    var astray: [Places.Astray] = []
    var misplaced: Places.Astray?
    /// It stands in its own item, and in another where no copy of it may stand.
    var isTwice = false
    /// Events that say it waits, or lies on an iPad.
    var pendingIn: [Int] = []
    var observedOnPads: [Int] = []

    // Derived once the pass is over
    /// The highest rung of an edit that supersedes this one, and that edit.
    var superseded: Rung = .attempted
    var superseder: EntryID?
    /// The higher of its own rung and of those that supersede it.
    var reach: Rung = .attempted
    /// The edit that won by the channel's rule although it was made earlier in true time.
    var skewWinner: EntryID?
    /// How the final readings show it; `fine` until the pass is over.
    public internal(set) var ending: Ending = .fine

    init(
        _ edit: Edit, maker: Person?, account: Int, item: Int, audience: Audience, invoked: Int, pad: Int?
    ) {
        self.edit = edit
        self.maker = maker
        self.account = account
        self.item = item
        self.audience = audience
        self.invoked = invoked
        self.pad = pad
        lastAlive = invoked
    }

    /// Its person alone; everybody who has a part in a share of it (`ShareBook`); all people.
    enum Audience: Hashable, Sendable {
        case own, some, everyone
    }

    /// First readings (events) that show an edit twice.
    struct ShownTwice: Sendable {
        /// In two items.
        var inTwoItems: Int?
        /// In its item, which is there twice under one name.
        var asItem: Int?
        /// In one item.
        var inItem: Int?
    }

    /// What the Cloud tells of bytes that took an edit's place.
    struct Replacement: Sendable {
        var event: Int
        /// The iPad and the account that sent them; nil: not told.
        var pad: Int?
        var account: Person?
        /// Edits in them.
        var holds: [Token]
    }

    /// Whether the edit took place: it was performed, or a service answers for it without having been told to refuse it.
    public var happened: Bool { order != nil && (performed != nil || refused == nil) }

    /// A deletion that was given to an app which died before it said what became of it: it may have taken place.
    var isUnansweredDeletion: Bool { edit.verb == .delete && order == nil && refused == nil && began != nil }

    /// The highest rung that still holds: a definite refusal takes the edit down to its app, a commit nobody takes back.
    public var rung: Rung {
        if committed != nil { return .committed }
        if let handedOver, handedOver > (handedBack ?? -1) { return .handedOver }
        return performed == nil && order == nil ? .attempted : .performed
    }

    /// Whether the Cloud held the edit and then let it go.
    public var isDestroyedInCloud: Bool {
        guard let replaced, let recommitted else { return false }
        return replaced > recommitted
    }

    /// Of many answers a story tells the first and the last ones.
    private static let answersTold = 3

    /// The ladder's events: what every story of the edit tells.
    var ladder: [Int] {
        [
            invoked, began, performed, refused, handedOver, handedBack, stamped, committed, recommitted, replaced,
            transfersCancelled, zoneDeleted, forgotten, letGo, answers.first,
        ]
        .compactMap { $0 } + answers.suffix(Self.answersTold)
    }
}

/// When a device says that a key-value pair was set: the largest stays, ties by device (key-value-store.md 6, S113, S114).
struct DeviceStamp: Comparable, Hashable, Sendable {
    var nanoseconds: Int64
    var device: String

    static func < (a: DeviceStamp, b: DeviceStamp) -> Bool { (a.nanoseconds, a.device) < (b.nanoseconds, b.device) }
}
