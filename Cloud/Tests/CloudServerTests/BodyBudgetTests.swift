import CloudLoad
import FleetModel
import Foundation
import Testing

@testable import CloudServer

@Suite("Bodies in flight", .timeLimit(.minutes(20))) struct BodyBudgetTests {
    private static let path = "/database/1/iCloud.com.example.web/development/public/records/query"
    private static let query = "?ckAPIToken=dev&ckWebAuthToken=person%3Amaya"

    /// The head of a request with a body of so many bytes, and a part of it.
    private static func begin(_ port: Int, declared: Int, sent: Int) throws -> Connection {
        let connection = try Connection(port: port)
        let head = "POST \(path)\(query) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: \(declared)\r\n\r\n"
        try connection.write(Array(head.utf8) + [UInt8](repeating: 0x20, count: sent))
        return connection
    }
    private static func wait(_ budget: BodyBudget, for bytes: Int) {
        LiveServer.wait { budget.bytes == bytes }
        #expect(budget.bytes == bytes)
    }

    @Test("Beyond all bytes together: 503 with Retry-After and the error object; what is done with makes room")
    func crowded() async throws {
        let live = try LiveServer()
        let budget = BodyBudget(limit: 100_000)
        try await live.serve(live.server(budget: budget)) { port in
            try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
                Thread.detachNewThread {
                    done.resume(
                        with: Result {
                            var first: Connection? = try Self.begin(port, declared: 90_000, sent: 80_000)
                            Self.wait(budget, for: 80_000)
                            let second = try Self.begin(port, declared: 30_000, sent: 30_000)
                            let refused = try second.response()
                            #expect(refused.status == 503)
                            #expect(refused.json?["serverErrorCode"]?.string == "TRY_AGAIN_LATER")
                            #expect(refused.json?["retryAfter"]?.int == 2)
                            #expect(refused.headers["Retry-After"] == "2")
                            Self.wait(budget, for: 80_000)
                            try first?.write([UInt8](repeating: 0x20, count: 10_000))
                            #expect(try first?.response().status == 400, "spaces are no JSON")
                            Self.wait(budget, for: 0)
                            let third = try Self.begin(port, declared: 90_000, sent: 50_000)
                            Self.wait(budget, for: 50_000)
                            _ = third
                            first = nil
                        })
                }
            }
        }
        // The connection has ended in the middle of a body.
        for _ in 0..<60_000 where budget.bytes != 0 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(budget.bytes == 0)
    }
}

@Suite("Strangers", .timeLimit(.minutes(20))) struct StrangerTests {
    private static func answer(_ port: Int, _ target: String, _ headers: String, declared: Int) throws -> HTTPResponse {
        let connection = try Connection(port: port)
        let head = "POST \(target) HTTP/1.1\r\nHost: x\r\n\(headers)Content-Length: \(declared)\r\n\r\n"
        try connection.write(Array(head.utf8))
        return try connection.response()
    }

    @Test("A long body is not waited for of who shows nothing that is good here; of who does it is read")
    func longBodies() async throws {
        let live = try LiveServer()
        let base = "/database/1/iCloud.com.example.web/development/private/records/modify"
        try await live.run(isDevelopment: false) { port in
            let long = Server.strangersBytesMax + 1
            for (target, headers) in [
                (base, ""), (base + "?ckAPIToken=dev&ckWebAuthToken=person%3Amaya", ""), (base + "?ckAPIToken=dev", ""),
                (base, "Authorization: Bearer guess\r\n"), ("/assets/v1/upload/guess", ""),
                ("/webcourier/v1/guess", ""),
                ("/accounts/v1/signin", ""),
                (base, "X-Apple-CloudKit-Request-KeyID: x\r\nX-Apple-CloudKit-Request-ISO8601Date: x\r\n"),
            ] {
                let refused = try Self.answer(port, target, headers, declared: long)
                #expect(refused.status == 401)
                #expect(refused.json?["serverErrorCode"]?.string == "AUTHENTICATION_FAILED")
            }
            let connection = try Connection(port: port)
            try connection.write(
                Array("POST \(base) HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n11000\r\n".utf8)
                    + [UInt8](repeating: 0x20, count: 0x11000))
            #expect(try connection.response().status == 400, "one that does not say how long it is")
            let wire = HTTPWire(port: port)
            _ = wire.command("cloud.account", ["account": "maya"])
            let password = wire.command("cloud.password", ["account": "maya"])["password"] ?? .null
            let session = wire.send(
                .init(
                    post: "/accounts/v1/signin",
                    json: ["account": "maya", "device": "ipad-1", "password": password]))
            var request = FleetModel.HTTPRequest("POST", base, body: [UInt8](repeating: 0x20, count: long))
            request.headers["Authorization"] = "Bearer \(session.json?["token"]?.string ?? "")"
            #expect(
                wire.send(request).json?["serverErrorCode"]?.string == "BAD_REQUEST", "it was read: spaces are no JSON")
            request.body = []
            request.target = base.replacing("records/modify", with: "assets/upload")
            request.body = (["tokens": [["recordType": "Note", "fieldName": "f"]]] as Value).jsonBytes
            let url = wire.send(request).json?["tokens"]?.array?.first?["url"]?.string ?? ""
            let file = FleetModel.HTTPRequest(
                "POST", String(url.dropFirst(LiveServer.origin.count)), body: [UInt8](repeating: 1, count: long))
            #expect(wire.send(file).json?["singleFile"]?["size"]?.int == Int64(long))
        }
    }

    @Test("A connection on which nothing comes is closed, and its body takes nothing any more")
    func idle() async throws {
        let live = try LiveServer()
        let budget = BodyBudget()
        var server = try live.server(budget: budget)
        server.idleTimeout = .milliseconds(300)
        try await live.serve(server) { port in
            try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
                Thread.detachNewThread {
                    done.resume(
                        with: Result {
                            let connection = try Connection(port: port)
                            let head = "POST /kvs/v1/s/sync HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n{"
                            try connection.write(Array(head.utf8))
                            // The server ends it: by an answer, or by nothing.
                            _ = try? connection.response()
                            #expect(throws: ConnectionError.self) { try connection.response() }
                        })
                }
            }
        }
        #expect(budget.bytes == 0)
    }
}

@Suite("Bells", .timeLimit(.minutes(20))) struct BellsTests {
    @Test("Couriers that were rung long ago are forgotten")
    func forgotten() {
        let bells = Bells(keptFor: .zero)
        for number in 0..<10_000 { bells.ring("\(number)") }
        #expect(bells.known <= 1025)
        let lasting = Bells()
        for number in 0..<3000 { lasting.ring("\(number)") }
        #expect(lasting.known == 3000)
    }
}
