import FleetModel

/// Holds the World to what it meant to read (`readingPlanned`), and brand-new iPads to being new.
struct PlannedReadings {
    struct Place: Hashable {
        var reader: String
        var pad: Int
        var person: Person
        var app: AppName

        var description: String { "the \(reader) reading of \(app) for \(person) on ipad-\(pad)" }
    }
    /// The readers of a run, each with a plan of its own.
    private static let readers = ["core", "new", "again"]

    private var planned: [Place] = []
    private var readers: Set<String> = []
    private var made: [Place: Int] = [:]
    /// Readings in order, each once.
    private var order: [Place] = []
    /// iPads of which there was anything before the brand-new ones were planned, and the first reading on one of them.
    private var used: Set<Int> = []
    private var notNew: Place?

    /// Whether the history says anything of what was to be read.
    var isPlanned: Bool { !readers.isEmpty }

    mutating func take(_ event: HistoryEvent) {
        let note = event.note
        switch note.kind {
        case .readingPlanned: plan(note)
        case .read: read(note, event.pad)
        default: break
        }
        // A core iPad may be late with its note when the next phase has begun: only what came before makes it an old one.
        if let pad = event.from.pad, !readers.contains("new") { used.insert(pad) }
    }

    private mutating func plan(_ note: Note) {
        guard let reader = note.detail["reader"]?.string else { return }
        readers.insert(reader)
        for place in note.detail["places"]?.array ?? [] {
            guard let pad = place["pad"]?.int.flatMap({ Int(exactly: $0) }) else { continue }
            for person in place["people"]?.strings ?? [] {
                for app in note.detail["apps"]?.strings ?? [] {
                    planned.append(Place(reader: reader, pad: pad, person: person, app: app))
                }
            }
        }
    }
    private mutating func read(_ note: Note, _ pad: Int?) {
        guard let pad, let person = note.person, let app = note.app, let reader = note.detail["reader"]?.string else {
            return
        }
        let place = Place(reader: reader, pad: pad, person: person, app: app)
        if made[place] == nil { order.append(place) }
        made[place, default: 0] += 1
        if reader == "new", used.contains(pad), notNew == nil { notNew = place }
    }

    /// What does not fit, one sentence a kind, the first case named.
    var doubts: [String] {
        var doubts: [String] = []
        let unplanned = Self.readers.filter { !readers.contains($0) }
        if readers.isEmpty, !order.isEmpty {
            doubts.append(
                "this run does not say what it was to read: it was made before runs planned their readings; play it again"
            )
        } else if !unplanned.isEmpty {
            doubts.append(
                "the history is not whole: it does not say what was to be read (\(unplanned.joined(separator: ", ")))")
        }
        let missing = planned.filter { made[$0] == nil }
        if let first = missing.first {
            doubts.append("a promised reading is missing: \(first.description)\(more(missing.count))")
        }
        let known = Set(planned)
        let strange = order.filter { readers.contains($0.reader) && (!known.contains($0) || made[$0] ?? 0 > 1) }
        if let first = strange.first {
            let what = known.contains(first) ? "is there twice" : "was never to be made"
            doubts.append("the history is not whole: \(first.description) \(what)\(more(strange.count))")
        }
        if let notNew {
            doubts.append(
                "the history is not whole: \(notNew.description) is not of a brand-new iPad: it was in use before")
        }
        return doubts
    }
    private func more(_ count: Int) -> String { count > 1 ? " (\(count) in all)" : "" }
}
