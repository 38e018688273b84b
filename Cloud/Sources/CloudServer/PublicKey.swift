import Crypto

/// The public half of a developer's key, as command line tools write it.
public enum PublicKey {
    /// The bytes under which a key is registered.
    /// - Throws: what swift-crypto says of a text that is no PEM public key of the curve P-256.
    public static func bytes(pem: String) throws -> [UInt8] {
        [UInt8](try P256.Signing.PublicKey(pemRepresentation: pem).x963Representation)
    }
}
