import FleetModel
import Yams

/// Gathers what is wrong, so that several errors are told at once.
final class Problems {
    let file: String
    private(set) var errors: [ScenarioError] = []

    init(file: String) { self.file = file }

    func add(_ place: FilePlace, _ message: String) {
        errors.append(ScenarioError(file: file, place: place, message: message))
    }
    /// In the order of the file, each once, the first fifty.
    var sorted: ScenarioErrors {
        var seen: Set<ScenarioError> = []
        let ordered = errors.enumerated().sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }
        return ScenarioErrors(Array(ordered.map(\.element).filter { seen.insert($0).inserted }.prefix(50)))
    }
}

/// One value of the file with its name and place. Each reading method returns nil after it has reported what is wrong.
struct Field {
    let node: Node
    /// How messages call it: `ipads`, `steps[3].at`.
    let name: String
    let place: FilePlace
    let problems: Problems

    init(_ node: Node, name: String, problems: Problems, near place: FilePlace = FilePlace(line: 1, column: 1)) {
        self.node = node
        self.name = name
        self.problems = problems
        self.place = node.mark.map { FilePlace(line: max(1, $0.line), column: max(1, $0.column)) } ?? place
    }

    func report(_ message: String) { problems.add(place, message) }

    private func wrong<T>(_ expected: String) -> T? {
        report("'\(name)' has to be \(expected), not \(found)")
        return nil
    }
    private var found: String {
        switch node {
        case .scalar(let scalar) where scalar.string.isEmpty: "empty"
        case .scalar(let scalar): "'\(scalar.string.prefix(40))'"
        case .mapping: "a mapping"
        case .sequence: "a list"
        case .alias: "an alias"
        }
    }

    private var scalar: Node.Scalar? { if case .scalar(let scalar) = node { scalar } else { nil } }
    private var isPlain: Bool { scalar?.style == .plain || scalar?.style == .any }

