import Checkers
import CloudCore
import FleetModel
import Nemesis
import ProgramApps
import Workload

/// What the pages of `Docs` show of the code.
enum PageTables {
    static var names: [String] { all.map(\.name) }
    /// Its lines; nil: there is none of that name.
    static func named(_ name: String) -> [String]? { all.first { $0.name == name }?.lines() }

    private static var all: [(name: String, lines: () -> [String])] {
        FaultFamily.allCases.map { family in ("faults \(family.rawValue)", { faults(of: family) }) }
            + [("lint rules", lintRules), ("marks", marks), ("classes", classes), ("cloud settings", cloudSettings)]
            + [
                ("lines to a program", { lines(AppProtocol.toProgram) }),
                ("lines of a program", { lines(AppProtocol.fromProgram) }),
                ("declaration of a program", declaration), ("messages of an app", messages),
            ]
            + MessagePages.tables
    }

    static func table(_ head: [String], _ rows: [[String]]) -> [String] {
        [row(head), "|" + head.map { _ in "---|" }.joined()] + rows.map(row)
    }
    private static func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
    static func code(_ word: String) -> String { "`\(word)`" }

    // MARK: Faults

    private static func faults(of family: FaultFamily) -> [String] {
        table(
            ["fault", "when", "what it does, how it heals", "parameters: type, default, range", "source"],
            FaultRegistry.all.filter { $0.family == family }.map { fault in
                let form = fault.form
                let parameters = form.parameters.map(words)
                return [
                    code(fault.name), form.isWindow ? "window" : "event", fault.summary,
                    parameters.isEmpty ? "none" : parameters.joined(separator: "; "), fault.source,
                ]
            })
    }

    private static func words(_ parameter: FaultForm.Parameter) -> String {
        let name = code(parameter.name) + " "
        switch parameter.kind {
        case .probability(let standard): return "\(name)\(standard == 1 ? "1" : "\(standard)"), 0 to 1"
        case .time(let standard, let range):
            return "\(name)time, \(time(standard)), \(time(range.lowerBound)) to \(time(range.upperBound))"
        case .number(let standard, let range):
            return "\(name)number, \(number(standard)), \(number(range.lowerBound)) to \(number(range.upperBound))"
        case .flag(let standard): return "\(name)`true` or `false`; \(standard)"
        case .text: return name + (parameter.isRequired ? "text, required" : "text")
        case .choice(let standard, let words):
            return
                "\(name)\(words.dropLast().map(code).joined(separator: ", ")) or \(code(words.last ?? "")); \(standard)"
        case nil: return name
        }
    }

    /// As people write it in a scenario: in the largest unit that fits.
    private static func time(_ span: Span) -> String {
        let milliseconds = span.nanoseconds / 1_000_000
        let units: [(String, Int64)] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000)]
        let fitting = units.first { milliseconds != 0 && milliseconds % $0.1 == 0 }
        return fitting.map { "\(milliseconds / $0.1)\($0.0)" } ?? (milliseconds == 0 ? "0s" : "\(milliseconds)ms")
    }
    private static func number(_ number: Int) -> String {
        let digits = "\(number.magnitude)"
        let isPower = digits.count > 6 && digits.hasPrefix("1") && digits.dropFirst().allSatisfy { $0 == "0" }
        return isPower ? "\(number < 0 ? "-" : "")10^\(digits.count - 1)" : "\(number)"
    }

    // MARK: Checkers, lint, marks, the Cloud

    private static func lintRules() -> [String] {
        table(["statement", "risky habit"], HabitLint.rules.map { [$0.statement, $0.habit] })
    }

    private static func classes() -> [String] {
        table(
            ["class", "an edit is of it when", "makes a run"],
            LossClass.allCases.compactMap { lossClass in
                CheckerRegistry.all.first { $0.lossClass == lossClass }.map {
                    [code($0.name), $0.summary, lossClass.isViolation ? "`invalid`" : "counted"]
                }
            })
    }

    private static func marks() -> [String] {
        let lists = [
            ("A swarm can bring these about", ReachableMarks.byFaults),
            ("These need a scenario that asks for them", ReachableMarks.byAdministrators),
        ]
        return lists.flatMap { [""] + folded("\($0): \($1.map(code).joined(separator: ", ")).") } + [""]
    }
    /// Lines that a reader of the file can read too.
    private static func folded(_ text: String) -> [String] {
        text.split(separator: " ").reduce(into: []) { lines, word in
            if let last = lines.last, last.count + word.count < 200 {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
    }

    private static func cloudSettings() -> [String] {
        table(
            ["name", "values", "section"],
            CloudSettings.all.map { setting in
                // Words in quotes are code.
                let meaning = setting.meaning.replacing(/'([A-Za-z_]+)'/) { "`\($0.1)`" }
                return [code(setting.name), setting.values.map(code).joined(separator: ", "), meaning]
            })
    }
}

// MARK: Programs as apps

extension PageTables {
    private static func lines(_ lines: [AppProtocol.Line]) -> [String] {
        table(
            ["line", "member", "type", "meaning"],
            lines.flatMap { line in
                [[code(line.name), "", "", line.meaning]]
                    + line.members.map { ["", code($0.name), type(of: $0), $0.meaning] }
            })
    }
    private static func type(of member: AppProtocol.Member) -> String {
        member.form.rawValue + (member.isRequired ? "" : ", optional")
    }

    private static func declaration() -> [String] {
        table(
            ["member", "type", "meaning"],
            AppProtocol.declaration.map {
                [code($0.name), type(of: $0), $0.meaning]
            })
    }

    private static func messages() -> [String] {
        table(
            ["about", "how", "messages"],
            LocalMessages.all.map { group in
                [group.name, words(group.way), group.messages.map(code).joined(separator: ", ")]
            })
    }
    private static func words(_ way: LocalMessages.Way) -> String {
        switch way {
        case .call: "`call`: answered at once"
        case .ask: "`post` with `exchange`: answered later"
        case .post: "`post`: not answered"
        case .question: "from the iPad, to be answered"
        case .notice: "from the iPad, without an answer"
        case .command: "to an iPad"
        }
    }
}
