import Foundation

/// Reads a predicate's text: `OR` binds least, then `AND`, then `NOT`.
struct PredicateParser {
    private enum Part {
        /// A name, a keyword or an operator.
        case word(String)
        /// A name that is no keyword, whatever it is: `%K`.
        case name(String)
        case value(Any)
    }
    /// Brackets and NOTs inside each other. ASSUMED: no app needs more, and a text of an app must not use up the stack.
    static let depthMax = 64

    private var parts: [Part] = []
    private var problem: PredicateProblem?
    private let text: String
    private var depth = 0

    init(_ text: String, _ arguments: [Any]) {
        self.text = text
        var rest = text[...]
        var arguments = arguments[...]
        while problem == nil {
            rest = rest.drop { $0.isWhitespace }
            guard let first = rest.first else { break }
            if first == "%" { readArgument(&rest, &arguments) } else { read(first, &rest) }
        }
        if problem == nil, !arguments.isEmpty { problem = error("has fewer places than arguments") }
    }
    private func error(_ what: String) -> PredicateProblem {
        PredicateProblem(message: "the predicate '\(text)' \(what)")
    }

    // MARK: Parts

    private mutating func readArgument(_ rest: inout Substring, _ arguments: inout ArraySlice<Any>) {
        let kind = rest.dropFirst().first
        guard kind == "@" || kind == "K", let argument = arguments.popFirst() else {
            problem = error("has a '%' that is no '%@' or '%K' with an argument")
            return
        }
        rest = rest.dropFirst(2)
        if kind == "@" {
            parts.append(.value(argument))
        } else if let name = argument as? String {
            parts.append(.name(name))
        } else {
            problem = error("has a '%K' whose argument is no text")
        }
    }
    private mutating func read(_ first: Character, _ rest: inout Substring) {
        switch first {
        case "'", "\"":
            let inside = rest.dropFirst().prefix { $0 != first }
            guard inside.endIndex != rest.endIndex else { return problem = error("has a text without an end") }
            parts.append(.value(String(inside)))
            rest = rest[inside.endIndex...].dropFirst()
        case "{", "}", "(", ")", ",":
            parts.append(.word(String(first)))
            rest = rest.dropFirst()
        case "=", "<", ">", "!", "&", "|":
            let sign = rest.prefix { "=<>!&|".contains($0) }
            parts.append(.word(String(sign)))
            rest = rest.dropFirst(sign.count)
        case "[":
            let options = rest.prefix { $0 != "]" }
            guard options.endIndex != rest.endIndex else { return problem = error("has a '[' without an end") }
            parts.append(.word(String(options) + "]"))
            rest = rest[options.endIndex...].dropFirst()
        default:
            let word =
                rest.hasPrefix(Self.distance)
                ? rest.prefix(Self.distance.count) : rest.prefix { $0.isLetter || $0.isNumber || "_.-".contains($0) }
            guard !word.isEmpty else { return problem = error("has a '\(first)' that is not understood") }
            parts.append(Self.literal(word).map(Part.value) ?? .word(String(word)))
            rest = rest.dropFirst(word.count)
        }
    }
    private static func literal(_ word: Substring) -> Any? {
        if let number = Int(word) { return number }
        if word.first?.isNumber == true || word.first == "-", let number = Double(word) { return number }
        let flags = ["TRUE": 1, "YES": 1, "FALSE": 0, "NO": 0]
        return flags[word.uppercased()]
    }

    // MARK: Conditions

    mutating func result() -> Result<PredicateCondition, PredicateProblem> {
        do throws(PredicateProblem) { return .success(try whole()) } catch { return .failure(error) }
    }
    private mutating func whole() throws(PredicateProblem) -> PredicateCondition {
        if let problem { throw problem }
        parts.reverse()
        let condition = try alternatives()
        guard parts.isEmpty else { throw error("goes on after a comparison with something else than AND or OR") }
        return condition
    }
    /// Goes over the next part if it is one of the words.
    private mutating func take(_ words: String...) -> Bool {
        guard case .word(let next)? = parts.last, words.contains(next.uppercased()) else { return false }
        parts.removeLast()
        return true
    }
    private mutating func alternatives() throws(PredicateProblem) -> PredicateCondition {
        var all = [try conjunction()]
        while take("OR", "||") { all.append(try conjunction()) }
        return all.count == 1 ? all[0] : .or(all)
    }
    private mutating func conjunction() throws(PredicateProblem) -> PredicateCondition {
        var all = [try condition()]
        while take("AND", "&&") { all.append(try condition()) }
        return all.count == 1 ? all[0] : .and(all)
    }
    private mutating func condition() throws(PredicateProblem) -> PredicateCondition {
        guard depth < Self.depthMax else {
            throw error("has more than \(Self.depthMax) brackets and NOTs inside each other")
        }
        depth += 1
        defer { depth -= 1 }
        if take("NOT", "!") { return .not(try condition()) }
        if take("(") {
            let inside = try alternatives()
            guard take(")") else { throw error("has a '(' without its ')'") }
            return inside
        }
        if take("TRUEPREDICATE") { return .always(true) }
        if take("FALSEPREDICATE") { return .always(false) }
        return .comparison(try comparison())
    }

