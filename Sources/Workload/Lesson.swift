import FleetModel

/// One person's generated period at one iPad: sign in, open, edit, switch, go home, sign out at the bell.
struct Lesson {
    private let period: Scenario.Period
    private let seat: Scenario.Seat
    private let work: Scenario.Work
    private let apps: [(manifest: AppManifest, weight: Int)]
    private var draw: Draw
    /// Streams of their own: what is not wanted shifts nothing.
    private var togetherDraw: Draw
    private var closeDraw: Draw
    /// How much later everything is at this iPad than at the person's first one.
    private let delay: Span

    init(period: Scenario.Period, seat: Scenario.Seat, work: Scenario.Work, apps: [AppManifest], seed: UInt64) {
        self.period = period
        self.seat = seat
        self.work = work
        self.apps = work.apps.compactMap { choice in
            apps.first { $0.name == choice.app }.map { ($0, max(0, choice.weight)) }
        }
        let name = "\(seat.person)/\(period.start.nanoseconds)"
        draw = Draw(seed: seed, name: "lesson/\(name)")
        togetherDraw = Draw(seed: seed, name: "together/\(name)")
        closeDraw = Draw(seed: seed, name: "close/\(name)/\(seat.pad)")
        // At two iPads a person does the same in the same apps, in half of the lessons at the same time.
        let isFirst = period.seats(of: seat.person, each: work.ipadsEach, seed: seed).first == seat
        var second = Draw(seed: seed, name: "second/\(name)")
        delay = isFirst || second.chance(0.5) ? .zero : second.span(.zero ... .seconds(15))
    }

    /// - Parameter changes: when faults change accounts or who is signed in.
    mutating func drafts(changes: [Instant]) -> [Draft] {
        // A walk that is written is shorter; the usual one may not be, in a short period.
        let arrival = period.start + min(draw.span(work.walk), period.walkMax) + delay
        var steps = [step(arrival, .signIn)]
        if let first = app() { steps += session(first, from: arrival + draw.span(.seconds(3) ... .seconds(8))) }
        let forgets = draw.chance(work.forget)
        if work.close > 0 { steps = steps.map { moved($0, to: changes, arrival) } }
        // Behind the bell nothing is left: the class switches at once.
        steps.removeAll { $0.at >= period.end }
        if !forgets { steps.append(step(period.end, .signOut)) }
        return steps
    }

    /// An edit within a second of a moment at which accounts change, or where it was.
    private mutating func moved(_ draft: Draft, to changes: [Instant], _ arrival: Instant) -> Draft {
        guard case .edit = draft.what, closeDraw.chance(work.close) else { return draft }
        let here = [arrival, period.end] + changes.filter { arrival <= $0 && $0 <= period.end }
        guard let change = closeDraw.pick(here) else { return draft }
        var draft = draft
        let last = Instant(nanoseconds: period.end.nanoseconds - 1)
        draft.at = max(arrival, min(last, change + closeDraw.span(.seconds(-1) ... .seconds(1))))
        return draft
    }

    private mutating func session(_ first: AppManifest, from start: Instant) -> [Draft] {
        var app = first
        var steps = [step(start, .open(app.name))]
        var at = start
        for (number, pause) in pauses(from: start).enumerated() {
            let switches = draw.chance(work.switching)
            let goesHome = draw.chance(work.home)
            if number > 0, switches, let other = self.app(but: app.name) {
                app = other
                steps.append(step(at + pause.scaled(by: 0.4), .open(app.name)))
            } else if number > 0, goesHome {
                steps.append(step(at + pause.scaled(by: 0.3), .home))
                steps.append(step(at + pause.scaled(by: 0.5), .open(app.name)))
            }
            // Together with the one before: in the same instant, wherever the app is by then.
            if number == 0 || work.together == 0 || !togetherDraw.chance(work.together) { at = at + pause }
            guard let action = action(of: app) else { continue }
            steps.append(Draft(at: at, pad: seat.pad, .edit(app, action)))
        }
        return steps
    }

    /// Drawn pauses, shortened together where the bell would come before the last edit.
    private mutating func pauses(from start: Instant) -> [Span] {
        let drawn = (0..<max(0, work.edits)).map { _ in draw.span(work.pause) }
        let total = drawn.reduce(Span.zero) { $0 + $1 }
        let room = Span(nanoseconds: max(0, (period.end - start).nanoseconds - Span.seconds(5).nanoseconds))
        guard total > room else { return drawn }
        let factor = Double(room.nanoseconds) / Double(total.nanoseconds)
        return drawn.map { $0.scaled(by: factor) }
    }

    private mutating func app(but present: AppName? = nil) -> AppManifest? {
        pick(apps.filter { $0.manifest.name != present }.map { ($0.manifest, $0.weight) })
    }
    private mutating func action(of app: AppManifest) -> AppManifest.Action? {
        pick(app.actions.map { ($0, max(0, $0.weight)) })
    }

    private mutating func pick<T>(_ choices: [(T, Int)]) -> T? {
        var rest = draw.below(choices.reduce(0) { $0 + $1.1 })
        for (choice, weight) in choices where weight > 0 {
            if rest < weight { return choice }
            rest -= weight
        }
        return nil
    }

    private func step(_ at: Instant, _ deed: PlanStep.Deed) -> Draft { Draft(at: at, pad: seat.pad, .deed(deed)) }
}
