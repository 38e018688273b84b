import Crypto
import FleetModel

/// What hides tokens and seals URLs: SHA-256 and its keyed form, in the shapes that tables and URLs want.
public enum Secret {
    static func digest(_ message: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: message)) }

    /// Keyed digest (HMAC).
    static func seal(_ text: String, key: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: SymmetricKey(data: key)))
    }

    /// Encrypts what must not lie on the disk as it is: AES-GCM, bound to its place.
    ///
    /// The nonce comes from the content, so that no luck is needed: equal contents of one place look equal, no more.
    static func enclose(_ bytes: [UInt8], place: String, key: [UInt8]) throws -> [UInt8] {
        let nonce = try AES.GCM.Nonce(data: seal("nonce \(place) \(Hex.text(digest(bytes)))", key: key).prefix(12))
        let box = try AES.GCM.seal(
            bytes, using: SymmetricKey(data: seal("enclosed", key: key)), nonce: nonce,
            authenticating: Array(place.utf8))
        return [enclosedMark] + Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
    }
    /// What was enclosed; other bytes as they are.
    /// - Throws: what swift-crypto says of bytes that were altered or lay elsewhere.
    static func disclose(_ bytes: [UInt8], place: String, key: [UInt8]) throws -> [UInt8] {
        guard bytes.first == enclosedMark else { return bytes }
        let box = try AES.GCM.SealedBox(combined: Array(bytes.dropFirst()))
        return Array(
            try AES.GCM.open(
                box, using: SymmetricKey(data: seal("enclosed", key: key)), authenticating: Array(place.utf8)))
    }
    /// No JSON begins with it.
    private static let enclosedMark: UInt8 = 1

    /// Hex form of the digest of a text: how secrets lie in tables.
    static func hidden(_ text: String) -> String { Hex.text(digest(Array(text.utf8))) }

    /// Compares in a time that does not tell where the first difference is.
    public static func isEqual(_ a: String, _ b: String) -> Bool {
        let (a, b) = (Array(a.utf8), Array(b.utf8))
        guard a.count == b.count else { return false }
        return zip(a, b).reduce(0) { $0 | $1.0 ^ $1.1 } == 0
    }
}

/// Keyed digests that every request asks for again: names of users, places of change tokens. The same text has the same seal, so
/// what is remembered changes nothing but the time.
final class Seals {
    private let key: [UInt8]
    private var known: [String: [UInt8]] = [:]
    /// Some 200 bytes each.
    private static let most = 10_000

    init(key: [UInt8]) { self.key = key }

    func seal(_ text: String) -> [UInt8] {
        if let seal = known[text] { return seal }
        if known.count >= Self.most { known.removeAll(keepingCapacity: true) }
        let seal = Secret.seal(text, key: key)
        known[text] = seal
        return seal
    }
}
