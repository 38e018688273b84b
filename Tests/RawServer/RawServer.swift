import Foundation
import Glibc

/// A server that does what a test wants with each connection, one after another: for what is no Cloud, and answers all the same.
public final class RawServer: @unchecked Sendable {
    public let port: UInt16
    private let listener: Int32

    /// - Parameters:
    ///   - pause: microseconds between the tenths in which an answer leaves; 0: it leaves at once.
    ///   - readPause: microseconds between 64 KiB of a request that are read; 0: so much of it is read as came first.
    ///   - serve: gets what the client sent first, and gives the bytes to answer with before the connection is closed.
    public convenience init(pause: UInt32 = 0, readPause: UInt32 = 0, _ serve: @escaping @Sendable (String) -> String) {
        guard let server = Self.listener(on: 0) else { preconditionFailure("no port for a test") }
        self.init(server, pause: pause, readPause: readPause, serve)
    }
    /// Nil when somebody listens on that port.
    public convenience init?(port: UInt16, _ serve: @escaping @Sendable (String) -> String) {
        guard let server = Self.listener(on: port) else { return nil }
        self.init(server, pause: 0, readPause: 0, serve)
    }
    private static func listener(on port: UInt16) -> (descriptor: Int32, port: UInt16)? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        // What is left of connections to whoever was there before is in nobody's way.
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_port = port.bigEndian
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        if isListening { return (descriptor, UInt16(bigEndian: address.sin_port)) }
        close(descriptor)
        return nil
    }
    private init(
        _ server: (descriptor: Int32, port: UInt16), pause: UInt32, readPause: UInt32,
        _ serve: @escaping @Sendable (String) -> String
    ) {
        let descriptor = server.descriptor
        (listener, port) = (descriptor, server.port)
        Thread.detachNewThread {
            while case let client = accept(descriptor, nil, nil), client >= 0 {
                var buffer = [UInt8](repeating: 0, count: 1 << 16)
                let count = max(0, read(client, &buffer, buffer.count))
                let request = String(decoding: buffer[..<count], as: UTF8.self)
                if readPause > 0 { Self.readBody(of: request, from: client, pause: readPause) }
                let answer = Array(serve(request).utf8)
                let part = pause == 0 ? max(1, answer.count) : answer.count / 10 + 1
                for start in stride(from: 0, to: answer.count, by: part) {
                    if start > 0 { usleep(pause) }
                    let piece = Array(answer[start..<min(start + part, answer.count)])
                    _ = send(client, piece, piece.count, Int32(MSG_NOSIGNAL))
                }
                close(client)
            }
        }
    }
    private static func readBody(of request: String, from client: Int32, pause: UInt32) {
        guard let length = request.firstMatch(of: /Content-Length: ([0-9]+)\r\n/).flatMap({ Int($0.1) }),
            let head = request.range(of: "\r\n\r\n")
        else { return }
        var left = length - request[head.upperBound...].utf8.count
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while left > 0 {
            usleep(pause)
            let count = read(client, &buffer, buffer.count)
            guard count > 0 else { return }
            left -= count
        }
    }
    /// Nobody listens any more.
    public func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    public var origin: String { "http://127.0.0.1:\(port)" }
}
