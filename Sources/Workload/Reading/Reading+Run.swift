import FleetModel

/// Expectation, work, network, faults, swarm, marks and limits.
extension Reading {
    /// `valid`, or `{verdict: invalid, class: lost}`.
    func readExpectation(_ field: Field) -> Scenario.Expectation? {
        let verdicts = Verdict.allCases.map(\.rawValue)
        if case .scalar = field.node {
            guard let verdict = field.word(verdicts, "verdict").flatMap(Verdict.init) else { return nil }
            if verdict == .invalid { field.report("say which loss is expected: {verdict: invalid, class: lost}") }
            return .init(verdict)
        }
        guard let fields = field.fields(["verdict", "class"]),
            let verdict = fields.require("verdict", Spelling.list(verdicts))?.word(verdicts, "verdict").flatMap(
                Verdict.init)
        else { return nil }
        let classes = LossClass.allCases.filter(\.isViolation).map(\.rawValue)
        let lossClass = fields["class"]?.word(classes, "class").flatMap(LossClass.init)
        if verdict == .invalid, fields["class"] == nil {
            field.report("an expected 'invalid' needs a 'class': one of \(Spelling.list(classes))")
        }
        if verdict != .invalid { fields["class"]?.report("'class' has a meaning for 'verdict: invalid' only") }
        return .init(verdict, lossClass)
    }

    func readWork(_ field: Field) -> Scenario.Work? {
        let keys = ["edits", "apps", "pause", "walk", "switching", "home", "forget"]
        guard let fields = field.fields(keys + ["ipadsEach", "together", "close", "bulk"]) else { return nil }
        var work = Scenario.Work(apps: apps.map { .init($0) })
        if let edits = fields["edits"]?.whole(0...1_000) { work.edits = edits }
        if let choices = fields["apps"] { work.apps = readChoices(choices) }
        if let pause = fields["pause"]?.spans(.milliseconds(1) ... .hours(1)) { work.pause = pause }
        if let field = fields["walk"], let walk = field.spans(.zero ... .hours(1)) {
            work.walk = walk
            if let most = periods.map(\.walkMax).min(), walk.upperBound > most {
                field.report(
                    "'work.walk' goes up to \(walk.upperBound); at most \(most), a quarter of the shortest period")
            }
        }
        if let switching = fields["switching"]?.number(0...1) { work.switching = switching }
        if let home = fields["home"]?.number(0...1) { work.home = home }
        if let forget = fields["forget"]?.number(0...1) { work.forget = forget }
        if let each = fields["ipadsEach"]?.whole(Axis.Ranges.ipadsEach) { work.ipadsEach = each }
        if let together = fields["together"]?.number(0...1) { work.together = together }
        if let close = fields["close"]?.number(0...1) { work.close = close }
        if let bulk = fields["bulk"]?.whole(Axis.Ranges.bulk) { work.bulk = bulk }
        let edits = periods.reduce(0) { $0 + $1.seats.count } * work.edits
        if edits > 2_000_000 { field.report("the timetable comes to \(edits) edits; at most 2000000 in one scenario") }
        return work
    }
    func readChoices(_ field: Field) -> [Scenario.Work.Choice] {
        guard !apps.isEmpty else { return [] }
        let choices = (field.pairs() ?? []).compactMap { key, value -> Scenario.Work.Choice? in
            guard let app = key.word(apps, "app of this scenario"), let weight = value.whole(1...1_000) else {
                return nil
            }
            return .init(app, weight: weight)
        }
        if choices.isEmpty { field.report("'\(field.name)' is empty: name an app and a weight, or leave it out") }
        return choices
    }

    func readNetwork(_ field: Field) -> LinkModel? {
        guard let fields = field.fields(["latency", "bytesPerSecond"]) else { return nil }
        var model = LinkModel()
        if let latency = fields["latency"]?.spans(.zero ... .minutes(1)) {
            model.least = latency.lowerBound
            model.most = latency.upperBound
        }
        if let bytes = fields["bytesPerSecond"]?.whole(0...1_000_000_000_000) { model.bytesPerSecond = bytes }
        return model
    }

