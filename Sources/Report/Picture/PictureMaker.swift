import Checkers
import FleetModel
import Trace

/// Makes the picture of a run: from its judged history at once, and from the lines of its trace one by one.
public struct PictureMaker {
    /// How much a picture may hold.
    public struct Limits: Sendable {
        /// Messages at most, those nearest to the first violation.
        public var messages: Int
        /// Edits at most; those that came to harm go before others.
        public var edits: Int
        /// Edits that came to harm at most whose stories are in full.
        public var stories: Int
        /// Steps of edits that get words; later ones have none.
        public var words: Int
        /// Whether what was read at the end is kept, item by item.
        public var readings = false

        /// ASSUMED: what a browser opens in a second or two.
        public static let page = Limits(messages: 150_000, edits: 20_000, stories: 200, words: 60_000)
        /// For exports, which other programs read.
        public static let all = Limits(messages: .max / 4, edits: .max, stories: .max, words: 0, readings: true)
    }

    private var picture: RunPicture
    private var stays = StayLog()
    private var times = SendTimes()
    private var window: MessageWindow
    private let ofEdits: Int

    /// - Parameters:
    ///   - findings: of the judgement, all of them.
    ///   - end: the last moment of the run.
    public init(
        _ report: RunReport, _ heading: RunPicture.Heading, history: [HistoryEvent], findings: [Finding], end: Instant,
        limits: Limits = .page
    ) {
        picture = RunPicture(report: report, heading: heading)
        picture.end = max(end, history.last?.at ?? .zero)
        let stories = Stories(history: history, findings: findings)
        let violations = findings.filter(\.lossClass.isViolation)
        picture.stories = Self.first(of: violations, limits.stories).compactMap { Self.telling($0, stories) }
        let focus = violations.first.map { Self.moment(of: $0, in: history) } ?? .zero
        window = MessageWindow(around: focus, limit: limits.messages)
        ofEdits = stories.ledger.entries.count
        picture.edits = Self.trails(stories, limits)
        takeRun(history)
        if limits.readings { picture.readings = history.compactMap(Self.reading) }
    }

    /// Takes the next line of the trace.
    public mutating func take(_ line: TraceLine) {
        switch line {
        case .note(let event):
            times.reach(event.at)
            stays.take(event)
        case .pass(let key, let fate):
            if let lost = times.pass(key: key, fate: fate) { window.add(lost, sent: lost.at, .lost) }
        case .message(let message):
            times.reach(message.at)
            stays.take(message)
            window.add(message, sent: times.sent(message))
        }
    }

    /// The picture, when all lines were taken.
    public mutating func finish() -> RunPicture {
        stays.finish(at: picture.end)
        picture.stays = stays.stays
        picture.pads = stays.pads.sorted()
        picture.messages = window.messages
        let kept = picture.messages.count
        if kept < window.seen || picture.edits.count < ofEdits {
            picture.cut = RunPicture.Cut(
                messages: kept, ofMessages: window.seen, from: picture.messages.until.first ?? .zero,
                until: picture.messages.until.last ?? .zero, edits: picture.edits.count, ofEdits: ofEdits)
        }
        return picture
    }

    // MARK: From the history

    /// Phases, faults and moments.
    private mutating func takeRun(_ history: [HistoryEvent]) {
        var open: [String: [Int]] = [:]
        for event in history {
            let note = event.note
            switch note.kind {
            case .phase: picture.phases.append(.init(name: note.detail["name"]?.string ?? "?", from: event.at))
            case .faultBegan:
                let id = note.detail["id"]?.string ?? "?"
                open[id, default: []].append(picture.faults.count)
                let pads = (note.detail["target"]?.string ?? "").split(separator: " ").compactMap {
                    ParticipantID($0)?.pad
                }
                picture.faults.append(
                    .init(
                        id: id, kind: note.detail["kind"]?.string ?? "?", pads: pads, from: event.at, until: event.at,
                        isOpen: true))
            case .faultHealed:
                guard let index = open[note.detail["id"]?.string ?? "?"]?.popLast() else { continue }
                picture.faults[index].until = event.at
                picture.faults[index].isOpen = false
            case .powerCut, .rebooted, .cloudCrashed, .cloudRestarted, .identityChanged, .zoneDeleted:
                picture.moments.append(.init(kind: note.kind.rawValue, at: event.at, place: event.from))
            case .mark where note.mark == .pushLost:
                picture.moments.append(.init(kind: Mark.pushLost.rawValue, at: event.at, place: event.from))
            default: break
            }
        }
    }

