import FleetModel

/// One reading of one file: what is known so far, and the problems.
///
/// Sections are read in the order in which they need each other: apps, iPads, people, timetable, steps, then the rest.
final class Reading {
    let problems: Problems
    /// Nil: any app, of which nothing is known. The programs that the file declares come to those of the executable.
    private(set) var knownApps: [AppManifest]?
    let knownFaults: [String]
    let knownSettings: [Switches.Switch]
    let program: ScenarioReader.ProgramFinder
    let refusal: ScenarioReader.FaultRefusal
    var apps: [AppName] = []
    var ipads = 0
    var people: [Person] = []
    var guests: [Person] = []
    var configuration: Value?
    var classes: [(name: String, members: [Person])] = []
    var periods: [Scenario.Period] = []
    var storm = Span.zero
    /// Whether faults are drawn in addition, whose ids begin with `swarm-`.
    var hasSwarm = false

    init(
        problems: Problems, knownApps: [AppManifest]?, knownFaults: [String], knownSettings: [Switches.Switch] = [],
        program: @escaping ScenarioReader.ProgramFinder = { _ in .failure(DeclarationRefusal("there are none")) },
        refusal: @escaping ScenarioReader.FaultRefusal
    ) {
        self.problems = problems
        self.knownApps = knownApps
        self.knownFaults = knownFaults
        self.knownSettings = knownSettings
        self.program = program
        self.refusal = refusal
    }

    /// Longest storm: a week of school days.
    static let longest = Span.hours(7 * 24)
    static let keys = [
        "name", "purpose", "expect", "seed", "apps", "programs", "ipads", "slots", "capacity", "configuration",
        "purgeAtSignOut",
        "awaitDeviceConfigured", "launchLimit", "switches", "cloud", "schema", "people", "guests", "classes",
        "timetable", "work",
        "steps",
        "load",
        "measure", "audit", "storm", "calm", "core", "network", "faults", "swarm", "texts", "items", "draw",
        "mustReach",
        "limits",
    ]

    /// Nil, or wrong in parts, when something was reported.
    func scenario(_ root: Field) -> Scenario? {
        guard let top = root.fields(Self.keys) else { return nil }
        let name = top.require("name", "what the verdict line calls it").flatMap(identifier)
        let purpose = top.require("purpose", "one sentence on what the scenario shows").flatMap { $0.text() }
        if let field = top["programs"] { readPrograms(field) }
        apps = top.require("apps", "a list of app names").map(appNames) ?? []
        ipads = top.require("ipads", "how many iPads there are").flatMap { $0.whole(1...10_000) } ?? 0
        if let field = top.require("people", "a number, or a list of names") { readPeople(field) }
        configuration = top["configuration"].flatMap(readConfiguration)
        if let field = top["guests"] { readGuests(field) }
        if let field = top["classes"] { readClasses(field) }
        if let field = top["timetable"] { readTimetable(field) }
        let steps = top["steps"].map(readSteps) ?? []
        let load = top["load"].flatMap(readLoad)
        for key in ["timetable", "steps", "work", "guests"] where top["load"] != nil {
            top[key]?.report("'\(key)' cannot be beside 'load', which says what everybody does")
        }
        readStorm(top, lastAct: load?.until ?? steps.last?.at ?? .zero)
        hasSwarm = top["swarm"] != nil
        let faults = top["faults"].map(readFaults) ?? []
        if periods.isEmpty, steps.isEmpty, load == nil, problems.errors.isEmpty {
            root.report("nobody does anything: give a 'timetable', 'steps' or a 'load'")
        }
        var scenario = Scenario(
            name: name ?? "", purpose: purpose ?? "", expect: top["expect"].flatMap(readExpectation) ?? .init(.valid),
            seed: top["seed"].flatMap { $0.seed() } ?? 1, apps: apps, ipads: ipads,
            people: people, guests: guests, periods: periods, steps: steps,
            work: top["work"].flatMap(readWork) ?? .init(apps: apps.map { .init($0) }), load: load,
            isMeasured: top["measure"].map { $0.flag() ?? false } ?? (load != nil), storm: storm,
            calmBudget: top["calm"].flatMap { $0.span(.seconds(10)...Self.longest) } ?? .hours(2),
            core: top["core"].map { pads($0) } ?? Array(1...max(1, ipads)),
            slots: top["slots"].flatMap { $0.whole(Axis.Ranges.slots) },
            capacity: top["capacity"].flatMap { $0.whole(Axis.Ranges.capacity) },
            configuration: configuration,
            purgeAtSignOut: top["purgeAtSignOut"].flatMap { $0.flag() },
            awaitDeviceConfigured: top["awaitDeviceConfigured"].flatMap { $0.flag() },
            launchLimit: top["launchLimit"].flatMap { $0.span(Axis.Ranges.launchLimit) },
            switches: top["switches"].map(readSwitches) ?? PadSwitches(),
            linkModel: top["network"].flatMap(readNetwork) ?? LinkModel(), faults: faults,
            swarm: top["swarm"].flatMap(readSwarm), mustReach: top["mustReach"].map(readMarks) ?? [],
            limits: top["limits"].flatMap(readLimits) ?? .init())
        scenario.isAudited = top["audit"].flatMap { $0.flag() } ?? false
        if let field = top["schema"] { readSchema(field, into: &scenario) }
        readAxes(top, into: &scenario)
        return scenario
    }

