import PadApp
import Ubiquity

/// A predicate as CloudKit takes it: filters of cloudkit-web-services.md 8.9, all of which must hold.
///
/// Source: cloudkit-framework.md 6: comparisons joined by `AND`, `NOT` before one of them but `BETWEEN`, `BEGINSWITH`, `IN`, `CONTAINS`, both
/// with `ANY` or `SOME`; distances below a radius; searches for words (`self CONTAINS 'word'`, `ALL tokenize(%@, 'Cdl') IN allTokens`, with `ANY`
/// one of them). That a list has a member is said in four ways: `key CONTAINS 'a'`, `ANY key CONTAINS 'a'`, `ANY key = 'a'`, `'a' IN key`.
/// No `OR`, no other `ALL`, no other comparison of texts.
enum QueryFilters {
    /// - Returns: nil for what nothing matches.
    /// - Throws: `invalidArguments` for a predicate that CloudKit does not take.
    static func of(_ predicate: NSPredicate) throws(CKError) -> [Value]? {
        let text = predicate.predicateFormat
        do throws(PredicateProblem) {
            return try filters(try predicate.condition.get(), text)
        } catch {
            throw CKError(
                .invalidArguments, message: "\(error.message); cloudkit-framework.md 6 lists what CloudKit takes")
        }
    }

    private static func filters(_ condition: PredicateCondition, _ text: String) throws(PredicateProblem) -> [Value]? {
        switch condition {
        case .always(let holds): return holds ? [] : nil
        case .comparison(let comparison): return try filters(comparison, text)
        case .not(.comparison(let comparison)):
            // Of a BETWEEN there are two: neither alone turned round says its opposite.
            guard comparison.sign != .between, let filter = try filters(comparison, text).first,
                let kind = filter["comparator"]?.string, let opposite = opposites[kind]
            else { throw refusal(text, "has a NOT before what CloudKit cannot turn round") }
            var turned = filter
            turned["comparator"] = .string(opposite)
            return [turned]
        case .not: throw refusal(text, "has a NOT before what is no single comparison")
        case .and(let all):
            var found: [Value]? = []
            // All are looked at: a wrong one is wrong also where nothing matches.
            for condition in all {
                let more = try filters(condition, text)
                found = found.flatMap { found in more.map { found + $0 } }
            }
            return found
        case .or: throw refusal(text, "has an OR, and CloudKit has none: ask twice")
        }
    }
    private static func refusal(_ text: String, _ what: String) -> PredicateProblem {
        PredicateProblem(message: "the predicate '\(text)' \(what)")
    }

    private static let comparators: [PredicateComparison.Sign: String] = [
        .equals: "EQUALS", .notEquals: "NOT_EQUALS", .less: "LESS_THAN", .lessOrEqual: "LESS_THAN_OR_EQUALS",
        .greater: "GREATER_THAN", .greaterOrEqual: "GREATER_THAN_OR_EQUALS", .beginsWith: "BEGINS_WITH", .isIn: "IN",
        .contains: "LIST_CONTAINS", .hasMember: "LIST_CONTAINS",
    ]
    /// With `ANY` or `SOME`: of a list field.
    private static let memberComparators: [PredicateComparison.Sign: String] = [
        .isIn: "LIST_CONTAINS_ANY", .contains: "LIST_CONTAINS", .equals: "LIST_CONTAINS",
    ]
    private static let opposites = [
        "EQUALS": "NOT_EQUALS", "NOT_EQUALS": "EQUALS", "LESS_THAN": "GREATER_THAN_OR_EQUALS",
        "LESS_THAN_OR_EQUALS": "GREATER_THAN", "GREATER_THAN": "LESS_THAN_OR_EQUALS",
        "GREATER_THAN_OR_EQUALS": "LESS_THAN", "BEGINS_WITH": "NOT_BEGINS_WITH", "IN": "NOT_IN",
        "LIST_CONTAINS": "NOT_LIST_CONTAINS", "LIST_CONTAINS_ANY": "NOT_LIST_CONTAINS_ANY",
    ]

