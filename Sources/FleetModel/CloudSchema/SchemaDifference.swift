/// One difference between two schemas of a container, in words.
public struct SchemaDifference: Hashable, Sendable {
    /// What is new, gone or changed, with the name of the type and field: `new role editor`.
    public var text: String
    /// Whether production can take it: nothing that is there goes or becomes something else.
    ///
    /// Source: Apple, "Integrating a Text-Based Schema into Your Workflow": production keeps its types and fields for ever.
    public var isAdditive: Bool

    /// The words first; nothing checks them against `isAdditive`.
    public init(_ text: String, isAdditive: Bool) { (self.text, self.isAdditive) = (text, isAdditive) }
}

extension CloudSchema {
    /// What it takes to get from this schema to another, in the order of the types.
    public func differences(to new: CloudSchema) -> [SchemaDifference] {
        var found: [SchemaDifference] = []
        for role in new.roles where !roles.contains(role) { found.append(.init("new role \(role)", isAdditive: true)) }
        for role in roles where !new.roles.contains(role) {
            found.append(.init("role \(role) is gone", isAdditive: false))
        }
        for type in new.types {
            guard let old = self.type(type.name) else {
                found.append(.init("new type \(type.name)", isAdditive: true))
                continue
            }
            found += old.differences(to: type)
        }
        for type in types where new.type(type.name) == nil {
            found.append(.init("type \(type.name) is gone", isAdditive: false))
        }
        return found
    }
}

extension CloudSchema.RecordType {
    fileprivate func differences(to new: CloudSchema.RecordType) -> [SchemaDifference] {
        var found: [SchemaDifference] = []
        for field in new.fields {
            let place = "\(name).\(field.name)"
            guard let old = self.field(field.name) else {
                found.append(.init("new field \(place) \(field.type.text)", isAdditive: true))
                continue
            }
            if old.type != field.type {
                found.append(.init("\(place) was \(old.type.text) and is \(field.type.text)", isAdditive: false))
            }
            for index in field.indexes.subtracting(old.indexes).sorted() {
                found.append(.init("\(place) becomes \(index.rawValue)", isAdditive: true))
            }
            // Records stay, but queries of released apps fail.
            for index in old.indexes.subtracting(field.indexes).sorted() {
                found.append(.init("\(place) is no longer \(index.rawValue)", isAdditive: false))
            }
        }
        for field in fields where new.field(field.name) == nil {
            found.append(.init("field \(name).\(field.name) is gone", isAdditive: false))
        }
        if Set(grants) != Set(new.grants) { found.append(.init("grants of \(name) change", isAdditive: true)) }
        return found
    }
}
