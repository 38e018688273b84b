import FleetModel
import Testing

@testable import PadCore

/// Downloads that go on where they broke off (app-lifecycle.md 7: ETag and byte ranges).
@Suite("Resumed downloads", .timeLimit(.minutes(20))) struct ResumeDataTests {
    private let pad: FakePad
    private let daemon = TransferDaemon()
    private let app: AppIdentity
    /// A film of three ranges.
    private static let film = (0..<(2 * Int(DownloadPart.step) + 100)).map { UInt8(truncatingIfNeeded: $0 / 1000) }

    init() throws {
        pad = try FakePad()
        daemon.boot(pad)
        daemon.observe(.signedIn("maya"), pad)
        app = pad.launch("homework", daemon: daemon)
    }
    private func download(_ more: Value = .empty) -> Int64? {
        var body: Value = [
            "session": "s", "method": "GET", "url": "https://backend.homework/film", "headers": ["X-Credential": "c"],
        ]
        for pair in more.object?.pairs ?? [] { body[pair.key] = pair.value }
        return daemon.call(Message("transfer.download", body), from: app, pad)["task"]?.int
    }
    /// The backend answers what is asked for.
    private func serve(tag: String = "one", _ content: [UInt8] = film) {
        guard let sent = pad.takeRequest() else { return }
        let wanted = sent.request.headers["Range"]?.dropFirst("bytes=".count).split(separator: "-").compactMap {
            Int($0)
        }
        let isSame = sent.request.headers["If-Range"].map { $0 == tag } ?? true
        guard let wanted, isSame else {
            return daemon.reply(
                .response(HTTPResponse(status: 200, headers: ["ETag": tag], body: content)), to: sent.task, pad)
        }
        let end = min(wanted[1] + 1, content.count)
        let headers: HTTPHeaders = [
            "ETag": tag, "Content-Range": "bytes \(wanted[0])-\(end - 1)/\(content.count)",
        ]
        daemon.reply(
            .response(HTTPResponse(status: 206, headers: headers, body: Array(content[wanted[0]..<end]))),
            to: sent.task, pad)
    }
    private var ranges: [String] { pad.sent.compactMap { $0.request.headers["Range"] } }
    private func taken() throws -> [UInt8] {
        let path = try #require(pad.lastPost("transfer.completed")?["location"]?.string)
        return try #require(pad.volume(of: "maya")).disk.read(path)
    }
    private func cancel(_ task: Int64?) -> [UInt8]? {
        daemon.call(
            Message("transfer.cancel", ["session": "s", "task": .int(task ?? 0), "resume": true]), from: app, pad)[
                "resumeData"]?.data
    }

    @Test("A break costs what was under way, no more; a power cut neither", arguments: [false, true])
    func goesOn(isPowerCut: Bool) throws {
        _ = download()
        #expect(ranges == ["bytes=0-1048575"])
        serve()
        #expect(ranges == ["bytes=1048576-2097151"])
        if isPowerCut {
            try pad.powerCut()
            daemon.boot(pad)
            daemon.observe(.signedIn("maya"), pad)
            pad.launch("homework", launch: 2, daemon: daemon)
        } else {
            pad.fail(.connectionLost, daemon)
            pad.advance(.seconds(5), daemon)
        }
        #expect(ranges == ["bytes=1048576-2097151"] && pad.sent.first?.request.headers["If-Range"] == "one")
        serve()
        serve()
        #expect(try taken() == Self.film)
        #expect(pad.lastPost("transfer.completed")?["status"] == 200)
    }

    @Test("Cancelled with resume data: a new task goes on where it was; without a part there are none")
    func resumed() throws {
        #expect(cancel(download()) == nil)
        let task = download()
        serve()
        let data = try #require(cancel(task))
        #expect(pad.lastPost("transfer.completed")?["error"]?["resumeData"]?.data == data)
        pad.advance(.hours(1), daemon)
        _ = download(["url": "", "method": "", "headers": .empty, "resumeData": .data(data)])
        #expect(ranges == ["bytes=1048576-2097151"])
        #expect(pad.sent.first?.request.headers["X-Credential"] == "c")
        serve()
        serve()
        #expect(try taken() == Self.film)
    }

    @Test("Resume data: the server has another version, or the bytes are gone: all of it; nonsense is refused")
    func changed() throws {
        let task = download()
        serve()
        let data = try #require(cancel(task))
        _ = download(["resumeData": .data(data)])
        let other = [UInt8](repeating: 9, count: 50)
        serve(tag: "two", other)
        #expect(try taken() == other)
        let again = download()
        serve()
        let second = try #require(cancel(again))
        let path = try #require(Value(json: second)["path"]?.string)
        try #require(pad.volume(of: "maya")).disk.remove(path)
        _ = download(["resumeData": .data(second)])
        #expect(ranges == ["bytes=0-1048575"])
        #expect(download(["resumeData": .data([1, 2])]) == nil)
    }

    @Test("Force-quit: the error of a download holds what it can go on with (S146)")
    func forceQuit() throws {
        _ = download()
        serve()
        pad.launchesInBackground = false
        pad.end(app, forced: true, daemon)
        pad.launch("homework", launch: 2, daemon: daemon)
        let told = try #require(pad.lastPost("transfer.completed")?["error"])
        #expect(told["reason"] == 0 && told["resumeData"]?.data != nil)
    }
}
