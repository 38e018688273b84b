import FleetModel

/// Writes a scenario of explicit steps and faults as a file that `ScenarioReader` reads back as the same scenario.
///
/// Keys that have their default are left out.
public struct ScenarioWriter {
    private let scenario: Scenario
    private var lines: [String] = []

    /// - Parameters:
    ///   - scenario: one without timetable, load, swarm and draws: what `Scenario.written` gives.
    ///   - comments: lines above everything, without their `#`.
    ///   - namesSeed: also the seed that a file has by default.
    public static func yaml(_ scenario: Scenario, comments: [String] = [], namesSeed: Bool = false) -> String {
        var writer = ScenarioWriter(scenario: scenario)
        writer.lines = comments.map { $0.isEmpty ? "#" : "# " + YAMLText.comment($0) }
        writer.writeRun(namesSeed)
        writer.writeSchool()
        writer.writeActs()
        return writer.lines.joined(separator: "\n") + "\n"
    }

    private init(scenario: Scenario) { self.scenario = scenario }

    private mutating func put(_ key: String, _ text: String) { lines.append("\(key): \(text)") }

    private mutating func writeRun(_ namesSeed: Bool) {
        put("name", scenario.name)
        put("purpose", YAMLText.scalar(scenario.purpose))
        let expect = scenario.expect
        put(
            "expect",
            expect.lossClass.map { "{verdict: \(expect.verdict.rawValue), class: \($0.rawValue)}" }
                ?? expect.verdict.rawValue)
        if scenario.seed != 1 || namesSeed { put("seed", "\(scenario.seed)") }
    }

    private mutating func writeSchool() {
        let standard = LinkModel()
        put("apps", list(scenario.apps))
        put("ipads", "\(scenario.ipads)")
        if let slots = scenario.slots { put("slots", "\(slots)") }
        if let capacity = scenario.capacity { put("capacity", "\(capacity)") }
        if let configuration = scenario.configuration { put("configuration", YAMLText.flow(configuration)) }
        if let purges = scenario.purgeAtSignOut { put("purgeAtSignOut", "\(purges)") }
        if let waits = scenario.awaitDeviceConfigured { put("awaitDeviceConfigured", "\(waits)") }
        if let limit = scenario.launchLimit { put("launchLimit", limit.written) }
        if scenario.switches != PadSwitches() { put("switches", YAMLText.flow(scenario.switches.body)) }
        if scenario.cloud.body != .empty { put("cloud", YAMLText.flow(scenario.cloud.body)) }
        writeSchema()
        put("people", list(scenario.people))
        if !scenario.guests.isEmpty { put("guests", list(scenario.guests)) }
        if scenario.work.ipadsEach > 1 { put("work", "{ipadsEach: \(scenario.work.ipadsEach)}") }
        if scenario.isMeasured { put("measure", "true") }
        if scenario.isAudited { put("audit", "true") }
        if scenario.storm != scenario.usualStorm { put("storm", scenario.storm.written) }
        if scenario.calmBudget != Scenario.usualCalm { put("calm", scenario.calmBudget.written) }
        if scenario.core != Array(1...max(1, scenario.ipads)) { put("core", list(scenario.core.map(String.init))) }
        let link = scenario.linkModel
        if link != standard {
            let latency = link.least == link.most ? link.least.written : "[\(link.least.written), \(link.most.written)]"
            put("network", "{latency: \(latency), bytesPerSecond: \(link.bytesPerSecond)}")
        }
        if let calls = scenario.limits.maxCallsPerInstant { put("limits", "{maxCallsPerInstant: \(calls)}") }
    }
    private mutating func writeSchema() {
        guard scenario.watchesSchema else { return }
        guard !scenario.schemaFiles.isEmpty else { return put("schema", "open") }
        let files = scenario.schemaFiles.sorted { $0.key < $1.key }
        put("schema", "{\(files.map { "\($0.key): \(YAMLText.scalar($0.value))" }.joined(separator: ", "))}")
    }

    private mutating func writeActs() {
        if !scenario.steps.isEmpty {
            lines.append("steps:")
            lines += scenario.steps.map { "  - {\(words(of: $0).joined(separator: ", "))}" }
        }
        guard !scenario.faults.isEmpty else { return }
        lines.append("faults:")
        var count: [String: Int] = [:]
        for fault in scenario.faults {
            count[fault.kind, default: 0] += 1
            lines.append("  - {\(words(of: fault, number: count[fault.kind] ?? 1).joined(separator: ", "))}")
        }
    }

