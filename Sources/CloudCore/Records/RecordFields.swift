import FleetModel

/// Field dictionaries of records: `{name: {value, type}}` (cloudkit-web-services.md 8.6).
enum RecordFields {
    /// Checks the fields of a request and gives each its type tag; a null value stays and means: clear the field.
    /// - Throws: `BAD_REQUEST` naming the field.
    static func normalized(_ fields: Value) throws(CloudError) -> Value.Object {
        guard let object = fields.object else { throw .badRequest("'fields' must be an object") }
        var result = Value.Object()
        for pair in object.pairs {
            guard isName(pair.key) else {
                throw .badRequest("'\(pair.key)' is no field name: a letter, then letters, digits and '_'")
            }
            guard let value = pair.value["value"] else { throw .badRequest("field '\(pair.key)' has no 'value'") }
            if value.isNull {
                result[pair.key] = ["value": .null]
                continue
            }
            let type = try pair.value.optionalText("type") ?? inferred(value)
            guard let type else {
                throw .badRequest("the type of field '\(pair.key)' cannot be inferred; name it in 'type'")
            }
            try check(value, type, field: pair.key)
            result[pair.key] = ["type": .string(type), "value": value]
        }
        return result
    }

    /// Lays new fields over old ones; null clears.
    static func merged(_ old: Value.Object, _ new: Value.Object) -> Value.Object {
        var result = old
        for pair in new.pairs { result[pair.key] = pair.value["value"]?.isNull == true ? nil : pair.value }
        return result
    }

    /// All payloads in the fields, also inside bytes.
    static func tokens(in fields: Value) -> EditPayload.Found {
        var found = EditPayload.Found()
        for pair in fields.object?.pairs ?? [] {
            let inner = EditPayload.scan(content(pair.value))
            for token in inner.tokens where !found.tokens.contains(token) { found.tokens.append(token) }
            for token in inner.damaged where !found.damaged.contains(token) { found.damaged.append(token) }
        }
        return found
    }
    /// The value with base64 undone.
    private static func content(_ field: Value) -> Value {
        let value = field["value"] ?? .null
        switch field["type"]?.string {
        case "BYTES": return value.string.flatMap(Base64.decode).map(Value.data) ?? value
        case "BYTES_LIST":
            return .array((value.array ?? []).map { $0.string.flatMap(Base64.decode).map(Value.data) ?? $0 })
        default: return value
        }
    }

    private static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= 255 else { return false }
        func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) }
        return isLetter(first)
            && name.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_") }
    }

    private static func inferred(_ value: Value) -> String? {
        switch value {
        case .string: "STRING"
        case .int, .bool: "INT64"
        case .double: "DOUBLE"
        case .data: "BYTES"
        case .object: value["recordName"] != nil ? "REFERENCE" : value["latitude"] != nil ? "LOCATION" : nil
        case .array(let values): values.first.flatMap(inferred).map { $0 + "_LIST" }
        case .null: nil
        }
    }

    private static func check(_ value: Value, _ type: String, field: String) throws(CloudError) {
        if type.hasSuffix("_LIST") {
            guard let values = value.array else { throw .badRequest("field '\(field)' is a \(type) and needs a list") }
            for element in values { try check(element, String(type.dropLast(5)), field: field) }
            return
        }
        let isRight: Bool
        switch type {
        case "STRING": isRight = value.string != nil
        case "INT64", "TIMESTAMP": isRight = value.int != nil || value.bool != nil
        case "DOUBLE": isRight = value.double != nil
        case "BYTES": isRight = value.data != nil || value.string.flatMap(Base64.decode) != nil
        case "LOCATION": isRight = value["latitude"]?.double != nil && value["longitude"]?.double != nil
        case "REFERENCE": isRight = try checkReference(value, field: field)
        case "ASSETID", "ASSET":
            throw .badRequest("field '\(field)': assets are not modelled; put the bytes into the field")
        default: throw .badRequest("field '\(field)' has the unknown type '\(type)'")
        }
        guard isRight else { throw .badRequest("field '\(field)' is a \(type) and its value is none") }
    }
    private static func checkReference(_ value: Value, field: String) throws(CloudError) -> Bool {
        let action = try value.optionalText("action") ?? "NONE"
        guard action == "NONE" else {
            throw .badRequest("field '\(field)': references with the action '\(action)' are not modelled; use 'NONE'")
        }
        return value["recordName"]?.string != nil
    }
}
