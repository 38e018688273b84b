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
    /// - Parameter clockError: how far the Cloud's notes may stand from their place.
    init(_ history: [HistoryEvent], isRun: Bool, clockError: Span) {
        checkTimes(history, clockError)
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
    private mutating func checkTimes(_ history: [HistoryEvent], _ clockError: Span) {
        // Of a live run the Cloud's notes may stand a little before their place (Docs/live.md).
        let hasClocks = history.contains { $0.note.kind == .clocks }
        let first = hasClocks ? Instant.zero + Span(nanoseconds: 0 &- clockError.nanoseconds) : .zero
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
