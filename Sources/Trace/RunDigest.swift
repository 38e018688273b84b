import Crypto
import FleetModel

/// The rolling digest of a run: SHA-256 over its trace lines. Two runs are the same run when their digests are equal.
public struct RunDigest: Sendable {
    private var hasher = SHA256()

    public init() {}

    public mutating func add(_ line: [UInt8]) { line.withUnsafeBytes { hasher.update(bufferPointer: $0) } }

    /// 64 hex digits; the run may go on afterwards.
    public var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in hasher.finalize() {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
