import FleetModel

/// Field dictionaries of records: `{name: {value, type}}` (cloudkit-web-services.md 8.6).
enum RecordFields {
    /// Checks the fields of a request and gives each its type tag; a null value stays and means: clear the field.
    /// - Throws: `BAD_REQUEST` naming the field.
    /// - Parameters:
    ///   - zone: references must not leave it (cloudkit-framework.md 3).
    ///   - guessed: gets the values, as they were sent, of the fields whose type was not: a schema may know better.
    static func normalized(
        _ fields: Value, zone: String, guessed: inout Value.Object
    ) throws(CloudError) -> Value.Object {
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
            let sent = try pair.value.optionalText("type").map(plain)
            if sent == nil { guessed[pair.key] = value }
            guard let type = sent ?? inferred(value) else {
                throw .badRequest("the type of field '\(pair.key)' cannot be inferred; name it in 'type'")
            }
            try checkType(type, of: pair.key)
            let isEncrypted = try pair.value.flag("isEncrypted", otherwise: false)
            let stored = try stored(value, type, isEncrypted: isEncrypted, field: pair.key, zone: zone)
            var field: Value = ["type": .string(type), "value": stored]
            if isEncrypted { field["isEncrypted"] = true }
            result[pair.key] = field
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

    /// Type tag of a list whose elements' type nobody knows yet (cloudkit-web-services.md 8.6).
    static let emptyList = "EMPTY_LIST"
    /// One word for each type: clients write some in two ways.
    static func plain(_ type: String) -> String {
        switch type {
        case "ASSET": "ASSETID"
        case "ASSET_LIST": "ASSETID_LIST"
        case "UNKNOWN_LIST": emptyList
        case "BOOLEAN": "INT64"
        default: type
        }
    }
    /// All types of a value that is no list.
    private static let types: Set<String> = [
        "STRING", "INT64", "DOUBLE", "TIMESTAMP", "BYTES", "LOCATION", "REFERENCE", "ASSETID",
    ]
    /// - Throws: `BAD_REQUEST` for a type that there is not. Lists are of values, never of lists.
    static func checkType(_ type: String, of field: String) throws(CloudError) {
        let member = type.hasSuffix("_LIST") ? String(type.dropLast(5)) : type
        guard type == emptyList || types.contains(member) else {
            throw .badRequest("field '\(field)' has the unknown type '\(type)'")
        }
    }
    static func isAsset(_ field: Value) -> Bool {
        field["type"]?.string == "ASSETID" || field["type"]?.string == "ASSETID_LIST"
    }

    /// Names of the system's own fields, on shares, have a prefix (`cloudkit.title`).
    static func isName(_ name: String) -> Bool {
        let system = "cloudkit."
        return isPlainName(name.hasPrefix(system) ? String(name.dropFirst(system.utf8.count)) : name)
    }
    /// Whether this is one of the system's own.
    static func isSystemName(_ name: String) -> Bool { name.hasPrefix("cloudkit.") }
    static func isPlainName(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= 255 else { return false }
        func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) }
        return isLetter(first)
            && name.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_") }
    }

    static func inferred(_ value: Value) -> String? {
        switch value {
        case .string: "STRING"
        case .int, .bool: "INT64"
        case .double: "DOUBLE"
        case .data: "BYTES"
        case .object:
            value["recordName"] != nil
                ? "REFERENCE" : value["latitude"] != nil ? "LOCATION" : value["fileChecksum"] != nil ? "ASSETID" : nil
        case .array(let values): values.isEmpty ? emptyList : element(of: values).map { $0 + "_LIST" }
        case .null: nil
        }
    }
    /// The first element's type; of numbers the widest.
    private static func element(of values: [Value]) -> String? {
        let first = values.first.flatMap(inferred)
        return first == "INT64" && values.contains { inferred($0) == "DOUBLE" } ? "DOUBLE" : first
    }

    /// A field with the value in the form of another type than the guessed one.
    /// - Returns: nil when the value is none of that type.
    static func fitted(_ field: Value, _ value: Value, to type: String, name: String, zone: String) -> Value? {
        guard let stored = try? stored(value, type, isEncrypted: isSecret(field), field: name, zone: zone) else {
            return nil
        }
        var field = field
        field["type"] = .string(type)
        field["value"] = stored
        return field
    }

    /// The value in its stored form.
    /// - Parameter zone: which references must not leave; nil: they may name any.
    static func checked(
        _ value: Value, _ type: String, field: String, zone: String?
    ) throws(CloudError) -> Value {
        let refusal = CloudError.badRequest(
            "field '\(field)' is a \(type), which is \(meaning(of: type)); its value is \(described(value))")
        if type.hasSuffix("_LIST") {
            guard let values = value.array else {
                throw .badRequest("field '\(field)' is a \(type) and needs a list; its value is \(described(value))")
            }
            if type == emptyList, !values.isEmpty { throw refusal }
            var result: [Value] = []
            for element in values {
                result.append(try checked(element, String(type.dropLast(5)), field: field, zone: zone))
            }
            return .array(result)
        }
        switch type {
        case "STRING": if value.string != nil { return value }
        case "INT64":
            // Booleans are stored as 0 and 1; numbers come back as texts from those who asked for them so.
            if let flag = value.bool { return .int(flag ? 1 : 0) }
            if let number = value.int ?? value.string.flatMap(integer) { return .int(number) }
        case "TIMESTAMP": if let number = value.int { return .int(number) }
        case "DOUBLE": if value.double != nil { return value }
        case "BYTES": if value.data != nil || value.string.flatMap(Base64.decode) != nil { return value }
        case "LOCATION": if Geo.isLocation(value) { return value }
        case "REFERENCE": return try checkedReference(value, field: field, zone: zone)
        case "ASSETID":
            if value["fileChecksum"]?.string != nil, let size = value["size"]?.int, size >= 0 { return value }
        default: throw .badRequest("field '\(field)' has the unknown type '\(type)'")
        }
        throw refusal
    }
    /// An integer in the one form in which answers have it.
    private static func integer(_ text: String) -> Int64? { Int64(text).flatMap { String($0) == text ? $0 : nil } }
    /// Whether a number is so large that no integer can be meant by it for sure.
    static func isBeyondIntegers(_ value: Value) -> Bool {
        if let members = value.array { return members.contains(where: isBeyondIntegers) }
        guard case .double(let number) = value else { return false }
        return number >= 9_223_372_036_854_775_808 || number <= -9_223_372_036_854_775_808
    }
    private static func meaning(of type: String) -> String {
        switch type {
        case "STRING": "a text"
        case "INT64":
            "a whole number from -2^63 to 2^63 - 1 (from 2^53 on without a point and an exponent), or such a number as a text"
        case "TIMESTAMP": "a whole number of milliseconds since 1970"
        case "DOUBLE": "a number"
        case "BYTES": "base64 with padding (RFC 4648 4)"
        case "LOCATION": "an object with 'latitude' and 'longitude' within their ranges"
        case "ASSETID": "what an upload has answered: an object with 'fileChecksum' and 'size'"
        case emptyList: "a list of nothing"
        default: "of a kind of its own"
        }
    }
    /// A value in few words, for refusals: what was sent may be large, or a secret.
    static func described(_ value: Value) -> String {
        switch value {
        case .null: "null"
        case .bool, .int, .double: value.json
        case .string(let text): "a text of \(text.utf8.count) bytes"
        case .data(let bytes): "\(bytes.count) bytes"
        case .array(let values): "a list of \(values.count)"
        case .object: "an object"
        }
    }
    private static func checkedReference(_ value: Value, field: String, zone: String?) throws(CloudError) -> Value {
        guard let name = value["recordName"]?.string, !name.isEmpty else {
            throw .badRequest("field '\(field)' is a REFERENCE and names no record")
        }
        let action = try value.optionalText("action") ?? "NONE"
        guard ["NONE", "DELETE_SELF", "VALIDATE"].contains(action) else {
            throw .badRequest(
                "field '\(field)': there is no action '\(action)'; use 'NONE', 'DELETE_SELF' or 'VALIDATE'")
        }
        if let zone, let target = value["zoneID"], !target.isNull, try Zone.name(target) != zone {
            throw .badRequest("field '\(field)' refers to another zone; references never leave their zone")
        }
        return value
    }
}
