import CInterpose
import Glibc

/// `HOST:PORT` as people write it; `[::1]:80` for IPv6, an empty host to listen on all addresses.
public struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// A name or an address, IPv6 without brackets; empty to listen on all addresses.
    public var host: String
    /// 0 to 65535; 0 to listen on any free one.
    public var port: Int

    /// From its parts; nothing is checked before it is used.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }
    /// Nil when the text is no `HOST:PORT`.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            let port = Int(digits), port <= 65535
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        self.init(host: String(host), port: port)
    }
    /// As `init(_:)` reads it, IPv6 in brackets.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// An address as sockets tell it: one of IPv6 has many forms. What is none stays as it is.
    static func plain(_ address: String) -> String {
        var bytes = in6_addr()
        var form = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        for family in [AF_INET, AF_INET6] where inet_pton(family, address, &bytes) == 1 {
            guard inet_ntop(family, &bytes, &form, socklen_t(form.count)) != nil else { break }
            return String(decoding: form.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        return address
    }

    /// - Throws: `ProxyProblem` for a name that nobody knows.
    func resolved(toListen: Bool) throws(ProxyProblem) -> hr_address {
        var address = hr_address()
        let status = hr_resolve(host, String(port), toListen ? 1 : 0, &address)
        guard status == 0 else {
            throw ProxyProblem(
                "\(self): the host is not known (\(String(cString: gai_strerror(status)))); check the name, or give an address"
            )
        }
        return address
    }
}
