import FleetModel

/// Which indexes a field has (cloudkit-framework.md 6).
struct FieldIndexes: OptionSet, Hashable {
    let rawValue: Int64
    static let queryable = FieldIndexes(rawValue: 1)
    static let sortable = FieldIndexes(rawValue: 2)
    static let searchable = FieldIndexes(rawValue: 4)

    /// What development gives a new field by itself. Bytes and assets have none, and what is encrypted can have none.
    static func automatic(_ type: String, isEncrypted: Bool) -> FieldIndexes {
        guard !isEncrypted else { return [] }
        return switch type {
        case "STRING": [.queryable, .sortable, .searchable]
        case "STRING_LIST": [.queryable, .searchable]
        case "INT64", "DOUBLE", "TIMESTAMP", "LOCATION": [.queryable, .sortable]
        case "REFERENCE", "INT64_LIST", "DOUBLE_LIST", "TIMESTAMP_LIST", "LOCATION_LIST", "REFERENCE_LIST": [.queryable]
        default: []
        }
    }
}