    // MARK: Faults

    func readFaults(_ field: Field) -> [FaultSpec] {
        var specs: [FaultSpec] = []
        for item in field.list() ?? [] {
            guard let fields = item.fields(["fault", "id", "at", "from", "until", "ipads", "with"]) else { continue }
            let before = problems.errors.count
            let kind = fields.require("fault", "see `homeroom list faults`")?.word(knownFaults, "fault")
            let window = readWindow(fields)
            let pads = fields["ipads"].map(self.pads) ?? []
            let parameters = fields["with"]?.value() ?? .empty
            // A fault would only refuse what stands in the place of what could not be read.
            let isReadable = problems.errors.count == before
            if let with = fields["with"] { checkNames(with) }
            guard let kind, let (from, until) = window else { continue }
            let number = specs.count { $0.kind == kind } + 1
            // Drawn ids are made of the names of faults, and longer.
            let id = fields["id"].flatMap { identifier($0, atMost: 64) } ?? "\(kind)-\(number)"
            if specs.contains(where: { $0.id == id }) { (fields["id"] ?? item).report("the id '\(id)' is used twice") }
            if hasSwarm, id.hasPrefix("swarm-") {
                (fields["id"] ?? item).report("ids that begin with 'swarm-' belong to the faults that 'swarm' draws")
            }
            let spec = FaultSpec(id: id, kind: kind, from: from, until: until, pads: pads, parameters: parameters)
            specs.append(spec)
            if isReadable, let refused = refusal(spec) {
                problems.add(place(of: refused.parameter, item, fields), "fault '\(kind)': \(refused.message)")
            }
        }
        return specs
    }

    /// Where a parameter of a fault is written, or the fault where it is not.
    private func place(of parameter: String, _ item: Field, _ fields: Fields) -> FilePlace {
        if let with = fields["with"], case .mapping = with.node,
            let written = with.pairs()?.first(where: { $0.value.name == parameter })
        {
            return written.value.place
        }
        let moment = ["from", "until"].contains(parameter) ? fields["at"] : nil
        return (moment ?? fields[parameter])?.place ?? item.place
    }

    /// Whoever a fault is about has to be there: it would do nothing, and nobody would know. Faults alone know no people and no apps.
    private func checkNames(_ with: Field) {
        guard case .mapping = with.node else { return }
        for (_, value) in with.pairs() ?? [] {
            switch value.name {
            case "person" where !people.isEmpty:
                if case .scalar(let scalar) = value.node, SecondAccount.isOne(scalar.string),
                    people.contains(SecondAccount.user(of: scalar.string))
                {
                    continue
                }
                _ = value.word(people + guests, "person of this scenario")
            case "app" where !apps.isEmpty: _ = value.word(apps, "app of this scenario")
            default: break
            }
        }
    }

    /// `at: 5m` for an event, `from: 5m, until: 8m` for a window, `until: forever` for one that stays after the storm.
    private func readWindow(_ fields: Fields) -> (Instant, Instant)? {
        let times = Span.zero...Self.longest
        if let field = fields["at"] {
            for key in ["from", "until"] { fields[key]?.report("give either 'at' or 'from' and 'until'") }
            guard let at = field.span(times) else { return nil }
            guard at < storm else { field.report("\(at) is after the storm, which ends at \(storm)"); return nil }
            return (.zero + at, .zero + at)
        }
        guard fields["from"] != nil || fields["until"] != nil else {
            fields.owner.report(
                "the fault lacks its time: 'at: 5m' for an event, 'from: 5m' and 'until: 8m' for a window")
            return nil
        }
        let from = fields.require("from", "when it begins")
        let until = fields.require("until", "when it heals")
        guard let begin = from?.span(times) else { return nil }
        guard begin < storm else { from?.report("\(begin) is after the storm, which ends at \(storm)"); return nil }
        if until?.isWord("forever") == true { return (.zero + begin, FaultSpec.forever) }
        guard let end = until?.span(times) else { return nil }
        guard begin < end else { until?.report("it heals at \(end), before it begins at \(begin)"); return nil }
        return (.zero + begin, .zero + end)
    }

