import CInterpose
import FleetModel
import Glibc
import Testing

@testable import Proxy

/// A proxy on a real port in front of a real listener, driven turn by turn on one thread, with a clock that stands still until it is moved.
final class Wire {
    private final class Clock { var real: Int64 = 1_000_000 }
    private let clock = Clock()
    let listener: Int32
    let proxy: ProxyServer
    private var open: [Int32] = []

    /// - Parameter hasTarget: false: nobody listens where the proxy connects to.
    init(_ specs: [FaultSpec] = [], hasTarget: Bool = true, control: Int32? = nil) throws {
        var address = try Endpoint(host: "127.0.0.1", port: 0).resolved(toListen: true)
        listener = hr_listen(&address)
        let port = Int(hr_local_port(listener))
        // What the target does not read stays with the proxy and the client soon.
        var small: Int32 = 64 << 10
        setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &small, socklen_t(MemoryLayout<Int32>.size))
        if !hasTarget { close(listener) }
        let faults = try Faults(specs: specs, link: still, seed: 7)
        var setup = ProxyServer.Setup(
            listen: Endpoint(host: "127.0.0.1", port: 0), to: Endpoint(host: "127.0.0.1", port: port), faults: faults)
        let lines = Lines()
        setup.say = { lines.list.append($0) }
        setup.control = control
        let clock = clock
        setup.now = { clock.real }
        proxy = try ProxyServer(setup)
        self.lines = lines
        if hasTarget { open.append(listener) }
    }
    deinit { for fd in open { close(fd) } }
    final class Lines { var list: [String] = [] }
    let lines: Lines

    func advance(_ span: Span) { clock.real += span.nanoseconds }

    /// Turns until something is so. Patient: only what never comes fails.
    func until(_ what: String, _ isSo: () throws -> Bool) throws {
        for _ in 0..<3_000 {
            if try isSo() { return }
            _ = try proxy.turn(atMost: 20_000_000)
        }
        Issue.record("never came: \(what)")
        throw Missing(what: what)
    }
    struct Missing: Error { var what: String }

    func connect() throws -> Int32 {
        var address = try Endpoint(host: "127.0.0.1", port: proxy.port).resolved(toListen: false)
        let fd = hr_connect(&address)
        try #require(fd >= 0)
        open.append(fd)
        return fd
    }
    /// The next connection at the target.
    func accept() throws -> Int32 {
        var from = [CChar](repeating: 0, count: 64)
        var fd: Int32 = -1
        try until("a connection at the target") {
            fd = hr_accept(listener, &from, from.count)
            return fd >= 0
        }
        open.append(fd)
        return fd
    }
    /// A client, and what it is connected to behind the proxy.
    func pair() throws -> (client: Int32, target: Int32) {
        let client = try connect()
        return (client, try accept())
    }
    func end(_ fd: Int32) {
        open.removeAll { $0 == fd }
        close(fd)
    }

    func reset(_ fd: Int32) {
        open.removeAll { $0 == fd }
        hr_tear_down(fd)
    }

    func say(_ text: String, on fd: Int32) throws {
        let bytes = Array(text.utf8)
        let count = bytes.withUnsafeBytes { hr_send(fd, $0.baseAddress, $0.count) }
        try #require(count == bytes.count)
    }
    /// What has come so far; "(end)" and "(reset)" say how the stream ended.
    func heard(on fd: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = hr_receive(fd, &buffer, buffer.count)
        if count == 0 { return "(end)" }
        if count < 0 { return count == -Int(EAGAIN) ? "" : count == -Int(ECONNRESET) ? "(reset)" : "(error \(count))" }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }
    /// Turns until the text has come.
    func hear(_ text: String, on fd: Int32) throws {
        var all = ""
        try until("'\(text)' after '\(all)'") {
            all += heard(on: fd)
            return all.utf8.count >= text.utf8.count
        }
        #expect(all == text)
    }
}
