import FleetModel
import Foundation

/// Why a server could not be asked.
public struct ConnectionError: Error, CustomStringConvertible {
    public var description: String
    /// Whether nothing was heard for too long; the connection itself is not closed.
    public var isSilence = false
    init(_ description: String, isSilence: Bool = false) {
        self.description = description
        self.isSilence = isSilence
    }
}

/// One blocking HTTP/1.1 connection to this machine, for one thread. Small on purpose: what loads a server must cost less
/// than it, and what sends malformed requests must not mend them.
public final class Connection {
    private let file: Int32
    /// Called after each time of patience in which nothing came or could be sent; whether it is waited for on. Without it silence is an error.
    public var onSilence: (() -> Bool)?
    private var received: [UInt8] = []
    private var read = 0

    /// - Parameter patience: seconds after which an answer counts as missing; by default longer than any machine is that busy.
    public init(port: Int, patience: Int = 600) throws {
        file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard file >= 0 else { throw ConnectionError("no socket: errno \(errno)") }
        var timeout = timeval(tv_sec: patience, tv_usec: 0)
        setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var on: Int32 = 1
        setsockopt(file, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(file)
            throw ConnectionError("nobody listens on port \(port): errno \(errno)")
        }
    }
    deinit { close(file) }

    /// Sends a request and waits for its answer.
    public func send(_ request: HTTPRequest) throws -> HTTPResponse {
        var text =
            "\(request.method) \(request.target) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: \(request.body.count)\r\n"
        for field in request.headers.fields { text += "\(field.name): \(field.value)\r\n" }
        text += "\r\n"
        try write(Array(text.utf8) + request.body)
        return try response()
    }
    /// Sends bytes as they are.
    public func write(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(file, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count < 0, try isSilence(errno) { continue }
            guard count > 0 else {
                throw ConnectionError("the server closed the connection after \(sent) bytes: errno \(errno)")
            }
            sent += count
        }
    }

    /// The head of the next answer alone: of one to HEAD nothing comes after it.
    public func head() throws -> String { String(decoding: try line(upTo: [13, 10, 13, 10]), as: UTF8.self) }

    /// Passes over bytes of a body.
    public func skip(_ count: Int) throws { _ = try take(count) }

    /// The next answer on the connection.
    public func response() throws -> HTTPResponse {
        let lines = try head().split(separator: "\r\n").map(String.init)
        let words = (lines.first ?? "").split(separator: " ")
        guard words.count > 1, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
            throw ConnectionError("'\(lines.first ?? "")' is no status line")
        }
        var response = HTTPResponse(status: status)
        for text in lines.dropFirst() {
            guard let colon = text.firstIndex(of: ":") else { continue }
            let value = text[text.index(after: colon)...].drop { $0 == " " }
            response.headers[String(text[..<colon])] = String(value)
        }
        if response.headers["Transfer-Encoding"]?.lowercased() == "chunked" {
            while true {
                let size = try line(upTo: [13, 10])
                guard let count = Int(String(decoding: size, as: UTF8.self), radix: 16) else {
                    throw ConnectionError("a chunk without its size")
                }
                response.body += try take(count)
                _ = try take(2)
                if count == 0 { break }
            }
        } else if status != 204, let count = response.headers["Content-Length"].flatMap({ Int($0) }) {
            response.body = try take(count)
        }
        return response
    }
    private func line(upTo end: [UInt8]) throws -> [UInt8] {
        while true {
            var at = read
            while at + end.count <= received.count {
                if received[at] == end[0], received[at..<at + end.count].elementsEqual(end) {
                    let line = Array(received[read..<at])
                    read = at + end.count
                    return line
                }
                at += 1
            }
            try receive()
        }
    }
    private func take(_ count: Int) throws -> [UInt8] {
        while received.count - read < count { try receive() }
        let bytes = Array(received[read..<read + count])
        read += count
        if read == received.count {
            received.removeAll(keepingCapacity: true)
            read = 0
        }
        return bytes
    }
    private func receive() throws {
        if read == received.count {
            received.removeAll(keepingCapacity: true)
            read = 0
        }
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = recv(file, &buffer, buffer.count, 0)
            if count < 0, try isSilence(errno) { continue }
            guard count > 0 else {
                throw ConnectionError(count == 0 ? "the server closed the connection" : "no answer: errno \(errno)")
            }
            received.append(contentsOf: buffer[..<count])
            return
        }
    }
    /// - Throws: when it was silent for too long.
    private func isSilence(_ code: Int32) throws -> Bool {
        guard code == EAGAIN || code == EWOULDBLOCK else { return false }
        guard onSilence?() == true else { throw ConnectionError("the server is silent", isSilence: true) }
        return true
    }
    /// Tells the server that nothing more is sent; its answer is read yet.
    public func endSending() { shutdown(file, Int32(SHUT_WR)) }
}
