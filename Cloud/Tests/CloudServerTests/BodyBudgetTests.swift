import CloudLoad
import FleetModel
import Foundation
import Testing

@testable import CloudServer

@Suite("Bodies in flight") struct BodyBudgetTests {
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

@Suite("Bells") struct BellsTests {
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
