import FleetModel

/// Makes the workload tape: who does what, when and where.
///
/// Each person draws from streams of their own, one a period: removing a person, an iPad or a period shifts nobody else.
public enum Planner {
    /// - Parameters:
    ///   - manifests: the scenario's apps; one that is missing is never opened.
    ///   - changes: when faults change accounts or who is signed in: `work.close` moves edits there.
    /// - Returns: steps in the order of (time, person); each person's own steps are in time order.
    public static func plan(
        _ scenario: Scenario, manifests: [AppManifest], seed: UInt64, changes: [Instant] = []
    ) -> [PlanStep] {
        let written = Dictionary(grouping: scenario.steps, by: \.person)
        let apps = manifests.filter { scenario.apps.contains($0.name) && !$0.actions.isEmpty }
        let bringer = Bulk.bringer(scenario, seed: seed)
        var steps: [PlanStep] = []
        for person in scenario.people + scenario.guests {
            var pen = Pen(person: person, seed: seed, texts: scenario.texts, items: scenario.items)
            if let load = scenario.load {
                steps += LoadGenerator(load, person, apps: apps, seed: seed)?.steps(&pen) ?? []
            } else if let own = written[person] {
                let isGuest = scenario.guests.contains(person)
                steps += own.compactMap { pen.step($0, apps, isGuest: isGuest) }
            } else {
                for period in scenario.periods {
                    var drafts: [Draft] = []
                    for seat in period.seats(of: person, each: scenario.work.ipadsEach, seed: seed) {
                        var lesson = Lesson(period: period, seat: seat, work: scenario.work, apps: apps, seed: seed)
                        drafts += lesson.drafts(changes: changes)
                    }
                    if bringer?.person == person, bringer?.start == period.start {
                        drafts = Bulk(scenario.work.bulk, apps: apps, seed: seed).added(to: drafts)
                    }
                    steps += Draft.inOrder(drafts).map { $0.step(person, &pen) }
                }
            }
        }
        let ordered = steps.enumerated().sorted { a, b in
            if a.element.at != b.element.at { return a.element.at < b.element.at }
            return a.element.person == b.element.person ? a.offset < b.offset : a.element.person < b.element.person
        }
        return ordered.map(\.element)
    }
}

/// Writes one person's edits: numbers them through the day and finds words.
struct Pen {
    let person: Person
    private let seed: UInt64
    private let texts: TextStyle
    private let items: ItemStyle
    private var written = 0

    init(person: Person, seed: UInt64, texts: TextStyle = .words, items: ItemStyle = .plain) {
        self.person = person
        self.seed = seed
        self.texts = texts
        self.items = items
    }

    /// - Parameters:
    ///   - item: the item's id; nil: one of the action's pool, or a new one where it has none.
    ///   - text: nil: a few drawn words, or whatever people type.
    mutating func edit(_ app: AppManifest, _ action: AppManifest.Action, item: String? = nil, text: String? = nil)
        -> Edit
    {
        written += 1
        let token = "\(person).\(written)"
        var draw = Draw(seed: seed, name: "words/\(token)")
        let target = item ?? named(Self.item(action, token, &draw), action)
        let value =
            switch action.verb {
            case .put: EditPayload.text(token: token, text ?? typed(&draw))
            case .effect: "true"
            case .delete: ""
            }
        return Edit(
            token: token, person: person, app: app.name, action: action.name, item: target, verb: action.verb,
            value: value)
    }

    private static func item(_ action: AppManifest.Action, _ token: Token, _ draw: inout Draw) -> String {
        if action.pool > 0 { return "\(action.prefix)-\(1 + draw.below(action.pool))" }
        // A flag is one item: the same in every edit.
        return action.verb == .effect ? action.prefix : "\(action.prefix)-\(token)"
    }

    private func typed(_ draw: inout Draw) -> String {
        texts == .words ? Words.some(&draw) : Typing.text(&draw)
    }
    /// A flag is the app's own, and nobody names it.
    private func named(_ plain: String, _ action: AppManifest.Action) -> String {
        items == .plain || action.verb == .effect ? plain : Typing.item(plain, seed: seed)
    }
    /// An edit of the item with this number, which may be beyond the action's pool.
    mutating func edit(_ app: AppManifest, _ action: AppManifest.Action, number: Int) -> Edit {
        edit(app, action, item: action.pool > 0 ? named("\(action.prefix)-\(number)", action) : nil)
    }

    /// A written step as a line of the tape; nil when its app or action is not there.
    mutating func step(_ step: Scenario.WrittenStep, _ apps: [AppManifest], isGuest: Bool) -> PlanStep? {
        let deed: PlanStep.Deed
        switch step.deed {
        case .signIn: deed = isGuest ? .signInAsGuest : .signIn
        case .signOut: deed = .signOut
        case .home: deed = .home
        // Nothing happens.
        case .walkAway: return nil
        case .command(let message): deed = .command(message)
        case .backUp: deed = .backUp
        case .restore: deed = .restore
        case .open(let app): deed = .open(app)
        case .edit(let name, let actionName, let item, let text):
            guard let app = apps.first(where: { $0.name == name }),
                let action = app.actions.first(where: { $0.name == actionName })
            else { return nil }
            if let number = step.number { written = number - 1 }
            deed = .perform(edit(app, action, item: item, text: text))
        }
        return PlanStep(at: step.at, person: step.person, pad: step.pad, deed)
    }
}

/// Short words for texts that nobody wrote.
enum Words {
    private static let list = [
        "apple", "river", "seven", "castle", "green", "music", "planet", "winter", "bridge", "candle", "dragon",
        "engine", "forest",
        "garden", "harbor", "island", "jungle", "kitten", "lantern", "meadow", "needle", "ocean", "pencil", "quartz",
        "rocket",
        "silver", "tunnel", "umbrella", "violin", "window", "yellow", "zebra",
    ]
    static func some(_ draw: inout Draw) -> String {
        (0..<1 + draw.below(4)).compactMap { _ in draw.pick(list) }.joined(separator: " ")
    }
}
