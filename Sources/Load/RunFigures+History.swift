import FleetModel

extension RunFigures {
    /// Measures a run by what was noted in it. Sights are there only when its iPads noted arrivals (scenario key `measure`).
    ///
    /// - Parameters:
    ///   - history: in the order of time.
    ///   - plan: the workload tape.
    ///   - bells: ends of periods, in order.
    public init(
        history: [HistoryEvent], plan: [PlanStep], bells: [Instant] = [], scenario: String, seed: UInt64, mode: String,
        wallMilliseconds: Int64
    ) {
        let times = EditTimes(history: history, plan: plan)
        self.init(
            scenario: scenario, seed: seed, mode: mode, plan: Self.course(of: plan), wallMilliseconds: wallMilliseconds,
            rows: Self.rows(times), timeline: Timeline(times, bells: bells))
        self.bells = BellTimes(history: history, plan: plan, bells: bells).bells
    }

    /// Equal for plans in which the same people do the same at the same times.
    public static func name(of plan: [PlanStep]) -> String {
        var hash = StableHash()
        for step in plan { hash.add(step.body.encoded) }
        return String(hash.value, radix: 16)
    }

    /// Equal also where people use another app: apps are told apart, not named, and what is written is left out.
    static func course(of plan: [PlanStep]) -> String {
        var numbers: [AppName: Int] = [:]
        func number(_ app: AppName) -> AppName {
            let number = numbers[app] ?? numbers.count
            numbers[app] = number
            return "\(number)"
        }
        return name(
            of: plan.map { step in
                var step = step
                switch step.deed {
                case .open(let app): step.deed = .open(number(app))
                case .perform(let edit):
                    step.deed = .perform(
                        Edit(
                            token: edit.token, person: edit.person, app: number(edit.app), action: "", item: "",
                            verb: .put, value: ""))
                case .signIn, .signInAsGuest, .signOut, .home, .command, .backUp, .restore: break
                }
                return step
            })
    }

    private static func rows(_ times: EditTimes) -> [Row] {
        let overtaken = times.overtaken
        let present = Set(times.all.compactMap { times.channels[$0.edit.app] })
        return groups(present).flatMap { channel in
            situations(hasFaults: !times.faults.isEmpty).map { situation in
                var sum = Sum(channel: channel, situation: situation)
                for (index, edit) in times.all.enumerated() {
                    if let channel, times.channels[edit.edit.app] != channel { continue }
                    if situation != .all, times.isFaulty(edit.intended) != (situation == .faults) { continue }
                    sum.add(edit, isOvertaken: overtaken.contains(index))
                }
                return sum.row
            }
        }
    }
}

extension RunFigures {
    /// All edits, then those of each channel; one channel is the same as all of them.
    static func groups(_ present: Set<Channel>) -> [Channel?] {
        let channels = Channel.allCases.filter(present.contains)
        return (channels.count == 1 ? [] : [nil]) + channels.map(Optional.some)
    }
    static func situations(hasFaults: Bool) -> [Situation] { hasFaults ? Situation.allCases : [.all] }
}

extension EditTimes {
    /// Whether a fault was at work then; one that is only an event does not count.
    fileprivate func isFaulty(_ moment: Instant) -> Bool {
        faults.contains { $0.from <= moment && moment < $0.until }
    }
}

/// Adds edits up to one row.
private struct Sum {
    private var result: RunFigures.Row
    private var planned = Rate()
    private var performed = Rate()

    init(channel: Channel?, situation: RunFigures.Situation) {
        result = RunFigures.Row(channel: channel, situation: situation)
    }

    mutating func add(_ times: EditTimes.Times, isOvertaken: Bool) {
        result.planned += 1
        planned.add(times.intended)
        if !times.isTried { result.skipped += 1 }
        if times.isRefused, times.performed == nil { result.refused += 1 }
        result.handedBack += times.handedBack
        guard let done = times.performed else { return }
        result.performed += 1
        performed.add(done)
        record(.performed, done - times.intended)
        if let handedOver = times.handedOver {
            record(.handedOver, handedOver - done)
            if let committed = times.committed { record(.committed, committed - max(handedOver, done)) }
        }
        guard times.isVisible else { return }
        if let first = times.sights.first, let last = times.sights.last {
            record(.firstSight, first.at - times.intended)
            record(.lastSight, last.at - times.intended)
        } else {
            result.unseen += 1
            if isOvertaken { result.overtaken += 1 }
        }
    }
    private mutating func record(_ stage: RunFigures.Stage, _ span: Span) {
        result.latencies[stage, default: LatencyHistogram()].record(span)
    }

    var row: RunFigures.Row {
        var row = result
        row.plannedPerSecond = planned.perSecond
        row.performedPerSecond = performed.perSecond
        return row
    }

    /// How often something happened, between its first and its last time.
    private struct Rate {
        private var count = 0
        private var first: Instant?
        private var last: Instant?

        mutating func add(_ moment: Instant) {
            count += 1
            first = min(first ?? moment, moment)
            last = max(last ?? moment, moment)
        }
        var perSecond: Double {
            guard let first, let last, last > first else { return 0 }
            return Double(count - 1) * 1e9 / Double((last - first).nanoseconds)
        }
    }
}

extension RunFigures.Timeline {
    private static let binsMax = 120
    /// Lengths that people can read off an axis.
    static let lengths: [Span] = {
        let steps: [Int64] = [1, 2, 5, 10, 15, 30]
        return steps.map(Span.seconds) + steps.map(Span.minutes) + [1, 2, 4, 8, 24].map(Span.hours)
    }()

    /// The storm in at most 120 bins.
    init(_ times: EditTimes, bells: [Instant]) {
        let length = times.stormEnd.nanoseconds
        let least = length / Int64(Self.binsMax) + 1
        let bin = Self.lengths.first { $0.nanoseconds >= least } ?? Span(nanoseconds: least)
        let bins = max(1, Int(length / bin.nanoseconds) + 1)
        func counted(_ moments: [Instant?]) -> [Int] {
            var counts = [Int](repeating: 0, count: bins)
            for case let moment? in moments {
                let index = Int(moment.nanoseconds / bin.nanoseconds)
                if counts.indices.contains(index) { counts[index] += 1 }
            }
            return counts
        }
        self.init(
            bin: bin, planned: counted(times.all.map(\.intended)), performed: counted(times.all.map(\.performed)),
            seen: counted(times.all.map { $0.sights.first?.at }), bells: bells,
            faults: times.faults.filter { $0.from < times.stormEnd })
        var sights = [[Span]](repeating: [], count: bins)
        for edit in times.all {
            let index = Int(edit.intended.nanoseconds / bin.nanoseconds)
            guard edit.performed != nil, edit.isVisible, let first = edit.sights.first, sights.indices.contains(index)
            else { continue }
            sights[index].append(first.at - edit.intended)
        }
        medianSight = sights.map { $0.isEmpty ? nil : $0.sorted()[$0.count / 2] }
        longestSight = sights.map { $0.max() }
    }
}
