import FleetModel

/// What a filter or a sort looks at: a field, or one of the system fields.
struct RecordKey: Hashable {
    let name: String
    private let isSystem: Bool

    init(_ body: Value) throws(CloudError) {
        switch (try body.optionalText("fieldName"), try body.optionalText("systemFieldName")) {
        case (let field?, nil) where field.hasPrefix(Self.schemaPrefix):
            guard let system = Self.schemaNames[field] else {
                throw .badRequest(
                    "nothing is found or sorted by '\(field)'; use \(Self.schemaNames.keys.sorted().joined(separator: ", "))"
                )
            }
            (name, isSystem) = (system, true)
        case (let field?, nil): (name, isSystem) = (field, false)
        case (nil, let system?):
            guard system == Self.allTokens || Self.systemTypes[system] != nil else {
                throw .badRequest("there is no system field '\(system)'")
            }
            (name, isSystem) = (system, true)
        default: throw .badRequest("name either 'fieldName' or 'systemFieldName'")
        }
    }
    /// All words of a record's searchable texts: what `self` and `allTokens` mean in a predicate (cloudkit-framework.md 6). ASSUMED: the web
    /// service has no documented name for it.
    private static let allTokens = "allTokens"
    var isAllTokens: Bool { isSystem && name == Self.allTokens }
    /// What a system field is compared with (cloudkit-web-services.md 8.9). Names are compared as texts; a reference stands for its name.
    private static let systemTypes = [
        "recordName": "STRING", "createdTimestamp": "TIMESTAMP", "createdUserRecordName": "STRING",
        "modifiedTimestamp": "TIMESTAMP", "modifiedUserRecordName": "STRING",
    ]
    /// Names of the same fields in Apple's schema language, which clients send as field names.
    private static let schemaPrefix = "___"
    private static let schemaNames = [
        "___recordID": "recordName", "___createTime": "createdTimestamp", "___createdBy": "createdUserRecordName",
        "___modTime": "modifiedTimestamp", "___modifiedBy": "modifiedUserRecordName",
    ]
    /// Name in the schema language; of an own field its own.
    var schemaName: String {
        isSystem ? Self.schemaNames.first { $0.value == name }?.key ?? name : name
    }
    /// How apps call a field of the schema: `recordName` for `___recordID`.
    static func appName(of field: String) -> String { schemaNames[field] ?? field }
    /// Nil for an own field, and for what has no value of its own.
    var systemType: String? { isSystem ? Self.systemTypes[name] : nil }

    /// Name of an own field; nil for a system field.
    var field: String? { isSystem ? nil : name }

    func value(in record: Value) -> Value? {
        guard isSystem else { return record["fields"]?[name]?["value"] }
        switch name {
        case "recordName": return record["recordName"]
        case Self.allTokens: return nil
        case "createdTimestamp": return record["created"]?["timestamp"]
        case "createdUserRecordName": return record["created"]?["userRecordName"]
        case "modifiedTimestamp": return record["modified"]?["timestamp"]
        default: return record["modified"]?["userRecordName"]
        }
    }
}
