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
        /// What happened, in words for people.
        public var text: String
        /// Whether this step doomed the edit.
        public var isDoom: Bool
    }

    /// `overwritten  maya.12  notebook/note-3.body  by maya on ipad-2`
    public var title: String
    /// What happened to the edit, in one sentence.
    public var summary: String
    /// In the order of the history: the edit's own events, and what went on around them before its doom.
    public var steps: [Step]

    /// Indices of the finding that lie outside the history are left out: a finding may have been read from a file.
    public init(_ finding: Finding, history: [HistoryEvent]) {
        let own = finding.story.filter(history.indices.contains)
        let indices = Set(own + Self.surroundings(of: finding, own, in: history)).sorted()
        self.steps = Self.steps(
            indices, of: history, about: finding.token, of: finding.person, doomedBy: finding.doomedBy)
        let steps = own.lazy.map { history[$0] }.filter { $0.note.tokens.contains(finding.token) }
        let item = steps.lazy.compactMap { $0.note.detail["edit"].flatMap(Edit.init)?.item }.first
        let pad = steps.first { $0.note.kind == .performed }?.pad ?? steps.lazy.compactMap(\.pad).first
        title =
            "\(finding.lossClass.rawValue)  \(finding.token)  \(finding.app)" + (item.map { "/\($0)" } ?? "")
            + "  by \(finding.person)" + (pad.map { " on ipad-\($0)" } ?? "")
        summary = finding.summary
    }

    /// What the edit's iPads went through before its doom: changes of its person's identity, and the faults that were at work then.
    private static func surroundings(of finding: Finding, _ own: [Int], in history: [HistoryEvent]) -> [Int] {
        guard let first = own.first, let end = finding.doomedBy ?? own.last, history.indices.contains(end), first < end
        else { return [] }
        let pads = Set(own.filter { $0 <= end }.compactMap { history[$0].pad })
        var identities: [Int] = []
        var faults = FaultLog()
        for index in history.indices {
            let note = history[index].note
            faults.note(note, at: index)
            if index > first, index <= end, note.kind == .identityChanged, note.person == finding.person,
                history[index].pad.map(pads.contains) == true
            {
                identities.append(index)
            }
        }
        return identities.suffix(surroundingsMax) + atWork(faults, at: end, pads, history)
    }
    /// Windows that were open at the doom, and moments (a zone deleted, an expired token) that came with it. When many are, the youngest.
    private static func atWork(_ faults: FaultLog, at end: Int, _ pads: Set<Int>, _ history: [HistoryEvent]) -> [Int] {
        let place = history[end].pad.map { [$0] } ?? pads.sorted()
        let open = faults.windows.filter { window in
            guard window.began <= end else { return false }
            guard window.pads.isEmpty || !place.allSatisfy({ !window.pads.contains($0) }) else { return false }
            guard let healed = window.healed else {
                return window.stays || history[window.began].at == history[end].at
            }
            return healed > end
        }
        return open.map(\.began).suffix(surroundingsMax)
    }
    /// A story is short: of many changes the last ones tell what the doom met.
    private static let surroundingsMax = 3

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
                return step.isDoom ? line + "        <- data lost here" : line
            }
    }

    static func steps(
        _ indices: [Int], of history: [HistoryEvent], about token: Token, of person: Person, doomedBy: Int? = nil
    ) -> [Step] {
        let item = indices.lazy.map { history[$0].note }.first { $0.kind == .invoked && $0.tokens.contains(token) }
            .flatMap { $0.detail["edit"].flatMap(Edit.init)?.item }
        return indices.map { index in
            Step(
                event: index, clock: history[index].at.wallClock, place: place(history[index].from),
                text: StoryWords.sentence(history[index].note, about: token, in: item, of: person),
                isDoom: index == doomedBy)
        }
    }

    private static func place(_ id: ParticipantID) -> String { id.pad.map { "ipad-\($0)" } ?? id.description }
}
