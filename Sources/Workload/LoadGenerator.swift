import FleetModel

/// One person's part of an open load: signed in on several iPads with one app in front, an edit on each of them at fixed times.
struct LoadGenerator {
    private let load: Scenario.Load
    private let place: Scenario.Load.Place
    private let app: AppManifest
    private let actions: [AppManifest.Action]
    private let draw: Draw

    /// - Returns: nil when the person has no place in the load, or nothing can be written in their app.
    init?(_ load: Scenario.Load, _ person: Person, apps: [AppManifest], seed: UInt64) {
        guard let place = load.places.first(where: { $0.person == person }), !place.pads.isEmpty,
            let app = apps.first(where: { $0.name == place.app })
        else { return nil }
        // A deletion carries nothing that could be seen elsewhere, and a flag is set once.
        actions = app.actions.filter { $0.verb == .put }
        guard !actions.isEmpty else { return nil }
        self.load = load
        self.place = place
        self.app = app
        draw = Draw(seed: seed, name: "load/\(person)")
    }

    /// In the order of time.
    func steps(_ pen: inout Pen) -> [PlanStep] {
        var draw = self.draw
        let steps = arrival(&draw)
        // iPads take turns, so that edits are numbered as they come.
        let turn = max(1, load.every.nanoseconds / Int64(place.pads.count))
        let offset = Int64(draw.below(Int(clamping: turn)))
        var edits: [PlanStep] = []
        for number in 0... {
            guard let after = load.onTheRamp(Span(nanoseconds: Int64(number) * turn + offset)) else { break }
            let at = load.from + after
            guard at < load.until else { break }
            let pad = place.pads[number % place.pads.count]
            guard let action = pick(&draw) else { break }
            let edit = own(action, &draw).map { pen.edit(app, action, number: $0) } ?? pen.edit(app, action)
            edits.append(PlanStep(at: at, person: place.person, pad: pad, .perform(edit)))
        }
        return steps + edits
    }

    /// Everybody has come before the first edit: sign-ins are spread over the first third of the time until then.
    private func arrival(_ draw: inout Draw) -> [PlanStep] {
        let third = Span(nanoseconds: max(0, (load.from - .zero).nanoseconds / 3))
        let come = Instant.zero + draw.span(.zero...third)
        return place.pads.flatMap { pad in
            [
                PlanStep(at: come, person: place.person, pad: pad, .signIn),
                PlanStep(at: come, person: place.person, pad: pad, .open(app.name)),
            ]
        }
    }

    /// Each person changes items of their own where everyone sees them: nobody may change another's (S233), and a refused edit is no load.
    /// - Returns: the item's number; nil: any of the action's.
    private func own(_ action: AppManifest.Action, _ draw: inout Draw) -> Int? {
        guard action.pool > 0, app.forEveryone.contains(action.kind) else { return nil }
        let people = load.places.filter { $0.app == place.app }.map(\.person)
        guard let turn = people.firstIndex(of: place.person) else { return nil }
        return 1 + turn + people.count * draw.below(max(1, action.pool / people.count))
    }
    private func pick(_ draw: inout Draw) -> AppManifest.Action? {
        var rest = draw.below(actions.reduce(0) { $0 + max(1, $1.weight) })
        for action in actions {
            if rest < max(1, action.weight) { return action }
            rest -= max(1, action.weight)
        }
        return nil
    }
}

extension Scenario.Load {
    /// When an edit comes whose time at the load's first rate would be this; both from the load's beginning.
    ///
    /// After the time t as many edits are due as the first rate would bring in s = t + (q - 1) t² / 2L, L being the load's length and q its
    /// last rate against its first. Solved for t in the form that loses nothing to rounding, also where q is 1: there t is s, to the
    /// nanosecond. Only operations that IEEE 754 rounds correctly: the same on every machine.
    /// - Returns: nil when a load that becomes less never comes to it.
    func onTheRamp(_ steady: Span) -> Span? {
        let growth = Double(every.nanoseconds) / Double(atLast.nanoseconds) - 1
        let (s, length) = (Double(steady.nanoseconds), Double((until - from).nanoseconds))
        let square = 1 + 2 * growth * s / length
        guard square >= 0 else { return nil }
        return Span(nanoseconds: Int64(2 * s / (1 + square.squareRoot())))
    }
}
