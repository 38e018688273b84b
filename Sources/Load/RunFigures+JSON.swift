import FleetModel

/// `figures.json`.
extension RunFigures {
    /// Changes when an older reader would misunderstand what a newer one wrote.
    public static let format: Int64 = 2

    /// The content of `figures.json`; times in nanoseconds.
    public var body: Value {
        var body: Value = [
            "format": .int(Self.format), "scenario": .string(scenario), "seed": .string(String(seed)),
            "mode": .string(mode), "plan": .string(plan), "wallMilliseconds": .int(wallMilliseconds),
            "rows": .array(rows.map(\.body)), "timeline": timeline.body, "speed": .double(speed),
        ]
        if !bells.isEmpty { body["bells"] = .array(bells.map(\.body)) }
        if let costs { body["costs"] = costs.body }
        return body
    }

    /// Why a file of figures cannot be used.
    public struct Problem: Error, Hashable, Sendable {
        /// What is wrong and what to do; the name of the file is the caller's.
        public var message: String
    }

    /// - Throws: `Problem` that says what is wrong; the name of the file is the caller's.
    public init(_ body: Value) throws(Problem) {
        guard let format = body["format"]?.int else { throw Problem(message: "it holds no figures of a run") }
        guard format == Self.format else {
            throw Problem(
                message: "it has format \(format), this homeroom reads format \(Self.format); run the scenario again")
        }
        guard let scenario = body["scenario"]?.string, let seed = body["seed"]?.string.flatMap({ UInt64($0) }),
            let mode = body["mode"]?.string, let plan = body["plan"]?.string,
            let milliseconds = body["wallMilliseconds"]?.int, let bodies = body["rows"]?.array,
            let timeline = body["timeline"].flatMap(Timeline.init), let speed = body["speed"]?.double, speed > 0
        else { throw Problem(message: "its figures are damaged; run the scenario again") }
        let rows = bodies.compactMap(Row.init)
        guard rows.count == bodies.count, Set(rows.map(\.name)).count == rows.count else {
            throw Problem(message: "its rows are damaged; run the scenario again")
        }
        self.init(
            scenario: scenario, seed: seed, mode: mode, plan: plan, wallMilliseconds: milliseconds, rows: rows,
            timeline: timeline)
        self.speed = speed
        let bellBodies = body["bells"]?.array ?? []
        bells = bellBodies.compactMap(Bell.init)
        guard bells.count == bellBodies.count else {
            throw Problem(message: "its bells are damaged; run the scenario again")
        }
        guard let part = body["costs"] else { return }
        guard let costs = Costs(part) else { throw Problem(message: "its costs are damaged; run the scenario again") }
        self.costs = costs
    }
}

extension RunFigures.Row {
    fileprivate var body: Value {
        [
            "channel": .string(channel?.rawValue ?? "all"), "situation": .string(situation.rawValue),
            "planned": .int(planned), "skipped": .int(skipped), "performed": .int(performed), "refused": .int(refused),
            "handedBack": .int(handedBack), "unseen": .int(unseen), "overtaken": .int(overtaken),
            "plannedPerSecond": .double(plannedPerSecond), "performedPerSecond": .double(performedPerSecond),
            "latencies": .object(Value.Object(latencies.map { ($0.key.rawValue, $0.value.body) })),
        ]
    }

    fileprivate init?(_ body: Value) {
        guard let name = body["channel"]?.string, let situation = body["situation"]?.string.flatMap(Situation.init),
            name == "all" || Channel(rawValue: name) != nil
        else { return nil }
        self.init(channel: Channel(rawValue: name), situation: situation)
        func read(_ key: String, _ path: WritableKeyPath<Self, Int>) -> Bool {
            guard let number = body[key]?.int, number >= 0 else { return false }
            self[keyPath: path] = Int(number)
            return true
        }
        guard read("planned", \.planned), read("skipped", \.skipped), read("performed", \.performed),
            read("refused", \.refused), read("handedBack", \.handedBack), read("unseen", \.unseen),
            read("overtaken", \.overtaken), let planned = body["plannedPerSecond"]?.double,
            let performed = body["performedPerSecond"]?.double, planned >= 0, performed >= 0
        else { return nil }
        (plannedPerSecond, performedPerSecond) = (planned, performed)
        for pair in body["latencies"]?.object?.pairs ?? [] {
            guard let stage = RunFigures.Stage(rawValue: pair.key), let latencies = LatencyHistogram(pair.value) else {
                return nil
            }
            self.latencies[stage] = latencies
        }
    }
    private typealias Situation = RunFigures.Situation
}

extension RunFigures.Bell {
    fileprivate var body: Value {
        [
            "at": .int(at.nanoseconds), "planned": .int(planned), "answered": .int(answered),
            "lastPlanned": .int(lastPlanned.nanoseconds), "settled": settled.map { .int($0.nanoseconds) } ?? .null,
        ]
    }
    fileprivate init?(_ body: Value) {
        guard let at = body["at"]?.int, let planned = body["planned"]?.int.flatMap({ Int(exactly: $0) }),
            let answered = body["answered"]?.int.flatMap({ Int(exactly: $0) }), answered >= 0, answered <= planned,
            let lastPlanned = body["lastPlanned"]?.int
        else { return nil }
        self.init(
            at: Instant(nanoseconds: at), planned: planned, answered: answered,
            lastPlanned: Span(nanoseconds: lastPlanned),
            settled: body["settled"]?.int.map { Span(nanoseconds: $0) })
    }
}

extension RunFigures.Timeline {
    fileprivate var body: Value {
        func numbers(_ counts: [Int]) -> Value { .array(counts.map { .int($0) }) }
        func spans(_ list: [Span?]) -> Value { .array(list.map { $0.map { .int($0.nanoseconds) } ?? .null }) }
        return [
            "medianSight": spans(medianSight), "longestSight": spans(longestSight),
            "bin": .int(bin.nanoseconds), "planned": numbers(planned), "performed": numbers(performed),
            "seen": numbers(seen), "bells": .array(bells.map { .int($0.nanoseconds) }),
            "faults": .array(
                faults.map {
                    [
                        "name": .string($0.name), "from": .int($0.from.nanoseconds),
                        "until": .int($0.until.nanoseconds),
                    ]
                }),
        ]
    }

    fileprivate init?(_ body: Value) {
        func numbers(_ key: String) -> [Int]? {
            body[key]?.array.map { $0.compactMap { $0.int.flatMap { Int(exactly: $0) } }.filter { $0 >= 0 } }
        }
        guard let bin = body["bin"]?.int, bin > 0, let planned = numbers("planned"),
            let performed = numbers("performed"), let seen = numbers("seen"), let bells = body["bells"]?.array,
            let faults = body["faults"]?.array
        else { return nil }
        self.init(
            bin: Span(nanoseconds: bin), planned: planned, performed: performed, seen: seen,
            bells: bells.compactMap { $0.int.map { Instant(nanoseconds: $0) } }, faults: faults.compactMap(Window.init))
        // Not in files of an older homeroom.
        func spans(_ key: String) -> [Span?] {
            (body[key]?.array ?? []).map { $0.int.flatMap { $0 >= 0 ? Span(nanoseconds: $0) : nil } }
        }
        (medianSight, longestSight) = (spans("medianSight"), spans("longestSight"))
    }
}

extension RunFigures.Timeline.Window {
    fileprivate init?(_ body: Value) {
        guard let name = body["name"]?.string, let from = body["from"]?.int, let until = body["until"]?.int else {
            return nil
        }
        self.init(name: name, from: Instant(nanoseconds: from), until: Instant(nanoseconds: until))
    }
}
