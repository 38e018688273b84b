import FleetModel
import Workload

/// What is tried, in which order.
extension Shrinker {
    /// Large leaps first: most of a run has nothing to do with the edit that came to harm.
    mutating func guess() throws {
        let scenario = best.scenario
        let tokens = scenario.tokens
        var candidates: [Scenario] = []
        for harmed in trial.tokens[goal.lossClass, default: []].prefix(3) {
            guard let place = tokens.first(where: { $0.value == harmed })?.key else { continue }
            let step = scenario.steps[place]
            let item = step.deed.item
            for faults in [false, true] {
                candidates.append(
                    scenario.keeping(
                        steps: { index in
                            let other = scenario.steps[index]
                            return other.person == step.person && (other.deed.item == nil || other.deed.item == item)
                        }, faults: faults))
                candidates.append(
                    scenario.keeping(steps: { scenario.steps[$0].person == step.person }, faults: faults))
                candidates.append(
                    scenario.keeping(
                        steps: { index in
                            let app = scenario.steps[index].deed.app
                            return app == nil || app == step.deed.app
                        }, faults: faults))
            }
        }
        let smallest = candidates.enumerated().sorted {
            ($0.element.steps.count + $0.element.faults.count, $0.offset)
                < ($1.element.steps.count + $1.element.faults.count, $1.offset)
        }
        _ = try accept("a guess", smallest.map(\.element))
    }

    /// Every pass once.
    mutating func round() throws {
        try tidy()
        try settle()
        try reduce("faults") { $0.faults.indices.map { .fault($0) } }
        try reduce("people") { scenario in
            (scenario.people + scenario.guests).map { person in scenario.unit { $0.person == person } }
        }
        try reduce("iPads") { scenario in scenario.usedPads.map { pad in scenario.unit { $0.pad == pad } } }
        try tidy()
        try reduce("sessions") { $0.sessions }
        try reduce("edits") { scenario in
            scenario.steps.indices.filter { scenario.steps[$0].deed.isEdit }.map { .steps([$0]) }
        }
        try reduce("steps") { $0.steps.indices.map { .steps([$0]) } }
        try reduce("faults") { $0.faults.indices.map { .fault($0) } }
        try tidy()
        try merge()
        try settle()
        try simplifyFaults()
        try simplifyTimes()
        try simplifyWords()
    }

    /// Takes units away: all, then halves, down to each by itself.
    private mutating func reduce(_ pass: String, _ units: (Scenario) -> [Unit]) throws {
        var size = units(best.scenario).count
        while size >= 1 {
            var start = 0
            while true {
                let (scenario, all) = (best.scenario, units(best.scenario))
                guard start < all.count else { break }
                let count = (all.count - start + size - 1) / size
                let place = try accept(pass, count, isOfAnySeed: best.isOfAnySeed) { place in
                    let first = start + place * size
                    return scenario.without(all[first..<min(first + size, all.count)])
                }
                guard let place else { break }
                start += place * size
            }
            size = size == 1 ? 0 : (size + 1) / 2
        }
    }

    private mutating func tidy() throws {
        while try accept("what nobody needs", best.scenario.tidied.reversed()) != nil {}
    }

    /// The least of everything around: settings, latencies, the seed.
    private mutating func settle() throws {
        var plain = best.scenario
        for setting in Setting.all { setting.reset(&plain) }
        for link in [LinkModel.instant, .steady, LinkModel()] {
            var calm = plain
            calm.linkModel = link
            if try accept("settings", [calm, best.scenario.with(link)]) != nil { break }
        }
        while try accept("settings", Setting.singly(best.scenario)) != nil {}
        _ = try accept(
            "names",
            [best.scenario.plainlyNamed.plainlyNumbered, best.scenario.plainlyNumbered, best.scenario.plainlyNamed])
        guard !best.isOfAnySeed else { return }
        var other = best.scenario
        other.seed = 1
        _ = try accept("any seed", 1, isOfAnySeed: true) { _ in other }
    }

