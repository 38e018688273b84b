/// Canonical JSON: sorted keys, no spaces, shortest numbers. Written by hand because Foundation's costs 20 us a record.
///
/// Bytes become `{"$data":"<base64>"}` and are read back as bytes. An object whose only key is `$data`, with any number of dollar
/// signs, is written with one more, so that what an app has in a dictionary never comes back as bytes. A double always has a point
/// or an exponent, so that integers and doubles survive the way there and back. Numbers that JSON cannot express become null.
extension Value {
    /// The canonical JSON as a text, on one line.
    public var json: String { String(decoding: jsonBytes, as: UTF8.self) }

    /// The canonical JSON as UTF-8, without a line end.
    public var jsonBytes: [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(128)
        writeJSON(to: &out)
        return out
    }

    /// Appends the canonical JSON to bytes that may hold something already.
    public func writeJSON(to out: inout [UInt8]) {
        switch self {
        case .null: out.append(contentsOf: "null".utf8)
        case .bool(let flag): out.append(contentsOf: (flag ? "true" : "false").utf8)
        case .int(let number): out.append(contentsOf: String(number).utf8)
        case .double(let number): out.append(contentsOf: (number.isFinite ? number.description : "null").utf8)
        case .string(let text): Self.writeJSON(text, to: &out)
        case .data(let bytes):
            out.append(contentsOf: #"{"$data":""#.utf8)
            out.append(contentsOf: Base64.encode(bytes).utf8)
            out.append(contentsOf: #""}"#.utf8)
        case .array(let values):
            out.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { out.append(UInt8(ascii: ",")) }
                value.writeJSON(to: &out)
            }
            out.append(UInt8(ascii: "]"))
        case .object(let object):
            out.append(UInt8(ascii: "{"))
            for (index, pair) in object.pairs.enumerated() {
                if index > 0 { out.append(UInt8(ascii: ",")) }
                let isEscaped = object.count == 1 && Self.looksLikeData(pair.key)
                Self.writeJSON(isEscaped ? "$" + pair.key : pair.key, to: &out)
                out.append(UInt8(ascii: ":"))
                pair.value.writeJSON(to: &out)
            }
            out.append(UInt8(ascii: "}"))
        }
    }

    /// Whether a key is `$data` with one dollar sign or more.
    static func looksLikeData(_ key: String) -> Bool {
        key.utf8.first == UInt8(ascii: "$") && key.utf8.drop { $0 == UInt8(ascii: "$") }.elementsEqual("data".utf8)
    }

    /// A text in quotes, escaped.
    public static func writeJSON(_ text: String, to out: inout [UInt8]) {
        out.append(UInt8(ascii: "\""))
        var copy = text
        copy.withUTF8 { utf8 in
            // Most texts need no escape: they are copied in as few pieces as there are escapes.
            var start = 0
            for (at, byte) in utf8.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5c {
                out.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<at]))
                start = at + 1
                switch byte {
                case UInt8(ascii: "\n"): out.append(contentsOf: "\\n".utf8)
                case UInt8(ascii: "\r"): out.append(contentsOf: "\\r".utf8)
                case UInt8(ascii: "\t"): out.append(contentsOf: "\\t".utf8)
                case 0..<0x20:
                    out.append(contentsOf: "\\u00".utf8)
                    out.append(contentsOf: [byte >> 4, byte & 15].map { $0 < 10 ? $0 + 48 : $0 + 87 })
                default: out.append(UInt8(ascii: "\\")); out.append(byte)
                }
            }
            out.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start...]))
        }
        out.append(UInt8(ascii: "\""))
    }

    /// - Throws: `DecodingFailure` naming the byte at which the text stops being JSON.
    public init(json text: String) throws(DecodingFailure) { try self.init(json: Array(text.utf8)) }

    /// - Throws: `DecodingFailure` naming the byte at which the text stops being JSON.
    public init(json bytes: [UInt8]) throws(DecodingFailure) {
        var reader = JSONReader(bytes)
        self = try reader.document()
    }
}

/// RFC 4648 base64 with padding: written here because Foundation's would be the room's only use of Foundation.
public enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let values: [UInt8] = {
        var table = [UInt8](repeating: 255, count: 256)
        for (index, byte) in alphabet.enumerated() { table[Int(byte)] = UInt8(index) }
        return table
    }()

    /// With padding and without line breaks.
    public static func encode(_ bytes: [UInt8]) -> String {
        var out: [UInt8] = []
        out.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            var bits: UInt32 = 0
            for place in index..<index + 3 { bits = bits << 8 | (place < bytes.count ? UInt32(bytes[place]) : 0) }
            let digits = min(3, bytes.count - index) + 1
            for digit in 0..<4 {
                out.append(digit < digits ? alphabet[Int(bits >> (18 - 6 * UInt32(digit)) & 63)] : UInt8(ascii: "="))
            }
            index += 3
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// Nil when the text is not base64 with padding.
    public static func decode(_ text: String) -> [UInt8]? {
        let input = Array(text.utf8)
        guard input.count % 4 == 0 else { return nil }
        let padding = input.suffix(2).filter { $0 == UInt8(ascii: "=") }.count
        if padding == 1, input.last != UInt8(ascii: "=") { return nil }
        var out: [UInt8] = []
        out.reserveCapacity(input.count / 4 * 3)
        var bits: UInt32 = 0
        for (index, byte) in input.enumerated() {
            let value = index >= input.count - padding ? 0 : values[Int(byte)]
            guard value != 255 else { return nil }
            bits = bits << 6 | UInt32(value)
            if index % 4 == 3 {
                out.append(UInt8(truncatingIfNeeded: bits >> 16))
                out.append(UInt8(truncatingIfNeeded: bits >> 8))
                out.append(UInt8(truncatingIfNeeded: bits))
                bits = 0
            }
        }
        out.removeLast(padding)
        return out
    }
}
