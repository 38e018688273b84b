import FleetModel
import Foundation
import Glibc
import RawServer
import Testing

@testable import Live
@testable import Run

@Suite("HTTP client of live", .timeLimit(.minutes(20))) struct HTTPClientTests {
    private func fetch(
        _ request: HTTPRequest, from origin: String, _ patience: HTTPClient.Patience = .whole(milliseconds: 60_000)
    ) throws -> Payload {
        try HTTPClient(base: origin, patience: patience).fetch(request)
    }

    @Test(
        "Requests go as they are; nothing is added that the service could take for the iPad's (parameters: methods)",
        arguments: ["GET", "POST", "PUT", "DELETE"])
    func asGiven(method: String) throws {
        let server = RawServer { "HTTP/1.1 200 OK\r\nContent-Length: \($0.utf8.count)\r\n\r\n\($0)" }
        let request = HTTPRequest(
            method, "/kvs/v1/a%20b/../sync?x=1", headers: ["X-Homeroom-Device": "ipad-1", "X-Empty": ""],
            body: method == "GET" ? [] : Array("{}".utf8))
        guard case .response(let response) = try fetch(request, from: server.origin) else {
            Issue.record("no response")
            return
        }
        let echo = String(decoding: response.body, as: UTF8.self)
        #expect(echo.hasPrefix("\(method) /kvs/v1/a%20b/../sync?x=1 HTTP/1.1\r\n"))
        #expect(echo.contains("X-Homeroom-Device: ipad-1\r\n"))
        #expect(echo.contains("X-Empty:\r\n"))
        #expect(!echo.contains("Content-Type"))
        #expect(!echo.contains("Expect"))
        #expect(echo.hasSuffix(method == "GET" ? "\r\n\r\n" : "\r\n\r\n{}"))
    }

    @Test("Answers: status, fields and body, after a 'go on' only those of the last")
    func answer() throws {
        let server = RawServer { _ in
            "HTTP/1.1 100 Continue\r\nX-Old: 1\r\n\r\nHTTP/1.1 503 Busy\r\nRetry-After:  7 \r\nContent-Length: 2\r\n\r\nno"
        }
        guard case .response(let response) = try fetch(HTTPRequest("GET", "/"), from: server.origin) else {
            Issue.record("no response")
            return
        }
        #expect(response.status == 503)
        #expect(response.headers["Retry-After"] == "7")
        #expect(response.headers["X-Old"] == nil)
        #expect(response.body == Array("no".utf8))
    }

    @Test("Nobody listens: certainly not sent")
    func unreachable() throws {
        let server = RawServer { _ in "" }
        server.stop()
        #expect(try fetch(HTTPRequest("GET", "/"), from: server.origin) == .failure(.unreachable))
    }

    @Test(
        "Broken after sending: nobody knows (parameters: what comes back)",
        arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"])
    func connectionLost(answer: String) throws {
        let server = RawServer { _ in answer }
        #expect(try fetch(HTTPRequest(post: "/x", json: ["a": 1]), from: server.origin) == .failure(.connectionLost))
    }

    /// A third of a second between tenths of the answer, which is no file's length but may be longer than a silence. Its fields leave with
    /// the first: curl counts bytes of bodies only.
    private func slowServer() -> RawServer {
        RawServer(pause: 300_000) { _ in
            "HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n" + String(repeating: "x", count: 400)
        }
    }

    @Test("A file that comes slowly may take its time; all else may not")
    func slowFile() throws {
        let answer = try fetch(HTTPRequest("GET", "/file"), from: slowServer().origin, .silence(seconds: 2))
        guard case .response(let response) = answer else {
            Issue.record("a slow file was given up")
            return
        }
        #expect(response.body.count == 400)
        let message = HTTPRequest(post: "/x", json: ["a": 1])
        #expect(try fetch(message, from: slowServer().origin, .silence(seconds: 2)) == .failure(.connectionLost))
    }

    @Test("A file that goes slowly may take its time: what the kernel takes at once does not look like all of it")
    func slowUpload() throws {
        // Twelve reads: several times the silence that is borne.
        let upload = HTTPRequest("PUT", "/file", body: [UInt8](repeating: 0x78, count: 768 << 10))
        let server = RawServer(readPause: 300_000) { _ in "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }
        guard case .response = try fetch(upload, from: server.origin, .silence(seconds: 1)) else {
            Issue.record("a slow upload was given up")
            return
        }
    }

    @Test("A file of which nothing comes is given up")
    func silentFile() throws {
        let silent = RawServer { _ in
            sleep(10)
            return ""
        }
        let answer = try fetch(HTTPRequest("GET", "/file"), from: silent.origin, .silence(seconds: 1))
        #expect(answer == .failure(.connectionLost))
    }

    /// Who works while sending takes what has come for the requests before, and nobody looks for it until something else happens.
    @Test("Sending alone does nothing: all that happens can be asked for right after it")
    func sendingIsQuiet() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                #expect(bind(listener, $0, length) == 0 && listen(listener, 8) == 0)
                getsockname(listener, $0, &length)
            }
        }
        let client = try HTTPClient(
            base: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))", patience: .whole(milliseconds: 60_000))
        client.send(HTTPRequest("GET", "/"), exchange: 1)
        #expect(client.isBusy && accept(listener, nil, nil) == -1)
        // Returns at once: there is something to do.
        client.wait(for: [], milliseconds: Int32.max)
        #expect(client.finished().isEmpty)
        let connection = accept(listener, nil, nil)
        #expect(connection >= 0)
        close(connection)
    }

    @Test(
        "Requests that would be something else: not sent (parameters: targets)",
        arguments: ["@evil.example/", "x", "", "/a b", "/a\r\nX: y", "/\u{0}"])
    func target(_ target: String) throws {
        let server = RawServer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }
        #expect(try fetch(HTTPRequest("GET", target), from: server.origin) == .failure(.unreachable))
    }
    @Test(
        "Fields that would be more than one: not sent (parameters: name and value)",
        arguments: [("X", "a\r\nY: b"), ("X\r\nY", "a"), ("X:", "a")])
    func field(name: String, value: String) throws {
        let server = RawServer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }
        var request = HTTPRequest("GET", "/")
        request.headers[name] = value
        #expect(try fetch(request, from: server.origin) == .failure(.unreachable))
    }
}

@Suite("Plain load", .timeLimit(.minutes(20))) struct PlainLoadTests {
    @Test("Everything that was sent is answered or failed, and each answer has its latency")
    func counts() throws {
        let server = RawServer {
            $0.hasPrefix("GET /health ") ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok" : ""
        }
        let load = try PlainLoad(base: server.origin, path: "/health", flights: 4, lasting: .milliseconds(200))
        #expect(load.answered >= 4 && load.failed == 0 && load.latencies.count == load.answered)
        #expect(load.took >= .milliseconds(200) && load.perSecond > 10)
        #expect(load.latencies.allSatisfy { $0 > .zero && $0 <= load.took })
    }

    @Test("Nobody there: as many failures as flights, at once")
    func nobody() throws {
        let server = RawServer { _ in "" }
        server.stop()
        let load = try PlainLoad(base: server.origin, path: "/", flights: 3, lasting: .seconds(60))
        #expect(load.answered == 0 && load.failed == 3 && load.took < .seconds(30))
    }
}
