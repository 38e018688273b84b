/// Behaviours about which the sources differ, each with its sides, and the side that is taken.
public struct Switches: Hashable, Sendable {
    /// One of them.
    public struct Switch: Hashable, Sendable {
        /// As people write it; unique among those of a set.
        public let name: String
        /// What it may be set to; the first is the default.
        public let values: [String]
        /// What differs, with its section.
        public let meaning: String

        /// `values` has the default first, and has to have one.
        public init(name: String, values: [String], meaning: String) {
            self.name = name
            self.values = values
            self.meaning = meaning
        }
    }
    /// What there is to choose.
    public let all: [Switch]
    /// What refusals call one of them.
    private let noun: String
    /// Whether a side that was chosen is told although it is the default.
    private let tellsDefaults: Bool
    private var chosen: [String: String] = [:]

    /// `noun` is what refusals call one of them; `tellsDefaults` keeps in `body` what was set to its default.
    public init(_ all: [Switch], noun: String, tellsDefaults: Bool) {
        self.all = all
        self.noun = noun
        self.tellsDefaults = tellsDefaults
    }

    /// Sets one of them.
    /// - Returns: nil, or what is wrong: no such name, or no such value, and what there is instead.
    public mutating func set(_ name: String, to value: String) -> String? {
        guard let known = named(name) else {
            return "there is no \(noun) '\(name)'; there are \(all.map(\.name).joined(separator: ", "))"
        }
        guard known.values.contains(value) else {
            return "'\(name)' cannot be '\(value)'; it can be \(known.values.joined(separator: " or "))"
        }
        chosen[name] = value == known.values.first && !tellsDefaults ? nil : value
        return nil
    }
    /// `{name: value}` of those that were set.
    public var body: Value {
        .object(Value.Object(chosen.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
    }
    /// The side that is taken; nil: there is nothing of that name.
    public subscript(name: String) -> String? { chosen[name] ?? named(name)?.values.first }
    /// Whether it is the one that is taken when nobody says anything.
    public func isDefault(_ name: String) -> Bool { self[name] == named(name)?.values.first }

    private func named(_ name: String) -> Switch? { all.first { $0.name == name } }
}
