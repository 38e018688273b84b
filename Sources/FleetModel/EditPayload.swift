/// The self-describing text that a person "types": `<#maya.12 5 9f3c2a1b hello#maya.12>` - token, length, checksum, text, token -
/// so that truncation and mixing show wherever the bytes turn up.
public enum EditPayload {
    /// The payload of one edit. `length` counts the bytes of the text's UTF-8, and the checksum is over them.
    public static func text(token: Token, _ text: String) -> String {
        var copy = text
        return "<#\(token) \(text.utf8.count) \(copy.withUTF8(checksum)) \(text)#\(token)>"
    }

    /// The text of a value that `text(token:_:)` made; nil for any other value.
    public static func typed(in value: String, of token: Token) -> String? {
        let (bytes, tail) = (Array(value.utf8), Array("#\(token)>".utf8))
        // `<#token length checksum `, and what stands behind the third blank is the text.
        var blanks = 0
        guard
            let third = bytes.firstIndex(where: { byte in
                if byte == 0x20 { blanks += 1 }
                return blanks == 3
            }), isOne(value, of: token), third + 1 + tail.count <= bytes.count
        else { return nil }
        return String(decoding: bytes[(third + 1)..<(bytes.count - tail.count)], as: UTF8.self)
    }

    /// What a search found.
    public struct Found: Hashable, Sendable {
        /// Tokens whose payload is whole, in order of appearance, each once.
        public var tokens: [Token] = []
        /// Tokens whose payload began but is truncated or changed.
        public var damaged: [Token] = []
        /// Nothing found.
        public init() {}
    }

    /// Finds every payload in text, JSON or any other bytes that keep ASCII as it is; also one whose text is escaped as JSON escapes it.
    /// Linear in the bytes.
    public static func scan(_ bytes: [UInt8]) -> Found { bytes.withUnsafeBufferPointer(scan) }
    /// The same for a text: its UTF-8.
    public static func scan(_ text: String) -> Found {
        var copy = text
        return copy.withUTF8(scan)
    }
    private static func scan(_ buffer: UnsafeBufferPointer<UInt8>) -> Found {
        var found = Found()
        // Each try to undo escapes costs its length: without a bound broken payloads in each other would cost the square of the bytes.
        var escapable = 4 * buffer.count
        var at = 0
        while at + 1 < buffer.count {
            guard buffer[at] == UInt8(ascii: "<"), buffer[at + 1] == UInt8(ascii: "#") else { at += 1; continue }
            at = read(buffer, from: at + 2, escapable: &escapable, into: &found).next
        }
        return found
    }
    /// Whether a value is one whole payload of that token and nothing else.
    public static func isOne(_ value: String, of token: Token) -> Bool {
        let parts = Outside(value, atMost: 0)
        return parts.pieces == ["", ""] && parts.tokens == [token]
    }
    /// What people typed: a text with each whole payload in it replaced by the text that it carries.
    public static func plain(_ text: String) -> String {
        var copy = text
        let cuts = copy.withUTF8 { bytes in
            var found = Found()
            var (pieces, at, begin, escapable): ([String], Int, Int, Int) = ([], 0, 0, 0)
            while at + 1 < bytes.count {
                guard bytes[at] == UInt8(ascii: "<"), bytes[at + 1] == UInt8(ascii: "#") else { at += 1; continue }
                let (start, payload) = (at, read(bytes, from: at + 2, escapable: &escapable, into: &found))
                at = payload.next
                guard let token = payload.whole else { continue }
                // Three words and a blank before the text, `#`, the token and `>` behind it.
                let head = bytes[start..<at].indices.filter { bytes[$0] == 0x20 }.prefix(3).last ?? start
                let inner = head + 1..<at - token.utf8.count - 2
                pieces.append(String(decoding: bytes[begin..<start], as: UTF8.self))
                pieces.append(String(decoding: bytes[inner], as: UTF8.self))
                begin = at
            }
            pieces.append(String(decoding: bytes[begin...], as: UTF8.self))
            return pieces
        }
        return cuts.joined()
    }
    /// All text in a value, keys excluded.
    public static func scan(_ value: Value) -> Found {
        var found = Found()
        collect(value, into: &found)
        return found
    }

