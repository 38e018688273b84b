/// Reads a whole head, strictly (RFC 9112): what two readers could split differently is refused.
///
/// Not modelled: folded lines, bare line feeds and lengths in a list (`5, 5`), which the RFC lets a recipient refuse.
struct HeadReader {
    private let bytes: UnsafeRawBufferPointer
    private var at = 0
    private var length: Int?
    private var isChunked = false
    private var isOld = false
    private var head = Head()

    private init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// - Parameter bytes: from the first byte of the request line to the empty line's end.
    static func request(_ bytes: UnsafeRawBufferPointer) throws(FramingProblem) -> Head {
        var reader = HeadReader(bytes)
        try reader.requestLine()
        while try reader.field() {}
        guard !(reader.isChunked && reader.isOld) else { throw FramingProblem("chunked in HTTP/1.0") }
        reader.head.length = reader.isChunked ? .chunked : .bytes(reader.length ?? 0)
        return reader.head
    }
    /// - Parameter method: of the request it answers: a response to `HEAD` has a length and no body.
    static func response(_ bytes: UnsafeRawBufferPointer, to method: Head.Method) throws(FramingProblem) -> Head {
        var reader = HeadReader(bytes)
        try reader.statusLine()
        while try reader.field() {}
        reader.head.length = reader.responseLength(to: method)
        return reader.head
    }

    private func responseLength(to method: Head.Method) -> Head.Length {
        switch head.status {
        case 101: return .upgrade
        case 100..<200, 204, 304: return .bytes(0)
        case 200..<300 where method == .connect: return .upgrade
        default: break
        }
        if method == .head { return .bytes(0) }
        return isChunked ? .chunked : length.map { .bytes($0) } ?? .untilEnd
    }

    // MARK: First lines

    private mutating func requestLine() throws(FramingProblem) {
        let end = lineEnd()
        let method = try word(until: UInt8(ascii: " "), before: end) { Self.isToken($0) }
        let target = try word(until: UInt8(ascii: " "), before: end) { $0 > 0x20 && $0 != 0x7f }
        try version(at..<end)
        at = end + 2
        head.method = method == "HEAD" ? .head : method == "CONNECT" ? .connect : .other
        head.route = Self.route(target)
    }
    private mutating func statusLine() throws(FramingProblem) {
        let end = lineEnd()
        guard end - at >= 12 else { throw FramingProblem("the status line is too short") }
        try version(at..<at + 8)
        let digits = bytes[at + 9..<at + 12]
        guard bytes[at + 8] == UInt8(ascii: " "), digits.allSatisfy(Self.isDigit),
            end - at == 12 || bytes[at + 12] == UInt8(ascii: " ")
        else { throw FramingProblem("the status line has no status") }
        head.status = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        guard (100...999).contains(head.status) else { throw FramingProblem("the status is no status") }
        at = end + 2
    }
    private mutating func version(_ range: Range<Int>) throws(FramingProblem) {
        if Self.same(bytes[range], "HTTP/1.0") { isOld = true; return }
        guard Self.same(bytes[range], "HTTP/1.1") else {
            throw FramingProblem("the version is not HTTP/1.0 or HTTP/1.1")
        }
    }
    /// A word of one byte at least; goes on behind what ends it.
    private mutating func word(until stop: UInt8, before end: Int, _ isGood: (UInt8) -> Bool) throws(FramingProblem)
        -> String
    {
        let start = at
        while at < end, bytes[at] != stop {
            guard isGood(bytes[at]) else { throw FramingProblem("the request line has a byte that cannot be there") }
            at += 1
        }
        guard at > start, at < end else { throw FramingProblem("the request line has not three words") }
        at += 1
        return String(decoding: bytes[start..<at - 1], as: UTF8.self)
    }
    /// `http://host/path` is what proxies are asked; routes begin with the path.
    private static func route(_ target: String) -> String {
        guard let scheme = target.firstRange(of: "://"), target.first != "/" else { return target }
        let rest = target[scheme.upperBound...]
        return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
    }

    // MARK: Fields

    /// One line; false behind the empty one.
    private mutating func field() throws(FramingProblem) -> Bool {
        let end = lineEnd()
        guard end > at else { return false }
        guard let colon = bytes[at..<end].firstIndex(of: UInt8(ascii: ":")), colon > at,
            bytes[at..<colon].allSatisfy(Self.isToken)
        else { throw FramingProblem("a header line has no proper name") }
        guard bytes[colon + 1..<end].allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }) else {
            throw FramingProblem("a header value has a control character")
        }
        let name = bytes[at..<colon]
        var value = bytes[colon + 1..<end]
        while let first = value.first, first == 0x20 || first == 0x09 { value.removeFirst() }
        while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
        at = end + 2
        try note(name, value)
        return true
    }

    private mutating func note(_ name: Slice<UnsafeRawBufferPointer>, _ value: Slice<UnsafeRawBufferPointer>)
        throws(FramingProblem)
    {
        switch name.count {
        case 6 where Self.same(name, "expect"): head.expectsContinue = Self.same(value, "100-continue")
        case 7 where Self.same(name, "upgrade"): head.asksUpgrade = true
        case 14 where Self.same(name, "content-length"): try noteLength(value)
        case 16 where Self.same(name, "x-homeroom-cause"):
            if value.count <= 256, !value.isEmpty { head.cause = String(decoding: value, as: UTF8.self) }
        case 17 where Self.same(name, "x-homeroom-device"): head.pad = Self.pad(value)
        case 19 where Self.same(name, "x-homeroom-scenario"):
            if value.count <= 256 { head.scenario = String(decoding: value, as: UTF8.self) }
        case 17 where Self.same(name, "transfer-encoding"):
            guard !isChunked, Self.same(value, "chunked") else {
                throw FramingProblem("the transfer encoding is not just 'chunked'")
            }
            isChunked = true
        default: return
        }
        guard !(isChunked && length != nil) else {
            throw FramingProblem("both Content-Length and Transfer-Encoding are given")
        }
    }
    private mutating func noteLength(_ value: Slice<UnsafeRawBufferPointer>) throws(FramingProblem) {
        guard length == nil else { throw FramingProblem("Content-Length is given twice") }
        guard (1...18).contains(value.count), value.allSatisfy(Self.isDigit) else {
            throw FramingProblem("Content-Length is no length")
        }
        length = value.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// `ipad-N`; no run has more iPads than five digits can name.
    private static func pad(_ value: Slice<UnsafeRawBufferPointer>) -> Int? {
        guard (6...10).contains(value.count), same(value.prefix(5), "ipad-") else { return nil }
        let digits = value.dropFirst(5)
        guard digits.allSatisfy(isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    // MARK: Bytes

    /// Where the line's CR LF begins; the framer has seen to it that there is one.
    private func lineEnd() -> Int {
        var end = at
        while end < bytes.count, bytes[end] != 0x0d { end += 1 }
        return end
    }
    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte | 0x20 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte >= 0x41
        default: isDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
    /// Without regard to case; `text` is in small letters where it has letters.
    private static func same(_ bytes: Slice<UnsafeRawBufferPointer>, _ text: StaticString) -> Bool {
        guard bytes.count == text.utf8CodeUnitCount else { return false }
        return zip(bytes, UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)).allSatisfy {
            $0 == $1 || $0 | 0x20 == $1 && $1 >= 0x61 && $1 <= 0x7a
        }
    }
}