    private mutating func merge() throws {
        while true {
            let scenario = best.scenario
            let people = scenario.people.indices.flatMap { kept in
                scenario.people.indices.dropFirst(kept + 1).map {
                    scenario.merging(scenario.people[$0], into: scenario.people[kept])
                }
            }
            let pads = scenario.usedPads.flatMap { kept in
                scenario.usedPads.filter { $0 > kept }.map { scenario.merging(pad: $0, into: kept) }
            }
            guard try accept("merging", people + pads) != nil else { return }
        }
    }

    private mutating func simplifyFaults() throws {
        var index = 0
        while index < best.scenario.faults.count {
            let scenario = best.scenario
            let choices = FaultChoices.of(scenario.faults[index], pads: scenario.usedPads).map { fault in
                var simpler = scenario
                simpler.faults[index] = fault
                return simpler
            }
            if try accept("faults' details", choices) == nil { index += 1 }
        }
    }

    private mutating func simplifyTimes() throws {
        for gap in [Span.seconds(10), .minutes(1)] {
            if try accept("times", [best.scenario.evenly(gap)]) != nil { return }
        }
        var place = 0
        while place < best.scenario.moments.count {
            let scenario = best.scenario
            let moments = scenario.moments
            let gap = moments[place] - (place == 0 ? .zero : moments[place - 1])
            let choices = Roughness.choices(for: gap).map { scenario.with(gap: $0, before: place) }
            if try accept("times", choices) == nil { place += 1 }
        }
    }

    private mutating func simplifyWords() throws {
        let scenario = best.scenario
        let places = scenario.steps.indices.filter { scenario.steps[$0].deed.isEdit }
        var (silent, short) = (scenario, scenario)
        for index in places {
            silent.steps[index].deed = scenario.steps[index].deed.withoutText
            short.steps[index].deed = scenario.steps[index].deed.withPlainItem
        }
        _ = try accept("words", [silent])
        _ = try accept("words", [short])
        for index in places {
            var one = best.scenario
            one.steps[index].deed = one.steps[index].deed.withoutText
            _ = try accept("words", [one])
        }
    }
}

extension Scenario {
    func unit(_ isMeant: (WrittenStep) -> Bool) -> Unit {
        .steps(Set(steps.indices.filter { isMeant(steps[$0]) }))
    }

    /// What each person does at an iPad from one sign-in to the next.
    var sessions: [Unit] {
        var current: [String: Int] = [:]
        var sessions: [Set<Int>] = []
        for (index, step) in steps.enumerated() {
            let key = "\(step.person)/\(step.pad)"
            if case .signIn = step.deed { current[key] = nil }
            if current[key] == nil {
                current[key] = sessions.count
                sessions.append([])
            }
            sessions[current[key] ?? 0].insert(index)
        }
        return sessions.map { .steps($0) }
    }

    func with(_ link: LinkModel) -> Scenario {
        var scenario = self
        scenario.linkModel = link
        return scenario
    }
}

extension Scenario.WrittenStep.Deed {
    var isEdit: Bool { if case .edit = self { true } else { false } }
    var withoutText: Self {
        guard case .edit(let app, let action, let item, _) = self else { return self }
        return .edit(app, action: action, item: item, text: nil)
    }
    /// Without what `items: any` puts behind a name.
    var withPlainItem: Self {
        guard case .edit(let app, let action, let item, let text) = self else { return self }
        return .edit(app, action: action, item: item.map(Self.plain), text: text)
    }
    private static func plain(_ name: String) -> String {
        var plain = name.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "-.".contains($0)) }
        // As long as a name may be: the letter n behind a number.
        let tail = plain.reversed().prefix { $0 == "n" }.count
        if plain.dropLast(tail).last?.isNumber == true { plain = plain.dropLast(tail) }
        return plain.isEmpty ? name : String(plain)
    }
}
