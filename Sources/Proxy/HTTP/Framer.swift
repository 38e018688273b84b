/// Bytes that an order or a piece speaks of: part of the input at hand, or bytes of its own where the input of before is needed too.
enum Bytes: Hashable {
    case input(Range<Int>)
    case own([UInt8])

    var count: Int {
        switch self {
        case .input(let range): range.count
        case .own(let bytes): bytes.count
        }
    }
}

/// Splits the bytes of one direction of a connection into messages, however they are cut. Keeps nothing but an unfinished head.
struct Framer {
    /// What the next bytes of the input are.
    enum Piece: Hashable {
        case head(Head, Bytes)
        /// Of the body itself.
        case data(Range<Int>)
        /// Of the body's frame: sizes of chunks, trailers.
        case framing(Range<Int>)
        case end
    }
    enum Role { case request, response }
    private enum State { case head, body(left: Int), chunks(ChunkReader), untilEnd }

    /// Longest head in bytes.
    static let headBytesMax = 64 << 10

    private let role: Role
    private var state = State.head
    private var held: [UInt8] = []
    /// Where the unfinished line of the held head begins.
    private var lineStart = 0

    init(_ role: Role) { self.role = role }

    /// Whether a message has begun and not ended.
    var isInside: Bool { if case .head = state { !held.isEmpty } else { true } }
    /// Whether what is read ends with the connection.
    var isUntilEnd: Bool { if case .untilEnd = state { true } else { false } }

    /// - Parameters:
    ///   - at: where to go on in the input; moved on.
    ///   - method: of the request that a response answers.
    /// - Returns: nil when the input is used up.
    mutating func next(_ input: UnsafeRawBufferPointer, _ at: inout Int, answering method: Head.Method = .other)
        throws(FramingProblem) -> Piece?
    {
        switch state {
        case .head: return try head(input, &at, method)
        case .body(0):
            state = .head
            return .end
        case .body(let left):
            guard at < input.count else { return nil }
            let count = min(left, input.count - at)
            defer { at += count }
            state = .body(left: left - count)
            return .data(at..<at + count)
        case .chunks(var chunks):
            let piece = try chunks.next(input, &at)
            state = piece == .end ? .head : .chunks(chunks)
            return piece
        case .untilEnd:
            guard at < input.count else { return nil }
            defer { at = input.count }
            return .data(at..<input.count)
        }
    }

    private mutating func head(_ input: UnsafeRawBufferPointer, _ at: inout Int, _ method: Head.Method)
        throws(FramingProblem) -> Piece?
    {
        skipEmptyLines(input, &at)
        if held.isEmpty {
            guard at < input.count else { return nil }
            lineStart = 0
            let rest = UnsafeRawBufferPointer(rebasing: input[at...])
            if let end = try Self.headEnd(rest, from: 0, &lineStart) {
                let head = try begin(UnsafeRawBufferPointer(rebasing: rest[..<end]), method)
                defer { at += end }
                return .head(head, .input(at..<at + end))
            }
        }
        let before = held.count
        if before == 0 { lineStart = 0 }
        held.append(contentsOf: input[at...].prefix(Self.headBytesMax + 1 - before))
        var line = lineStart
        let found = held.withUnsafeBytes { bytes in
            Result { () throws(FramingProblem) in try Self.headEnd(bytes, from: before, &line) }
        }
        lineStart = line
        let end = try found.get()
        guard let end else {
            guard held.count <= Self.headBytesMax else { throw FramingProblem("the head is too long", status: 431) }
            at = input.count
            return nil
        }
        at += end - before
        let whole = Array(held[..<end])
        held = []
        let head = whole.withUnsafeBytes { bytes in
            Result { () throws(FramingProblem) in try begin(bytes, method) }
        }
        return .head(try head.get(), .own(whole))
    }

    private mutating func begin(_ bytes: UnsafeRawBufferPointer, _ method: Head.Method) throws(FramingProblem) -> Head {
        let head = role == .request ? try HeadReader.request(bytes) : try HeadReader.response(bytes, to: method)
        switch head.length {
        case .bytes(let count): state = .body(left: count)
        case .chunked: state = .chunks(ChunkReader())
        case .untilEnd, .upgrade: state = .untilEnd
        }
        return head
    }

    /// Clients may send an empty line between requests (RFC 9112, 2.2): it is dropped.
    private mutating func skipEmptyLines(_ input: UnsafeRawBufferPointer, _ at: inout Int) {
        guard role == .request else { return }
        if held == [0x0d], at < input.count, input[at] == 0x0a { (held, at) = ([], at + 1) }
        guard held.isEmpty else { return }
        while at + 1 < input.count, input[at] == 0x0d, input[at + 1] == 0x0a { at += 2 }
    }

    /// Behind the empty line that ends the head; nil when it has not come yet. A bare line feed ends nothing: it is refused.
    private static func headEnd(_ bytes: UnsafeRawBufferPointer, from start: Int, _ lineStart: inout Int)
        throws(FramingProblem) -> Int?
    {
        var at = start
        while at < bytes.count {
            let byte = bytes[at]
            if byte == 0x0a {
                guard at > 0, bytes[at - 1] == 0x0d else { throw FramingProblem("a line ends with a bare line feed") }
                if at - 1 == lineStart, lineStart > 0 { return at + 1 }
                guard at - 1 > lineStart else { throw FramingProblem("the message begins with an empty line") }
                lineStart = at + 1
            } else if at > 0, bytes[at - 1] == 0x0d {
                throw FramingProblem("a carriage return stands alone")
            }
            at += 1
        }
        return nil
    }
}
