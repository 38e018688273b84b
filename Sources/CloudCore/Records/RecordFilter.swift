import FleetModel

/// The comparators of cloudkit-web-services.md 8.9.
enum Comparator: String {
    case equals = "EQUALS"
    case notEquals = "NOT_EQUALS"
    case lessThan = "LESS_THAN"
    case lessThanOrEquals = "LESS_THAN_OR_EQUALS"
    case greaterThan = "GREATER_THAN"
    case greaterThanOrEquals = "GREATER_THAN_OR_EQUALS"
    case near = "NEAR"
    case isIn = "IN"
    case notIn = "NOT_IN"
    case containsAllTokens = "CONTAINS_ALL_TOKENS"
    case containsAnyTokens = "CONTAINS_ANY_TOKENS"
    case beginsWith = "BEGINS_WITH"
    case notBeginsWith = "NOT_BEGINS_WITH"
    case listContains = "LIST_CONTAINS"
    case notListContains = "NOT_LIST_CONTAINS"
    case listContainsAll = "LIST_CONTAINS_ALL"
    case notListContainsAll = "NOT_LIST_CONTAINS_ALL"
    case listContainsAny = "LIST_CONTAINS_ANY"
    case notListContainsAny = "NOT_LIST_CONTAINS_ANY"
    case listMemberBeginsWith = "LIST_MEMBER_BEGINS_WITH"
    case notListMemberBeginsWith = "NOT_LIST_MEMBER_BEGINS_WITH"

    /// The comparator that it says the opposite of; nil for one that says something itself.
    var denied: Comparator? {
        switch self {
        case .notEquals: .equals
        case .notIn: .isIn
        case .notBeginsWith: .beginsWith
        case .notListContains: .listContains
        case .notListContainsAll: .listContainsAll
        case .notListContainsAny: .listContainsAny
        case .notListMemberBeginsWith: .listMemberBeginsWith
        default: nil
        }
    }
    /// Whether the value to compare with is a list.
    var needsList: Bool {
        switch denied ?? self {
        case .isIn, .listContainsAll, .listContainsAny: true
        default: false
        }
    }
    private var needsText: Bool {
        switch denied ?? self {
        case .beginsWith, .listMemberBeginsWith, .containsAllTokens, .containsAnyTokens: true
        default: false
        }
    }
    /// Index that a field needs for it (cloudkit-framework.md 6).
    var index: FieldIndexes { self == .containsAllTokens || self == .containsAnyTokens ? .searchable : .queryable }

    /// - Throws: `BAD_REQUEST` for a value that it cannot compare with.
    func check(value: Value, distance: Double?) throws(CloudError) {
        if needsList, value.array == nil { throw .badRequest("'\(rawValue)' needs a list as 'fieldValue'") }
        if needsText, value.string == nil { throw .badRequest("'\(rawValue)' needs a text as 'fieldValue'") }
        if self == .near {
            guard Geo.isLocation(value) else { throw .badRequest("'NEAR' needs a location as 'fieldValue'") }
            guard let distance, distance >= 0 else { throw .badRequest("'NEAR' needs a 'distance' in metres") }
        } else if distance != nil {
            throw .badRequest("'distance' goes with 'NEAR' only")
        }
    }
    /// - Throws: `BAD_REQUEST` for a field whose type it cannot look at.
    func check(_ type: String, field: String) throws(CloudError) {
        let isRight: Bool
        switch denied ?? self {
        case .near: isRight = type == "LOCATION"
        case .containsAllTokens, .containsAnyTokens: isRight = type == "STRING" || type == "STRING_LIST"
        case .beginsWith: isRight = type == "STRING"
        case .listMemberBeginsWith: isRight = type == "STRING_LIST"
        case .listContains, .listContainsAll, .listContainsAny: isRight = type.hasSuffix("_LIST")
        case .isIn: isRight = !type.hasSuffix("_LIST")
        case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals:
            isRight = ["STRING", "INT64", "DOUBLE", "TIMESTAMP"].contains(type)
        default: isRight = true
        }
        guard isRight else { throw .badRequest("'\(rawValue)' cannot look at field '\(field)', which is a \(type)") }
    }
}