    /// `all`, a list of kinds, or `{kinds: ..., allBut: ..., intensity: ...}`.
    func readSwarm(_ field: Field) -> Scenario.Swarming? {
        guard case .mapping = field.node else { return .init(kinds: readKinds(field)) }
        guard let fields = field.fields(["kinds", "allBut", "intensity"]) else { return nil }
        if fields["kinds"] != nil { fields["allBut"]?.report("give either 'kinds' or 'allBut'") }
        return .init(
            kinds: fields["kinds"].map(readKinds) ?? [],
            but: fields["allBut"].map { $0.items().compactMap { $0.word(knownFaults, "fault") } } ?? [],
            intensity: fields["intensity"]?.number(0...10) ?? 1)
    }
    private func readKinds(_ field: Field) -> [String] {
        if case .scalar = field.node {
            guard let kind = field.word(knownFaults + ["all"], "fault") else { return [] }
            return kind == "all" ? [] : [kind]
        }
        let kinds = field.items().compactMap { $0.word(knownFaults, "fault") }
        if field.isEmptyList {
            field.report("'\(field.name)' is 'all' or a list of faults; see `homeroom list faults`")
        }
        reportDoubles(kinds, field)
        return kinds
    }

    // MARK: What a run has to show

    func readMarks(_ field: Field) -> [String] {
        let marks = field.items().compactMap { $0.word(ReachableMarks.all, "mark") }
        reportDoubles(marks, field)
        return marks
    }

    func readLimits(_ field: Field) -> Scenario.Limits? {
        let keys = [
            "maxExcused", "maxInflight", "maxStranded", "maxCrashed", "minPerformed", "minAnsweredPercent",
            "maxCallsPerInstant",
        ]
        guard let fields = field.fields(keys) else { return nil }
        let counts = 0...100_000_000
        var limits = Scenario.Limits()
        limits.maxExcused = fields["maxExcused"]?.whole(counts)
        limits.maxInflight = fields["maxInflight"]?.whole(counts)
        limits.maxStranded = fields["maxStranded"]?.whole(counts)
        limits.maxCrashed = fields["maxCrashed"]?.whole(counts)
        limits.minPerformed = fields["minPerformed"]?.whole(counts)
        limits.minAnsweredPercent = fields["minAnsweredPercent"]?.whole(0...100)
        limits.maxCallsPerInstant = fields["maxCallsPerInstant"]?.whole(1...100_000_000)
        return limits
    }
}

/// Marks that a run can reach: what World and Pad note once each. A name that nobody notes would never be reached.
public enum ReachableMarks {
    public static let all = byFaults + byAdministrators

    /// What the faults of a swarm bring about.
    public static let byFaults = [
        "edit-performed", "second-ipad-saw", "user-switched", "user-switch-with-pending", "user-switch-idle",
        "user-switch-background-task", "bell", "no-free-slot", "evicted", "app-killed", "app-crashed",
        "app-killed-with-pending", "watchdog", "suspended", "background-task-expired", "force-quit", "locked",
        "power-cut-with-unsynced", "rebooted", "response-lost", "request-lost", "request-duplicated", "conflict-merged",
        "document-conflict", "push-lost", "push-late", "push-duplicated", "cloud-crashed", "zone-busy",
        "partial-failure",
        "quota-refused", "identity-changed", "account-changed", "delayed-notice", "same-person-twice",
        "account-refused", "purged",
        "low-space-purged", "document-evicted", "disk-full", "on-battery", "no-wifi", "upload-after-sign-out",
        "retry-after", "clock-skewed",
        "clock-drifted", "clock-jumped", "airplane", "edit-refused", "foreign-answer", "connection-broken",
        "interrupted",
    ]
    /// What only a scenario that asks for it shows, or only an app that queries.
    public static let byAdministrators = [
        "guest-session-ended", "session-timed-out", "user-deleted", "device-erased", "erased-with-pending",
        "device-configured", "user-configured", "auto-locked", "zone-deleted", "stale-index",
        "suspended-with-lock", "share-joined", "share-left",
    ]
}
