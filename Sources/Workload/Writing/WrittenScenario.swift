import FleetModel

/// A scenario as text, of what a test has done: steps with their times, and faults with theirs.
///
/// What it writes is what `ScenarioReader` reads: the same steps and faults, to the nanosecond.
package struct WrittenScenario {
    package var name: String
    package var purpose: String
    package var app: AppName
    package var ipads: Int
    package var people: [Person]
    /// Keys of a scenario that the test's author has given, as they are written there.
    package var extras: String
    package var storm = Span.zero
    package var steps: [PlanStep] = []
    package var faults: [FaultSpec] = []

    package init(name: String, purpose: String, app: AppName, ipads: Int, people: [Person], extras: String = "") {
        (self.name, self.purpose, self.app) = (name, purpose, app)
        (self.ipads, self.people, self.extras) = (ipads, people, extras)
    }

    package var text: String {
        var lines = [
            "name: \(name)", "purpose: \(Self.quoted(purpose))", "apps: [\(app)]", "ipads: \(ipads)",
            "people: [\(people.joined(separator: ", "))]", "storm: \(Self.time(storm))",
        ]
        lines += extras.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
        if !steps.isEmpty { lines.append("steps:") }
        lines += steps.map { "  - {\(Self.words(of: $0))}" }
        if !faults.isEmpty { lines.append("faults:") }
        lines += faults.map { "  - {\(Self.words(of: $0))}" }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func words(of step: PlanStep) -> String {
        let place = "at: \(time(step.at - .zero)), who: \(step.person), ipad: \(step.pad), do: "
        switch step.deed {
        case .open(let app): return place + "open, app: \(app)"
        case .perform(let edit):
            let text = edit.verb == .put ? EditPayload.plain(edit.value) : nil
            let end = text.map { ", text: \(quoted($0))" } ?? ""
            return place + "edit, app: \(edit.app), action: \(edit.action), item: \(quoted(edit.item))" + end
        case .command(let message): return place + "look, app: \(message["app"]?.string ?? "")"
        case .signIn, .signInAsGuest: return place + "signIn"
        case .signOut: return place + "signOut"
        case .home: return place + "home"
        case .backUp: return place + "backup"
        case .restore: return place + "restore"
        }
    }

    private static func words(of fault: FaultSpec) -> String {
        var words = "fault: \(fault.kind), id: \(fault.id), "
        words +=
            fault.until > fault.from
            ? "from: \(time(fault.from - .zero)), until: \(time(fault.until - .zero))"
            : "at: \(time(fault.from - .zero))"
        if !fault.pads.isEmpty { words += ", ipads: [\(fault.pads.map(String.init).joined(separator: ", "))]" }
        if fault.parameters != .empty { words += ", with: \(flow(fault.parameters))" }
        return words
    }

    /// Exact: a time of a scenario is read as a number with a unit.
    static func time(_ span: Span) -> String {
        let (whole, rest) = span.nanoseconds.quotientAndRemainder(dividingBy: 1000)
        return rest == 0 ? "\(whole)us" : "\(whole).\(padded(rest, 3))us"
    }
    /// In quotes, without the characters that a reader takes for anchors.
    static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        Value.writeJSON(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self).flatMap { character in
            switch character {
            case "&": Array("\\x26")
            case "*": Array("\\x2A")
            default: [character]
            }
        }.reduce(into: "") { $0.append($1) }
    }
    private static func flow(_ value: Value) -> String {
        switch value {
        case .string(let text): quoted(text)
        case .array(let values): "[\(values.map(flow).joined(separator: ", "))]"
        case .object(let object): "{\(object.pairs.map { "\($0.key): \(flow($0.value))" }.joined(separator: ", "))}"
        default: value.json
        }
    }
}