    // MARK: Comparisons

    private static let signs: [String: PredicateComparison.Sign] = [
        "=": .equals, "==": .equals, "!=": .notEquals, "<>": .notEquals, "<": .less, "<=": .lessOrEqual,
        "=<": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual, "=>": .greaterOrEqual, "BETWEEN": .between,
        "IN": .isIn,
        "CONTAINS": .contains, "BEGINSWITH": .beginsWith, "ENDSWITH": .endsWith, "LIKE": .like,
    ]
    private mutating func comparison() throws(PredicateProblem) -> PredicateComparison {
        var quantifier: PredicateComparison.Quantifier?
        if take("ANY", "SOME") {
            quantifier = .any
        } else if take("ALL") {
            quantifier = .all
        } else if take("NONE") {
            quantifier = PredicateComparison.Quantifier.none
        }
        if take(Self.distance.uppercased()) { return try distanceComparison(quantifier) }
        if take("TOKENIZE") { return try tokenComparison(quantifier) }
        if case .value(let value)? = parts.last { return try membership(of: value, quantifier) }
        let key = try field()
        guard case .word(let word)? = parts.popLast() else { throw error("has no comparison after '\(key)'") }
        guard let sign = Self.signs[word.uppercased()] else {
            throw error("has a comparison '\(word)' that is not understood")
        }
        var found = PredicateComparison(quantifier: quantifier, key: key, sign: sign, value: 0)
        try takeOptions(&found)
        found.value = sign == .between || sign == .isIn ? try list() : try value()
        if sign == .between, (found.value as? [Any])?.count != 2 { throw error("has a BETWEEN without two ends") }
        return found
    }
    /// `'a' IN key`: the only comparison that may begin with a value.
    private mutating func membership(
        of value: Any, _ quantifier: PredicateComparison.Quantifier?
    ) throws(PredicateProblem) -> PredicateComparison {
        parts.removeLast()
        guard quantifier == nil, take("IN") else {
            throw error("has a value where a field should be; only IN has the field behind it")
        }
        var found = PredicateComparison(quantifier: nil, key: "", sign: .hasMember, value: value)
        try takeOptions(&found)
        found.key = try field()
        return found
    }
    private mutating func field() throws(PredicateProblem) -> String {
        switch parts.popLast() {
        case .word(let word)?: return word
        case .name(let name)?: return name
        default: throw error("has no field where one should be")
        }
    }
    private mutating func takeOptions(_ comparison: inout PredicateComparison) throws(PredicateProblem) {
        guard case .word(let options)? = parts.last, options.hasPrefix("[") else { return }
        parts.removeLast()
        for letter in options.dropFirst().dropLast() {
            switch letter {
            case "c", "C": comparison.ignoresCase = true
            case "d", "D": comparison.ignoresMarks = true
            default: throw error("has an option '\(letter)' that is not understood")
            }
        }
    }

    // MARK: CloudKit's functions (cloudkit-framework.md 6)

    private static let distance = "distanceToLocation:fromLocation:"
    private mutating func expect(_ sign: String) throws(PredicateProblem) {
        guard take(sign) else { throw error("has a function without its '\(sign)'") }
    }
    /// `distanceToLocation:fromLocation:(place, %@) < 100`
    private mutating func distanceComparison(
        _ quantifier: PredicateComparison.Quantifier?
    ) throws(PredicateProblem) -> PredicateComparison {
        try expect("(")
        let key = try field()
        try expect(",")
        let centre = try value()
        try expect(")")
        let word = try field()
        guard let sign = Self.signs[word.uppercased()] else {
            throw error("has a comparison '\(word)' that is not understood")
        }
        return PredicateComparison(quantifier: quantifier, key: key, sign: sign, value: try value(), centre: centre)
    }
    /// `ALL tokenize(%@, 'Cdl') IN allTokens`, the form of 2014.
    private mutating func tokenComparison(
        _ quantifier: PredicateComparison.Quantifier?
    ) throws(PredicateProblem) -> PredicateComparison {
        try expect("(")
        let text = try value()
        try expect(",")
        _ = try value()
        try expect(")")
        try expect("IN")
        return PredicateComparison(quantifier: quantifier, key: try field(), sign: .tokens, value: text)
    }

    private mutating func value() throws(PredicateProblem) -> Any {
        guard case .value(let value)? = parts.popLast() else { throw error("compares a field with what is no value") }
        return value
    }
    /// `{1, 2}`, or a list as an argument.
    private mutating func list() throws(PredicateProblem) -> Any {
        guard take("{") else { return try value() }
        var values: [Any] = []
        repeat { values.append(try value()) } while take(",")
        guard take("}") else { throw error("has a '{' without an end") }
        return values
    }
}
