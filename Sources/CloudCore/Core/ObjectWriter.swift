import FleetModel

/// Writes a canonical JSON object around values that are stored as JSON already, so that they are not read and written again.
struct ObjectWriter {
    private var bytes: [UInt8] = [UInt8(ascii: "{")]
    private var lastKey = ""

    /// Keys are plain ASCII and come in ascending order: canonical JSON has them sorted.
    mutating func add(_ key: String, _ value: Value) {
        open(key)
        value.writeJSON(to: &bytes)
    }
    /// A list of stored JSON values.
    mutating func add(_ key: String, raws: [[UInt8]]) {
        open(key)
        bytes.append(UInt8(ascii: "["))
        for (index, raw) in raws.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: raw)
        }
        bytes.append(UInt8(ascii: "]"))
    }
    private mutating func open(_ key: String) {
        assert(lastKey < key, "keys of a canonical object must ascend: '\(key)' after '\(lastKey)'")
        if !lastKey.isEmpty { bytes.append(UInt8(ascii: ",")) }
        lastKey = key
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: key.utf8)
        bytes.append(contentsOf: "\":".utf8)
    }

    func finished() -> [UInt8] { bytes + [UInt8(ascii: "}")] }
}

extension Value {
    /// About as many bytes as the JSON form has, counted without writing it: escapes are not.
    var approximateBytes: Int {
        switch self {
        case .null, .bool, .int: 5
        case .double: 10
        case .string(let text): text.utf8.count + 2
        case .data(let bytes): bytes.count / 3 * 4 + 14
        case .array(let values): values.reduce(2) { $0 + $1.approximateBytes + 1 }
        case .object(let object): object.pairs.reduce(2) { $0 + $1.key.utf8.count + $1.value.approximateBytes + 4 }
        }
    }
}
