import FleetModel

/// An app's habit that loses nothing today and will one day: found without a fault, from what its iPads noted (`habits`).
public struct HabitFinding: Hashable, Sendable {
    /// The app that has the habit.
    public var app: AppName
    /// The statement that asks for something else: `S84`.
    public var statement: String
    /// What the app did, and what to do instead.
    public var text: String
    /// How often it was seen, and where first.
    public var count: Int
    /// Virtual time of the first one.
    public var first: Instant
    /// The iPad of the first one.
    public var from: ParticipantID

    /// One line for a terminal: statement, app, what, how often and where first.
    public var line: String { "\(statement)  \(app)  \(text) (\(count) times, first on \(from) at \(first))" }
}

/// Reads an app's habits from a history. One finding for each app and rule, in order of app and statement.
public enum HabitLint {
    /// ASSUMED: in this time any work can be handed over.
    static let taskMax = Span.seconds(5)
    /// Source: app-lifecycle.md 3, the older guide's limit of a launch; a system of today kills only at about 20 s.
    static let launchMax = Span.seconds(5)
    /// ASSUMED: longer than a batch of a person's own pace, or an upload that meets a busy service, needs.
    static let handOverMax = Span.seconds(30)
    /// ASSUMED: operations with one record each that are many in a short time.
    static let (singlesMax, burst) = (10, Span.seconds(10))
    /// ASSUMED: documents that were asked for and never read; a few are an app's end at the wrong moment.
    static let unreadMax: Int64 = 3
    /// ASSUMED: bytes from which writing a file whole for a small change is waste.
    static let wholeFileMax: Int64 = 64 * 1024
    /// Source: app-lifecycle.md 13, "above a few MB with random access use a database".
    static let databaseMin: Int64 = 3_000_000
    /// ASSUMED: documents that a first screen may need.
    static let eagerMax: Int64 = 10
    /// ASSUMED: the same answer for nothing, so often in a row; retries and double looks are fewer.
    static let pollsMax: Int64 = 5

    /// - Parameter violations: what the checkers found in the same history.
    public static func findings(_ history: [HistoryEvent], violations: [Finding] = []) -> [HabitFinding] {
        var found: [HabitFinding] = []
        var readToken: Set<Launch> = []
        var single: [Launch: [Instant]] = [:]
        var performed: [Token: HistoryEvent] = [:]
        // Documents and uploads are handed over before the app says that it has performed the edit.
        var handedOver: Set<Token> = []
        func add(_ statement: String, _ text: String, _ event: HistoryEvent) {
            let app = event.note.app ?? "?"
            if let index = found.firstIndex(where: { $0.app == app && $0.statement == statement }) {
                found[index].count += 1
            } else {
                found.append(
                    HabitFinding(
                        app: app, statement: statement, text: text, count: 1, first: event.at, from: event.from))
            }
        }
        for finding in violations {
            guard let doom = finding.doomedBy, history.indices.contains(doom) else { continue }
            if let text = lostToPurge(finding, history[doom].note) { add("S11", text, history[doom]) }
        }
        for event in history {
            switch event.note.kind {
            case .performed:
                for token in event.note.tokens where !handedOver.contains(token) { performed[token] = event }
            case .handedOver:
                for token in event.note.tokens {
                    handedOver.insert(token)
                    guard let begun = performed.removeValue(forKey: token), event.at - begun.at > handOverMax else {
                        continue
                    }
                    let waited = event.at - begun.at
                    add("S21", "keeps an edit for \(waited) before it hands it over; do it at once, one by one", begun)
                }
            default: break
            }
            guard event.note.kind == .habit else { continue }
            let note = event.note
            let launch = Launch(from: event.from, number: note.detail["launch"]?.int ?? 0)
            var broken = rules(note)
            if note.what == "identityToken", readToken.insert(launch).inserted, !note.flag("early") {
                broken.append(("S75", "reads the identity token only after its launch; read it first, at launch"))
            }
            if note.what == "container", !readToken.contains(launch) {
                broken.append(("S75", "opens a container before it reads the identity token; read it first, at launch"))
            }
            if note.what == "operation", note.detail["items"]?.int == 1 {
                single[launch, default: []].removeAll { event.at - $0 > burst }
                single[launch, default: []].append(event.at)
                if single[launch, default: []].count == singlesMax {
                    broken.append(
                        ("S210", "sends \(singlesMax) records one by one in \(burst); put them into one operation"))
                }
            }
            for (statement, text) in broken { add(statement, text, event) }
        }
        for (event, text) in KeptFlags.found(in: history) { add("S22", text, event) }
        return found.sorted { ($0.app, $0.number) < ($1.app, $1.number) }
    }

    /// The key says that a purge costs nothing (S11).
    private static func lostToPurge(_ finding: Finding, _ purge: Note) -> String? {
        guard purge.kind == .purged, purge.app != nil, [.signOut, .lowSpace].contains(purge.purgeReason)
        else { return nil }
        return
            "declares NSSupportsPurgeableLocalStorage and loses \(finding.token) in a purge; declare it when nothing is lost"
    }

    private struct Launch: Hashable {
        var from: ParticipantID
        var number: Int64
    }

