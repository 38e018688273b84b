import FleetModel

/// What a filter compares with: its `fieldValue` in the form in which fields are stored, so that what is the same is
/// found to be the same (cloudkit-web-services.md 8.6, 8.9).
struct RecordOperand: Hashable {
    private(set) var value: Value
    /// One word for each type; of a list that of the list, whichever the client named. Nil: not sent.
    private var type: String?

    /// - Throws: `BAD_REQUEST` for a value that is none of the type beside it.
    init(_ fieldValue: Value?, of field: String) throws(CloudError) {
        guard let value = fieldValue?["value"] else {
            throw .badRequest("a filter has no 'fieldValue' with a 'value'")
        }
        self.value = value
        guard !value.isNull else { return }
        if let sent = try fieldValue?.optionalText("type").map(RecordFields.plain) {
            let isList = value.array != nil && !sent.hasSuffix("_LIST")
            let whole = isList ? sent + "_LIST" : sent
            try RecordFields.checkType(whole, of: field)
            self.value = try RecordFields.checked(value, whole, field: field, zone: nil)
            type = whole
        } else if let guess = RecordFields.inferred(value),
            let stored = try? RecordFields.checked(value, guess, field: field, zone: nil)
        {
            self.value = stored
        }
    }

    /// Gives the value the form that the schema wants for a field of type `kind`.
    /// - Throws: `BAD_REQUEST` for a value that can be compared with no such field. Numbers compare with numbers.
    mutating func fit(to kind: String, field: String, _ comparator: Comparator) throws(CloudError) {
        guard !value.isNull else { return }
        let wanted = comparator.operandType(of: kind)
        let isRight = type.map { $0 == wanted || $0 == RecordFields.emptyList || Self.areNumbers($0, wanted) } ?? true
        if isRight, let stored = try? RecordFields.checked(value, wanted, field: field, zone: nil) {
            value = stored
            return
        }
        // A limit between two integers is no integer.
        if isRight, Self.areNumbers(wanted, wanted), (value.array ?? [value]).allSatisfy({ $0.double != nil }) {
            return
        }
        throw .badRequest(
            "'\(comparator.rawValue)' compares field '\(field)', which is a \(kind), with a \(wanted); 'fieldValue' is "
                + "\(type.map { "a \($0)" } ?? "untyped") and holds \(RecordFields.described(value))")
    }
    /// The same for a field that every record has. Of another type nothing would be found, and a client that gets an empty page believes
    /// that there is nothing.
    mutating func fit(toSystem kind: String, field: String, _ comparator: Comparator) throws(CloudError) {
        guard !value.isNull else { throw .badRequest("'\(field)' is never null; compare it with a value") }
        if kind == "STRING", type.map({ $0.hasPrefix("REFERENCE") }) ?? true {
            if let name = value["recordName"]?.string {
                (value, type) = (.string(name), nil)
            } else if let names = value.array, !names.isEmpty, names.allSatisfy({ $0["recordName"]?.string != nil }) {
                (value, type) = (.strings(names.compactMap { $0["recordName"]?.string }), nil)
            }
        }
        try fit(to: kind, field: field, comparator)
    }
    private static func areNumbers(_ a: String, _ b: String) -> Bool {
        let (numbers, lists) = (["INT64", "DOUBLE", "TIMESTAMP"], ["INT64_LIST", "DOUBLE_LIST", "TIMESTAMP_LIST"])
        return [numbers, lists].contains { $0.contains(a) && $0.contains(b) }
    }
}

extension Comparator {
    /// Type of what a field of type `kind` is compared with.
    func operandType(of kind: String) -> String {
        switch denied ?? self {
        case .near: "LOCATION"
        case .beginsWith, .listMemberBeginsWith, .containsAllTokens, .containsAnyTokens: "STRING"
        case .isIn: kind + "_LIST"
        case .listContains: kind.hasSuffix("_LIST") ? String(kind.dropLast(5)) : kind
        default: kind
        }
    }
}

/// The order of numbers as they are: an integer beyond 2^53 has no double of its own.
enum NumberOrder {
    /// Negative, zero or positive; nil for what are no two numbers.
    static func of(_ a: Value, _ b: Value) -> Int? {
        switch (a, b) {
        case (.int(let a), .int(let b)): a < b ? -1 : a == b ? 0 : 1
        case (.int(let a), .double(let b)): of(a, b)
        case (.double(let a), .int(let b)): of(b, a).map { -$0 }
        case (.double(let a), .double(let b)): a < b ? -1 : a == b ? 0 : a > b ? 1 : nil
        default: nil
        }
    }
    private static func of(_ a: Int64, _ b: Double) -> Int? {
        guard !b.isNaN else { return nil }
        // 2^63 and its negative are doubles.
        guard b < 9_223_372_036_854_775_808 else { return -1 }
        guard b >= -9_223_372_036_854_775_808 else { return 1 }
        let whole = b.rounded(.down)
        let integer = Int64(whole)
        return a == integer ? (b > whole ? -1 : 0) : a < integer ? -1 : 1
    }
}