/// The filters of a query, AND-combined (cloudkit-web-services.md 8.9); subscriptions look at changes with the same.
struct RecordFilter: Hashable {
    private struct Term: Hashable {
        var key: RecordKey
        var comparator: Comparator
        var operand: RecordOperand
        var value: Value { operand.value }
        /// Metres, of `NEAR`.
        var distance: Double?
        /// Whether `LIST_MEMBER_BEGINS_WITH` looks at the first member alone.
        var looksAtFirst: Bool
        /// Fields that a search of the whole record looks at; nil: every text.
        var searched: Set<String>?
    }
    /// Records of this type alone.
    var recordType: String
    private var terms: [Term]

    /// - Throws: `BAD_REQUEST` naming what is not understood.
    init(query: Value?, _ settings: CloudSettings) throws(CloudError) {
        guard let query, query.object != nil else { throw .badRequest("'query' must be an object with a 'recordType'") }
        recordType = try query.text("recordType")
        guard recordType != UserRecords.type else {
            throw .badRequest("'Users' cannot be queried; look records up by name")
        }
        terms = []
        guard let filters = query["filterBy"], !filters.isNull else { return }
        guard let list = filters.array else { throw .badRequest("'filterBy' must be a list") }
        guard list.count <= Self.termsMax else {
            throw .badRequest("\(list.count) filters are more than \(Self.termsMax)")
        }
        for (index, filter) in list.enumerated() {
            do { terms.append(try Self.term(filter, settings)) } catch { throw error.at("filterBy", index) }
        }
    }
    /// Filters of one query, and members of the list that one compares with: each is looked at for each record. ASSUMED.
    private static let (termsMax, membersMax) = (50, 250)
    private static func term(_ filter: Value, _ settings: CloudSettings) throws(CloudError) -> Term {
        let word = try filter.text("comparator")
        guard let comparator = Comparator(rawValue: word) else { throw .badRequest("there is no comparator '\(word)'") }
        let key = try RecordKey(filter)
        guard !key.isAllTokens || comparator.index == .searchable else {
            throw .badRequest("'\(word)' cannot look at all tokens of a record; name a field")
        }
        var operand = try RecordOperand(filter["fieldValue"], of: key.name)
        if let kind = key.systemType {
            guard comparator.index == .queryable else {
                throw .badRequest("'\(word)' cannot look at '\(key.name)'; compare it with a value")
            }
            try comparator.check(kind, field: key.name)
            try operand.fit(toSystem: kind, field: key.name, comparator)
        }
        var distance: Double?
        if let given = filter["distance"], !given.isNull {
            guard let metres = given.double else { throw .badRequest("'distance' must be a number of metres") }
            distance = metres
        }
        try comparator.check(value: operand.value, distance: distance)
        guard operand.value.array?.count ?? 0 <= membersMax else {
            throw .badRequest("'\(word)' of '\(key.name)' names more than \(membersMax) values; query in parts")
        }
        return Term(
            key: key, comparator: comparator, operand: operand, distance: distance,
            looksAtFirst: settings.listMemberBeginsWithFirst)
    }

    /// Gives what fields are compared with the form that the schema wants.
    /// - Parameter typeOf: type of a field; nil: unknown.
    /// - Throws: `BAD_REQUEST` for what cannot be compared with its field.
    mutating func fit(_ typeOf: (String) -> String?) throws(CloudError) {
        for index in terms.indices {
            let comparator = terms[index].comparator
            guard let field = terms[index].key.field, let type = typeOf(field) else { continue }
            do { try terms[index].operand.fit(to: type, field: field, comparator) } catch {
                throw error.at("filterBy", index)
            }
        }
    }

    /// Whether it searches whole records.
    var searchesAll: Bool { terms.contains { $0.key.isAllTokens } }
    /// Says which fields searches of whole records look at.
    mutating func search(in fields: Set<String>) {
        for index in terms.indices where terms[index].key.isAllTokens { terms[index].searched = fields }
    }

    /// Own fields that are looked at, with what looks at them.
    var fields: [(field: String, comparator: Comparator)] {
        terms.compactMap { term in term.key.field.map { ($0, term.comparator) } }
    }

