import Foundation
import PadApp

/// The bridge between Apple's property lists (`Any`) and the link's `Value`.
enum PropertyList {
    /// A date as a value: `{"$date": seconds since 2001}`; `Value` has no dates of its own. A dictionary whose only key reads like that has
    /// one `$` more in front of it.
    private static let dateKey = "$date"

    /// - Returns: nil when `any` is no property list (key-value-store.md 1: numbers, text, dates, data, arrays, dictionaries). ASSUMED: an
    ///   integer above 2^63 - 1, for which `Value` has no room, counts as none.
    static func value(_ any: Any) -> Value? {
        // An NSNumber answers to every number type; only its own encoding tells a flag from a number.
        if type(of: any) is AnyClass, let number = any as? NSNumber { return value(number) }
        switch any {
        case let text as String: return .string(text)
        case let flag as Bool: return .bool(flag)
        case let number as any BinaryInteger: return Int64(exactly: number).map { .int($0) }
        case let number as Double: return .double(number)
        case let number as Float: return .double(Double(number))
        case let data as Data: return .data(Array(data))
        case let date as Date: return .object(Value.Object([(dateKey, .double(date.timeIntervalSinceReferenceDate))]))
        case let list as [Any]: return array(list)
        case let dictionary as [String: Any]: return object(dictionary)
        default: return nil
        }
    }

    private static func value(_ number: NSNumber) -> Value? {
        switch String(cString: number.objCType) {
        case "c", "B": .bool(number.boolValue)
        case "d", "f": .double(number.doubleValue)
        case "Q", "L": Int64(exactly: number.uint64Value).map { .int($0) }
        default: .int(number.int64Value)
        }
    }
    private static func array(_ list: [Any]) -> Value? {
        var values: [Value] = []
        for element in list {
            guard let value = value(element) else { return nil }
            values.append(value)
        }
        return .array(values)
    }
    private static func object(_ dictionary: [String: Any]) -> Value? {
        var object = Value.Object()
        for (key, element) in dictionary {
            guard let value = value(element) else { return nil }
            object[key] = value
        }
        return .object(renamed(object) { "$" + $0 })
    }
    /// The members of a file's or a store's own dictionary, by their own keys: it is no date. What is no property list is left out.
    static func members(_ dictionary: [String: Any]) -> Value.Object {
        var object = Value.Object()
        for (key, element) in dictionary { object[key] = value(element) }
        return object
    }
    /// An object whose only key reads like a date's, by another key.
    private static func renamed(_ object: Value.Object, _ name: (String) -> String) -> Value.Object {
        guard object.count == 1, let only = object.pairs.first, only.key.hasSuffix(dateKey),
            only.key.utf8.dropLast(dateKey.utf8.count).allSatisfy({ $0 == UInt8(ascii: "$") })
        else { return object }
        return Value.Object([(name(only.key), only.value)])
    }
    /// Seconds since 2001, when an object stands for a date.
    static func date(_ object: Value.Object) -> Double? { object.count == 1 ? object[dateKey]?.double : nil }
    /// The dictionary that an object stands for.
    static func plain(_ object: Value.Object) -> Value.Object { renamed(object) { String($0.dropFirst()) } }

    /// The value as Swift's own types; null, which no property list holds, as `NSNull`.
    static func any(_ value: Value) -> Any {
        switch value {
        case .null: return NSNull()
        case .bool(let flag): return flag
        case .int(let number): return Int(number)
        case .double(let number): return number
        case .string(let text): return text
        case .data(let bytes): return Data(bytes)
        case .array(let values): return values.map(any)
        case .object(let object):
            return date(object).map { Date(timeIntervalSinceReferenceDate: $0) } ?? dictionary(plain(object))
        }
    }
    /// A file's or a store's own dictionary.
    static func dictionary(_ object: Value.Object) -> [String: Any] {
        Dictionary(object.pairs.map { ($0.key, any($0.value)) }, uniquingKeysWith: { first, _ in first })
    }
}
