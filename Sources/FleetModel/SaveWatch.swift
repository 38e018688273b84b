/// Finds apps that never come to rest: they save the same content again and again, and nobody edits it.
///
/// A correct app saves a second time when an answer was lost or when somebody else saved between. None does so once a second for ten minutes. Content
/// is told apart by the edits in it: what holds none is not watched, for an app may write down every second where its person is.
public struct SaveWatch: Sendable {
    /// More saves of the same content in one place than this, within `window`, are a loop. ASSUMED: the numbers are ours.
    public static let savesMax = 600
    /// How long saves are counted together, from the first one on; then the count begins again. ASSUMED.
    public static let window = Span.minutes(10)

    private struct Content: Hashable {
        var channel: Channel?
        var person: Person?
        var place: String
        var tokens: [Token]
    }
    private var saves: [Content: (count: Int, since: Instant)] = [:]
    /// Who made each edit in which app.
    private var apps: [Token: AppName] = [:]

    /// A watch over one history, from its first event on.
    public init() {}

    /// Takes the next event of a history.
    /// - Returns: why the run need not go on, with app, iPad and item; nil for nearly all events.
    public mutating func take(_ event: HistoryEvent) -> String? {
        let note = event.note
        switch note.kind {
        case .invoked: for token in note.tokens { apps[token] = note.app }
        case .committed where !note.tokens.isEmpty: return count(event)
        default: break
        }
        return nil
    }

    private mutating func count(_ event: HistoryEvent) -> String? {
        let note = event.note
        let place = note.detail["where"]?.string ?? "a place"
        let content = Content(channel: note.channel, person: note.person, place: place, tokens: note.tokens)
        var known = saves[content] ?? (0, event.at)
        if event.at - known.since > Self.window { known = (0, event.at) }
        known.count += 1
        saves[content] = known
        guard known.count == Self.savesMax + 1 else { return nil }
        return Self.reason(event, "more than \(Self.savesMax) times since \(known.since)", app: apps[note.tokens[0]])
    }

    /// The words for an app that saves again and again: which one, where, and what.
    public static func reason(_ event: HistoryEvent, _ howOften: String, app: AppName?) -> String {
        let note = event.note
        let pad = note.detail["device"]?.string.map { " on \($0)" } ?? ""
        let what = note.tokens.prefix(3).joined(separator: ", ")
        return
            "\(app ?? "an app")\(pad) never comes to rest: it saved \(note.detail["where"]?.string ?? "a place") (\(what)) \(howOften), "
            + "and no edit explains it"
    }
}
