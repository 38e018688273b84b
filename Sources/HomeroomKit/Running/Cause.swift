import CInterpose
import Checkers
import FleetModel
import Nemesis
import Report
import Run
import Shrink
import Workload
import World

/// Why an edit came to harm: the same run again with one thing left out, and from each moment of its story on with other faults.
struct Cause {
    /// What was changed, and what became of the edit then.
    struct Change: Hashable {
        /// `the fault partition-1 (partition on ipad-2, 08:02:20.000 to 08:04:00.000)`
        var what: String
        /// The fault's id, the edit's token, or a key of the scenario.
        var name: String
        var fate: Fate
    }
    /// A moment of the story and what becomes of the edit when everything goes well from there on, or as other seeds have it.
    struct Moment: Hashable {
        var at: Instant
        /// When all faults end there and none begins.
        var atBest: Fate
        var lost = 0
        var futures = 0
    }

    let token: Token
    let lossClass: LossClass
    private(set) var changes: [Change] = []
    /// Faults that save the edit together, where none of them does alone.
    private(set) var together: [String] = []
    private(set) var moments: [Moment] = []
    private(set) var tries = 0
    private let began = hr_real_ns()
    private let failing: FailingRun
    private let jobs: Int
    private let story: [Instant]
    private let doom: Instant?

    /// - Parameter history: of the run, with the finding about the edit.
    init(_ failing: FailingRun, _ finding: Finding, history: [HistoryEvent], jobs: Int) {
        self.failing = failing
        self.jobs = jobs
        token = finding.token
        lossClass = finding.lossClass
        let story = Story(finding, history: history)
        self.story = story.steps.map { history[$0.event].at }
        doom = story.steps.first(where: \.isDoom).map { history[$0.event].at }
    }

    /// ASSUMED: what began later than the doom, or long before, is seldom the cause: the nearest ones are tried.
    static let changesMax = 60
    private static let momentsMax = 12

    /// - Parameter futures: other draws of the scenario's swarm from each moment on; 0: none.
    /// - Throws: on Ctrl-C, or what keeps the machine from playing.
    mutating func run(futures: Int) throws {
        let base = failing.written
        guard case .harmed(lossClass)? = try fates([base]).first else {
            throw RunEnd.input(
                "played again, \(token) is not \(lossClass.rawValue): the trace comes from another build, or was edited; record it again"
            )
        }
        try leaveOut(of: base)
        if !changes.contains(where: { $0.fate == .saved }) { try leaveOutTogether(of: base) }
        try branch(from: base, futures: futures)
    }

    // MARK: One thing left out

    private mutating func leaveOut(of base: Scenario) throws {
        let end = doom ?? story.last ?? .zero
        var candidates: [(what: String, name: String, scenario: Scenario)] = []
        let near = base.faults.enumerated().filter { $0.element.from <= end }.sorted { a, b in
            (Self.distance(a.element, end), a.offset) < (Self.distance(b.element, end), b.offset)
        }
        for (index, fault) in near {
            candidates.append((Self.words(fault), fault.id, base.without(fault: index)))
        }
        candidates.insert(contentsOf: edits(of: base, before: end), at: min(candidates.count, 20))
        if base.purgeAtSignOut == true {
            var kept = base
            kept.purgeAtSignOut = false
            candidates.insert(("the purge at sign-out", "purgeAtSignOut", kept), at: 0)
        }
        candidates = Array(candidates.prefix(Self.changesMax))
        let fates = try fates(candidates.map(\.scenario))
        changes = zip(candidates, fates).map { Change(what: $0.what, name: $0.name, fate: $1) }
    }
    /// How long before the doom a fault was over.
    private static func distance(_ fault: FaultSpec, _ end: Instant) -> Span { max(.zero, end - min(fault.until, end)) }

    /// Other edits of the same item, the newest ones.
    private func edits(of base: Scenario, before end: Instant) -> [(what: String, name: String, scenario: Scenario)] {
        let tokens = base.tokens
        guard let own = tokens.first(where: { $0.value == token })?.key else { return [] }
        let (app, item) = (base.steps[own].deed.app, base.steps[own].deed.item)
        let others = tokens.keys.filter {
            $0 != own && base.steps[$0].deed.app == app && base.steps[$0].deed.item == item && base.steps[$0].at <= end
        }
        return others.sorted(by: >).prefix(10).map { index in
            let name = tokens[index] ?? ""
            let place = "\(item ?? "") on ipad-\(base.steps[index].pad) at \(base.steps[index].at.wallClock)"
            return ("the edit \(name) (\(place))", name, base.without(step: index))
        }
    }

    /// Few faults that save it together: all of them, and of those as many as are needed.
    private mutating func leaveOutTogether(of base: Scenario) throws {
        var removed = Array(base.faults.indices)
        guard !removed.isEmpty, try fates([base.without(faults: removed)]) == [.saved] else { return }
        var size = removed.count
        while size >= 1 {
            var start = 0
            while start < removed.count {
                let fewer = Array(removed[..<start] + removed[min(start + size, removed.count)...])
                if !fewer.isEmpty, try fates([base.without(faults: fewer)]) == [.saved] {
                    removed = fewer
                } else {
                    start += size
                }
            }
            size = size == 1 ? 0 : (size + 1) / 2
        }
        together = removed.map { Self.words(base.faults[$0]) }
    }

    // MARK: From each moment on

