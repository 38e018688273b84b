import FleetModel

/// A run as a Jepsen history in EDN: one operation a line, for checkers and notebooks of that world.
///
/// A person is a process. An edit is invoked; it ends `:ok` when the app performed it, `:fail` when it was refused, and `:info` when nobody
/// answered: then the person goes on as another process, as Jepsen wants it. Each final reading is a `:read` of one account in one app. Faults are
/// operations of the `:nemesis`.
public struct JepsenExport {
    private struct Operation {
        var at: Instant
        var type: String
        /// Nil: the nemesis.
        var person: Person?
        /// Which operation of the person it begins or ends.
        var number: Int
        var function: String
        var value: String
        var more: String
    }

    private var next = 0
    /// Processes of each person that wait for nothing.
    private var free: [Person: [Int]] = [:]
    /// Processes at work, by the number of their operation.
    private var busy: [Int: Int] = [:]

    /// - Returns: one operation a line, by time.
    public static func edn(_ picture: RunPicture) -> String {
        let operations = edits(of: picture) + faults(of: picture) + readings(of: picture)
        let sorted = operations.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
        var export = JepsenExport()
        return sorted.enumerated().map { index, one in export.line(one.element, index) }.joined()
    }

    private mutating func line(_ one: Operation, _ index: Int) -> String {
        let process = one.person.map { "\(self.process(of: $0, one))" } ?? ":nemesis"
        return
            "{:index \(index), :time \(one.at.nanoseconds), :type :\(one.type), :process \(process), :f :\(one.function), :value \(one.value)\(one.more)}\n"
    }

    /// A process does one thing at a time: a person who begins a second one is one more process.
    private mutating func process(of person: Person, _ one: Operation) -> Int {
        if one.type == "invoke" {
            let process: Int
            if let known = free[person]?.popLast() { process = known } else { (process, next) = (next, next + 1) }
            busy[one.number] = process
            return process
        }
        let process = busy.removeValue(forKey: one.number) ?? 0
        // Nobody knows whether it goes on: the process is given up.
        if one.type != "info" { free[person, default: []].append(process) }
        return process
    }

    private static let verbs: [Edit.Verb: String] = [.put: "write", .delete: "delete", .effect: "set"]

    private static func edits(of picture: RunPicture) -> [Operation] {
        picture.edits.enumerated().flatMap { number, trail -> [Operation] in
            let edit = trail.edit
            let own = trail.steps.filter { $0.tokens.contains(edit.token) }
            guard let invoked = own.first(where: { $0.kind == "invoked" }) else { return [] }
            let end = own.first { ["performed", "refused"].contains($0.kind) }
            let begin = Operation(
                at: invoked.at, type: "invoke", person: edit.person, number: number,
                function: verbs[edit.verb] ?? "write", value: "[\(text(edit.item)) \(text(edit.token))]",
                more: ", :person \(text(edit.person)), :app \(text(edit.app))"
                    + (trail.pad.map { ", :pad \($0)" } ?? "") + ", :ending \(text(trail.ending))")
            var done = begin
            done.at = end?.at ?? picture.end
            done.type = end.map { $0.kind == "performed" ? "ok" : "fail" } ?? "info"
            return [begin, done]
        }
    }

    private static func readings(of picture: RunPicture) -> [Operation] {
        picture.readings.enumerated().flatMap { number, reading -> [Operation] in
            let items = reading.items.map { "\(text($0.id)) [\($0.tokens.map(text).joined(separator: " "))]" }
            let begin = Operation(
                at: reading.at, type: "invoke", person: reading.person, number: picture.edits.count + number,
                function: "read", value: "nil",
                more:
                    ", :person \(text(reading.person)), :app \(text(reading.app)), :reader \(text(reading.reader))")
            var done = begin
            // Of an incomplete reading what is missing proves nothing.
            done.type = reading.isComplete ? "ok" : "info"
            done.value = "{\(items.joined(separator: ", "))}"
            return [begin, done]
        }
    }

    private static func faults(of picture: RunPicture) -> [Operation] {
        picture.faults.flatMap { fault in
            let begin = Operation(
                at: fault.from, type: "info", person: nil, number: -1, function: "start-\(keyword(fault.kind))",
                value: "[\(fault.pads.map(String.init).joined(separator: " "))]", more: ", :id \(text(fault.id))")
            guard !fault.isOpen else { return [begin] }
            var end = begin
            (end.at, end.function) = (fault.until, "stop-\(keyword(fault.kind))")
            return [begin, end]
        }
    }

    /// The characters that a keyword may have.
    private static func keyword(_ text: String) -> String {
        String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "-" })
    }

    /// A string of EDN.
    static func text(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\r": out += "\\r"
            case "\t": out += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }
}
