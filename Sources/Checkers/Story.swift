import FleetModel

/// A finding told to people: the edit's own events and what bears on them in order, with the step that doomed it marked.
///
/// Pure: the same finding and history give the same lines. For a terminal; other reports use `steps`.
public struct Story: Hashable, Sendable {
    /// One line of the story.
    public struct Step: Hashable, Sendable {
        /// Index into the history.
        public var event: Int
        /// Wall clock of the run: `08:12:03.120`.
        public var clock: String
        /// `ipad-2`, `cloud`, `people`.
        public var place: String
        public var text: String
        /// Whether this step doomed the edit.
        public var isDoom: Bool
    }

    /// `overwritten  maya.12  notebook/note-3.body  by maya on ipad-2`
    public var title: String
    /// What happened to the edit, in one sentence.
    public var summary: String
    public var steps: [Step]

    /// Indices of the finding that lie outside the history are left out: a finding may have been read from a file.
    public init(_ finding: Finding, history: [HistoryEvent]) {
        let indices = finding.story.filter(history.indices.contains)
        steps = Self.steps(indices, of: history, about: finding.token, of: finding.person, doomedBy: finding.doomedBy)
        let own = indices.lazy.map { history[$0] }.filter { $0.note.tokens.contains(finding.token) }
        let item = own.lazy.compactMap { $0.note.detail["edit"].flatMap(Edit.init)?.item }.first
        let pad = own.first { $0.note.kind == .performed }?.pad ?? own.lazy.compactMap(\.pad).first
        title =
            "\(finding.lossClass.rawValue)  \(finding.token)  \(finding.app)" + (item.map { "/\($0)" } ?? "")
            + "  by \(finding.person)" + (pad.map { " on ipad-\($0)" } ?? "")
        summary = finding.summary
    }

    init(title: String, summary: String, steps: [Step]) {
        self.title = title
        self.summary = summary
        self.steps = steps
    }

    /// The lines for a terminal.
    public var lines: [String] {
        let width = steps.map(\.place.count).max() ?? 0
        return [title, "   \(summary)"]
            + steps.map { step in
                let place = step.place + String(repeating: " ", count: width - step.place.count)
                let line = "\(step.isDoom ? " > " : "   ")\(step.clock)  \(place)  \(step.text)"
                return step.isDoom ? line + "        <- doomed here" : line
            }
    }

    static func steps(
        _ indices: [Int], of history: [HistoryEvent], about token: Token, of person: Person, doomedBy: Int? = nil
    ) -> [Step] {
        indices.map { index in
            Step(
                event: index, clock: clock(history[index].at), place: place(history[index].from),
                text: StoryWords.sentence(history[index].note, about: token, of: person), isDoom: index == doomedBy)
        }
    }

    private static func place(_ id: ParticipantID) -> String { id.pad.map { "ipad-\($0)" } ?? id.description }

    /// The time that people at the school see: the run begins at 08:00 (`Instant.epochNanoseconds`).
    private static func clock(_ at: Instant) -> String {
        let day: Int64 = 86_400_000
        let ofDay = (Instant.epochNanoseconds / 1_000_000) % day
        let total = at.nanoseconds / 1_000_000 + ofDay
        let (days, rest) = (total / day, total % day)
        let text =
            "\(padded(rest / 3_600_000, 2)):\(padded(rest / 60_000 % 60, 2)):\(padded(rest / 1000 % 60, 2)).\(padded(rest % 1000, 3))"
        return days > 0 ? "day \(days + 1) \(text)" : text
    }
}