    /// A name that can be part of a file name or a token: `[a-z][a-z0-9-]*`, at most 32 letters.
    func identifier(_ field: Field) -> String? { identifier(field, atMost: 32) }
    func identifier(_ field: Field, atMost most: Int) -> String? {
        guard let text = field.text("a name") else { return nil }
        let letters = text.utf8
        let isGood =
            letters.count <= most && (letters.first.map { (0x61...0x7a).contains($0) } ?? false)
            && letters.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d }
        guard isGood else {
            field.report(
                "'\(text.prefix(40))' is not a name: use small letters, digits and hyphens, a letter first, at most \(most)"
            )
            return nil
        }
        return text
    }

    /// Declarations of apps that are no part of the executable. Who knows no app needs none.
    private func readPrograms(_ field: Field) {
        let paths = field.items().compactMap { item in item.text("a declaration, a file of JSON").map { (item, $0) } }
        if field.isEmptyList { field.report("'programs' is empty: name a declaration, or leave it out") }
        reportDoubles(paths.map(\.1), field)
        guard knownApps != nil else { return }
        for (item, path) in paths {
            switch program(path) {
            case .success(let manifest):
                if !(knownApps ?? []).contains(where: { $0.name == manifest.name }) { knownApps?.append(manifest) }
            case .failure(let refusal): item.report(refusal.message)
            }
        }
    }

    private func appNames(_ field: Field) -> [AppName] {
        let names = field.items().compactMap { item -> AppName? in
            guard let knownApps else { return identifier(item) }
            return item.word(knownApps.map(\.name), "app")
        }
        if field.isEmptyList { field.report("'apps' is empty: name one app at least") }
        reportDoubles(names, field)
        return names
    }

    func manifest(_ app: AppName) -> AppManifest? { knownApps?.first { $0.name == app } }

    func reportDoubles<T: Hashable>(_ items: [T], _ field: Field) {
        var seen: Set<T> = []
        for item in items where !seen.insert(item).inserted {
            return field.report("'\(item)' occurs twice in '\(field.name)'")
        }
    }

    /// iPad numbers: `3`, `[1, 2]`, `1-8`, `[2-8, 1]`.
    func pads(_ field: Field) -> [Int] {
        let numbers = field.items().flatMap(padRange)
        if numbers.isEmpty, field.isEmptyList { field.report("'\(field.name)' names no iPad") }
        reportDoubles(numbers, field)
        return numbers
    }
    private func padRange(_ field: Field) -> [Int] {
        guard ipads > 0, let text = field.text("the number of an iPad") else { return [] }
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard (1...2).contains(ends.count), let low = ends[0], let high = ends[ends.count - 1], low <= high else {
            field.report("'\(text.prefix(40))' is not an iPad: give a number such as 3, or a range such as 1-8")
            return []
        }
        guard low >= 1, high <= ipads else {
            field.report("there is no iPad \(low < 1 ? low : high): iPads are numbered from 1 to \(ipads)")
            return []
        }
        return Array(low...high)
    }
    /// The number of one iPad.
    func pad(_ field: Field) -> Int? {
        let all = pads(field)
        if all.count > 1 { field.report("'\(field.name)' has to be one iPad") }
        return all.first
    }

    func person(_ field: Field) -> Person? {
        guard !people.isEmpty else { return nil }
        return field.word(people, "person")
    }
    /// Steps are for guests too.
    func personOrGuest(_ field: Field) -> Person? {
        guard !people.isEmpty else { return nil }
        return field.word(people + guests, "person")
    }
}
