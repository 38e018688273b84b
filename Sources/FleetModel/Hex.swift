/// Bytes and numbers as lower-case hex digits: digests, tokens, names that services make.
public enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Two digits a byte.
    public static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.underestimatedCount)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
    /// Always 16 digits.
    public static func text(_ number: UInt64) -> String { withUnsafeBytes(of: number.bigEndian) { text($0) } }
}
