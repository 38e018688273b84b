import FleetModel
import Testing

@testable import Checkers

/// One edit of a history, and what a reader of the edited one has to find.
struct HistoryEdit: Sendable {
    enum Expected: Sendable {
        /// Nobody could tell the difference, or it harms nothing.
        case valid
        /// All findings, in the order the edits were invoked.
        case found(String)
        /// A reason that holds these words.
        case unknown(String)
    }
    let name: String
    /// Apps in whose history it makes sense.
    let apps: [BaseApp]
    let expected: Expected
    let apply: @Sendable (inout EditedRun) -> Void

    init(
        _ name: String, in apps: [BaseApp] = BaseApp.allCases, _ expected: Expected,
        _ apply: @escaping @Sendable (inout EditedRun) -> Void
    ) {
        (self.name, self.apps, self.expected, self.apply) = (name, apps, expected, apply)
    }
}

/// One row of the table: an edit of one app's history.
struct EditedHistory: Sendable, CustomTestStringConvertible {
    let app: BaseApp
    let edit: HistoryEdit

    static func all(_ edits: [HistoryEdit]) -> [EditedHistory] {
        edits.flatMap { edit in edit.apps.map { EditedHistory(app: $0, edit: edit) } }
    }
    var testDescription: String { "\(app.rawValue): \(edit.name)" }

    /// Nil when the verdict is the expected one, else what it is.
    var complaint: String? {
        var run = EditedRun(app)
        edit.apply(&run)
        let judgement = run.judgement
        let told = "\(testDescription): \(judgement.verdict), \(run.outcome) \(judgement.reasons)"
        switch edit.expected {
        case .valid: return judgement.verdict == .valid && judgement.findings.isEmpty ? nil : told
        case .found(let findings): return run.outcome == findings ? nil : told
        case .unknown(let words):
            let isSaid = judgement.reasons.contains { $0.contains(words) }
            return judgement.verdict == .unknown && isSaid ? nil : told
        }
    }
}

/// The tools that edits are made of.
extension EditedRun {
    /// Which readings are meant: of which reader, on which iPad; nil: all.
    struct Where {
        var reader: String?
        var pad: Int?
    }

    /// Changes what Maya's readings show; of a board, everybody's: it is one.
    mutating func show(_ place: Where = Where(), _ change: (inout [Item]) -> Void) {
        let isBoard = app == .board
        editNotes(.read) { event in
            guard isBoard || event.note.person == "maya" else { return }
            guard place.pad.map({ event.from == .pad($0) }) ?? true,
                place.reader.map({ event.note.detail["reader"]?.string == $0 }) ?? true
            else { return }
            var items = (event.note.detail["items"]?.array ?? []).compactMap(Item.init)
            change(&items)
            event.note.detail["items"] = .array(items.map(\.body))
        }
    }
    /// Changes one item wherever it is read.
    mutating func show(_ id: String, _ place: Where = Where(), _ change: (inout Item) -> Void) {
        show(place) { items in
            for index in items.indices where items[index].id == id { change(&items[index]) }
        }
    }
    /// Takes note-2 from every reading.
    mutating func hide(_ place: Where = Where()) { show(place) { $0.removeAll { $0.id == "note-2" } } }

    mutating func editNotes(_ kind: Note.Kind, about token: Token? = nil, _ change: (inout HistoryEvent) -> Void) {
        for index in events.indices where events[index].note.kind == kind {
            if let token, !events[index].note.tokens.contains(token) { continue }
            change(&events[index])
        }
    }
    /// Gives notes about `maya.2` to somebody else.
    mutating func give(_ kind: Note.Kind, to person: Person) {
        editNotes(kind, about: "maya.2") { $0.note.person = person }
    }
    mutating func remove(_ kind: Note.Kind, where isMeant: (HistoryEvent) -> Bool = { _ in true }) {
        events.removeAll { $0.note.kind == kind && isMeant($0) }
    }
    /// What services know of `maya.2`.
    mutating func forget(_ kinds: Note.Kind...) {
        events.removeAll { kinds.contains($0.note.kind) && $0.note.tokens.contains("maya.2") }
    }
    /// Puts a note into the history right after the last of that kind about an edit.
    mutating func insert(_ note: Note, from id: ParticipantID, after kind: Note.Kind, of token: Token = "maya.2") {
        guard let index = events.lastIndex(where: { $0.note.kind == kind && $0.note.tokens.contains(token) }) else {
            return
        }
        events.insert(HistoryEvent(at: events[index].at, from: id, note), at: index + 1)
    }
    mutating func append(_ note: Note, from id: ParticipantID) {
        events.append(HistoryEvent(at: events.last?.at ?? .zero, from: id, note))
    }
    /// `maya.4` was made after `maya.5` was committed, and then met it.
    mutating func makeLater() {
        let times = events.map(\.at)
        let isMoved = { (event: HistoryEvent) in event.note.tokens == ["maya.4"] && event.note.kind != .handedBack }
        let moved = events.filter(isMoved)
        events.removeAll(where: isMoved)
        guard let commit = events.firstIndex(where: { $0.note.kind == .committed && $0.note.tokens == ["maya.5"] })
        else { return }
        events.insert(contentsOf: moved, at: commit + 1)
        for index in events.indices { events[index].at = times[index] }
    }
    /// `maya.2` was handed over and never committed, and nobody sees it.
    mutating func loseBeforeCommit() {
        forget(.committed, .observed)
        hide()
    }
}
