/// One thing of a container's schema that an app has used: a type, a field of it, an index on the field.
///
/// What an app needs of production is the set of these; what production lacks of them has to be deployed.
public struct SchemaNeed: Hashable, Sendable {
    /// The record type.
    public var type: String
    /// A field, or one of those that every record has (`___recordID`).
    public var field: String?
    /// Its values' type; nil where only an index was asked for.
    public var fieldType: CloudSchema.FieldType?
    /// The index that a query used; nil where only the field or the type was used.
    public var index: CloudSchema.Index?
    /// Why: `records are saved`, `a query compares it`.
    public var use: String

    /// Without a field it is the record type alone that is needed.
    public init(
        type: String, field: String? = nil, fieldType: CloudSchema.FieldType? = nil, index: CloudSchema.Index? = nil,
        use: String
    ) {
        (self.type, self.field, self.fieldType, self.index, self.use) = (type, field, fieldType, index, use)
    }

    /// The form in which it stands in the history (`schemaUsed`); members that are nil are absent.
    public var body: Value {
        var body: Value = ["type": .string(type), "use": .string(use)]
        body["field"] = field.map(Value.string)
        body["fieldType"] = fieldType.map { .string($0.wire) }
        if fieldType?.isEncrypted == true { body["encrypted"] = true }
        body["index"] = index.map { .string($0.rawValue) }
        return body
    }
    /// Reads what `body` writes; nil where type or use are missing.
    public init?(_ body: Value) {
        guard let type = body["type"]?.string, let use = body["use"]?.string else { return nil }
        self.init(
            type: type, field: body["field"]?.string,
            fieldType: body["fieldType"]?.string.map {
                .init(wire: $0, isEncrypted: body["encrypted"]?.bool ?? false)
            }, index: body["index"]?.string.flatMap(CloudSchema.Index.init), use: use)
    }
}

extension CloudSchema {
    /// What serves a list of needs and nothing else, types and fields in order of their names.
    public init(needs: some Sequence<SchemaNeed>) {
        var types: [String: [String: Field]] = [:]
        for need in needs {
            var fields = types[need.type] ?? [:]
            defer { types[need.type] = fields }
            guard let name = need.field else { continue }
            var field =
                fields[name] ?? Field(name, Self.systemTypes[name] ?? FieldType("STRING"))
            if let type = need.fieldType { field.type = type }
            if let index = need.index { field.indexes.insert(index) }
            fields[name] = field
        }
        self.init(
            types: types.sorted { $0.key < $1.key }.map { name, fields in
                RecordType(name, fields.values.sorted { $0.name < $1.name })
            })
    }
    /// Types of the fields that every record has. Source: Apple, "Integrating a Text-Based Schema into Your Workflow".
    public static let systemTypes: [String: FieldType] = [
        "___recordID": FieldType("REFERENCE"), "___createdBy": FieldType("REFERENCE"),
        "___modifiedBy": FieldType("REFERENCE"), "___createTime": FieldType("TIMESTAMP"),
        "___modTime": FieldType("TIMESTAMP"), "___etag": FieldType("STRING"),
    ]

    /// Everything that it has, as somebody would need it who used all of it.
    public var needs: [SchemaNeed] {
        types.flatMap { type in
            [SchemaNeed(type: type.name, use: "used")]
                + type.fields.flatMap { field in
                    (field.isSystem && !field.indexes.isEmpty
                        ? [] : [SchemaNeed(type: type.name, field: field.name, fieldType: field.type, use: "used")])
                        + field.indexes.sorted().map {
                            SchemaNeed(type: type.name, field: field.name, index: $0, use: "used")
                        }
                }
        }
    }

    /// Whether production with this schema serves a need.
    public func serves(_ need: SchemaNeed) -> Bool {
        guard let type = type(need.type) else { return false }
        guard let name = need.field else { return true }
        guard let field = type.field(name) else { return false }
        if let index = need.index, !field.indexes.contains(index) { return false }
        return need.fieldType.map(field.type.takes) ?? true
    }
    /// What is to be deployed for needs that this schema does not serve: one line for each field, whole, in order of first need.
    public func lines(for needs: [SchemaNeed]) -> [String] {
        let missing = needs.filter { !serves($0) }
        var places: [(type: String, field: String?)] = []
        for need in missing where !places.contains(where: { $0.type == need.type && $0.field == need.field }) {
            // A type that is missing is there as soon as one field of it is.
            let hasField = need.field == nil && missing.contains { $0.type == need.type && $0.field != nil }
            if !hasField { places.append((need.type, need.field)) }
        }
        return places.map { place in
            guard let name = place.field else { return "RECORD TYPE \(place.type) ( )" }
            var field = type(place.type)?.field(name) ?? Field(name, Self.systemTypes[name] ?? FieldType("STRING"))
            let own = needs.filter { $0.type == place.type && $0.field == name }
            if let there = type(place.type)?.field(name),
                let other = own.compactMap(\.fieldType).first(where: { !there.type.takes($0) })
            {
                return
                    "no line helps: \(place.type).\(name) is \(there.type.text) in production and saved as \(other.text), "
                    + "and a field never changes its type; use a new field"
            }
            field.indexes.formUnion(own.compactMap(\.index))
            if type(place.type)?.field(name) == nil, let wanted = own.compactMap(\.fieldType).first {
                field.type = wanted
            }
            return "RECORD TYPE \(place.type) ( \(field.text) )"
        }
    }
}
