/// Writes the binary form of frames and digests: little-endian, lengths as variable-size integers.
public struct ByteWriter: Sendable {
    public private(set) var bytes: [UInt8] = []

    public init(reserving capacity: Int = 0) { bytes.reserveCapacity(capacity) }

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
    public mutating func fixed64(_ value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
    public mutating func raw(_ value: some Collection<UInt8>) { bytes.append(contentsOf: value) }
    public mutating func data(_ value: [UInt8]) {
        varint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }
    public mutating func string(_ value: String) {
        var copy = value
        copy.withUTF8 { utf8 in
            varint(UInt64(utf8.count))
            bytes.append(contentsOf: utf8)
        }
    }
    public mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }
    public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }
}

/// Why bytes could not be read back: they are shorter than they claim, or hold a tag that nobody writes.
public struct DecodingFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public var reason: String
    /// Byte offset of the failure.
    public var offset: Int
    public init(_ reason: String, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
    public var description: String { "\(reason) at byte \(offset)" }
}

/// Reads what `ByteWriter` wrote. Never traps: the bytes may come from an app under test.
public struct ByteReader: Sendable {
    private let bytes: ArraySlice<UInt8>
    public private(set) var offset: Int

    public init(_ bytes: [UInt8]) { self.init(bytes[...]) }
    public init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        offset = bytes.startIndex
    }

    public var isAtEnd: Bool { offset >= bytes.endIndex }
    public var remaining: Int { bytes.endIndex - offset }

    public mutating func byte() throws(DecodingFailure) -> UInt8 {
        guard offset < bytes.endIndex else { throw DecodingFailure("the bytes end too early", at: offset) }
        defer { offset += 1 }
        return bytes[offset]
    }
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
    public mutating func signed() throws(DecodingFailure) -> Int64 {
        let raw = try varint()
        return Int64(bitPattern: raw >> 1) ^ -Int64(bitPattern: raw & 1)
    }
    public mutating func fixed64() throws(DecodingFailure) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 8) { value |= UInt64(try byte()) << UInt64(shift) }
        return value
    }
    public mutating func data() throws(DecodingFailure) -> [UInt8] { Array(try slice()) }
    public mutating func string() throws(DecodingFailure) -> String {
        let start = offset
        guard let text = String(validating: try slice(), as: UTF8.self) else {
            throw DecodingFailure("a text is not UTF-8", at: start)
        }
        return text
    }
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
