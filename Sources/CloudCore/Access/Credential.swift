import Crypto
import FleetModel

/// What a request shows to prove who sends it.
enum Credential: Hashable {
    case none
    /// `Authorization: Bearer`: an account signed in on an iPad.
    case device(token: String)
    /// `ckAPIToken`, with `ckWebAuthToken` where a user is needed (cloudkit-web-services.md 2).
    case web(api: String, user: String?)
    /// Signed with a container's key (cloudkit-web-services.md 3).
    case key(SignedRequest)

    /// - Throws: `AUTHENTICATION_FAILED` when two kinds are mixed, or half of one is missing.
    init(_ http: HTTPRequest, _ target: Target) throws(CloudError) {
        let bearer = http.headers["Authorization"]
        let api = target["ckAPIToken"]
        let user = target["ckWebAuthToken"].flatMap { $0.isEmpty ? nil : $0 }
        let signed = try SignedRequest(http)
        guard [bearer != nil, api != nil, signed != nil].filter(\.self).count <= 1 else {
            throw CloudError(
                .authenticationFailed, "'ckAPIToken', signing headers and 'Authorization' must not be sent together")
        }
        if let signed {
            self = .key(signed)
        } else if let api {
            self = .web(api: api, user: user)
        } else if let bearer {
            let prefix = "Bearer "
            guard bearer.hasPrefix(prefix) else {
                throw CloudError(.authenticationFailed, "'Authorization' must be 'Bearer <token>'; sign in first")
            }
            self = .device(token: String(bearer.dropFirst(prefix.utf8.count)))
        } else if user != nil {
            throw CloudError(.authenticationFailed, "'ckWebAuthToken' needs 'ckAPIToken' beside it")
        } else {
            self = .none
        }
    }
}

/// A request signed by a server (cloudkit-web-services.md 3).
struct SignedRequest: Hashable {
    var keyID: String
    /// `yyyy-MM-ddTHH:mm:ssZ`, as it was sent and signed.
    var date: String
    /// DER in base64.
    var signature: String

    static let keyField = "X-Apple-CloudKit-Request-KeyID"
    static let dateField = "X-Apple-CloudKit-Request-ISO8601Date"
    static let signatureField = "X-Apple-CloudKit-Request-SignatureV1"
    /// A signed request expires this long after its date; a clock that runs ahead by as much is forgiven (ASSUMED).
    static let validFor: Int64 = 600

    /// Nil when none of the three headers is there.
    init?(_ http: HTTPRequest) throws(CloudError) {
        let fields = [Self.keyField, Self.dateField, Self.signatureField].map { http.headers[$0] }
        guard fields.contains(where: { $0 != nil }) else { return nil }
        guard let key = fields[0], let date = fields[1], let signature = fields[2] else {
            throw CloudError(
                .authenticationFailed,
                "a signed request needs all of '\(Self.keyField)', '\(Self.dateField)' and '\(Self.signatureField)'")
        }
        (keyID, self.date, self.signature) = (key, date, signature)
    }

    /// The texts of which one must have been signed: with the hash of the body, and for no body also with none.
    func signedTexts(_ http: HTTPRequest) -> [String] {
        let subpath = http.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
        let hash = Base64.encode(Secret.digest(http.body))
        let full = "\(date):\(hash):\(subpath)"
        return http.body.isEmpty ? [full, "\(date)::\(subpath)"] : [full]
    }

    /// Why the signature is not good at `now`, in seconds since 1970; nil: it is.
    func wrongDate(_ now: Int64) -> String? {
        guard let sent = Self.seconds(date) else {
            return "'\(Self.dateField)' must be a date of the form yyyy-MM-ddTHH:mm:ssZ"
        }
        guard abs(now - sent) > Self.validFor else { return nil }
        return
            "the request was signed at \(date), and by this server's clock it is \(Self.text(now)): a signature is good for "
            + "\(Self.validFor) s; set the clock that is wrong, and sign again"
    }

    /// Seconds since 1970 of `yyyy-MM-ddTHH:mm:ssZ`; nil for any other form.
    static func seconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        let pattern = Array("0000-00-00T00:00:00Z".utf8)
        guard bytes.count == pattern.count else { return nil }
        for (byte, wanted) in zip(bytes, pattern) {
            guard wanted == UInt8(ascii: "0") ? (0x30...0x39).contains(byte) : byte == wanted else { return nil }
        }
        func number(_ range: Range<Int>) -> Int64 { bytes[range].reduce(0) { $0 * 10 + Int64($1 - 0x30) } }
        let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
        let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
        guard year >= 1970, (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61 else {
            return nil
        }
        // Days from the civil date (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
        let y = month <= 2 ? year - 1 : year
        let era = y / 400
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        return days * 86_400 + hour * 3600 + minute * 60 + second
    }
}

extension SignedRequest {
    /// What `seconds` reads.
    static func text(_ seconds: Int64) -> String {
        let (days, rest) = (seconds / 86_400, seconds % 86_400)
        // Civil date from days (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
        let z = days + 719_468
        let era = z / 146_097
        let dayOfEra = z - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let part = (5 * dayOfYear + 2) / 153
        let (day, month) = (dayOfYear - (153 * part + 2) / 5 + 1, part < 10 ? part + 3 : part - 9)
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(year)-\(two(month))-\(two(day))T\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60))Z"
    }

    /// Whether the signature is one of ECDSA P-256 with SHA-256 over the request, in DER, by the key whose public half is `publicKey`, in
    /// the form in which it was registered (cloudkit-web-services.md 3). Bytes of any other form are no signature.
    func isSigned(_ http: HTTPRequest, by publicKey: [UInt8]) -> Bool {
        guard let key = try? P256.Signing.PublicKey(x963Representation: publicKey),
            let signature = Base64.decode(signature).flatMap({ try? P256.Signing.ECDSASignature(derRepresentation: $0) }
            )
        else { return false }
        return signedTexts(http).contains { key.isValidSignature(signature, for: Array($0.utf8)) }
    }
}
