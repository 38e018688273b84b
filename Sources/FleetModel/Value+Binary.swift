/// Canonical binary form: one tag byte, then the content. Equal values have equal bytes.
extension Value {
    /// Values nested deeper than this are refused: they would overflow the stack of the reader.
    public static let depthMax = 64

    /// The bytes of `write(to:)` in an array of their own.
    public var encoded: [UInt8] {
        var writer = ByteWriter(reserving: 64)
        write(to: &writer)
        return writer.bytes
    }

    /// Appends the canonical form. Nesting is not checked here: the reader refuses what is deeper than `depthMax`.
    public func write(to writer: inout ByteWriter) {
        switch self {
        case .null: writer.byte(0)
        case .bool(let flag): writer.byte(flag ? 2 : 1)
        case .int(let number):
            writer.byte(3)
            writer.signed(number)
        case .double(let number):
            writer.byte(4)
            writer.fixed64(number.bitPattern)
        case .string(let text):
            writer.byte(5)
            writer.string(text)
        case .data(let bytes):
            writer.byte(6)
            writer.data(bytes)
        case .array(let values):
            writer.byte(7)
            writer.varint(UInt64(values.count))
            for value in values { value.write(to: &writer) }
        case .object(let object):
            writer.byte(8)
            writer.varint(UInt64(object.count))
            for pair in object.pairs {
                writer.string(pair.key)
                pair.value.write(to: &writer)
            }
        }
    }

    /// - Throws: `DecodingFailure` for anything that `encoded` does not write.
    public init(decoding bytes: [UInt8]) throws(DecodingFailure) {
        var reader = ByteReader(bytes)
        try self.init(from: &reader)
        guard reader.isAtEnd else { throw DecodingFailure("bytes follow the value", at: reader.offset) }
    }

    /// Reads one value and leaves what follows it.
    /// - Throws: `DecodingFailure` for an unknown tag, bytes that end too early, or nesting of `depthMax`.
    public init(from reader: inout ByteReader) throws(DecodingFailure) { try self.init(from: &reader, depth: 0) }

    private init(from reader: inout ByteReader, depth: Int) throws(DecodingFailure) {
        guard depth < Self.depthMax else { throw DecodingFailure("values are nested too deeply", at: reader.offset) }
        let tag = try reader.byte()
        switch tag {
        case 0: self = .null
        case 1: self = .bool(false)
        case 2: self = .bool(true)
        case 3: self = .int(try reader.signed())
        case 4: self = .double(Double(bitPattern: try reader.fixed64()))
        case 5: self = .string(try reader.string())
        case 6: self = .data(try reader.data())
        case 7:
            let count = try reader.count()
            var values: [Value] = []
            values.reserveCapacity(count)
            for _ in 0..<count { values.append(try Value(from: &reader, depth: depth + 1)) }
            self = .array(values)
        case 8:
            let count = try reader.count()
            // A pair has two bytes at least; the count may be a lie of an app.
            var object = Object(reserving: min(count, reader.remaining / 2))
            for _ in 0..<count {
                let key = try reader.string()
                object[key] = try Value(from: &reader, depth: depth + 1)
            }
            self = .object(object)
        default: throw DecodingFailure("unknown value tag \(tag)", at: reader.offset)
        }
    }
}
