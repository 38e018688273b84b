/// The framing of a chunked body (RFC 9112, 7.1), byte by byte where it is framing and in one go where it is data.
struct ChunkReader: Hashable {
    private enum State: Hashable {
        case size, `extension`, sizeEnd
        case data, dataEnd, dataLineEnd
        case trailerStart, trailer, trailerEnd, lastEnd
        case done
    }
    private var state = State.size
    private var left = 0
    private var digits = 0
    /// Bytes of the chunk's extension or of all trailers: bounded, as nobody needs more.
    private var extra = 0
    private static let extraMax = 16 << 10

    /// - Returns: what the next bytes are, `.end` once, nil when more are needed.
    mutating func next(_ input: UnsafeRawBufferPointer, _ at: inout Int) throws(FramingProblem) -> Framer.Piece? {
        guard state != .done else { return .end }
        let start = at
        while at < input.count, state != .done {
            if state == .data {
                if at > start { return .framing(start..<at) }
                let count = min(left, input.count - at)
                at += count
                left -= count
                if left == 0 { state = .dataEnd }
                return .data(start..<at)
            }
            try take(input[at])
            at += 1
        }
        return at > start ? .framing(start..<at) : nil
    }
    var isDone: Bool { state == .done }

    private mutating func take(_ byte: UInt8) throws(FramingProblem) {
        switch state {
        case .size: try takeSize(byte)
        case .extension: try takeText(byte, then: .sizeEnd)
        case .sizeEnd:
            try expect(byte, 0x0a)
            state = left == 0 ? .trailerStart : .data
            (digits, extra) = (0, 0)
        case .dataEnd: try expect(byte, 0x0d); state = .dataLineEnd
        case .dataLineEnd: try expect(byte, 0x0a); state = .size
        case .trailerStart:
            if byte == 0x0d { state = .lastEnd } else { try takeText(byte, then: .trailerEnd); state = .trailer }
        case .trailer: try takeText(byte, then: .trailerEnd)
        case .trailerEnd: try expect(byte, 0x0a); state = .trailerStart
        case .lastEnd: try expect(byte, 0x0a); state = .done
        case .data, .done: return
        }
    }
    private mutating func takeSize(_ byte: UInt8) throws(FramingProblem) {
        if let digit = Self.hex(byte) {
            digits += 1
            guard digits <= 15 else { throw FramingProblem("a chunk's size has too many digits") }
            left = left << 4 | digit
            return
        }
        guard digits > 0 else { throw FramingProblem("a chunk has no size") }
        switch byte {
        case 0x0d: state = .sizeEnd
        case UInt8(ascii: ";"): state = .extension
        default: throw FramingProblem("a chunk's size is no number")
        }
    }
    private mutating func takeText(_ byte: UInt8, then next: State) throws(FramingProblem) {
        extra += 1
        guard extra <= Self.extraMax else { throw FramingProblem("a chunk's extension or the trailers are too long") }
        if byte == 0x0d { state = next; return }
        guard byte >= 0x20 && byte != 0x7f || byte == 0x09 else {
            throw FramingProblem("a chunk's extension or a trailer has a control character")
        }
    }
    private func expect(_ byte: UInt8, _ wanted: UInt8) throws(FramingProblem) {
        guard byte == wanted else { throw FramingProblem("a chunk does not end with CR LF") }
    }
    private static func hex(_ byte: UInt8) -> Int? {
        switch byte {
        case 0x30...0x39: Int(byte) - 0x30
        case 0x41...0x46: Int(byte) - 0x37
        case 0x61...0x66: Int(byte) - 0x57
        default: nil
        }
    }
}
