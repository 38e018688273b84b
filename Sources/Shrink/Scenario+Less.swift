import FleetModel
import Workload

/// A part of a scenario that can be taken away as a whole.
enum Unit: Hashable {
    /// By their places in `steps`.
    case steps(Set<Int>)
    /// By its place in `faults`.
    case fault(Int)
}

extension Scenario {
    /// The scenario without some of it, and without what no longer applies then.
    func without(_ units: some Sequence<Unit>) -> Scenario {
        var steps: Set<Int> = []
        var faults: Set<Int> = []
        for unit in units {
            switch unit {
            case .steps(let places): steps.formUnion(places)
            case .fault(let place): faults.insert(place)
            }
        }
        var less = numbered
        less.steps = less.steps.enumerated().filter { !steps.contains($0.offset) }.map(\.element)
        less.faults = less.faults.enumerated().filter { !faults.contains($0.offset) }.map(\.element)
        return less.applying(hasUsualStorm: storm == usualStorm)
    }
    func keeping(steps isKept: (Int) -> Bool, faults: Bool) -> Scenario {
        without(
            [.steps(Set(steps.indices.filter { !isKept($0) }))] + (faults ? [] : self.faults.indices.map { .fault($0) })
        )
    }

    /// Every edit has its number, so that it keeps its name when others go.
    var numbered: Scenario {
        var scenario = self
        var numbers: [Person: Int] = [:]
        for index in steps.indices {
            guard case .edit = steps[index].deed else { continue }
            let person = steps[index].person
            let number = steps[index].number ?? numbers[person, default: 0] + 1
            scenario.steps[index].number = number
            numbers[person] = number
        }
        return scenario
    }
    /// What no file may say is left out: steps of somebody who is not there, edits in an app that is not open, faults after the storm; and numbers that
    /// are the next ones anyhow.
    /// - Parameter hasUsualStorm: the storm goes with the last act.
    func applying(hasUsualStorm: Bool) -> Scenario {
        var scenario = self
        var table = SeatTable()
        scenario.steps = steps.filter { step in
            guard table.allows(step), !isIdle(step, table) else { return false }
            table.take(step)
            return true
        }
        var numbers: [Person: Int] = [:]
        for (index, step) in scenario.steps.enumerated() {
            guard case .edit = step.deed else { continue }
            let next = numbers[step.person, default: 0] + 1
            numbers[step.person] = max(step.number ?? next, next)
            if step.number == next { scenario.steps[index].number = nil }
        }
        if hasUsualStorm { scenario.storm = scenario.usualStorm }
        scenario.faults = scenario.faults.filter { $0.from - .zero < scenario.storm }
        return scenario
    }
    /// A second sign-in of somebody who is signed in, and a way home from the home screen.
    private func isIdle(_ step: WrittenStep, _ table: SeatTable) -> Bool {
        switch step.deed {
        case .signIn: table.occupant[step.pad] == step.person
        case .home: table.open[step.pad] == nil
        default: false
        }
    }

    /// iPads at which somebody does something.
    var usedPads: [Int] {
        let guests = faults.filter { $0.kind == "same-person-twice" }.flatMap(\.pads)
        return Set(steps.map(\.pad) + guests).sorted()
    }

    /// The scenario without people who do nothing, apps that nobody opens, iPads at which nobody is.
    var tidied: [Scenario] {
        [peopled, withApps, renumberedPads, peopled.withApps, peopled.withApps.renumberedPads].filter { $0 != self }
    }
    private var peopled: Scenario {
        var scenario = self
        let named = faults.compactMap { $0.parameters["person"]?.string }.map { SecondAccount.user(of: $0) }
        let busy = Set(steps.map(\.person))
        scenario.people = people.filter { busy.contains($0) || named.contains($0) }
        scenario.guests = guests.filter(busy.contains)
        if scenario.people.isEmpty { scenario.people = Array(people.prefix(1)) }
        return scenario
    }
    private var withApps: Scenario {
        var scenario = self
        let used = steps.compactMap(\.deed.app) + faults.compactMap { $0.parameters["app"]?.string }
        scenario.apps = apps.filter(used.contains)
        scenario.work = Work(apps: scenario.apps.map { .init($0) })
        scenario.work.ipadsEach = work.ipadsEach
        scenario.schemaFiles = schemaFiles.filter { used.contains($0.key) }
        return scenario
    }
    private var renumberedPads: Scenario {
        var scenario = self
        let numbers = Dictionary(uniqueKeysWithValues: usedPads.enumerated().map { ($0.element, $0.offset + 1) })
        guard !numbers.isEmpty else { return self }
        scenario.ipads = numbers.count
        for index in steps.indices { scenario.steps[index].pad = numbers[steps[index].pad] ?? 1 }
        scenario.core = core.compactMap { numbers[$0] }.sorted()
        if scenario.core.isEmpty { scenario.core = Array(1...scenario.ipads) }
        scenario.faults = faults.compactMap { fault in
            guard !fault.pads.isEmpty else { return fault }
            var fault = fault
            fault.pads = fault.pads.compactMap { numbers[$0] }
            // It would be about all of them.
            return fault.pads.isEmpty ? nil : fault
        }
        return scenario
    }

    /// How many faults have a name of their own.
    var namedFaults: Int { zip(faults, plainlyNamed.faults).count { $0.id != $1.id } }
    /// Faults by the names that a file gives them.
    var plainlyNamed: Scenario {
        var scenario = self
        var count: [String: Int] = [:]
        for index in faults.indices {
            count[faults[index].kind, default: 0] += 1
            scenario.faults[index].id = "\(faults[index].kind)-\(count[faults[index].kind] ?? 1)"
        }
        return scenario
    }
    /// Edits by the names that a file gives them.
    var plainlyNumbered: Scenario {
        var scenario = self
        for index in steps.indices { scenario.steps[index].number = nil }
        return scenario
    }

    /// Everything that `gone` does is done by `kept` from now on.
    func merging(_ gone: Person, into kept: Person) -> Scenario {
        var scenario = self
        for index in steps.indices {
            scenario.steps[index].number = nil
            if steps[index].person == gone { scenario.steps[index].person = kept }
        }
        for index in faults.indices where faults[index].parameters["person"]?.string == gone {
            scenario.faults[index].parameters["person"] = .string(kept)
        }
        return scenario.applying(hasUsualStorm: storm == usualStorm).peopled
    }
    /// Everything that happens at `gone` happens at `kept`.
    func merging(pad gone: Int, into kept: Int) -> Scenario {
        var scenario = self
        for index in steps.indices where steps[index].pad == gone { scenario.steps[index].pad = kept }
        for index in faults.indices where faults[index].pads.contains(gone) {
            var pads: [Int] = []
            for pad in faults[index].pads.map({ $0 == gone ? kept : $0 }) where !pads.contains(pad) { pads.append(pad) }
            scenario.faults[index].pads = pads
        }
        return scenario.applying(hasUsualStorm: storm == usualStorm).renumberedPads
    }
}
