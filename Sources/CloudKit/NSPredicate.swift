import Foundation
import PadApp

/// A condition on the fields of records, in the part of Apple's predicate language that CloudKit takes (cloudkit-framework.md 6).
///
/// `AND`, and `NOT` before one comparison; `=` `!=` `<` `<=` `>` `>=` `BETWEEN` `BEGINSWITH` `IN` `CONTAINS`; `TRUEPREDICATE`; `%@`, `%K`,
/// numbers, quoted texts. Not modelled: `OR` (CloudKit has none), tokenised search, distances, key paths, blocks. What is not understood is
/// told when a query uses it: `invalidArguments` (Apple raises an exception at once).
public final class NSPredicate: Sendable {
    public let predicateFormat: String
    /// Filters of cloudkit-web-services.md 8.9, all of which must hold.
    let filters: Result<[Value], CKError>

    /// - Parameter args: for each `%@` a value that a field can hold, for each `%K` a field's name, in order.
    public init(format predicateFormat: String, _ args: Any...) {
        self.predicateFormat = predicateFormat
        var parser = PredicateParser(predicateFormat, args)
        filters = parser.result()
    }
    /// `true`: every record of the type.
    public init(value: Bool) {
        predicateFormat = value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        filters =
            value
            ? .success([])
            : .failure(CKError(.invalidArguments, message: "FALSEPREDICATE matches nothing: do not ask for it"))
    }
}

/// The order of results: by a field, or by `creationDate` or `modificationDate`.
public final class NSSortDescriptor: Sendable {
    public let key: String?
    public let ascending: Bool

    public init(key: String?, ascending: Bool) {
        self.key = key
        self.ascending = ascending
    }
    /// A sort of cloudkit-web-services.md 8.9; nil without a key.
    var wire: Value? { key.map { Self.named($0, ["ascending": .bool(ascending)]) } }

    /// A field by its own name, a record's metadata by the name that the service has for it.
    static func named(_ field: String, _ more: Value) -> Value {
        var result = more
        if let system = systemFields[field] {
            result["systemFieldName"] = .string(system)
        } else {
            result["fieldName"] = .string(field)
        }
        return result
    }
    private static let systemFields = [
        "creationDate": "createdTimestamp", "modificationDate": "modifiedTimestamp", "recordID": "recordName",
        "creatorUserRecordID": "createdUserRecordName", "lastModifiedUserRecordID": "modifiedUserRecordName",
    ]
}

/// Reads a predicate's text.
struct PredicateParser {
    private enum Part: Equatable {
        /// A name, a keyword or an operator.
        case word(String)
        case value(Value)
    }
    private var parts: [Part] = []
    private var problem: CKError?
    private let text: String

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
    private func error(_ what: String) -> CKError {
        CKError(
            .invalidArguments,
            message: "the predicate '\(text)' \(what); cloudkit-framework.md 6 lists what CloudKit takes")
    }

    // MARK: Parts

    private mutating func readArgument(_ rest: inout Substring, _ arguments: inout ArraySlice<Any>) {
        let kind = rest.dropFirst().first
        guard kind == "@" || kind == "K", let argument = arguments.popFirst() else {
            problem = error("has a '%' that is no '%@' or '%K' with an argument")
            return
        }
        rest = rest.dropFirst(2)
        if kind == "K", let name = argument as? String {
            parts.append(.word(name))
        } else if kind == "@", let value = Self.value(argument) {
            parts.append(.value(value))
        } else {
            problem = error("has an argument of a kind that no field holds")
        }
    }
    /// The `{value, type}` of a field; a reference's target for a record.
    private static func value(_ argument: Any) -> Value? {
        if let record = argument as? CKRecord.ID {
            return FieldCoding.field(CKRecord.Reference(recordID: record, action: .none))
        }
        return (argument as? any CKRecordValueProtocol).flatMap(FieldCoding.field)
    }
    private mutating func read(_ first: Character, _ rest: inout Substring) {
        switch first {
        case "'", "\"":
            let inside = rest.dropFirst().prefix { $0 != first }
            guard inside.endIndex != rest.endIndex else { return problem = error("has a text without an end") }
            parts.append(.value(["value": .string(String(inside)), "type": "STRING"]))
            rest = rest[inside.endIndex...].dropFirst()
        case "{", "}", "(", ")", ",":
            parts.append(.word(String(first)))
            rest = rest.dropFirst()
        case "=", "<", ">", "!", "&":
            let sign = rest.prefix { "=<>!&".contains($0) }
            parts.append(.word(String(sign)))
            rest = rest.dropFirst(sign.count)
        default:
            let word = rest.prefix { $0.isLetter || $0.isNumber || "_.-".contains($0) }
            guard !word.isEmpty else { return problem = error("has a '\(first)' that is not understood") }
            parts.append(Self.number(word).map(Part.value) ?? .word(String(word)))
            rest = rest.dropFirst(word.count)
        }
    }
    private static func number(_ word: Substring) -> Value? {
        if let number = Int64(word) { return ["value": .int(number), "type": "INT64"] }
        if word.first?.isNumber == true || word.first == "-", let number = Double(word) {
            return ["value": .double(number), "type": "DOUBLE"]
        }
        let flags: [String: Int64] = ["TRUE": 1, "YES": 1, "FALSE": 0, "NO": 0]
        return flags[word.uppercased()].map { ["value": .int($0), "type": "INT64"] }
    }

