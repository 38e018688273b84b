/// A message, command or row that is not what its definition says: which member, and what it should be.
public struct MalformedMessage: Error, Hashable, Sendable {
    /// For the sender: `kvs.set needs the text 'key'`.
    public var message: String
    public init(message: String) { self.message = message }
}

/// What a page says of one member.
public struct FieldDescription: Hashable, Sendable {
    public var key: String
    public var kind: String
    /// It may be missing.
    public var isOptional: Bool
    public var about: String
}

/// Members that travel as one object of a `Value`: a local message, a command, its answer, the detail of a note, a row.
///
/// `visit` is the whole definition: it names each member once, and reading, writing and the pages of Docs all go through it.
/// Invariant: it visits the keys in ascending order, so that an object is filled by appending (`MessageDefinitionTests`).
public protocol FieldGroup: FieldValue, Sendable {
    /// All members as they are when an object without them is read.
    init()
    mutating func visit(_ fields: inout Fields)
}

extension FieldGroup {
    public mutating func visit(_ fields: inout Fields) {}

    /// Made by filling in what is not as by default.
    public init(_ fill: (inout Self) -> Void) {
        self.init()
        fill(&self)
    }
    /// Reads what `body` writes.
    /// - Parameter name: whose members these are, for the error.
    /// - Throws: for a member that is missing or of another kind, where the definition says that it must not be.
    public init(_ body: Value, of name: String) throws(MalformedMessage) {
        self.init()
        var fields = Fields(reading: body, of: name)
        visit(&fields)
        if let problem = fields.problem { throw problem }
    }
    /// Reads what can be read; the rest stays as by default. For those who look on, and for answers of the iPad.
    public init(lenient body: Value) {
        self.init()
        var fields = Fields(reading: body, of: "")
        visit(&fields)
    }
    public init?(fieldValue value: Value) {
        self.init()
        var fields = Fields(reading: value, of: "")
        visit(&fields)
        if fields.problem != nil { return nil }
    }
    /// Its members as they travel.
    public var body: Value { .object(object) }
    public var object: Value.Object {
        var fields = Fields(mode: .writing)
        var copy = self
        copy.visit(&fields)
        return fields.object
    }
    public var fieldValue: Value { body }
    public static var members: [FieldDescription] {
        var fields = Fields(mode: .describing)
        var group = Self()
        group.visit(&fields)
        return fields.descriptions
    }
    public static var kindName: String {
        "{\(members.map { $0.key + ($0.isOptional ? "?" : "") }.joined(separator: ", "))}"
    }
}

/// No members at all.
public struct NoFields: FieldGroup, Hashable {
    public init() {}
}

/// What goes through the members of a `FieldGroup`: it reads them from an object, writes them into one, or lists them.
///
/// Each method is one way in which a member can be missing. Reading never traps: what an app sends may be hostile.
public struct Fields {
    enum Mode { case reading, writing, describing }
    let mode: Mode
    /// What is read, or what was written so far.
    private(set) var object: Value.Object
    /// The first member that is not as it should be.
    private(set) var problem: MalformedMessage?
    private(set) var descriptions: [FieldDescription] = []
    private let name: String

    init(reading body: Value, of name: String) {
        mode = .reading
        if case .object(let object) = body { self.object = object } else { object = Value.Object() }
        self.name = name
    }
    init(mode: Mode) {
        self.mode = mode
        object = mode == .writing ? Value.Object(reserving: 6) : Value.Object()
        name = ""
    }

    /// For a row whose members are not all as by default when they are missing.
    public init(row: Value) { self.init(reading: row, of: "") }
    /// Nothing was missing that must be there.
    public var isWhole: Bool { problem == nil }
    /// Whether members are read now: some follow from others.
    public var isReading: Bool { mode == .reading }