    /// The rules that one note breaks by itself.
    private static func rules(_ note: Note) -> [(statement: String, text: String)] {
        switch note.what {
        case "identityToken": token(note)
        case "container" where note.flag("main"):
            [("S84", "opens its container on the main thread, where it may block; do it on another")]
        case "containerFile": containerFile(note)
        case "backgroundTask": backgroundTask(note)
        case "launch" where note.span("took") > launchMax:
            [("S164", "takes \(note.span("took")) to launch; leave slow work for later, \(launchMax) is the limit")]
        case "refetch":
            [("S18", "fetches a zone from the beginning though it has a change token; keep the token and use it")]
        case "interface":
            [("S159", "changes what is on the screen while it is in the background; do it when it comes back")]
        case "rewritten": rewritten(note)
        case "loadedAtLaunch" where note.detail["size"]?.int ?? 0 >= databaseMin:
            [("S209", "loads all of \(note.path) at launch; keep it in a database and load what is shown")]
        case "protected" where note.detail["size"]?.int ?? 0 > 0:
            [("S191", "protects \(note.path) when it has content already; set the class before the content")]
        case "ended": ended(note)
        case "secret":
            [("S16", "keeps a secret in \(note.detail["place"]?.string ?? "?"); secrets belong in the keychain")]
        case "unchanged" where note.detail["times"]?.int ?? 0 >= pollsMax:
            [
                (
                    "S204",
                    "asks again and again (\(note.detail["question"]?.string ?? "?")) for what has not changed; let a push tell"
                )
            ]
        case "development":
            [("S290", "is built for CloudKit's development environment; what schools install needs Production")]
        default: []
        }
    }

    private static func ended(_ note: Note) -> [(String, String)] {
        var broken: [(String, String)] = []
        let unread = note.detail["unread"]?.int ?? 0
        if unread > unreadMax {
            broken.append(
                ("S17", "fetches \(unread) documents and reads none of them; fetch what is shown, when it is shown"))
        }
        let eager = note.detail["eager"]?.int ?? 0
        if unread <= unreadMax, eager > eagerMax {
            broken.append(("S17", "fetches \(eager) documents at its launch; fetch what is shown, when it is shown"))
        }
        if note.detail["temporaryFiles"]?.int ?? 0 > 0 {
            broken.append(("S214", "leaves temporary files behind; remove them when they have done their work"))
        }
        return broken
    }

    private static func rewritten(_ note: Note) -> [(String, String)] {
        let (size, changed) = (note.detail["size"]?.int ?? 0, note.detail["changed"]?.int ?? 0)
        guard size >= wholeFileMax, changed < size / 10 else { return [] }
        var broken = [("S212", "writes all \(size) bytes of \(note.path) to change \(changed); write what has changed")]
        if size >= databaseMin {
            broken.append(("S213", "changes parts of \(note.path), \(size) bytes; use a database"))
        }
        return broken
    }

    private static func token(_ note: Note) -> [(String, String)] {
        var broken: [(String, String)] = []
        if !note.flag("main") { broken.append(("S76", "reads the identity token off the main thread; read it there")) }
        return broken
    }

    private static func backgroundTask(_ note: Note) -> [(String, String)] {
        var broken: [(String, String)] = []
        let name = note.detail["name"]?.string ?? ""
        if note.span("held") > taskMax {
            broken.append(("S24", "holds the background task '\(name)' for \(note.span("held")); end it sooner"))
        }
        if note.flag("overTransfer") {
            broken.append(
                ("S25", "waits in the background task '\(name)' for a transfer's end; end it at the hand-over"))
        }
        return broken
    }

    private static func containerFile(_ note: Note) -> [(String, String)] {
        var broken: [(String, String)] = []
        if !note.flag("coordinated") {
            broken.append(("S52", "changes \(note.path) without coordination; use NSFileCoordinator"))
        }
        if note.flag("database") || isDatabase(note.path) {
            broken.append(("S58", "keeps a live database in a container: \(note.path); sync its changes instead"))
        }
        if isRemakeable(note.path) {
            broken.append(
                ("S59", "keeps \(note.path) in a container; what can be made again belongs in Library/Caches"))
        }
        return broken
    }
    private static func isDatabase(_ path: String) -> Bool {
        let endings = [".sqlite", ".sqlite3", ".db"].flatMap { [$0, $0 + "-wal", $0 + "-shm", $0 + "-journal"] }
        return endings.contains { path.hasSuffix($0) }
    }
    private static func isRemakeable(_ path: String) -> Bool {
        // Below the containers' own folder, whose name says nothing.
        let parts = path.split(separator: "/").dropFirst(5).map { $0.lowercased() }
        return parts.contains { ["caches", "cache", "tmp", "temp", "thumbnails"].contains($0) }
            || path.hasSuffix(".tmp") || path.hasSuffix(".cache")
    }
}

extension HabitFinding {
    fileprivate var number: Int { Int(statement.dropFirst()) ?? 0 }
}
extension Note {
    fileprivate var what: String { detail["what"]?.string ?? "" }
    fileprivate var path: String { detail["path"]?.string ?? "" }
    fileprivate func flag(_ key: String) -> Bool { detail[key]?.bool ?? false }
    fileprivate func span(_ key: String) -> Span { Span(nanoseconds: detail[key]?.int ?? 0) }
}