    private static func filters(_ comparison: PredicateComparison, _ text: String) throws(PredicateProblem) -> [Value] {
        guard !comparison.ignoresCase, !comparison.ignoresMarks else {
            throw refusal(text, "has '[c]' or '[d]', which CloudKit does not know")
        }
        if let special = try special(comparison, text) { return [special] }
        if comparison.sign == .between {
            guard comparison.quantifier == nil, let ends = comparison.value as? [Any] else {
                throw refusal(text, "has a BETWEEN that CloudKit does not take")
            }
            return [
                filter("GREATER_THAN_OR_EQUALS", comparison.key, try field(ends[0], text)),
                filter("LESS_THAN_OR_EQUALS", comparison.key, try field(ends[1], text)),
            ]
        }
        let comparator =
            switch comparison.quantifier {
            case nil: comparators[comparison.sign]
            case .any?: memberComparators[comparison.sign]
            default: nil as String?
            }
        guard let comparator else { throw refusal(text, "has a comparison that CloudKit has not") }
        let isList = comparison.sign == .isIn
        return [
            filter(
                comparator, comparison.key,
                isList ? try list(comparison.value, text) : try field(comparison.value, text))
        ]
    }
    /// CloudKit's own functions: within a radius, words of a text. Nil: none of them.
    private static func special(_ comparison: PredicateComparison, _ text: String) throws(PredicateProblem) -> Value? {
        if let centre = comparison.centre {
            // Only the inside of a circle (cloudkit-framework.md 6).
            guard comparison.quantifier == nil, [.less, .lessOrEqual].contains(comparison.sign),
                let centre = centre as? CLLocation, let radius = field(comparison.value)?["value"]?.double
            else { throw refusal(text, "has a distance that is not below a number of metres from a CLLocation") }
            var near = filter("NEAR", comparison.key, ["value": centre.wire, "type": "LOCATION"])
            near["distance"] = .double(radius)
            return near
        }
        let isAny = comparison.quantifier == .any
        switch (comparison.sign, comparison.key.lowercased()) {
        case (.contains, "self") where comparison.quantifier == nil: break
        case (.tokens, "alltokens") where isAny || comparison.quantifier == .all: break
        case (.tokens, _), (_, "self"): throw refusal(text, "has a search for words that CloudKit does not take")
        default: return Optional.none
        }
        guard let words = comparison.value as? String else { throw refusal(text, "searches for what is no text") }
        return [
            "comparator": isAny ? "CONTAINS_ANY_TOKENS" : "CONTAINS_ALL_TOKENS", "systemFieldName": "allTokens",
            "fieldValue": ["value": .string(words), "type": "STRING"],
        ]
    }
    private static func filter(_ comparator: String, _ field: String, _ value: Value) -> Value {
        NSSortDescriptor.named(field, ["comparator": .string(comparator), "fieldValue": value])
    }
    /// The `{value, type}` of a field; a reference's target for a record.
    private static func field(_ value: Any, _ text: String) throws(PredicateProblem) -> Value {
        guard let found = field(value) else { throw refusal(text, "has an argument of a kind that no field holds") }
        return found
    }
    private static func field(_ value: Any) -> Value? {
        if let record = value as? CKRecord.ID {
            return FieldCoding.field(CKRecord.Reference(recordID: record, action: .none))
        }
        return (value as? any CKRecordValueProtocol).flatMap(FieldCoding.field)
    }
    private static func list(_ value: Any, _ text: String) throws(PredicateProblem) -> Value {
        guard let members = value as? [Any] else { return try field(value, text) }
        var (values, type): ([Value], String?) = ([], nil)
        for member in members {
            let field = try field(member, text)
            type = type ?? field["type"]?.string
            values.append(field["value"] ?? .null)
        }
        guard let type else { throw refusal(text, "has an empty list") }
        return ["value": .array(values), "type": .string(type + "_LIST")]
    }
}
