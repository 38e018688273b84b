/// The property-list-like value that local messages, key-value entries and record fields are made of.
///
/// One type with one canonical binary form and one canonical JSON form, so that every message can be framed, traced and
/// digested the same way. Objects keep their keys sorted: equal values have equal bytes.
public enum Value: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case data([UInt8])
    case array([Value])
    case object(Object)

    /// Key-value pairs in ascending key order (by UTF-8), each key once.
    public struct Object: Hashable, Sendable {
        /// Ascending by key, each key once: the setters keep it so.
        public private(set) var pairs: [Pair] = []

        /// One member of an object.
        public struct Pair: Hashable, Sendable {
            /// Any text, also the empty one.
            public var key: String
            /// May be null, which is not the same as an absent key.
            public var value: Value
        }

        /// Without members.
        public init() {}
        /// In any order; the later of two pairs with one key counts.
        public init(_ pairs: some Sequence<(String, Value)>) {
            self.pairs.reserveCapacity(pairs.underestimatedCount)
            for (key, value) in pairs { self[key] = value }
        }
        /// Many pairs, in any order, together with an object that has none of their keys.
        init(merging object: Object, _ more: [Pair]) {
            pairs = (object.pairs + more).sorted { $0.key < $1.key }
        }
        /// Empty, with room for so many pairs: objects are made by the thousand, and growing one costs more than filling it.
        init(reserving count: Int) { pairs.reserveCapacity(count) }

        /// Whether there are no members.
        public var isEmpty: Bool { pairs.isEmpty }
        /// How many members there are.
        public var count: Int { pairs.count }
        /// In ascending order.
        public var keys: [String] { pairs.map(\.key) }

        /// The value under `key`; setting nil removes the key.
        public subscript(key: String) -> Value? {
            get {
                let index = position(of: key)
                guard index < pairs.count, pairs[index].key == key else { return nil }
                return pairs[index].value  // not `? :`, where `nil` would be read as `.null`
            }
            set {
                let index = position(of: key)
                let found = index < pairs.count && pairs[index].key == key
                switch (newValue, found) {
                case (let value?, true): pairs[index].value = value
                case (let value?, false): pairs.insert(Pair(key: key, value: value), at: index)
                case (nil, true): pairs.remove(at: index)
                case (nil, false): break
                }
            }
        }

        /// Whether a key comes after all that are there.
        func isAfterAll(_ key: String) -> Bool { pairs.last.map { $0.key < key } ?? true }

        private func position(of key: String) -> Int {
            if isAfterAll(key) { return pairs.count }
            var (low, high) = (0, pairs.count)
            while low < high {
                let middle = (low + high) / 2
                if pairs[middle].key < key { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByFloatLiteral
{
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// A boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A double, also where it is integral: `1.0` is not `1`.
    public init(floatLiteral value: Double) { self = .double(value) }
    // Deliberately no nil literal: `object[key] == nil` would compare with .null instead of asking whether the key is there.
    /// An array.
    public init(arrayLiteral elements: Value...) { self = .array(elements) }
    /// An object; the later of two members with one key counts.
    public init(dictionaryLiteral elements: (String, Value)...) { self = .object(Object(elements)) }
}

extension Value {
    /// The empty object.
    public static let empty = Value.object(Object())

    /// For counts and numbers of iPads, which are `Int` in Swift.
    public static func int(_ number: Int) -> Value { .int(Int64(number)) }
    /// An array of texts.
    public static func strings(_ texts: some Sequence<String>) -> Value { .array(texts.map(Value.string)) }
    /// A present value or null.
    public static func optional(_ text: String?) -> Value { text.map(Value.string) ?? .null }

    /// Member of an object; nil for a missing key and for anything that is no object. Setting turns a non-object into one.
    public subscript(key: String) -> Value? {
        get { if case .object(let object) = self { object[key] } else { nil } }
        set {
            var object = Object()
            if case .object(let present) = self {
                object = present
                self = .null
            }
            object[key] = newValue
            self = .object(object)
        }
    }

    /// The text; nil for any other kind.
    public var string: String? { if case .string(let text) = self { text } else { nil } }
    /// The boolean; nil for any other kind, numbers too.
    public var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }
    /// The bytes; nil for any other kind, texts too.
    public var data: [UInt8]? { if case .data(let bytes) = self { bytes } else { nil } }
    /// The elements; nil for any other kind.
    public var array: [Value]? { if case .array(let values) = self { values } else { nil } }
    /// The members; nil for any other kind.
    public var object: Object? { if case .object(let object) = self { object } else { nil } }
    /// Whether it is null itself: an absent member is nil, not null.
    public var isNull: Bool { self == .null }
    /// The number as an integer; a double counts when it is integral (JSON does not tell them apart) and below 2^53: from there on
    /// several integers have one double, and which was meant nobody can tell.
    public var int: Int64? {
        switch self {
        case .int(let number): number
        case .double(let number): abs(number) < 9_007_199_254_740_992 ? Int64(exactly: number) : nil
        default: nil
        }
    }
    /// The number as a double, rounded where an integer has more than 53 bits; nil for any other kind.
    public var double: Double? {
        switch self {
        case .double(let number): number
        case .int(let number): Double(number)
        default: nil
        }
    }
    /// The strings of an array; elements of other kinds are left out.
    public var strings: [String] { array?.compactMap(\.string) ?? [] }
}
