import FleetModel

/// The address of an app's own backend: `https://backend.<app>/<path>`, which the Pad reaches at `/upload/v1/<app>/<path>`.
struct BackendURL: Hashable {
    /// What the Cloud is asked for.
    var target: String

    /// - Throws: `NSURLErrorDomain` -1002 for what is no such address, -1003 for a host that nobody knows.
    init(_ text: String) throws(ServiceError) {
        let scheme = "https://"
        guard text.hasPrefix(scheme), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw ServiceError(
                .url, -1002, "unsupported URL '\(text)': use https://backend.<app>/<path>, percent-encoded")
        }
        let rest = text.dropFirst(scheme.count)
        let host = rest.prefix { $0 != "/" && $0 != "?" }
        let app = host.dropFirst("backend.".count)
        guard host.hasPrefix("backend."), !app.isEmpty, app.utf8.allSatisfy(Self.isNameByte) else {
            throw ServiceError(
                .url, -1003, "no host '\(host)' is known: an app's own backend is https://backend.<app>/")
        }
        let path = rest.dropFirst(host.count)
        let segments = path.prefix { $0 != "?" }.split(separator: "/")
        guard !segments.contains(".."), !segments.contains(".") else {
            throw ServiceError(.url, -1002, "unsupported URL '\(text)': its path must not hold '.' or '..'")
        }
        target = "/upload/v1/\(app)" + (path.hasPrefix("/") ? "" : "/") + path
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Fields that frame a message or belong to the connection: the network stack's own, as with `URLRequest` (an app could make the
    /// server read its body as somebody else's request).
    private static let reserved = [
        "authorization", "connection", "content-length", "expect", "host", "keep-alive", "proxy-authenticate",
        "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        "www-authenticate",
    ]
    /// The app's header fields that may be sent: the iPad's own are not the app's to give.
    static func headers(_ value: Value?) -> HTTPHeaders {
        var headers: HTTPHeaders = [:]
        for pair in value?.object?.pairs ?? [] {
            let name = pair.key.lowercased()
            guard !reserved.contains(name), !name.hasPrefix("x-homeroom-"), let text = pair.value.string else {
                continue
            }
            guard (pair.key + text).utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) else { continue }
            headers[pair.key] = text
        }
        return headers
    }

    /// Header fields as a message carries them.
    static func value(_ headers: HTTPHeaders) -> Value {
        .object(Value.Object(headers.fields.map { ($0.name, Value.string($0.value)) }))
    }
}
