import FleetModel

/// An open load.
extension Reading {
    private static let editsMax = 2_000_000

    func readLoad(_ field: Field) -> Scenario.Load? {
        guard let fields = field.fields(["every", "from", "length", "ipadsEach", "apps"]) else { return nil }
        let every = fields.require("every", "the time between two edits of one iPad")?.ramp(
            .milliseconds(1) ... .hours(1))
        let length = fields.require("length", "how long edits are made")?.span(.seconds(1) ... .hours(24))
        // Signing in on a new iPad and opening an app takes its time.
        let from = fields["from"].map { $0.span(.seconds(30) ... .hours(24)) } ?? .minutes(1)
        let each = fields["ipadsEach"].map { $0.whole(1...16) } ?? 2
        let choices = fields["apps"].map(readChoices) ?? apps.map { .init($0) }
        guard let every, let length, let from, let each, ipads > 0, !people.isEmpty else { return nil }
        for choice in choices where manifest(choice.app)?.actions.contains(where: { $0.verb == .put }) == false {
            (fields["apps"] ?? field).report(
                "nothing can be written in \(choice.app); a load needs an action that puts a text")
        }
        let needed = people.count * each
        if needed > ipads {
            field.report(
                "\(people.count) people with \(each) iPads each need \(needed) iPads, and there are \(ipads): give 'ipads: \(needed)', or fewer people"
            )
        }
        // A rate that goes from one to another linearly has the mean of both.
        let ends = [every.first, every.last].map { Int(length.nanoseconds / $0.nanoseconds) }
        let edits = needed * (ends[0] + ends[1]) / 2
        if edits > Self.editsMax {
            field.report("the load comes to \(edits) edits; at most \(Self.editsMax) in one scenario")
        }
        let places = people.enumerated().compactMap { index, person in
            dealt(index, choices).map {
                Scenario.Load.Place(person, pads: (1...each).map { index * each + $0 }, app: $0)
            }
        }
        return Scenario.Load(
            places: places, every: every.first, atLast: every.last, from: .zero + from, until: .zero + from + length)
    }

    /// Apps are dealt like cards, so that each has its share among any number of people.
    private func dealt(_ index: Int, _ choices: [Scenario.Work.Choice]) -> AppName? {
        var rest = index % max(1, choices.reduce(0) { $0 + $1.weight })
        for choice in choices {
            if rest < choice.weight { return choice.app }
            rest -= choice.weight
        }
        return nil
    }
}