    private static func reading(_ event: HistoryEvent) -> RunPicture.Reading? {
        guard event.note.kind == .read, let person = event.note.person, let app = event.note.app else { return nil }
        let detail = event.note.detail
        return RunPicture.Reading(
            at: event.at, place: event.from, person: person, app: app, reader: detail["reader"]?.string ?? "?",
            isComplete: detail["complete"]?.bool ?? false, items: (detail["items"]?.array ?? []).compactMap(Item.init))
    }

    /// The first of each class, then the others.
    private static func first(of findings: [Finding], _ limit: Int) -> [Finding] {
        var told: Set<LossClass> = []
        let leading = findings.filter { told.insert($0.lossClass).inserted }
        let names = Set(leading.map(\.token))
        return Array((leading + findings.filter { !names.contains($0.token) }).prefix(limit))
    }

    private static func moment(of finding: Finding, in history: [HistoryEvent]) -> Instant {
        let index = finding.doomedBy ?? finding.story.last
        return index.flatMap { history.indices.contains($0) ? history[$0].at : nil } ?? .zero
    }

    private static func telling(_ finding: Finding, _ stories: Stories) -> RunPicture.Telling? {
        guard let story = stories.story(of: finding.token) else { return nil }
        return RunPicture.Telling(
            lossClass: finding.lossClass, token: finding.token, title: story.title, summary: story.summary,
            steps: story.steps.map { step($0, about: finding.token, stories.history) })
    }

    /// The ways of the edits: those that came to harm before others, when there are too many.
    private static func trails(_ stories: Stories, _ limits: Limits) -> [RunPicture.Trail] {
        let sightings = Sightings(stories)
        var entries = stories.ledger.entries
        if entries.count > limits.edits {
            let harmed = entries.filter { stories.finding(of: $0.edit.token) != nil }.prefix(limits.edits)
            let fine = entries.filter { stories.finding(of: $0.edit.token) == nil }
            entries = (harmed + fine.prefix(limits.edits - harmed.count)).sorted { $0.invoked < $1.invoked }
        }
        var words = limits.words
        return entries.map { entry in
            let edit = entry.edit
            let told = stories.finding(of: edit.token)?.story.filter(stories.history.indices.contains) ?? []
            let own = Set(stories.ladder(of: entry) + told + (sightings.events[edit.token] ?? []))
            let steps = stories.steps(own.sorted(), about: edit.token, of: edit.person)
            words -= steps.count
            return RunPicture.Trail(
                edit: edit, pad: entry.pad, ending: stories.ending(of: entry),
                steps: steps.map {
                    var step = step($0, about: edit.token, stories.history)
                    if words < 0 { step.words = "" }
                    return step
                })
        }
    }

    private static func step(_ step: Story.Step, about token: Token, _ history: [HistoryEvent]) -> RunPicture.Step {
        let event = history[step.event]
        let note = event.note
        var (place, tokens) = (event.from, note.tokens)
        if note.kind == .invoked, let pad = note.detail["pad"]?.int.flatMap({ Int(exactly: $0) }) { place = .pad(pad) }
        if case .app(let pad, _) = place { place = .pad(pad) }
        let kind = kind(of: note, about: token)
        // A sight of an edit is told by a note that is about others.
        if ["seen", "shown", "damaged", "missing"].contains(kind) { tokens = [token] }
        return RunPicture.Step(
            kind: kind, at: event.at, place: place, tokens: tokens, by: note.detail["by"]?.strings ?? [],
            words: step.text, isDoom: step.isDoom)
    }
    private static func kind(of note: Note, about token: Token) -> String {
        switch note.kind {
        case .began:
            let isSight = !note.tokens.contains(token) && note.detail["saw"]?.strings.contains(token) == true
            return isSight ? "seen" : note.kind.rawValue
        case .arrived, .fetched: return note.tokens.contains(token) ? "seen" : note.kind.rawValue
        case .read:
            let items = note.detail["items"]?.array ?? []
            if items.contains(where: { $0["damaged"]?.strings.contains(token) == true }) { return "damaged" }
            return items.contains { $0["tokens"]?.strings.contains(token) == true } ? "shown" : "missing"
        default: return note.kind.rawValue
        }
    }
}
