import CloudCore
import Crypto
import Foundation

/// Checks ECDSA P-256 signatures (cloudkit-web-services.md 3).
public struct P256Verifier: SignatureVerifier {
    public init() {}

    public func isValid(signature: [UInt8], of message: [UInt8], publicKey: [UInt8]) -> Bool {
        guard let key = try? P256.Signing.PublicKey(x963Representation: publicKey),
            let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature)
        else { return false }
        return key.isValidSignature(signature, for: message)
    }

    /// The bytes under which a key is registered.
    /// - Throws: what swift-crypto says of a text that is no PEM public key of this curve.
    public static func publicKey(pem: String) throws -> [UInt8] {
        [UInt8](try P256.Signing.PublicKey(pemRepresentation: pem).x963Representation)
    }
}
