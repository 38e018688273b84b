import Crypto
import FleetModel
import Foundation
import SwiftASN1
import X509

/// A certificate that a server makes for itself, so that what travels is encrypted (`serve --tls`).
///
/// Signed with its own key: clients are told to trust the file. Apple's service has certificates of public authorities; ASSUMED that for a
/// local iCloud the file is enough.
public struct ServerCertificate: Sendable {
    /// PEM texts; the key is for the owner of the folder alone.
    public let certificate: String
    public let key: String

    /// No longer than public authorities may give.
    static let days = 397
    private static let day = 86_400.0

    /// Makes one for `localhost`, the loopback addresses and `host`.
    public init(host: String, now: Date = Date()) throws {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("homeroom-cloud") }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey),
            // Clocks of clients may be behind.
            notValidBefore: now - Self.day, notValidAfter: now + Double(Self.days) * Self.day, issuer: name,
            subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(digitalSignature: true, keyCertSign: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(Self.names(host))
            }, issuerPrivateKey: .init(key))
        self.certificate = try certificate.serializeAsPEM().pemString + "\n"
        self.key = key.pemRepresentation + "\n"
    }
    private static func names(_ host: String) -> [GeneralName] {
        let hosts = ["localhost", "127.0.0.1", "::1"]
        return (hosts + (hosts.contains(host) ? [] : [host])).map { host in
            bytes(ofAddress: host).map { .ipAddress(ASN1OctetString(contentBytes: $0[...])) } ?? .dnsName(host)
        }
    }
    private static func bytes(ofAddress text: String) -> [UInt8]? {
        var (four, six) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: &four) { Array($0) } }
        if inet_pton(AF_INET6, text, &six) == 1 { return withUnsafeBytes(of: &six) { Array($0) } }
        return nil
    }

    /// Takes over one that was made before.
    /// - Returns: nil when it cannot be read, is not good for `host`, or has less than a month to go.
    init?(certificate: String, key: String, host: String, now: Date = Date()) {
        guard let parsed = try? Certificate(pemEncoded: certificate), parsed.notValidAfter > now + 30 * Self.day,
            (try? P256.Signing.PrivateKey(pemRepresentation: key)) != nil,
            let names = try? parsed.extensions.subjectAlternativeNames,
            Self.names(host).allSatisfy({ names.contains($0) })
        else { return nil }
        self.certificate = certificate
        self.key = key
    }
}
