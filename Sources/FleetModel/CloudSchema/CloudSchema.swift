/// The schema of one container, as CloudKit's schema language has it: what production takes.
///
/// Source: Apple, "Integrating a Text-Based Schema into Your Workflow".
public struct CloudSchema: Hashable, Sendable {
    /// The type of a field's values; of a list, of its members.
    public struct FieldType: Hashable, Sendable {
        /// `STRING`, `INT64`, `DOUBLE`, `TIMESTAMP`, `LOCATION`, `REFERENCE`, `ASSET`, `BYTES` or `NUMBER`.
        public var name: String
        public var isList: Bool
        public var isEncrypted: Bool

        public init(_ name: String, isList: Bool = false, isEncrypted: Bool = false) {
            (self.name, self.isList, self.isEncrypted) = (name, isList, isEncrypted)
        }
        public static let names = [
            "ASSET", "BYTES", "DOUBLE", "INT64", "LOCATION", "NUMBER", "REFERENCE", "STRING", "TIMESTAMP",
        ]
        /// Of a value on the wire: `ASSETID_LIST` is a list of `ASSET` (cloudkit-web-services.md 8.4).
        public init(wire: String, isEncrypted: Bool = false) {
            isList = wire.hasSuffix("_LIST")
            let name = isList ? String(wire.dropLast(5)) : wire
            self.name = name == "ASSETID" ? "ASSET" : name
            self.isEncrypted = isEncrypted
        }
        /// As values of it are tagged on the wire. `NUMBER` is a DOUBLE there.
        public var wire: String {
            let plain = name == "ASSET" ? "ASSETID" : name == "NUMBER" ? "DOUBLE" : name
            return isList ? plain + "_LIST" : plain
        }
        public var text: String {
            (isEncrypted ? "ENCRYPTED " : "") + (isList ? "LIST<\(name)>" : name)
        }
        /// Whether values of another type go into a field of this one; a `NUMBER` takes both kinds.
        func takes(_ other: FieldType) -> Bool {
            guard isList == other.isList, isEncrypted == other.isEncrypted else { return false }
            return name == "NUMBER" ? ["NUMBER", "INT64", "DOUBLE"].contains(other.name) : name == other.name
        }
    }

    /// What a field is found or sorted by.
    public enum Index: String, Hashable, Sendable, CaseIterable, Comparable {
        case queryable = "QUERYABLE"
        case sortable = "SORTABLE"
        case searchable = "SEARCHABLE"
        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
        public static func < (one: Index, other: Index) -> Bool { one.rank < other.rank }
    }

    public struct Field: Hashable, Sendable {
        public var name: String
        public var type: FieldType
        public var indexes: Set<Index>
        public init(_ name: String, _ type: FieldType, _ indexes: Set<Index> = []) {
            (self.name, self.type, self.indexes) = (name, type, indexes)
        }
        /// Fields that every record has: their names begin with three low lines.
        public var isSystem: Bool { name.hasPrefix("___") }
        public var text: String {
            return ([CloudSchema.written(name), type.text] + indexes.sorted().map(\.rawValue)).joined(separator: " ")
        }
    }

    /// What a role may do with records of a type in the public database.
    public struct Grant: Hashable, Sendable {
        /// `READ`, `CREATE`, `WRITE`.
        public var rights: [String]
        public var role: String
        public init(_ rights: [String], to role: String) { (self.rights, self.role) = (rights, role) }
        public static let rights = ["READ", "CREATE", "WRITE"]
        public var text: String {
            "GRANT \(rights.joined(separator: ", ")) TO \(CloudSchema.written(role))"
        }
    }

    public struct RecordType: Hashable, Sendable {
        public var name: String
        public var fields: [Field]
        public var grants: [Grant]
        public init(_ name: String, _ fields: [Field] = [], grants: [Grant] = []) {
            (self.name, self.fields, self.grants) = (name, fields, grants)
        }
        public func field(_ name: String) -> Field? { fields.first { $0.name == name } }
    }

    public var roles: [String]
    public var types: [RecordType]

    public init(types: [RecordType] = [], roles: [String] = []) { (self.types, self.roles) = (types, roles) }

    public func type(_ name: String) -> RecordType? { types.first { $0.name == name } }

    /// A name as it stands in a file: in quotation marks where it is no plain word, or begins as the service's own do.
    static func written(_ name: String) -> String {
        let isPlain =
            !name.hasPrefix("_") && name.first?.isNumber == false
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                    || byte == 0x5f
            }
        return isPlain ? name : "\"\(name)\""
    }

    /// The schema written in the schema language, which reads back as the same.
    public var text: String {
        var text = "DEFINE SCHEMA\n"
        for role in roles { text += "\n    CREATE ROLE \(Self.written(role));\n" }
        for type in types {
            let members = type.fields.map(\.text) + type.grants.map(\.text)
            let inside = members.isEmpty ? " " : "\n        \(members.joined(separator: ",\n        "))\n    "
            text += "\n    RECORD TYPE \(Self.written(type.name)) (\(inside));\n"
        }
        return text
    }
}

/// Why a schema cannot be read, with the place.
public struct SchemaError: Error, Hashable, Sendable, CustomStringConvertible {
    public var line: Int
    public var column: Int
    /// What is wrong, and what to write.
    public var message: String
    public var description: String { "\(line):\(column): \(message)" }
}
