/// Writes the binary form of frames and digests: little-endian, lengths as variable-size integers.
public struct ByteWriter: Sendable {
    /// What was written so far, in order.
    public private(set) var bytes: [UInt8] = []

    /// `capacity`: bytes for which room is made at once; more may follow.
    public init(reserving capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    /// One byte as it is: a tag.
    @inlinable public mutating func byte(_ value: UInt8) { append(value) }
    @usableFromInline mutating func append(_ value: UInt8) { bytes.append(value) }

    /// An unsigned integer in 7-bit groups, smallest first: 1 byte below 128.
    public mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
    /// A signed integer, zig-zag coded, so that small negative numbers stay small.
    public mutating func signed(_ value: Int64) { varint(UInt64(bitPattern: (value << 1) ^ (value >> 63))) }
    /// Eight bytes, the lowest first: for digests and bit patterns, which no shorter form fits.
    public mutating func fixed64(_ value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
    /// Bytes without their length: the reader has to know it.
    public mutating func raw(_ value: some Collection<UInt8>) { bytes.append(contentsOf: value) }
    /// A length (`varint`) and so many bytes.
    public mutating func data(_ value: [UInt8]) {
        varint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }
    /// A text: the length of its UTF-8 (`varint`), then the UTF-8.
    public mutating func string(_ value: String) {
        var copy = value
        copy.withUTF8 { utf8 in
            varint(UInt64(utf8.count))
            bytes.append(contentsOf: utf8)
        }
    }
    /// One byte: 1 for true, 0 for false.
    public mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }
    /// Begins again with no bytes and keeps the room: for writers that are used for each frame.
    public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }
}

/// Why bytes could not be read back: they are shorter than they claim, or hold a tag that nobody writes.
public struct DecodingFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was expected there and did not stand there.
    public var reason: String
    /// Byte offset of the failure.
    public var offset: Int
    /// The reason first, then where it showed.
    public init(_ reason: String, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
    /// Reason and offset, as error messages show them.
    public var description: String { "\(reason) at byte \(offset)" }
}

/// Reads what `ByteWriter` wrote. Never traps: the bytes may come from an app under test.
public struct ByteReader: Sendable {
    private let bytes: ArraySlice<UInt8>
    /// Where the next byte is read: an index of the slice that the reader was made of.
    public private(set) var offset: Int

    /// Reads from the first byte on.
    public init(_ bytes: [UInt8]) { self.init(bytes[...]) }
    /// Reads a part of other bytes, without a copy; offsets are those of the whole.
    public init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        offset = bytes.startIndex
    }

    /// Whether everything has been read.
    public var isAtEnd: Bool { offset >= bytes.endIndex }
    /// Bytes that have not been read yet.
    public var remaining: Int { bytes.endIndex - offset }

    /// - Throws: `DecodingFailure` at the end of the bytes.
    public mutating func byte() throws(DecodingFailure) -> UInt8 {
        guard offset < bytes.endIndex else { throw DecodingFailure("the bytes end too early", at: offset) }
        defer { offset += 1 }
        return bytes[offset]
    }
    /// An integer of `ByteWriter.varint`.
    /// - Throws: `DecodingFailure` where the bytes end in it, or where it does not fit into 64 bits.
    public mutating func varint() throws(DecodingFailure) -> UInt64 {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte()
            guard shift < 64, shift < 63 || next <= 1 else {
                throw DecodingFailure("an integer is too long", at: offset)
            }
            result |= UInt64(next & 0x7f) << shift
            if next < 0x80 { return result }
            shift += 7
        }
    }
    /// An integer of `ByteWriter.signed`; throws as `varint` does.
    public mutating func signed() throws(DecodingFailure) -> Int64 {
        let raw = try varint()
        return Int64(bitPattern: raw >> 1) ^ -Int64(bitPattern: raw & 1)
    }
    /// Eight bytes of `ByteWriter.fixed64`; throws where fewer are left.
    public mutating func fixed64() throws(DecodingFailure) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 8) { value |= UInt64(try byte()) << UInt64(shift) }
        return value
    }
    /// The bytes of `ByteWriter.data`; throws where the length claims more than there is.
    public mutating func data() throws(DecodingFailure) -> [UInt8] { Array(try slice()) }
    /// The text of `ByteWriter.string`.
    /// - Throws: `DecodingFailure` where the length claims more than there is, or where the bytes are not UTF-8.
    public mutating func string() throws(DecodingFailure) -> String {
        let start = offset
        guard let text = String(validating: try slice(), as: UTF8.self) else {
            throw DecodingFailure("a text is not UTF-8", at: start)
        }
        return text
    }
    /// Any byte but 0 is true; throws at the end of the bytes.
    public mutating func flag() throws(DecodingFailure) -> Bool { try byte() != 0 }
    /// A count of elements, each at least one byte long: bounded by what is left, so that a lie cannot reserve memory.
    public mutating func count() throws(DecodingFailure) -> Int {
        let claimed = try varint()
        guard claimed <= UInt64(remaining) else {
            throw DecodingFailure("a length of \(claimed) exceeds the bytes", at: offset)
        }
        return Int(claimed)
    }
    private mutating func slice() throws(DecodingFailure) -> ArraySlice<UInt8> {
        let length = try count()
        defer { offset += length }
        return bytes[offset..<offset + length]
    }
}