    /// What each term looks at, and how; not whole records.
    var keys: [(key: RecordKey, comparator: Comparator)] {
        terms.filter { !$0.key.isAllTokens }.map { ($0.key, $0.comparator) }
    }

    /// Own fields with what they are compared with, for `FieldIndex`.
    var comparisons: [(field: String, comparator: Comparator, value: Value)] {
        terms.compactMap { term in term.key.field.map { ($0, term.comparator, term.value) } }
    }

    func accepts(_ record: Value) -> Bool {
        record["recordType"]?.string == recordType && terms.allSatisfy { Self.holds($0, in: record) }
    }

    private static func holds(_ term: Term, in record: Value) -> Bool {
        let value = term.key.isAllTokens ? texts(of: record, in: term.searched) : term.key.value(in: record)
        if let denied = term.comparator.denied { return !holds(denied, value, term) }
        return holds(term.comparator, value, term)
    }
    private static func holds(_ comparator: Comparator, _ value: Value?, _ term: Term) -> Bool {
        guard let value else { return false }
        let wanted = term.value.array ?? []
        switch comparator {
        case .equals: return isEqual(value, term.value)
        case .isIn: return wanted.contains { isEqual(value, $0) }
        case .beginsWith: return begins(value, term.value)
        case .lessThan: return order(value, term.value).map { $0 < 0 } ?? false
        case .lessThanOrEquals: return order(value, term.value).map { $0 <= 0 } ?? false
        case .greaterThan: return order(value, term.value).map { $0 > 0 } ?? false
        case .greaterThanOrEquals: return order(value, term.value).map { $0 >= 0 } ?? false
        case .near: return Geo.distance(value, term.value).map { $0 <= term.distance ?? 0 } ?? false
        case .containsAllTokens: return tokens(term.value).isSubset(of: tokens(value))
        case .containsAnyTokens: return !tokens(term.value).isDisjoint(with: tokens(value))
        case .listContains: return contains(value, term.value)
        case .listContainsAll: return wanted.allSatisfy { contains(value, $0) }
        case .listContainsAny: return wanted.contains { contains(value, $0) }
        case .listMemberBeginsWith:
            let members = value.array ?? []
            return members.prefix(term.looksAtFirst ? 1 : members.count).contains { begins($0, term.value) }
        default: return false
        }
    }

    private static func texts(of record: Value, in fields: Set<String>?) -> Value {
        let pairs = record["fields"]?.object?.pairs ?? []
        return .strings(
            pairs.filter { fields?.contains($0.key) ?? true }.flatMap { pair -> [String] in
                let value = pair.value["value"] ?? .null
                return value.string.map { [$0] } ?? value.strings
            })
    }
    private static func contains(_ list: Value, _ member: Value) -> Bool {
        (list.array ?? []).contains { isEqual($0, member) }
    }
    private static func tokens(_ value: Value) -> Set<String> {
        (value.string.map { [$0] } ?? value.strings).reduce(into: []) { $0.formUnion(TokenisedText.words($1)) }
    }
    /// Texts compare without case for equality, with case for prefixes (cloudkit-framework.md 6); of references only the
    /// name counts.
    private static func isEqual(_ a: Value, _ b: Value) -> Bool {
        if let a = a.string, let b = b.string { return a == b || a.lowercased() == b.lowercased() }
        if let order = NumberOrder.of(a, b) { return order == 0 }
        if let a = a["recordName"], let b = b["recordName"] { return a == b }
        if let latitude = a["latitude"]?.double, let longitude = a["longitude"]?.double {
            return latitude == b["latitude"]?.double && longitude == b["longitude"]?.double
        }
        if let a = a.array, let b = b.array { return a.count == b.count && zip(a, b).allSatisfy(isEqual) }
        return a == b
    }
    private static func begins(_ value: Value?, _ prefix: Value) -> Bool {
        guard let text = value?.string, let prefix = prefix.string else { return false }
        return text.utf8.starts(with: prefix.utf8)
    }
    /// Negative, zero or positive; nil for values of kinds that have no order.
    static func order(_ a: Value?, _ b: Value?) -> Int? {
        if let a = a?.string, let b = b?.string { return a < b ? -1 : a == b ? 0 : 1 }
        guard let a, let b else { return nil }
        return NumberOrder.of(a, b)
    }
}
