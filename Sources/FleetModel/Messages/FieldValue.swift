/// What a member of a message, a note or a row can hold: how it stands in a `Value`, and how pages call it.
public protocol FieldValue {
    /// Nil when `value` is of another kind.
    init?(fieldValue value: Value)
    var fieldValue: Value { get }
    /// The word of pages and of error messages: `text`, `number`.
    static var kindName: String { get }
    /// Nil when `value` is no list; elements of another kind are left out.
    static func elements(of value: Value) -> [Self]?
    static func list(_ elements: [Self]) -> Value
    /// The word for many of them.
    static var listName: String { get }
}

extension FieldValue {
    public static func elements(of value: Value) -> [Self]? { value.array?.compactMap { Self(fieldValue: $0) } }
    public static func list(_ elements: [Self]) -> Value { .array(elements.map(\.fieldValue)) }
    public static var listName: String { "[\(kindName)]" }
}

extension String: FieldValue {
    public init?(fieldValue value: Value) {
        guard case .string(let text) = value else { return nil }
        self = text
    }
    public var fieldValue: Value { .string(self) }
    public static var kindName: String { "text" }
}
extension Bool: FieldValue {
    public init?(fieldValue value: Value) {
        guard case .bool(let flag) = value else { return nil }
        self = flag
    }
    public var fieldValue: Value { .bool(self) }
    public static var kindName: String { "bool" }
}
extension Int64: FieldValue {
    public init?(fieldValue value: Value) {
        guard let number = value.int else { return nil }
        self = number
    }
    public var fieldValue: Value { .int(self) }
    public static var kindName: String { "number" }
}
extension Int: FieldValue {
    public init?(fieldValue value: Value) {
        guard let number = value.int.flatMap({ Int(exactly: $0) }) else { return nil }
        self = number
    }
    public var fieldValue: Value { .int(self) }
    public static var kindName: String { "number" }
}
extension Double: FieldValue {
    public init?(fieldValue value: Value) {
        guard let number = value.double else { return nil }
        self = number
    }
    public var fieldValue: Value { .double(self) }
    public static var kindName: String { "number" }
}
/// One byte stands nowhere alone; many are data.
extension UInt8: FieldValue {
    public init?(fieldValue value: Value) { nil }
    public var fieldValue: Value { .null }
    public static var kindName: String { "byte" }
    public static func elements(of value: Value) -> [UInt8]? { value.data }
    public static func list(_ elements: [UInt8]) -> Value { .data(elements) }
    public static var listName: String { "data" }
}
extension Array: FieldValue where Element: FieldValue {
    public init?(fieldValue value: Value) {
        guard let elements = Element.elements(of: value) else { return nil }
        self = elements
    }
    public var fieldValue: Value { Element.list(self) }
    public static var kindName: String { Element.listName }
}
extension Value: FieldValue {
    public init?(fieldValue value: Value) { self = value }
    public var fieldValue: Value { self }
    public static var kindName: String { "value" }
    public static func elements(of value: Value) -> [Value]? { value.array }
    public static func list(_ elements: [Value]) -> Value { .array(elements) }
}
extension Value.Object: FieldValue {
    public init?(fieldValue value: Value) {
        guard let object = value.object else { return nil }
        self = object
    }
    public var fieldValue: Value { .object(self) }
    public static var kindName: String { "object" }
}
/// In ns.
extension Span: FieldValue {
    public init?(fieldValue value: Value) {
        guard let number = value.int else { return nil }
        self.init(nanoseconds: number)
    }
    public var fieldValue: Value { .int(nanoseconds) }
    public static var kindName: String { "ns" }
}
/// In ns since the run began.
extension Instant: FieldValue {
    public init?(fieldValue value: Value) {
        guard let number = value.int else { return nil }
        self.init(nanoseconds: number)
    }
    public var fieldValue: Value { .int(nanoseconds) }
    public static var kindName: String { "ns" }
}
/// A word of a fixed set.
extension FieldValue where Self: RawRepresentable, RawValue == String {
    public init?(fieldValue value: Value) {
        guard let word = value.string else { return nil }
        self.init(rawValue: word)
    }
    public var fieldValue: Value { .string(rawValue) }
    public static var kindName: String { "word" }
}
extension FieldValue where Self: RawRepresentable & CaseIterable, RawValue == String {
    public static var kindName: String { allCases.map(\.rawValue).joined(separator: " or ") }
}
