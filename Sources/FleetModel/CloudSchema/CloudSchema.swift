/// The schema of one container, as CloudKit's schema language has it: what production takes.
///
/// Source: Apple, "Integrating a Text-Based Schema into Your Workflow".
public struct CloudSchema: Hashable, Sendable {
    /// The type of a field's values; of a list, of its members.
    public struct FieldType: Hashable, Sendable {
        /// `STRING`, `INT64`, `DOUBLE`, `TIMESTAMP`, `LOCATION`, `REFERENCE`, `ASSET`, `BYTES` or `NUMBER`.
        public var name: String
        /// Whether the field holds a list of such values: `LIST<STRING>`.
        public var isList: Bool
        /// Whether the service keeps it encrypted, as values of `encryptedValues` are.
        public var isEncrypted: Bool

        /// `name` is one of `names`; nothing here checks that, the reader of schemas does.
        public init(_ name: String, isList: Bool = false, isEncrypted: Bool = false) {
            (self.name, self.isList, self.isEncrypted) = (name, isList, isEncrypted)
        }
        /// All types that the language has, in alphabetical order.
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
        /// As the schema language writes it: `ENCRYPTED LIST<STRING>`.
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
        /// In the order in which the language writes them: queryable, sortable, searchable.
        public static func < (one: Index, other: Index) -> Bool { one.rank < other.rank }
    }

    /// One field of a record type.
    public struct Field: Hashable, Sendable {
        /// Unique within its type; case counts.
        public var name: String
        /// What its values are; production never changes it.
        public var type: FieldType
        /// The indexes that queries may use; without one the field is only stored.
        public var indexes: Set<Index>
        /// Name, type, and no index unless some are given.
        public init(_ name: String, _ type: FieldType, _ indexes: Set<Index> = []) {
            (self.name, self.type, self.indexes) = (name, type, indexes)
        }
        /// Fields that every record has: their names begin with three low lines.
        public var isSystem: Bool { name.hasPrefix("___") }
        /// One line of the schema language, without a comma: `title STRING QUERYABLE SORTABLE`.
        public var text: String {
            return ([CloudSchema.written(name), type.text] + indexes.sorted().map(\.rawValue)).joined(separator: " ")
        }
    }

    /// What a role may do with records of a type in the public database.
    public struct Grant: Hashable, Sendable {
        /// `READ`, `CREATE`, `WRITE`.
        public var rights: [String]
        /// Who gets the rights: a security role, such as `_world` or one of `CloudSchema.roles`.
        public var role: String
        /// `rights` are of `Grant.rights`; nothing here checks that.
        public init(_ rights: [String], to role: String) { (self.rights, self.role) = (rights, role) }
        /// All rights that the language has, in the order in which it writes them.
        public static let rights = ["READ", "CREATE", "WRITE"]
        /// One line of the schema language, without a comma: `GRANT READ, WRITE TO editor`.
        public var text: String {
            "GRANT \(rights.joined(separator: ", ")) TO \(CloudSchema.written(role))"
        }
    }

    /// A type of records, with its fields and who may do what with them.
    public struct RecordType: Hashable, Sendable {
        /// Unique within the schema; case counts.
        public var name: String
        /// In the order of the file.
        public var fields: [Field]
        /// In the order of the file; private and shared databases do not ask for them.
        public var grants: [Grant]
        /// A type without fields and grants unless some are given.
        public init(_ name: String, _ fields: [Field] = [], grants: [Grant] = []) {
            (self.name, self.fields, self.grants) = (name, fields, grants)
        }
        /// Nil where the type has no field of that name.
        public func field(_ name: String) -> Field? { fields.first { $0.name == name } }
    }

    /// Security roles that the container has in addition to the service's own.
    public var roles: [String]
    /// In the order of the file.
    public var types: [RecordType]

    /// Empty unless something is given: a container in which nothing was deployed.
    public init(types: [RecordType] = [], roles: [String] = []) { (self.types, self.roles) = (types, roles) }

    /// Nil where the schema has no type of that name.
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
    /// Counted from 1.
    public var line: Int
    /// Counted from 1.
    public var column: Int
    /// What is wrong, and what to write.
    public var message: String
    /// `line:column: message`, to which a reader adds the file.
    public var description: String { "\(line):\(column): \(message)" }
}
