import FleetModel

/// A step of a lesson before its edits are numbered: people at two iPads number them as they come.
struct Draft {
    enum What {
        case deed(PlanStep.Deed)
        case edit(AppManifest, AppManifest.Action)
        /// Of the item with this number.
        case numbered(AppManifest, AppManifest.Action, Int)
    }
    var at: Instant
    var pad: Int
    var what: What

    init(at: Instant, pad: Int, _ what: What) {
        self.at = at
        self.pad = pad
        self.what = what
    }

    /// By time; what was written first comes first.
    static func inOrder(_ drafts: [Draft]) -> [Draft] {
        drafts.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }

    func step(_ person: Person, _ pen: inout Pen) -> PlanStep {
        let deed: PlanStep.Deed =
            switch what {
            case .deed(let deed): deed
            case .edit(let app, let action): .perform(pen.edit(app, action))
            case .numbered(let app, let action, let number): .perform(pen.edit(app, action, number: number))
            }
        return PlanStep(at: at, person: person, pad: pad, deed)
    }
}

extension Scenario.Period {
    /// Where somebody sits. At two iPads each, half of the people of the period come, and each has the iPad of one who does not; the seed says
    /// which half.
    func seats(of person: Person, each: Int, seed: UInt64) -> [Scenario.Seat] {
        guard let own = seats.firstIndex(where: { $0.person == person }) else { return [] }
        guard each > 1, seats.count > 1 else { return [seats[own]] }
        var draw = Draw(seed: seed, name: "pairs/\(start.nanoseconds)")
        let isFirstHalf = draw.chance(0.5)
        // Of an odd number the last one has nobody to share with.
        guard let partner = (own ^ 1) < seats.count ? own ^ 1 : nil else { return [seats[own]] }
        guard own.isMultiple(of: 2) == isFirstHalf else { return [] }
        return [seats[own], Scenario.Seat(person, pad: seats[partner].pad)]
    }
}

/// Somebody brings many things at once: a list pasted in, a folder dropped in.
struct Bulk {
    private let count: Int
    private let choices: [(app: AppManifest, action: AppManifest.Action)]
    private var draw: Draw

    init(_ count: Int, apps: [AppManifest], seed: UInt64) {
        self.count = count
        // What is deleted or set carries nothing.
        choices = apps.flatMap { app in app.actions.filter { $0.verb == .put }.map { (app, $0) } }
        draw = Draw(seed: seed, name: "bulk")
    }

    /// Who does it, and in which period; nil: nobody.
    static func bringer(_ scenario: Scenario, seed: UInt64) -> (person: Person, start: Instant)? {
        guard scenario.work.bulk > 0 else { return nil }
        var draw = Draw(seed: seed, name: "bulk/who")
        guard let period = draw.pick(scenario.periods.filter { !$0.seats.isEmpty }) else { return nil }
        let present = period.seats.map(\.person).filter {
            !period.seats(of: $0, each: scenario.work.ipadsEach, seed: seed).isEmpty
        }
        return draw.pick(present).map { ($0, period.start) }
    }

    /// In one app, in one instant, in the middle of the lesson.
    func added(to drafts: [Draft]) -> [Draft] {
        var draw = draw
        let edits = drafts.filter { if case .edit = $0.what { true } else { false } }
        guard let place = draw.pick(edits), let (app, action) = draw.pick(choices) else { return drafts }
        return drafts
            + (1...max(1, count)).map { Draft(at: place.at, pad: place.pad, .numbered(app, action, $0)) }
    }
}
