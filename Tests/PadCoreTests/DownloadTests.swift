import FleetModel
import Testing

@testable import PadCore

@Suite("Downloads", .timeLimit(.minutes(20))) struct DownloadTests {
    private let pad: FakePad
    private let daemon = TransferDaemon()
    private let app: AppIdentity
    private static let page = Array(String(repeating: "lesson ", count: 50).utf8)

    init() throws {
        pad = try FakePad()
        daemon.boot(pad)
        daemon.observe(.signedIn("maya"), pad)
        app = pad.launch("homework", daemon: daemon)
    }
    private func download(timeout: Span? = nil) -> Value {
        var body: Value = [
            "session": "s", "method": "GET", "url": "https://backend.homework/lessons/1", "headers": .empty,
            "description": "lesson",
        ]
        body["timeout"] = timeout.map { .int($0.nanoseconds) }
        return daemon.call(Message("transfer.download", body), from: app, pad).body
    }
    private func answer(_ sent: FakePad.Sent) {
        daemon.reply(.response(HTTPResponse(status: 200, headers: [:], body: Self.page)), to: sent.task, pad)
    }
    private func file(_ path: String) -> [UInt8]? { try? pad.volume(of: "maya")?.disk.read(path) }

    @Test(
        "A download goes on without its app, which is started for the file; what it does not take then is removed (S137)",
        arguments: ["suspended", "killed", "power cut"])
    func handedOver(event: String) throws {
        #expect(download()["task"] == 1)
        let first = try #require(pad.takeRequest())
        #expect(first.request.method == "GET" && first.request.target == "/upload/v1/homework/lessons/1")
        #expect(first.request.body.isEmpty && daemon.pending(of: "maya").isEmpty)
        switch event {
        case "suspended": pad.enter(.suspended, app, daemon)
        case "killed": pad.end(app, daemon)
        default:
            pad.end(app, daemon)
            try pad.powerCut()
            daemon.boot(pad)
            daemon.observe(.signedIn("maya"), pad)
        }
        answer(event == "power cut" ? try #require(pad.takeRequest()) : first)
        #expect(pad.backgroundLaunches.map(\.reason) == ["transfers"] && pad.posts.isEmpty)
        let next = pad.launch("homework", launch: 2, phase: .background, daemon: daemon)
        let told = try #require(pad.lastPost("transfer.completed"))
        let location = try #require(told["location"]?.string)
        #expect(location.hasPrefix("/var/mobile/Containers/Data/Application/com.example.homework/Library/Caches/"))
        #expect(told["status"] == 200 && told["data"] == nil && told["description"] == "lesson")
        #expect(file(location) == Self.page)
        let exchange = try #require(pad.posts.last?.exchange)
        daemon.post(Message("transfer.completed"), exchange: exchange, from: next, pad)
        #expect(file(location) == nil)
        let tasks = daemon.call(Message("transfer.tasks", ["session": "s"]), from: next, pad)
        #expect(tasks["tasks"] == [])
    }

    @Test("The system gives up after the session's own time, 7 days without one", arguments: [Span.hours(1), nil])
    func timeout(limit: Span?) throws {
        pad.online = false
        _ = download(timeout: limit)
        let end = limit ?? .hours(7 * 24)
        pad.advance(Span(nanoseconds: end.nanoseconds - Span.minutes(1).nanoseconds), daemon)
        #expect(pad.lastPost("transfer.completed") == nil)
        pad.advance(.minutes(2), daemon)
        #expect(pad.lastPost("transfer.completed")?["error"]?["code"] == -1001)
    }
}
