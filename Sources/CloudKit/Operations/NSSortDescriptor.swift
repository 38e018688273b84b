import Foundation
import PadApp

/// The order of results: by a field, or by `creationDate` or `modificationDate`.
public final class NSSortDescriptor: Sendable {
    public let key: String?
    public let ascending: Bool

    public init(key: String?, ascending: Bool) {
        self.key = key
        self.ascending = ascending
    }
    /// A sort of cloudkit-web-services.md 8.9; nil without a key.
    var wire: Value? { key.map { Self.named($0, ["ascending": .bool(ascending)]) } }

    /// A field by its own name, a record's metadata by the name that the service has for it.
    static func named(_ field: String, _ more: Value) -> Value {
        var result = more
        if let system = systemFields[field] {
            result["systemFieldName"] = .string(system)
        } else {
            result["fieldName"] = .string(field)
        }
        return result
    }
    private static let systemFields = [
        "creationDate": "createdTimestamp", "modificationDate": "modifiedTimestamp", "recordID": "recordName",
        "creatorUserRecordID": "createdUserRecordName", "lastModifiedUserRecordID": "modifiedUserRecordName",
    ]
}
