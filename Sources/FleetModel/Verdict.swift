/// What a run proves. `unknown` is never a pass: nothing written, too little read, or a mark that was not reached.
public enum Verdict: String, Hashable, Sendable, CaseIterable {
    case valid, invalid, unknown
}

/// How an edit ended that did not end well, or that needs a reason why it did.
public enum LossClass: String, Hashable, Sendable, CaseIterable {
    /// Handed over or committed, now nowhere, and not superseded.
    case lost
    /// Performed, never handed over, destroyed by a purge, kill or power cut: the app's own bug.
    case unsaved
    /// Replaced by an edit that never saw it, where the app promises to keep both.
    case overwritten
    /// Deleted and acknowledged, yet back.
    case resurrected
    /// Once made, twice there.
    case duplicated
    /// Truncated, mixed, changed, or read in another item than the one that was edited.
    case damaged
    /// Still pending when the calm budget ended.
    case stuck
    /// Two readers of the same account disagree after calm.
    case diverged
    /// Visible to, held by a service for, or on disk in reach of, another person, be it for a moment.
    case leaked
    /// Refused by production, whose schema does not have what the app uses; the finding names the line to deploy.
    case undeployed
    /// Its only durable copy lies on an iPad outside the core, shown in that Pad's queue: counted, not invalid.
    case stranded
    /// Gone by a documented rule, with the event that excuses it: counted, not invalid.
    case excused
    /// Lost inside a documented window before hand-over to the key-value store: counted and capped, not invalid.
    case inflight

    /// Whether one such edit makes a run invalid.
    public var isViolation: Bool {
        switch self {
        case .stranded, .excused, .inflight: false
        default: true
        }
    }
}

/// One edit's bad end, with its story.
public struct Finding: Hashable, Sendable {
    /// What became of the edit, in one word.
    public var lossClass: LossClass
    /// The edit.
    public var token: Token
    /// The person who made it.
    public var person: Person
    /// The app in which it was made.
    public var app: AppName
    /// One sentence: what happened to the edit.
    public var summary: String
    /// Index into the history of the step that doomed the edit; nil when no single step did.
    public var doomedBy: Int?
    /// The edit's own events in order: indices into the history.
    public var story: [Int]

    /// Indices are of the history that the checker was given; nothing checks them here.
    public init(
        _ lossClass: LossClass, token: Token, person: Person, app: AppName, summary: String, doomedBy: Int?,
        story: [Int]
    ) {
        self.lossClass = lossClass
        self.token = token
        self.person = person
        self.app = app
        self.summary = summary
        self.doomedBy = doomedBy
        self.story = story
    }
}
