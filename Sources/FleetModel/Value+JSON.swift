/// Canonical JSON: sorted keys, no spaces, shortest numbers. Written by hand because Foundation's costs 20 us a record.
///
/// Bytes become `{"$data":"<base64>"}` and are read back as bytes. A double always has a point or an exponent, so that
/// integers and doubles survive the way there and back. Numbers that JSON cannot express become null.
extension Value {
    public var json: String { String(decoding: jsonBytes, as: UTF8.self) }

    public var jsonBytes: [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(128)
        writeJSON(to: &out)
        return out
    }

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
                Self.writeJSON(pair.key, to: &out)
                out.append(UInt8(ascii: ":"))
                pair.value.writeJSON(to: &out)
            }
            out.append(UInt8(ascii: "}"))
        }
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

/// A strict recursive reader of JSON. Never traps: the text may come from a file or an app under test.
struct JSONReader {
    private let bytes: [UInt8]
    private var at = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws(DecodingFailure) -> Value {
        let value = try self.value(depth: 0)
        skipSpace()
        guard at == bytes.count else { throw fail("text follows the JSON value") }
        return value
    }

    private func fail(_ reason: String) -> DecodingFailure { DecodingFailure(reason, at: at) }
    private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { at += 1 }
    }
    private mutating func expect(_ byte: UInt8) throws(DecodingFailure) {
        guard next == byte else { throw fail("expected '\(Character(UnicodeScalar(byte)))'") }
        at += 1
    }
    private mutating func word(_ text: StaticString, _ value: Value) throws(DecodingFailure) -> Value {
        for index in 0..<text.utf8CodeUnitCount {
            guard next == text.utf8Start[index] else { throw fail("expected a JSON value") }
            at += 1
        }
        return value
    }

    private mutating func value(depth: Int) throws(DecodingFailure) -> Value {
        guard depth < Value.depthMax else { throw fail("values are nested too deeply") }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try text())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case nil: throw fail("the text ends where a JSON value is expected")
        default: return try number()
        }
    }

    private mutating func array(depth: Int) throws(DecodingFailure) -> Value {
        at += 1
        var values: [Value] = []
        skipSpace()
        if next == UInt8(ascii: "]") { at += 1; return .array([]) }
        while true {
            values.append(try value(depth: depth + 1))
            skipSpace()
            if next == UInt8(ascii: "]") { at += 1; return .array(values) }
            try expect(UInt8(ascii: ","))
        }
    }

    private mutating func object(depth: Int) throws(DecodingFailure) -> Value {
        at += 1
        var object = Value.Object()
        skipSpace()
        if next == UInt8(ascii: "}") { at += 1; return .object(object) }
        while true {
            skipSpace()
            let start = at
            let key = try text()
            guard object[key] == nil else { throw DecodingFailure("the key '\(key)' occurs twice", at: start) }
            skipSpace()
            try expect(UInt8(ascii: ":"))
            object[key] = try value(depth: depth + 1)
            skipSpace()
            if next == UInt8(ascii: "}") { at += 1; break }
            try expect(UInt8(ascii: ","))
        }
        if object.count == 1, let bytes = object["$data"]?.string.flatMap(Base64.decode) { return .data(bytes) }
        return .object(object)
    }

    private mutating func number() throws(DecodingFailure) -> Value {
        let start = at
        if next == UInt8(ascii: "-") { at += 1 }
        var fractional = false
        while let byte = next {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): break
            case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "+"), UInt8(ascii: "-"):
                fractional = true
            default:
                return try finish(start, fractional)
            }
            at += 1
        }
        return try finish(start, fractional)
    }
    private func finish(_ start: Int, _ fractional: Bool) throws(DecodingFailure) -> Value {
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        if !fractional, let number = Int64(text) { return .int(number) }
        guard let number = Double(text), number.isFinite, text.first != "+" else {
            throw DecodingFailure("expected a JSON value", at: start)
        }
        return .double(number)
    }

    private mutating func text() throws(DecodingFailure) -> String {
        try expect(UInt8(ascii: "\""))
        let start = at
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { at += 1 }
        if next == UInt8(ascii: "\"") {
            defer { at += 1 }
            guard let text = String(validating: bytes[start..<at], as: UTF8.self) else {
                throw fail("a text is not UTF-8")
            }
            return text
        }
        var out = Array(bytes[start..<at])
        while let byte = next {
            at += 1
            if byte == UInt8(ascii: "\"") {
                guard let text = String(validating: out, as: UTF8.self) else { throw fail("a text is not UTF-8") }
                return text
            }
            guard byte >= 0x20 else { throw fail("a control character inside a text") }
            if byte == UInt8(ascii: "\\") { try escape(into: &out) } else { out.append(byte) }
        }
        throw fail("a text is not closed")
    }

    private mutating func escape(into out: inout [UInt8]) throws(DecodingFailure) {
        guard let byte = next else { throw fail("a text is not closed") }
        at += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): out.append(byte)
        case UInt8(ascii: "b"): out.append(8)
        case UInt8(ascii: "f"): out.append(12)
        case UInt8(ascii: "n"): out.append(10)
        case UInt8(ascii: "r"): out.append(13)
        case UInt8(ascii: "t"): out.append(9)
        case UInt8(ascii: "u"):
            var code = try hex4()
            if (0xd800..<0xdc00).contains(code) {
                try expect(UInt8(ascii: "\\"))
                try expect(UInt8(ascii: "u"))
                let low = try hex4()
                guard (0xdc00..<0xe000).contains(low) else { throw fail("half of a surrogate pair is missing") }
                code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
            }
            guard let scalar = UnicodeScalar(code) else { throw fail("half of a surrogate pair is missing") }
            out.append(contentsOf: String(Character(scalar)).utf8)
        default: throw fail("an unknown escape")
        }
    }
    private mutating func hex4() throws(DecodingFailure) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(UnicodeScalar(byte)).hexDigitValue else {
                throw fail("expected four hex digits")
            }
            code = code << 4 | UInt32(digit)
            at += 1
        }
        return code
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