    private mutating func describe<V: FieldValue>(_ key: String, _ kind: V.Type, _ isOptional: Bool, _ about: String) {
        descriptions.append(FieldDescription(key: key, kind: V.kindName, isOptional: isOptional, about: about))
    }
    private mutating func fail(_ text: @autoclosure () -> String) {
        if problem == nil { problem = MalformedMessage(message: "\(name) \(text())") }
    }

    /// Must be there; always written.
    public mutating func required<V: FieldValue>(_ key: String, _ value: inout V, _ about: String = "") {
        switch mode {
        case .reading:
            guard let found = object[key].flatMap(V.init(fieldValue:)) else {
                return fail("needs the \(V.kindName) '\(key)'")
            }
            value = found
        case .writing: object[key] = value.fieldValue
        case .describing: describe(key, V.self, false, about)
        }
    }
    /// Always written; what is missing or of another kind is as by default.
    public mutating func always<V: FieldValue>(_ key: String, _ value: inout V, _ about: String = "") {
        switch mode {
        case .reading: if let found = object[key].flatMap(V.init(fieldValue:)) { value = found }
        case .writing: object[key] = value.fieldValue
        case .describing: describe(key, V.self, false, about)
        }
    }
    /// Written unless it is as usual; what is missing or of another kind is as usual.
    public mutating func unless<V: FieldValue & Equatable>(
        _ usual: V, _ key: String, _ value: inout V, _ about: String = ""
    ) {
        switch mode {
        case .reading: value = object[key].flatMap(V.init(fieldValue:)) ?? usual
        case .writing: if value != usual { object[key] = value.fieldValue }
        case .describing: describe(key, V.self, true, about)
        }
    }
    /// Written when there is one; what is of another kind counts as missing.
    public mutating func optional<V: FieldValue>(_ key: String, _ value: inout V?, _ about: String = "") {
        switch mode {
        case .reading: value = object[key].flatMap(V.init(fieldValue:))
        case .writing: if let value { object[key] = value.fieldValue }
        case .describing: describe(key, V.self, true, about)
        }
    }
    /// As `optional`, but what is of another kind is an error. Null counts as missing.
    public mutating func checked<V: FieldValue>(_ key: String, _ value: inout V?, _ about: String = "") {
        switch mode {
        case .reading:
            guard let found = object[key], !found.isNull else { return value = nil }
            value = V(fieldValue: found)
            if value == nil { fail("needs a \(V.kindName) or null as '\(key)'") }
        case .writing: if let value { object[key] = value.fieldValue }
        case .describing: describe(key, V.self, true, about)
        }
    }
    /// Always written, as null when there is none.
    public mutating func nullable<V: FieldValue>(_ key: String, _ value: inout V?, _ about: String = "") {
        switch mode {
        case .reading: value = object[key].flatMap(V.init(fieldValue:))
        case .writing: object[key] = value?.fieldValue ?? .null
        case .describing:
            descriptions.append(
                FieldDescription(key: key, kind: "\(V.kindName) or null", isOptional: false, about: about))
        }
    }
    /// What was read cannot be together.
    public mutating func reject(_ text: String) { fail(text) }
    /// Written unless it is as usual; missing it is as usual, and of another kind an error.
    public mutating func checked<V: FieldValue & Equatable>(unless usual: V, _ key: String, _ value: inout V) {
        var present = mode == .writing && value == usual ? nil : Optional(value)
        checked(key, &present)
        value = present ?? usual
    }
    /// All 64 bits, as a number that may be negative; a missing one is as by default.
    public mutating func bits(_ key: String, _ value: inout UInt64, _ about: String = "") {
        var number = Int64(bitPattern: value)
        always(key, &number, about)
        value = UInt64(bitPattern: number)
    }
    /// A required name, that may be written as a number too.
    public mutating func name(_ key: String, _ value: inout String, _ about: String = "") {
        if mode == .reading, let number = object[key]?.int { return value = String(number) }
        required(key, &value, about)
    }
    /// The members of another group, next to its own.
    public mutating func all<G: FieldGroup>(of group: inout G) { group.visit(&self) }
}