    private static func collect(_ value: Value, into found: inout Found) {
        let inner: Found
        switch value {
        case .string(let text): inner = scan(text)
        case .data(let bytes): inner = scan(bytes)
        case .array(let values): for value in values { collect(value, into: &found) }; return
        case .object(let object): for pair in object.pairs { collect(pair.value, into: &found) }; return
        default: return
        }
        for token in inner.tokens where !found.tokens.contains(token) { found.tokens.append(token) }
        for token in inner.damaged where !found.damaged.contains(token) { found.damaged.append(token) }
    }

    /// The payloads of a text, and what stands outside them.
    struct Outside {
        var found = Found()
        /// The whole payloads in their order, one that is there twice twice.
        var tokens: [Token] = []
        /// Before the first payload, between them, after the last one; nil when that is longer than asked for, or when a payload is not whole.
        var pieces: [String]?

        /// - Parameter limit: bytes outside the payloads.
        init(_ text: String, atMost limit: Int) {
            var copy = text
            let cuts = copy.withUTF8 { bytes in takePayloads(of: bytes) }
            guard found.damaged.isEmpty, cuts.reduce(0, { $0 + $1.count }) <= limit else { return }
            pieces = cuts.map { String(decoding: Array(copy.utf8)[$0], as: UTF8.self) }
        }

        /// - Returns: what stands between the payloads.
        private mutating func takePayloads(of bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
            var cuts: [Range<Int>] = []
            var (at, begin, escapable) = (0, 0, 0)
            while at + 1 < bytes.count {
                guard bytes[at] == UInt8(ascii: "<"), bytes[at + 1] == UInt8(ascii: "#") else { at += 1; continue }
                let (start, payload) = (at, read(bytes, from: at + 2, escapable: &escapable, into: &found))
                at = payload.next
                guard let token = payload.whole else { continue }
                tokens.append(token)
                cuts.append(begin..<start)
                begin = at
            }
            cuts.append(begin..<bytes.count)
            return cuts
        }
    }

    /// Reads one payload whose opening mark ended before `start`.
    ///
    /// - Parameter escapable: how many bytes of escaped text may be read still: on the screen none, for there an escape is damage.
    /// - Returns: where to go on, and the token of a payload that is whole.
    private static func read(
        _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, escapable: inout Int, into found: inout Found
    ) -> (next: Int, whole: Token?) {
        var at = start
        func field() -> Range<Int>? {
            let begin = at
            while at < bytes.count, at - begin < 64, isNameByte(bytes[at]) { at += 1 }
            guard at > begin, at < bytes.count, bytes[at] == 0x20 else { return nil }
            defer { at += 1 }
            return begin..<at
        }
        func text(_ range: Range<Int>) -> String {
            String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
        }
        guard let name = field(), bytes[name].contains(UInt8(ascii: ".")) else { return (start, nil) }
        let token = text(name)
        guard let length = field().flatMap({ Int(text($0)) }), let sum = field(), length >= 0,
            length <= bytes.count - at
        else {
            return (damaged(token, &found, start), nil)
        }
        /// The end of the payload when its text ends at `close`.
        func end(_ close: Int, ofText sumOfText: @autoclosure () -> String) -> Int? {
            let end = close + name.count + 2  // `#`, the token once more, `>`
            guard end <= bytes.count, bytes[close] == UInt8(ascii: "#"), bytes[end - 1] == UInt8(ascii: ">"),
                bytes[close + 1..<end - 1].elementsEqual(bytes[name]), text(sum) == sumOfText()
            else { return nil }
            return end
        }
        var whole = end(at + length, ofText: checksum(UnsafeBufferPointer(rebasing: bytes[at..<at + length])))
        if whole == nil, length < escapable {
            escapable -= length
            let plain = JSONText(bytes, from: at, length: length)
            whole = plain.flatMap { end($0.end, ofText: $0.bytes.withUnsafeBufferPointer(checksum)) }
        }
        guard let whole else { return (damaged(token, &found, start), nil) }
        if !found.tokens.contains(token) { found.tokens.append(token) }
        return (whole, token)
    }
    private static func damaged(_ token: Token, _ found: inout Found, _ next: Int) -> Int {
        if !found.damaged.contains(token) { found.damaged.append(token) }
        return next
    }
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }
    /// Eight hex digits of FNV-1a, folded to 32 bits.
    private static func checksum(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        var hash = StableHash()
        hash.add(UnsafeRawBufferPointer(bytes))
        let folded = UInt32(truncatingIfNeeded: hash.value ^ (hash.value >> 32))
        let hex = String(folded, radix: 16)
        return hex.utf8.count == 8 ? hex : String(repeating: "0", count: 8 - hex.utf8.count) + hex
    }
}
