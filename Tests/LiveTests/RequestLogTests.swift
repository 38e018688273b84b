import FleetModel
import Testing

@testable import Live
@testable import Run

@Suite("Requests told", .timeLimit(.minutes(20))) struct RequestLogTests {
    private func request(_ target: String = "/kvs/v1/s/sync", method: String = "POST", _ body: Int = 0) -> HTTPRequest {
        HTTPRequest(method, target, headers: ["A": "bc"], body: [UInt8](repeating: 1, count: body))
    }
    private let clock = LiveClock(start: 1000, speed: 2)
    private func response(_ status: Int, _ body: Int = 0) -> Payload {
        .response(HTTPResponse(status: status, body: [UInt8](repeating: 1, count: body)))
    }

    @Test("One request: how long, how it ended, bytes with the heads; told once")
    func one() {
        var log = RequestLog(clock)
        log.began(request("/kvs/v1/s/sync", 100), exchange: 1, cause: "c", at: 5000)
        log.ended(response(200, 30), exchange: 1, at: 7000)
        // "POST /kvs/v1/s/sync HTTP/1.1\r\nA: bc\r\n\r\n" and "HTTP/1.1 200 OK\r\n\r\n"
        let end = RequestEnd(
            route: "POST kvs sync", began: .zero + .microseconds(8), took: .microseconds(2), outcome: .answered,
            bytesSent: 39 + 100,
            bytesReceived: 19 + 30)
        #expect(log.count == 1 && log.take() == [end] && log.take().isEmpty)
    }

    @Test(
        "Ends: answered, refused for good, to come again, no answer",
        arguments: [
            (200, .answered), (304, .answered), (400, .refused), (409, .refused), (429, .failed), (500, .failed),
            (503, .failed), (nil, .failed),
        ] as [(Int?, RequestEnd.Outcome)])
    func ends(status: Int?, outcome: RequestEnd.Outcome) {
        var log = RequestLog(clock)
        log.began(request(), exchange: 1, cause: "c", at: 0)
        log.ended(status.map { response($0) } ?? .failure(.connectionLost), exchange: 1, at: 0)
        #expect(log.take().map(\.outcome) == [outcome])
    }

    @Test("Repeated: the next one for the same purpose after a failure, and no other")
    func repeated() {
        var log = RequestLog(clock)
        var number: UInt64 = 0
        func ask(_ target: String, _ cause: String, _ status: Int) {
            number += 1
            log.began(request(target), exchange: number, cause: cause, at: 0)
            log.ended(response(status), exchange: number, at: 0)
        }
        ask("/kvs/v1/s/sync", "maya.1", 503)
        ask("/kvs/v1/s/sync", "maya.2", 200)
        ask("/keychain/v1/sync", "maya.1", 200)
        ask("/kvs/v1/s/sync", "maya.1", 503)
        ask("/kvs/v1/s/sync", "maya.1", 200)
        ask("/kvs/v1/s/sync", "maya.1", 200)
        #expect(log.take().map(\.isRepeated) == [false, false, false, true, true, false])
    }

    @Test("A second answer to one request, and one that nobody asked for, change nothing")
    func doubled() {
        var log = RequestLog(clock)
        log.began(request(), exchange: 1, cause: "c", at: 0)
        for exchange: UInt64 in [1, 1, 2] { log.ended(response(200), exchange: exchange, at: 0) }
        #expect(log.count == 1)
    }

    @Test(
        "Routes: method, service, operation, and nothing of whom or what",
        arguments: [
            ("POST", "/database/1/iCloud.x/production/private/records/modify?a=b", "POST database records/modify"),
            ("POST", "/push/v1/poll", "POST push poll"), ("POST", "/keychain/v1/sync", "POST keychain sync"),
            ("POST", "/documents/v1/c/changes", "POST documents changes"),
            ("PUT", "/documents/v1/c/items/17?base=3", "PUT documents items"),
            ("POST", "/documents/v1/c/items/17/move", "POST documents items"),
            ("PUT", "/upload/v1/app/maya/a.txt", "PUT upload"), ("POST", "/upload/v1/app/login", "POST upload login"),
            ("POST", "/accounts/v1/signin", "POST accounts signin"),
            ("POST", "/assets/v1/upload/xyz", "POST assets upload"), ("GET", "/", "GET"), ("GET", "", "GET"),
        ])
    func routes(method: String, target: String, route: String) {
        #expect(RequestLog.route(of: HTTPRequest(method, target)) == route)
    }

    @Test("Frames: read back as written; an unknown end is refused")
    func frames() throws {
        let end = RequestEnd(
            route: "GET x", began: Instant(nanoseconds: 60), took: .seconds(3), outcome: .refused, isRepeated: true,
            bytesSent: 7, bytesReceived: 1 << 40
        )
        var writer = ByteWriter()
        end.write(to: &writer)
        var reader = ByteReader(writer.bytes)
        #expect(try RequestEnd(from: &reader) == end)
        var bytes = writer.bytes
        // Behind a text of five letters and numbers of one and of five bytes.
        #expect(bytes[12] == RequestEnd.Outcome.refused.rawValue)
        bytes[12] = 9
        var damaged = ByteReader(bytes)
        #expect(throws: DecodingFailure.self) { try RequestEnd(from: &damaged) }
    }
}
