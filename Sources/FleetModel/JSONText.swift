/// Text as it stands inside a string of JSON, with its escapes undone (RFC 8259, section 7).
///
/// Apps keep what people type in JSON more often than in anything else: a line feed, a quotation mark or a slash lies there as an escape.
struct JSONText {
    /// The text itself.
    private(set) var bytes: [UInt8] = []
    /// Where the text ends in the JSON.
    private(set) var end: Int

    /// Reads as much JSON as makes `length` bytes of text.
    ///
    /// - Returns: nil where an escape is none of JSON's, or the bytes end before the text does.
    init?(_ json: UnsafeBufferPointer<UInt8>, from start: Int, length: Int) {
        end = start
        bytes.reserveCapacity(length)
        while bytes.count < length {
            guard end < json.count else { return nil }
            if json[end] == UInt8(ascii: "\\") {
                guard takeEscape(json) else { return nil }
            } else if json[end] == UInt8(ascii: "\"") || json[end] < 0x20 {
                return nil  // the string has ended
            } else {
                bytes.append(json[end])
                end += 1
            }
        }
        guard bytes.count == length else { return nil }
    }

    private mutating func takeEscape(_ json: UnsafeBufferPointer<UInt8>) -> Bool {
        guard end + 1 < json.count else { return false }
        let letter = json[end + 1]
        if letter == UInt8(ascii: "u") { return takeScalar(json) }
        guard let byte = Self.escapes[letter] else { return false }
        bytes.append(byte)
        end += 2
        return true
    }
    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "/"): 0x2F, UInt8(ascii: "b"): 0x08,
        UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]

    /// `\u00e9`, or a pair of surrogates.
    private mutating func takeScalar(_ json: UnsafeBufferPointer<UInt8>) -> Bool {
        var units: [UInt16] = []
        repeat {
            guard end + 6 <= json.count, json[end] == UInt8(ascii: "\\"), json[end + 1] == UInt8(ascii: "u"),
                let unit = UInt16(String(decoding: json[end + 2..<end + 6], as: UTF8.self), radix: 16)
            else { return false }
            units.append(unit)
            end += 6
        } while units.count == 1 && UTF16.isLeadSurrogate(units[0])
        bytes += Array(String(decoding: units, as: UTF16.self).utf8)
        return true
    }
}