    func text(_ expected: String = "a text") -> String? {
        guard let text = scalar?.string, !text.isEmpty else { return wrong(expected) }
        return text
    }
    /// What a person types: a text, `""` for nothing, or `{base64: AA==}` for what no YAML file can hold, a NUL.
    func typed() -> String? {
        guard case .mapping = node else { return !isPlain && scalar?.string == "" ? "" : text() }
        guard let field = fields(["base64"])?.require("base64", "the text's bytes"), let text = field.text() else {
            return nil
        }
        guard let bytes = Base64.decode(text) else { return field.wrong("base64 with padding") }
        return String(decoding: bytes, as: UTF8.self)
    }
    func whole(_ range: ClosedRange<Int>) -> Int? {
        guard isPlain, let number = scalar.flatMap({ Int($0.string) }), range.contains(number) else {
            return wrong("a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
    /// What `--seed` takes too.
    func seed() -> UInt64? {
        guard isPlain, let seed = scalar.flatMap({ UInt64($0.string) }) else {
            return wrong("a whole number from 0 to \(UInt64.max)")
        }
        return seed
    }
    func number(_ range: ClosedRange<Double>) -> Double? {
        guard isPlain, let number = scalar.flatMap({ Double($0.string) }), range.contains(number) else {
            return wrong("a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
    func flag() -> Bool? {
        switch scalar?.string {
        case "true": true
        case "false": false
        default: wrong("true or false")
        }
    }
    /// Whether exactly this is written.
    func isWord(_ word: String) -> Bool { scalar?.string == word }
    func span(_ range: ClosedRange<Span>) -> Span? {
        guard let span = scalar.flatMap({ Span(parsing: $0.string) }), range.contains(span) else {
            return wrong("a time from \(range.lowerBound) to \(range.upperBound), such as 90s or 1h30m")
        }
        return span
    }
    /// `[5s, 40s]`: from the one to the other, whichever is longer; or one time for both.
    func ramp(_ range: ClosedRange<Span>) -> (first: Span, last: Span)? {
        guard case .sequence = node else { return span(range).map { ($0, $0) } }
        guard let items = list(), items.count == 2 else { return wrong("two times, such as [5s, 40s]") }
        guard let first = items[0].span(range), let last = items[1].span(range) else { return nil }
        return (first, last)
    }
    /// `[5s, 40s]`, or one time for both ends.
    func spans(_ range: ClosedRange<Span>) -> ClosedRange<Span>? {
        guard let (low, high) = ramp(range) else { return nil }
        guard low <= high else { return wrong("two times with the smaller one first") }
        return low...high
    }
    func word(_ words: [String], _ what: String) -> String? {
        guard let text = text("one of \(Spelling.list(words))") else { return nil }
        guard words.contains(text) else {
            report(
                "unknown \(what) '\(text.prefix(40))'\(Spelling.hint(text, among: words)) Known: \(Spelling.list(words))"
            )
            return nil
        }
        return text
    }
    func list() -> [Field]? {
        guard case .sequence(let sequence) = node else { return wrong("a list") }
        return sequence.enumerated().map { Field($1, name: "\(name)[\($0 + 1)]", problems: problems, near: place) }
    }
    var isEmptyList: Bool { if case .sequence(let sequence) = node { sequence.isEmpty } else { false } }
    /// One item or a list of them.
    func items() -> [Field] { if case .sequence = node { list() ?? [] } else { [self] } }

    /// Any mapping, its keys being texts.
    func pairs() -> [(key: Field, value: Field)]? {
        guard case .mapping(let mapping) = node else { return wrong("a mapping (key: value)") }
        return mapping.compactMap { key, value in
            let keyField = Field(key, name: "key", problems: problems, near: place)
            guard let text = keyField.text("a plain key") else { return nil }
            return (keyField, Field(value, name: text, problems: problems, near: keyField.place))
        }
    }
    /// A mapping with known keys; others are reported.
    func fields(_ known: [String]) -> Fields? {
        guard let pairs = pairs() else { return nil }
        var fields = Fields(owner: self)
        for (keyField, value) in pairs {
            let key = value.name
            guard known.contains(key) else {
                let hint = Spelling.hint(key, among: known)
                keyField.report("unknown key '\(key.prefix(40))' in \(name)\(hint) Known: \(Spelling.list(known))")
                continue
            }
            let path = name == Field.top ? key : "\(name).\(key)"
            fields.entries[key] = Field(value.node, name: path, problems: problems, near: keyField.place)
        }
        return fields
    }
    /// What messages call the outermost mapping.
    static let top = "the scenario"

    /// The value as it is, for parameters that a fault will check. Plain scalars become numbers and flags where they look like it.
    func value(depth: Int = 0) -> Value? {
        guard depth < 8 else { return wrong("less deeply nested") }
        switch node {
        case .scalar(let scalar): return isPlain ? Self.plain(scalar.string) : .string(scalar.string)
        case .sequence:
            let values = (list() ?? []).map { $0.value(depth: depth + 1) }
            return values.contains(nil) ? nil : .array(values.compactMap { $0 })
        case .mapping:
            var object = Value.Object()
            for (_, value) in pairs() ?? [] { object[value.name] = value.value(depth: depth + 1) }
            return .object(object)
        case .alias: return wrong("written out")
        }
    }
    private static func plain(_ text: String) -> Value {
        switch text {
        case "", "~", "null": return .null
        case "true": return .bool(true)
        case "false": return .bool(false)
        default: break
        }
        if let number = Int64(text) { return .int(number) }
        if let number = Double(text), number.isFinite { return .double(number) }
        return .string(text)
    }
}

/// The known keys of one mapping.
struct Fields {
    let owner: Field
    var entries: [String: Field] = [:]

    init(owner: Field) { self.owner = owner }

    subscript(key: String) -> Field? { entries[key] }

    /// The field, or a report that it is missing.
    func require(_ key: String, _ what: String) -> Field? {
        if let field = entries[key] { return field }
        owner.report("\(owner.name) lacks '\(key)': \(what)")
        return nil
    }
}