    private mutating func branch(from base: Scenario, futures: Int) throws {
        let times = Self.spread(Set(story).sorted(), atMost: Self.momentsMax)
        let swarm = failing.runner.loaded.scenario.swarm == nil ? 0 : futures
        var scenarios: [Scenario] = []
        for time in times {
            scenarios.append(base.healed(from: time))
            for number in 0..<swarm { scenarios.append(future(of: base, from: time, number)) }
        }
        let fates = try fates(scenarios)
        moments = times.enumerated().map { index, time in
            let own = fates[(index * (swarm + 1))..<((index + 1) * (swarm + 1))]
            let others = own.dropFirst()
            return Moment(
                at: time, atBest: own.first ?? .notPerformed,
                lost: others.count { if case .harmed = $0 { true } else { false } },
                futures: others.count)
        }
    }
    private static func spread(_ times: [Instant], atMost most: Int) -> [Instant] {
        guard times.count > most else { return times }
        return (0..<most).map { times[$0 * (times.count - 1) / (most - 1)] }
    }
    /// Until the moment as it was, from there on the faults that another seed draws.
    private func future(of base: Scenario, from time: Instant, _ number: Int) -> Scenario {
        var scenario = base.healed(from: time)
        var other = failing.runner
        other.seed = StableHash.of(failing.runner.seed, "future", "\(number)")
        let drawn = other.swarmed(failing.runner.loaded.scenario).filter { $0.from > time }
        scenario.faults += drawn.map { fault in
            var fault = FaultChoices.readable(fault)
            fault.id = "future-\(fault.id)"
            return fault
        }
        return scenario
    }

    // MARK: Playing

    /// What becomes of the edit in each of the scenarios; some are played side by side.
    private mutating func fates(_ scenarios: [Scenario]) throws -> [Fate] {
        var fates: [Fate?] = scenarios.map { _ in nil }
        // By their places among the scenarios.
        var flights = Flights<Int>()
        defer { flights.stop() }
        var next = 0
        while next < scenarios.count || !flights.isEmpty {
            while next < scenarios.count, flights.count < jobs {
                if let runner = runner(of: scenarios[next]) { try flights.start(runner, for: next) }
                next += 1
            }
            Progress.show("the cause of \(token): \(tries) runs")
            if Interruption.isAsked { throw RunEnd.interrupted }
            for (flight, end) in flights.landed() {
                tries += 1
                do { fates[flight.purpose] = try flight.runner.conclude(end).fate.flatMap { Fate($0) } } catch let end
                    as RunEnd
                    where end.kind == .harness || end.kind == .inconclusive
                {}
            }
        }
        return fates.map { $0 ?? .notPerformed }
    }
    private func runner(of scenario: Scenario) -> Runner? {
        let text = Candidate(scenario, isOfAnySeed: false).yaml
        guard let parsed = try? ScenarioFiles.parse(text, file: failing.path).get() else { return nil }
        let loaded = LoadedScenario(
            scenario: parsed, text: text, file: failing.runner.loaded.file, schemas: failing.runner.loaded.schemas)
        var runner = Runner(loaded: loaded, seed: scenario.seed, mode: .sim, out: nil)
        runner.watched = token
        return runner
    }

    // MARK: Words

    private static func words(_ fault: FaultSpec) -> String {
        let place = fault.pads.isEmpty ? "everywhere" : "on " + fault.pads.map { "ipad-\($0)" }.joined(separator: " ")
        let end = fault.stays ? " for ever" : fault.until == fault.from ? "" : " to \(fault.until.wallClock)"
        return "the fault \(fault.id) (\(fault.kind) \(place), \(fault.from.wallClock)\(end))"
    }

    /// The last moment at which the edit could still be saved, and the first from which nothing saved it.
    var turn: (last: Instant?, first: Instant)? {
        guard let place = moments.lastIndex(where: { $0.atBest == .saved }) else {
            return moments.first.map { (nil, $0.at) }
        }
        return place + 1 < moments.count ? (moments[place].at, moments[place + 1].at) : nil
    }

    var lines: [String] {
        let real = (hr_real_ns() - began) / 100_000_000
        var lines = ["cause of \(lossClass.rawValue) \(token), by \(tries) other runs in \(real / 10).\(real % 10)s"]
        let saving = changes.filter { $0.fate == .saved }
        lines += saving.map { "   without \($0.what) \(token) is saved" }
        for change in changes {
            if case .harmed(let other) = change.fate, other != lossClass {
                lines.append("   without \(change.what) \(token) is \(other.rawValue)")
            }
        }
        if saving.isEmpty {
            lines.append("   nothing that was left out alone saves it: \(changes.count) faults and edits were tried")
            if !together.isEmpty {
                lines.append("   it is saved without these together: \(together.joined(separator: ", "))")
            }
        } else if changes.count > saving.count {
            lines.append("   left out one by one, \(changes.count - saving.count) others change nothing")
        }
        if let (last, first) = turn {
            if let last { lines.append("   when all faults end at \(last.wallClock), it is saved") }
            lines.append("   from \(first.wallClock) on it is not saved even when all faults end and none begins")
        }
        guard moments.contains(where: { $0.futures > 0 }) else { return lines }
        lines.append("   how often it comes to harm when other faults follow from that moment on:")
        for moment in moments {
            let part = Double(moment.lost) / Double(max(1, moment.futures))
            lines.append("   \(moment.at.wallClock)  \(Terminal.bar(part))  \(moment.lost) of \(moment.futures)")
        }
        return lines
    }

    var body: Value {
        [
            "edit": .string(token), "class": .string(lossClass.rawValue), "runs": .int(tries),
            "changes": .array(
                changes.map { ["without": .string($0.name), "what": .string($0.what), "fate": .string($0.fate.word)] }),
            "together": .strings(together),
            "moments": .array(
                moments.map {
                    [
                        "clock": .string($0.at.wallClock), "atBest": .string($0.atBest.word), "lost": .int($0.lost),
                        "futures": .int($0.futures),
                    ]
                }),
        ]
    }
}