    private func words(of step: Scenario.WrittenStep) -> [String] {
        var words = ["at: \((step.at - .zero).written)", "who: \(step.person)", "ipad: \(step.pad)"]
        switch step.deed {
        case .signIn: words.append("do: signIn")
        case .signOut: words.append("do: signOut")
        case .home: words.append("do: home")
        case .walkAway: words.append("do: walkAway")
        case .backUp: words.append("do: backup")
        case .restore: words.append("do: restore")
        case .open(let app): words += ["do: open", "app: \(app)"]
        case .command(let message): words += Self.words(of: message)
        case .edit(let app, let action, let item, let text):
            words += ["do: edit", "app: \(app)", "action: \(action)"]
            if let item { words.append("item: \(YAMLText.scalar(item))") }
            if let text { words.append("text: \(YAMLText.typed(text))") }
            if let number = step.number { words.append("number: \(number)") }
            if step.opens { words.append("opens: true") }
        }
        return words
    }

    /// The words that `Reading.readCommand` makes the message of.
    private static func words(of message: Message) -> [String] {
        let deeds = [
            PadCommand.OpenURL.name: "openURL", PadCommand.ReceiveFile.name: "receiveFile",
            PadCommand.ChangeSetting.name: "setting",
            PadCommand.Wake.name: "wake", PadCommand.WakeEnded.name: "wakeEnded", PadCommand.GiveNotice.name: "notice",
        ]
        var words = ["do: \(deeds[message.name] ?? message.name)"]
        for pair in message.body.object?.pairs ?? [] {
            switch (message.name, pair.key) {
            case (PadCommand.ReceiveFile.name, "name"): words.append("item: \(YAMLText.flow(pair.value))")
            case (PadCommand.ReceiveFile.name, "data"):
                let bytes: [UInt8] = if case .data(let bytes) = pair.value { bytes } else { [] }
                words.append("text: \(YAMLText.scalar(String(decoding: bytes, as: UTF8.self)))")
            case (PadCommand.GiveNotice.name, "name"): words.append("notice: \(YAMLText.flow(pair.value))")
            default: words.append("\(pair.key): \(YAMLText.flow(pair.value))")
            }
        }
        return words
    }

    private func words(of fault: FaultSpec, number: Int) -> [String] {
        var words = ["fault: \(fault.kind)"]
        if fault.id != "\(fault.kind)-\(number)" { words.append("id: \(fault.id)") }
        let from = (fault.from - .zero).written
        if fault.until == fault.from {
            words.append("at: \(from)")
        } else {
            words += ["from: \(from)", "until: \(fault.stays ? "forever" : (fault.until - .zero).written)"]
        }
        if !fault.pads.isEmpty { words.append("ipads: \(list(fault.pads.map(String.init)))") }
        if fault.parameters != .empty { words.append("with: \(YAMLText.flow(fault.parameters))") }
        return words
    }

    private func list(_ names: [String]) -> String { "[\(names.joined(separator: ", "))]" }
}

extension Scenario {
    /// The longest calm of a file that says nothing about it.
    static let usualCalm = Span.hours(2)
    /// The storm of a file that says nothing about it: two minutes after the last act.
    public var usualStorm: Span {
        let busy = max(periods.last?.end ?? .zero, load?.until ?? steps.last?.at ?? .zero)
        return (busy - .zero) + .minutes(2)
    }
}

extension Span {
    /// A text that is read back as this very length, to the nanosecond: `250ms`, `2m40s`, `1m2.5s`.
    public var written: String {
        let total = Int64(clamping: nanoseconds.magnitude)
        let sign = nanoseconds < 0 ? "-" : ""
        if total > 0, total < 1_000_000_000, total.isMultiple(of: 1_000_000) { return "\(sign)\(total / 1_000_000)ms" }
        let (hours, minutes, rest) = (total / 3_600_000_000_000, total / 60_000_000_000 % 60, total % 60_000_000_000)
        var fraction = padded(rest % 1_000_000_000, 9)
        while fraction.hasSuffix("0") { fraction.removeLast() }
        let seconds = "\(rest / 1_000_000_000)" + (fraction.isEmpty ? "" : "." + fraction) + "s"
        let parts = [
            hours > 0 ? "\(hours)h" : "", minutes > 0 ? "\(minutes)m" : "", rest > 0 || total == 0 ? seconds : "",
        ]
        return sign + parts.joined()
    }
}
