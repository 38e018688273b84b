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
        var members = Members()
        skipSpace()
        if next == UInt8(ascii: "}") { at += 1; return .empty }
        while true {
            skipSpace()
            let start = at
            let key = try text()
            guard !members.has(key) else { throw DecodingFailure("the key '\(key)' occurs twice", at: start) }
            skipSpace()
            try expect(UInt8(ascii: ":"))
            skipSpace()
            // Bytes are one value, however they are written: their text is no level of its own.
            let mayBeData = key == "$data" && next == UInt8(ascii: "\"")
            members.add(key, mayBeData ? .string(try text()) : try value(depth: depth + 1))
            skipSpace()
            if next == UInt8(ascii: "}") { at += 1; break }
            try expect(UInt8(ascii: ","))
        }
        let object = members.object
        let only = object.count == 1 ? object.pairs.first.flatMap { Value.looksLikeData($0.key) ? $0 : nil } : nil
        if let only, only.key == "$data", let bytes = only.value.string.flatMap(Base64.decode) { return .data(bytes) }
        guard depth + 1 < Value.depthMax else { throw fail("values are nested too deeply") }
        guard let only, only.key != "$data" else { return .object(object) }
        return .object(Value.Object([(String(only.key.dropFirst()), only.value)]))
    }

    /// The members of an object as they come. Ascending ones, which this project writes, go to their place at once, and so
    /// do a few in any order; many in any order are sorted at the end, because making room for each would take hours.
    private struct Members {
        private var sorted = Value.Object()
        private var loose: [Value.Object.Pair] = []
        /// Keys of the loose ones.
        private var keys: Set<String> = []
        private static let fewMax = 64

        /// Always asked before `add`.
        func has(_ key: String) -> Bool { sorted[key] != nil || !keys.isEmpty && keys.contains(key) }
        mutating func add(_ key: String, _ value: Value) {
            if sorted.count < Self.fewMax || sorted.isAfterAll(key) {
                sorted[key] = value
            } else {
                loose.append(Value.Object.Pair(key: key, value: value))
                keys.insert(key)
            }
        }
        var object: Value.Object { loose.isEmpty ? sorted : Value.Object(merging: sorted, loose) }
    }

    /// The grammar of RFC 8259 6: no leading zeros, no plus before it, digits on both sides of a point and behind an exponent.
    private mutating func number() throws(DecodingFailure) -> Value {
        let start = at
        if next == UInt8(ascii: "-") { at += 1 }
        let whole = digits()
        guard whole > 0 else { throw DecodingFailure("expected a JSON value", at: start) }
        guard whole == 1 || bytes[at - whole] != UInt8(ascii: "0") else {
            throw DecodingFailure("a number begins with zeros", at: start)
        }
        var isInteger = true
        if next == UInt8(ascii: ".") {
            isInteger = false
            at += 1
            guard digits() > 0 else { throw fail("a number has no digits after its point") }
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            isInteger = false
            at += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { at += 1 }
            guard digits() > 0 else { throw fail("a number has no digits in its exponent") }
        }
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        if isInteger, let number = Int64(text) { return .int(number) }
        guard let number = Double(text), number.isFinite else {
            throw DecodingFailure("a number is larger than any that can be kept", at: start)
        }
        return .double(number)
    }
    /// Goes past digits; how many there were.
    private mutating func digits() -> Int {
        let start = at
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { at += 1 }
        return at - start
    }

    private mutating func text() throws(DecodingFailure) -> String {
        try expect(UInt8(ascii: "\""))
        let start = at
        var all: UInt8 = 0
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
            all |= byte
            at += 1
        }
        if next == UInt8(ascii: "\"") {
            defer { at += 1 }
            // ASCII needs no look at what it means, and most texts are that.
            if all < 0x80 { return String(decoding: bytes[start..<at], as: UTF8.self) }
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
                guard next == UInt8(ascii: "\\"), at + 1 < bytes.count, bytes[at + 1] == UInt8(ascii: "u") else {
                    throw fail("half of a surrogate pair is missing")
                }
                at += 2
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
