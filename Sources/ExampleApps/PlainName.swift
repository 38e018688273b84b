import Ubiquity

/// The name of an item as it may stand anywhere: in a record name (1 to 255 ASCII characters), in a file's name, in an address.
///
/// Letters, digits, `-`, `_` and `.` stand for themselves, but a dot or an underscore not in front, where it has a meaning of its own; any
/// other byte is `=` and two hex digits. No percent signs: addresses are decoded on their way, and nobody can say how often.
enum PlainName {
    /// Names that look alike are one name: keyboards write them in several ways.
    static func normal(_ name: String) -> String {
        name.utf8.allSatisfy { $0 < 0x80 } ? name : name.precomposedStringWithCanonicalMapping
    }

    /// - Parameter bytesMax: of the encoded name.
    /// - Returns: nil for an empty name and for one that is too long.
    static func encoded(_ name: String, bytesMax: Int) -> String? {
        var plain: [UInt8] = []
        for byte in normal(name).utf8 {
            if isPlain(byte) && !(plain.isEmpty && (byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_"))) {
                plain.append(byte)
            } else {
                plain.append(escape)
                plain += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return plain.isEmpty || plain.count > bytesMax ? nil : String(decoding: plain, as: UTF8.self)
    }
    /// - Returns: nil for what `encoded` did not make.
    static func decoded(_ plain: String) -> String? {
        var (name, rest) = ([UInt8](), Array(plain.utf8)[...])
        while let byte = rest.popFirst() {
            guard byte == escape else { name.append(byte); continue }
            guard let high = rest.popFirst().flatMap(digits.firstIndex),
                let low = rest.popFirst().flatMap(digits.firstIndex)
            else { return nil }
            name.append(UInt8(high << 4 | low))
        }
        return String(validating: name, as: UTF8.self)
    }

    private static let escape = UInt8(ascii: "=")
    private static let digits = Array("0123456789ABCDEF".utf8)
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
