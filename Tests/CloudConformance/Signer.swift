import CloudCore
import Crypto
import FleetModel

/// A developer's server with a key pair (cloudkit-web-services.md 3).
public struct Signer {
    private let key: P256.Signing.PrivateKey

    /// - Parameter seed: equal seeds make equal keys, so that key IDs are equal in every run.
    public init(seed: UInt64) {
        var draw = Draw(seed: seed)
        while true {
            // Few numbers are no key of the curve; the next one is.
            let bytes = (0..<32).map { _ in UInt8(draw.below(256)) }
            if let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes) {
                self.key = key
                return
            }
        }
    }
    /// As `cloud.key` takes it.
    public var publicKey: [UInt8] { Array(key.publicKey.x963Representation) }

    /// DER in base64; empty when the library refuses.
    public func signature(of text: String) -> String {
        (try? key.signature(for: Array(text.utf8))).map { Base64.encode(Array($0.derRepresentation)) } ?? ""
    }
    public static func hash(_ body: [UInt8]) -> String { Base64.encode(Array(SHA256.hash(data: body))) }

    /// `yyyy-MM-ddTHH:mm:ssZ`.
    public static func date(_ seconds: Int64) -> String {
        // Civil date from days (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
        let (days, rest) = (seconds / 86_400, seconds % 86_400)
        let z = days + 719_468
        let era = z / 146_097
        let dayOfEra = z - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let mp = (5 * dayOfYear + 2) / 153
        let (day, month) = (dayOfYear - (153 * mp + 2) / 5 + 1, mp < 10 ? mp + 3 : mp - 9)
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(year)-\(two(month))-\(two(day))T\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60))Z"
    }
}