    // MARK: Comparisons

    private static let comparators = [
        "=": "EQUALS", "==": "EQUALS", "!=": "NOT_EQUALS", "<>": "NOT_EQUALS", "<": "LESS_THAN",
        "<=": "LESS_THAN_OR_EQUALS", "=<": "LESS_THAN_OR_EQUALS", ">": "GREATER_THAN", ">=": "GREATER_THAN_OR_EQUALS",
        "=>": "GREATER_THAN_OR_EQUALS", "BEGINSWITH": "BEGINS_WITH", "IN": "IN", "CONTAINS": "LIST_CONTAINS",
    ]
    private static let opposites = [
        "EQUALS": "NOT_EQUALS", "NOT_EQUALS": "EQUALS", "LESS_THAN": "GREATER_THAN_OR_EQUALS",
        "LESS_THAN_OR_EQUALS": "GREATER_THAN", "GREATER_THAN": "LESS_THAN_OR_EQUALS",
        "GREATER_THAN_OR_EQUALS": "LESS_THAN", "BEGINS_WITH": "NOT_BEGINS_WITH", "IN": "NOT_IN",
        "LIST_CONTAINS": "NOT_LIST_CONTAINS",
    ]

    mutating func result() -> Result<[Value], CKError> {
        do throws(CKError) { return .success(try filters()) } catch { return .failure(error) }
    }
    private mutating func filters() throws(CKError) -> [Value] {
        if let problem { throw problem }
        parts.reverse()
        if parts == [.word("TRUEPREDICATE")] { return [] }
        var filters: [Value] = []
        repeat { filters += try comparison() } while take("AND", "&&")
        guard parts.isEmpty else { throw error("goes on after a comparison with something else than AND") }
        return filters
    }
    /// Goes over the next part if it is one of the words.
    private mutating func take(_ words: String...) -> Bool {
        guard case .word(let next) = parts.last, words.contains(next.uppercased()) else { return false }
        parts.removeLast()
        return true
    }
    private mutating func comparison() throws(CKError) -> [Value] {
        if take("NOT", "!") {
            let inside = try comparison()
            // Of a BETWEEN there are two: neither alone turned round says its opposite.
            guard inside.count == 1, let filter = inside.first, let kind = filter["comparator"]?.string,
                let opposite = Self.opposites[kind]
            else { throw error("has a NOT before what cannot be turned round") }
            var turned = filter
            turned["comparator"] = .string(opposite)
            return [turned]
        }
        if take("(") {
            let inside = try comparison()
            guard take(")") else { throw error("has a '(' whose ')' does not follow one comparison") }
            return inside
        }
        guard case .word(let field) = parts.popLast(), case .word(let sign) = parts.popLast() else {
            throw error("has no field and comparison where they should be")
        }
        let word = sign.uppercased()
        if word == "BETWEEN" { return try between(field) }
        guard let comparator = Self.comparators[word] else {
            throw error("has a comparison '\(sign)' that CloudKit has not")
        }
        return [filter(comparator, field, try word == "IN" ? list() : value())]
    }
    private mutating func between(_ field: String) throws(CKError) -> [Value] {
        let type = try list()
        guard let ends = type["value"]?.array, ends.count == 2 else { throw error("has a BETWEEN without two ends") }
        let kind = String((type["type"]?.string ?? "").dropLast("_LIST".count))
        func end(_ index: Int) -> Value { ["value": ends[index], "type": .string(kind)] }
        return [filter("GREATER_THAN_OR_EQUALS", field, end(0)), filter("LESS_THAN_OR_EQUALS", field, end(1))]
    }
    private func filter(_ comparator: String, _ field: String, _ value: Value) -> Value {
        NSSortDescriptor.named(field, ["comparator": .string(comparator), "fieldValue": value])
    }
    private mutating func value() throws(CKError) -> Value {
        guard case .value(let value) = parts.popLast() else { throw error("compares a field with what is no value") }
        return value
    }
    /// `{1, 2}`, or a list as an argument.
    private mutating func list() throws(CKError) -> Value {
        guard take("{") else { return try value() }
        var values: [Value] = []
        repeat { values.append(try value()) } while take(",")
        guard take("}"), let type = values.first?["type"]?.string else { throw error("has a '{' without an end") }
        return ["value": .array(values.compactMap { $0["value"] }), "type": .string(type + "_LIST")]
    }
}
