import FleetModel

/// One set of a key, as the device stamped it. A null value removes the key and competes like any other (key-value-store.md 6).
/// As it stands in a request (Docs/cloud-api.md).
struct KeyValueWrite: Hashable, FieldGroup {
    var key = ""
    var value = Value.null
    /// The device's own clock when the app set it, nanoseconds since 1970.
    var stamp: Int64 = 0
    var device = ""

    init() {}
    init(key: String, value: Value, stamp: Int64, device: String) {
        (self.key, self.value, self.stamp, self.device) = (key, value, stamp, device)
    }
    mutating func visit(_ fields: inout Fields) {
        fields.required("device", &device)
        fields.required("key", &key)
        fields.required("stamp", &stamp)
        fields.always("value", &value)
    }

    /// Largest (stamp, device) stays: the time that each device gave it, not the order of arrival.
    func wins(over other: KeyValueWrite) -> Bool { (stamp, device) > (other.stamp, other.device) }
    var tokens: [Token] { EditPayload.scan(value).tokens }
}

/// The limits of key-value-store.md 2. Key length (disagree): the strict older text, 64 bytes of UTF-8, or 128 units of UTF-16.
enum KeyValueLimits {
    static let totalBytesMax = 1_048_576
    static let keysMax = 1024
    static let keyBytesMax = 64
    /// ASSUMED: deeper nesting is not a property list that anybody meant.
    private static let depthMax = 32

    static let keyUnitsMax = 128
    static func allows(key: String, _ switches: PadSwitches) -> Bool {
        let isShort =
            switches.is("keyLength", "utf8") ? key.utf8.count <= keyBytesMax : key.utf16.count <= keyUnitsMax
        return !key.isEmpty && isShort
    }

    /// Bytes that count towards the total; nil when the value is no property list (a null or no number inside, or too deep).
    static func size(of value: Value, depth: Int = 0) -> Int? {
        guard depth <= depthMax else { return nil }
        switch value {
        case .null: return nil
        case .bool: return 1
        case .int: return 8
        case .double(let number): return number.isFinite ? 8 : nil
        case .string(let text): return text.utf8.count
        case .data(let bytes): return bytes.count
        case .array(let values):
            var total = 0
            for value in values {
                guard let size = size(of: value, depth: depth + 1) else { return nil }
                total += size
            }
            return total
        case .object(let object):
            var total = 0
            for pair in object.pairs {
                guard let size = size(of: pair.value, depth: depth + 1) else { return nil }
                total += size + pair.key.utf8.count
            }
            return total
        }
    }
}
