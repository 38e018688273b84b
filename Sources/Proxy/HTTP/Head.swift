/// What the proxy needs to know of the beginning of an HTTP/1.1 message; the bytes themselves pass untouched.
struct Head: Hashable {
    /// How the length of the body is told.
    enum Length: Hashable {
        case bytes(Int)
        case chunked
        /// A response that ends with its connection.
        case untilEnd
        /// From here on it is no HTTP any more: `101`, or an answered `CONNECT`.
        case upgrade
    }
    /// Requests whose responses have no ordinary body (RFC 9112, 6.3).
    enum Method: Hashable { case head, connect, other }

    /// Of a request.
    var method = Method.other
    /// Path and query of a request, without scheme and host.
    var route = ""
    /// From `X-Homeroom-Device: ipad-N`; nil: not told.
    var pad: Int?
    /// From `X-Homeroom-Cause`.
    var cause: String?
    /// From `X-Homeroom-Scenario`: that of the live run that sends it.
    var scenario: String?
    /// The sender waits for `100 Continue` before it sends the body.
    var expectsContinue = false
    /// The sender would like to speak another protocol from here on.
    var asksUpgrade = false
    /// Of a response.
    var status = 0
    var length = Length.bytes(0)

    /// An answer before the answer: `100`, `103`.
    var isInterim: Bool { (100..<200).contains(status) && status != 101 }
}

/// Bytes that are no HTTP/1.1, or could be read in two ways: refused, because whoever stands behind might read the other one.
struct FramingProblem: Error, Hashable {
    /// What a client is told: 400, or 431 for a head that is too long.
    var status = 400
    var message: String

    init(_ message: String, status: Int = 400) {
        self.message = message
        self.status = status
    }
}
