import Crypto
import FleetModel

/// The rolling digest of a run: SHA-256 over its trace lines. Two runs are the same run when their digests are equal.
public struct RunDigest: Sendable {
    private var hasher = SHA256()

    /// The digest of no line.
    public init() {}

    /// Takes one line, newline included; order counts.
    public mutating func add(_ line: [UInt8]) { line.withUnsafeBytes { hasher.update(bufferPointer: $0) } }

    /// 64 hex digits; the run may go on afterwards.
    public var hex: String { Hex.text(hasher.finalize()) }
}
