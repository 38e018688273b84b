import FleetModel

/// The filters of a query, AND-combined (cloudkit-web-services.md 8.9); subscriptions look at changes with the same.
///
/// Not modelled, and refused by name: tokenised search, lists, locations, distance.
struct RecordFilter: Hashable {
    enum Comparator: String {
        case equals = "EQUALS"
        case notEquals = "NOT_EQUALS"
        case lessThan = "LESS_THAN"
        case lessThanOrEquals = "LESS_THAN_OR_EQUALS"
        case greaterThan = "GREATER_THAN"
        case greaterThanOrEquals = "GREATER_THAN_OR_EQUALS"
        case isIn = "IN"
        case notIn = "NOT_IN"
        case beginsWith = "BEGINS_WITH"
        case notBeginsWith = "NOT_BEGINS_WITH"
    }
    private struct Term: Hashable {
        var key: RecordKey
        var comparator: Comparator
        var value: Value
    }
    /// Records of this type alone.
    var recordType: String
    private var terms: [Term]

    /// - Throws: `BAD_REQUEST` naming what is not understood.
    init(query: Value?) throws(CloudError) {
        guard let query, query.object != nil else { throw .badRequest("'query' must be an object with a 'recordType'") }
        recordType = try query.text("recordType")
        guard !recordType.isEmpty else { throw .badRequest("'recordType' must not be empty") }
        guard recordType != "Users" else { throw .badRequest("'Users' cannot be queried; look records up by name") }
        terms = []
        for filter in query["filterBy"]?.array ?? [] {
            let word = try filter.text("comparator")
            guard let comparator = Comparator(rawValue: word) else {
                throw .badRequest("the comparator '\(word)' is not modelled; use equality, order, IN or BEGINS_WITH")
            }
            guard let value = filter["fieldValue"]?["value"] else {
                throw .badRequest("a filter has no 'fieldValue' with a 'value'")
            }
            if comparator == .isIn || comparator == .notIn, value.array == nil {
                throw .badRequest("'\(word)' needs a list as 'fieldValue'")
            }
            terms.append(Term(key: try RecordKey(filter), comparator: comparator, value: value))
        }
    }

    func accepts(_ record: Value) -> Bool {
        record["recordType"]?.string == recordType && terms.allSatisfy { Self.holds($0, in: record) }
    }

    private static func holds(_ term: Term, in record: Value) -> Bool {
        let value = term.key.value(in: record)
        switch term.comparator {
        case .equals: return value.map { isEqual($0, term.value) } ?? false
        case .notEquals: return value.map { !isEqual($0, term.value) } ?? true
        case .isIn: return value.map { value in (term.value.array ?? []).contains { isEqual(value, $0) } } ?? false
        case .notIn: return value.map { value in !(term.value.array ?? []).contains { isEqual(value, $0) } } ?? true
        case .beginsWith: return begins(value, term.value)
        case .notBeginsWith: return !begins(value, term.value)
        case .lessThan: return order(value, term.value).map { $0 < 0 } ?? false
        case .lessThanOrEquals: return order(value, term.value).map { $0 <= 0 } ?? false
        case .greaterThan: return order(value, term.value).map { $0 > 0 } ?? false
        case .greaterThanOrEquals: return order(value, term.value).map { $0 >= 0 } ?? false
        }
    }

    /// Texts compare without case for equality, with case for prefixes (cloudkit-framework.md 6).
    private static func isEqual(_ a: Value, _ b: Value) -> Bool {
        if let a = a.string, let b = b.string { return a == b || a.lowercased() == b.lowercased() }
        if let a = a.double, let b = b.double { return a == b }
        if let a = a["recordName"], let b = b["recordName"] { return a == b }
        return a == b
    }
    private static func begins(_ value: Value?, _ prefix: Value) -> Bool {
        guard let text = value?.string, let prefix = prefix.string else { return false }
        return text.utf8.starts(with: prefix.utf8)
    }
    /// Negative, zero or positive; nil for values of kinds that have no order.
    static func order(_ a: Value?, _ b: Value?) -> Int? {
        if let a = a?.string, let b = b?.string { return a < b ? -1 : a == b ? 0 : 1 }
        if case .int(let a) = a, case .int(let b) = b { return a < b ? -1 : a == b ? 0 : 1 }
        if let a = a?.double, let b = b?.double { return a < b ? -1 : a == b ? 0 : 1 }
        return nil
    }
}

/// What a filter or a sort looks at: a field, or one of the system fields.
struct RecordKey: Hashable {
    private var name: String
    private var isSystem: Bool

    init(_ body: Value) throws(CloudError) {
        switch (try body.optionalText("fieldName"), try body.optionalText("systemFieldName")) {
        case (let field?, nil): (name, isSystem) = (field, false)
        case (nil, let system?):
            guard Self.systemNames.contains(system) else { throw .badRequest("there is no system field '\(system)'") }
            (name, isSystem) = (system, true)
        default: throw .badRequest("name either 'fieldName' or 'systemFieldName'")
        }
    }
    private static let systemNames = [
        "recordName", "createdTimestamp", "createdUserRecordName", "modifiedTimestamp", "modifiedUserRecordName",
    ]

    func value(in record: Value) -> Value? {
        guard isSystem else { return record["fields"]?[name]?["value"] }
        switch name {
        case "recordName": return record["recordName"]
        case "createdTimestamp": return record["created"]?["timestamp"]
        case "createdUserRecordName": return record["created"]?["userRecordName"]
        case "modifiedTimestamp": return record["modified"]?["timestamp"]
        default: return record["modified"]?["userRecordName"]
        }
    }
}
