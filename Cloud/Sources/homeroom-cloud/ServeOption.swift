import Foundation

/// What `serve` takes.
enum ServeOption {
    /// Scheme, host and at most a port: what URLs of answers begin with (RFC 6454 7).
    static func isOrigin(_ text: String) -> Bool {
        guard let parts = URLComponents(string: text), ["http", "https"].contains(parts.scheme), let host = parts.host
        else { return false }
        return !host.isEmpty && parts.path.isEmpty && parts.query == nil && parts.fragment == nil && parts.user == nil
    }
    /// Whether a descriptor is open, and something can be written into it.
    static func isWritable(_ descriptor: Int32) -> Bool {
        let flags = fcntl(descriptor, F_GETFL)
        return flags >= 0 && flags & O_ACCMODE != O_RDONLY
    }
}
