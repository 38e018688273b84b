import FleetModel

/// Fields that their writer has encrypted (`encryptedValues`, cloudkit-web-services.md 8.6, cloudkit-framework.md 2).
extension RecordFields {
    /// Types whose values the service must be able to read, or that are encrypted anyhow.
    private static let readable = ["REFERENCE", "REFERENCE_LIST", "ASSETID", "ASSETID_LIST"]

    /// Whether a field is encrypted.
    static func isSecret(_ field: Value) -> Bool { field["isEncrypted"]?.bool == true }

    /// The value in its stored form, plain or encrypted.
    static func stored(
        _ value: Value, _ type: String, isEncrypted: Bool, field: String, zone: String
    ) throws(CloudError) -> Value {
        guard isEncrypted else { return try checked(value, type, field: field, zone: zone) }
        guard !readable.contains(type) else {
            throw .badRequest("field '\(field)' is a \(type), which cannot be encrypted: the service must read it")
        }
        return try sealed(value, type, field: field, zone: zone)
    }
    /// Ciphertext in base64 stands for a value of any type, of a list for the whole or for each member. A plain value is
    /// kept too: who encrypts what travels is the client's affair.
    private static func sealed(
        _ value: Value, _ type: String, field: String, zone: String
    ) throws(CloudError) -> Value {
        if let text = value.string, Base64.decode(text) != nil { return value }
        guard type.hasSuffix("_LIST"), let values = value.array else {
            return try checked(value, type, field: field, zone: zone)
        }
        var members: [Value] = []
        for member in values {
            members.append(try sealed(member, String(type.dropLast(5)), field: field, zone: zone))
        }
        return .array(members)
    }
}
