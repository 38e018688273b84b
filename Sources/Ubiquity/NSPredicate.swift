import Foundation
import PadApp

/// A condition in Apple's predicate language, for `NSMetadataQuery` and for CloudKit's queries, which take less of it
/// (cloudkit-framework.md 6).
///
/// `AND`, `OR`, `NOT` and brackets; `=` `!=` `<` `<=` `>` `>=` `BETWEEN` `IN` `CONTAINS` `BEGINSWITH` `ENDSWITH` `LIKE`, with `[c]` `[d]`;
/// `ANY`, `SOME`, `ALL`, `NONE`; `TRUEPREDICATE`, `FALSEPREDICATE`; `%@`, `%K`, numbers, quoted texts. Of functions only CloudKit's:
/// `distanceToLocation:fromLocation:` and `tokenize`, which hold for no metadata item. Not modelled: other functions, key paths, `MATCHES`, blocks, variables. What is not understood is told when a query uses it (Apple raises an exception at once).
public final class NSPredicate: @unchecked Sendable {
    /// As it was given: arguments are not put in, unlike Apple's.
    public let predicateFormat: String
    package let condition: Result<PredicateCondition, PredicateProblem>

    /// - Parameter args: for each `%@` a value, for each `%K` a field's name, in order.
    public init(format predicateFormat: String, _ args: Any...) {
        self.predicateFormat = predicateFormat
        var parser = PredicateParser(predicateFormat, args)
        condition = parser.result()
    }
    /// `true`: everything; `false`: nothing.
    public init(value: Bool) {
        predicateFormat = value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        condition = .success(.always(value))
    }
}

/// Why a text is no predicate.
package struct PredicateProblem: Error, Hashable, Sendable {
    /// With the text in quotes.
    package var message: String
    package init(message: String) { self.message = message }
}

/// What a predicate says. No deeper than `PredicateParser.depthMax`.
package indirect enum PredicateCondition {
    case always(Bool)
    case comparison(PredicateComparison)
    case not(PredicateCondition)
    case and([PredicateCondition])
    case or([PredicateCondition])

    /// - Parameter value: of a field; nil: it has none.
    package func holds(_ value: (String) -> Any?) -> Bool {
        switch self {
        case .always(let holds): holds
        case .comparison(let comparison): comparison.holds(for: value(comparison.key))
        case .not(let inner): !inner.holds(value)
        case .and(let all): all.allSatisfy { $0.holds(value) }
        case .or(let any): any.contains { $0.holds(value) }
        }
    }
}

/// A field compared with a value.
package struct PredicateComparison {
    /// Over the members of a list; what is no list is a list of one.
    package enum Quantifier { case any, all, none }
    package enum Sign {
        case equals, notEquals, less, lessOrEqual, greater, greaterOrEqual, between, isIn, contains, beginsWith,
            endsWith, like
        /// `'a' IN key`: the field is a list with that member, or a text with that part.
        case hasMember
        /// `tokenize(text, 'Cdl') IN allTokens`: words of a text.
        case tokens
    }
    package var quantifier: Quantifier?
    package var key: String
    package var sign: Sign
    package var ignoresCase = false
    package var ignoresMarks = false
    /// A list for `between`, which has two ends, and for `isIn`.
    package var value: Any
    /// Of `distanceToLocation:fromLocation:`: the place from which the field's distance is measured.
    package var centre: Any?

    func holds(for field: Any?) -> Bool {
        guard centre == nil, sign != .tokens else { return false }
        guard let quantifier else { return holdsOne(field) }
        let members = field as? [Any] ?? [field].compactMap { $0 }
        return switch quantifier {
        case .any: members.contains(where: holdsOne)
        case .all: members.allSatisfy(holdsOne)
        case .none: !members.contains(where: holdsOne)
        }
    }
    /// Nothing is only unequal.
    private func holdsOne(_ held: Any?) -> Bool {
        if sign == .hasMember || sign == .contains, let members = held as? [Any], let wanted = operand(value) {
            return members.compactMap(operand).contains { order($0, wanted) == .orderedSame }
        }
        guard let held, let field = operand(held) else { return sign == .notEquals }
        switch sign {
        case .between:
            guard let ends = value as? [Any], ends.count == 2, let least = operand(ends[0]), let most = operand(ends[1])
            else { return false }
            return order(field, least).map { $0 != .orderedAscending } == true
                && order(field, most).map { $0 != .orderedDescending } == true
        case .isIn:
            if let list = value as? [Any] {
                return list.compactMap(operand).contains { order(field, $0) == .orderedSame }
            }
            guard case .text(let whole)? = operand(value), case .text(let part) = field else { return false }
            return whole.contains(part)
        default: break
        }
        guard let other = operand(value) else { return sign == .notEquals }
        if case .text(let text) = field, case .text(let part) = other, let found = Self.texts(text, sign, part) {
            return found
        }
        let result = order(field, other)
        return switch sign {
        case .equals: result == .orderedSame
        case .notEquals: result != .orderedSame
        case .less: result == .orderedAscending
        case .lessOrEqual: result == .orderedAscending || result == .orderedSame
        case .greater: result == .orderedDescending
        case .greaterOrEqual: result == .orderedDescending || result == .orderedSame
        default: false
        }
    }

    // MARK: Values

    private enum Operand {
        case text(String)
        case number(Double)
    }
    private func operand(_ value: Any) -> Operand? {
        switch value {
        case let text as String:
            var options: String.CompareOptions = []
            if ignoresCase { options.insert(.caseInsensitive) }
            if ignoresMarks { options.insert(.diacriticInsensitive) }
            return .text(options.isEmpty ? text : text.folding(options: options, locale: nil))
        case let date as Date: return .number(date.timeIntervalSince1970)
        case let url as URL: return .text(url.path)
        case let flag as Bool: return .number(flag ? 1 : 0)
        case let number as Int: return .number(Double(number))
        case let number as Int64: return .number(Double(number))
        case let number as Double: return .number(number)
        case let number as NSNumber: return .number(number.doubleValue)
        default: return nil
        }
    }
    /// Nil for what cannot be compared: a text with a number.
    private func order(_ one: Operand, _ other: Operand) -> ComparisonResult? {
        switch (one, other) {
        case (.text(let one), .text(let other)):
            one == other ? .orderedSame : one < other ? .orderedAscending : .orderedDescending
        case (.number(let one), .number(let other)):
            one == other ? .orderedSame : one < other ? .orderedAscending : one > other ? .orderedDescending : nil
        default: nil
        }
    }
    private static func texts(_ text: String, _ sign: Sign, _ other: String) -> Bool? {
        switch sign {
        case .contains, .hasMember: text.contains(other)
        case .beginsWith: text.hasPrefix(other)
        case .endsWith: text.hasSuffix(other)
        case .like: isLike(Array(text), Array(other))
        default: nil
        }
    }
    /// `*` stands for any characters, `?` for one. Without going back further than to the last star: the time is bounded by the product
    /// of the lengths.
    private static func isLike(_ text: [Character], _ pattern: [Character]) -> Bool {
        var (at, next) = (0, 0)
        var star: (pattern: Int, text: Int)?
        while at < text.count {
            if next < pattern.count, pattern[next] == "*" {
                star = (next, at)
                next += 1
            } else if next < pattern.count, pattern[next] == "?" || pattern[next] == text[at] {
                at += 1
                next += 1
            } else if let last = star {
                star = (last.pattern, last.text + 1)
                (next, at) = (last.pattern + 1, last.text + 1)
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy { $0 == "*" }
    }
}
