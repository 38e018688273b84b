import FleetModel
import Testing

@testable import PadCore

@Suite(.timeLimit(.minutes(20))) struct Transfers {
    let pad: FakePad
    let daemon = TransferDaemon()
    let app: AppIdentity
    static let home = "/var/mobile/Containers/Data/Application/com.example.homework"
    static let body = Array(EditPayload.text(token: "maya.1", "essay").utf8)

    init() throws {
        pad = try FakePad()
        daemon.boot(pad)
        daemon.observe(.signedIn("maya"), pad)
        app = pad.launch("homework", daemon: daemon)
        let disk = try #require(pad.volume(of: "maya")).disk
        try disk.makeFolder(Self.home + "/tmp")
        try disk.write(Self.home + "/tmp/body", Self.body, sync: false)
    }

    @discardableResult func upload(
        _ path: String = home + "/tmp/body", url: String = "https://backend.homework/essay-1", delay: Span = .zero
    ) -> Value {
        daemon.call(
            Message(
                "transfer.upload",
                [
                    "session": "s", "path": .string(path), "method": "PUT", "url": .string(url),
                    "headers": ["X-Credential": "c", "Authorization": "stolen", "x-homeroom-device": "ipad-9"],
                    "description": "essay", "delay": .int(delay.nanoseconds),
                ]), from: app, pad
        ).body
    }
    func complete(_ status: Int = 201) { pad.answer(status, ["path": "essay-1"], daemon) }
    func tasks(_ launch: AppIdentity) -> Int? {
        daemon.call(Message("transfer.tasks", ["session": "s"]), from: launch, pad)["tasks"]?.array?.count
    }
    func acknowledge(_ launch: AppIdentity) {
        for post in pad.posts where post.message.name == "transfer.completed" {
            daemon.post(Message("transfer.completed"), exchange: post.exchange, from: launch, pad)
        }
    }

    @Test("an upload: cloned, handed over, sent with the app's header and none of the system's")
    func sent() throws {
        #expect(upload()["task"]?.int == 1)
        #expect(pad.tokens(.handedOver) == ["maya.1"])
        let disk = try #require(pad.volume(of: "maya")).disk
        try disk.remove(Self.home + "/tmp/body")
        let sent = try #require(pad.takeRequest())
        #expect(sent.request.target == "/upload/v1/homework/essay-1")
        #expect(sent.request.body == Self.body)
        #expect(sent.request.headers["X-Credential"] == "c")
        #expect(sent.request.headers["Authorization"] == nil)
        #expect(sent.request.headers["X-Homeroom-Device"] == nil)
        #expect(sent.cause == "maya.1")
        daemon.reply(.response(HTTPResponse(status: 201, json: [:])), to: sent.task, pad)
        let completed = try #require(pad.lastPost("transfer.completed"))
        #expect(completed["status"]?.int == 201)
        #expect(completed["description"]?.string == "essay")
        #expect(daemon.queuedTokens(of: "maya").isEmpty)
        #expect(daemon.pending(of: "maya").count == 1)
        acknowledge(app)
        #expect(daemon.pending(of: "maya").isEmpty)
        #expect(tasks(app) == 0)
    }

    @Test(
        "an upload: refused at once when it cannot be taken",
        arguments: [
            (home + "/tmp/none", "https://backend.homework/a", -1100),
            (home + "/../../com.example.quiz/x", "https://backend.homework/a", -1100),
            ("/etc/passwd", "https://backend.homework/a", -1100),
            (home + "/tmp/body", "http://backend.homework/a", -1002),
            (home + "/tmp/body", "https://example.com/a", -1003),
            (home + "/tmp/body", "https://backend.x/../../accounts", -1002),
            (home + "/tmp", "https://backend.homework/a", -1100),
        ])
    func refused(path: String, url: String, code: Int64) {
        #expect(upload(path, url: url)["error"]?["code"]?.int == code)
        #expect(daemon.pending(of: "maya").isEmpty)
        #expect(pad.tokens(.handedOver).isEmpty)
    }

    @Test(
        "an upload: the same request until it is answered, whatever happens (S28, S143, S145)",
        arguments: ["loss", "death", "powerCut", "signOut"])
    func goesOn(event: String) throws {
        upload()
        let first = try #require(pad.takeRequest())
        switch event {
        case "death": pad.end(app, daemon)
        case "signOut":
            pad.end(app, daemon)
            daemon.observe(.signedOut("maya"), pad)
        default: break
        }
        if event == "powerCut" {
            try pad.powerCut()
            daemon.boot(pad)
        } else {
            daemon.reply(.failure(.connectionLost), to: first.task, pad)
        }
        pad.advance(.minutes(1), daemon)
        let second = try #require(pad.takeRequest())
        #expect(second.request == first.request)
        #expect(first.request.headers["X-Homeroom-Request"] != nil)
        daemon.reply(.response(HTTPResponse(status: 201, json: [:])), to: second.task, pad)
        #expect(pad.marks.contains("upload-after-sign-out") == (event == "signOut" || event == "powerCut"))
        #expect(daemon.queuedTokens(of: "maya").isEmpty)
    }

    @Test("a power cut right after resume(): the clone is whole", arguments: 1...8 as ClosedRange<UInt64>)
    func powerCut(seed: UInt64) throws {
        let disk = try #require(pad.volume(of: "maya")).disk
        let long = Self.body + [UInt8](repeating: 7, count: 5000)
        try disk.write(Self.home + "/tmp/body", long, sync: false)
        pad.online = false
        upload()
        try pad.powerCut(seed: seed)
        daemon.boot(pad)
        pad.online = true
        daemon.observe(.networkReturned, pad)
        #expect(pad.takeRequest()?.request.body == long)
    }

    @Test("an outcome: 4xx and 5xx are finished transfers", arguments: [403, 503])
    func finished(status: Int) {
        upload()
        complete(status)
        #expect(pad.lastPost("transfer.completed")?["status"]?.int == Int64(status))
        #expect(pad.takeRequest() == nil)
    }

    @Test("a dead account token is no outcome: tried again")
    func deadToken() throws {
        upload()
        pad.answer(401, ["serverErrorCode": "AUTHENTICATION_FAILED", "reason": "revoked"], daemon)
        #expect(pad.lastPost("transfer.completed") == nil)
        pad.advance(.seconds(30), daemon)
        #expect(pad.takeRequest() != nil)
    }

    @Test("an outcome: the app is started for it, hears of its session first, and is told again until it answers")
    func background() throws {
        upload()
        pad.end(app, daemon)
        complete()
        #expect(
            pad.backgroundLaunches == [FakePad.BackgroundLaunch(app: "homework", person: "maya", reason: "transfers")])
        let second = pad.launch("homework", launch: 2, phase: .background, daemon: daemon)
        #expect(pad.posts.map(\.message.name) == ["app.backgroundEvents", "transfer.completed"])
        pad.end(second, daemon)
        pad.advance(.minutes(5), daemon)
        #expect(pad.backgroundLaunches.count >= 2)
        let third = pad.launch("homework", launch: 3, phase: .background, daemon: daemon)
        #expect(tasks(third) == 1)
        acknowledge(third)
        #expect(tasks(third) == 0)
        try pad.powerCut()
        daemon.boot(pad)
        #expect(daemon.pending(of: "maya").isEmpty)
    }

    @Test("an outcome: a suspended app is resumed for it, once (S27)")
    func resumed() {
        upload()
        pad.enter(.suspended, app, daemon)
        complete()
        #expect(pad.posts.isEmpty)
        #expect(pad.backgroundLaunches.count == 1)
        pad.enter(.background, app, daemon)
        #expect(pad.posts.map(\.message.name) == ["app.backgroundEvents", "transfer.completed"])
        pad.enter(.suspended, app, daemon)
        pad.advance(.hours(2), daemon)
        #expect(pad.backgroundLaunches.count == 1)
    }

    @Test("an outcome: given again when the app makes its session only later")
    func lateSession() {
        upload()
        pad.end(app, daemon)
        complete()
        let second = pad.launch("homework", launch: 2, daemon: daemon)
        #expect(pad.posts.count == 1)
        #expect(tasks(second) == 1)
        #expect(pad.posts.count == 1)
        pad.end(second, daemon)
        let third = pad.launch("homework", launch: 3, daemon: daemon)
        pad.now = pad.now + .seconds(1)
        #expect(tasks(third) == 1)
        #expect(pad.posts.count == 3)
        #expect(tasks(third) == 1)
        #expect(pad.posts.count == 3)
    }

    @Test("an outcome: another launch's or another app's answer forgets nothing")
    func foreignAnswer() throws {
        upload()
        complete()
        let other = pad.launch("quiz", launch: 2)
        acknowledge(other)
        daemon.post(Message("transfer.completed"), exchange: 1, from: app, pad)
        daemon.post(Message("transfer.completed"), exchange: .max, from: app, pad)
        #expect(daemon.pending(of: "maya").count == 1)
    }

    @Test("a force-quit cancels what is not finished, and the app learns it at its next launch (S146)")
    func forceQuit() throws {
        upload()
        upload(url: "https://backend.homework/essay-2")
        pad.launchesInBackground = false
        pad.end(app, forced: true, daemon)
        #expect(pad.tokens(.transfersCancelled) == ["maya.1"])
        #expect(pad.forgotten.count == 2)
        #expect(daemon.queuedTokens(of: "maya").isEmpty)
        try pad.powerCut()
        daemon.boot(pad)
        pad.advance(.hours(1), daemon)
        #expect(pad.takeRequest() == nil)
        pad.launch("homework", launch: 2, daemon: daemon)
        #expect(pad.posts.map { $0.message["error"]?["code"]?.int } == [-999, -999])
    }

    @Test("an upload is given up after seven days")
    func lifetime() {
        pad.online = false
        upload()
        pad.advance(.hours(7 * 24 - 1), daemon)
        #expect(pad.lastPost("transfer.completed") == nil)
        pad.advance(.hours(2), daemon)
        #expect(pad.lastPost("transfer.completed")?["error"]?["code"]?.int == -1001)
    }

    @Test(
        "an upload with a begin date: not sent before it, whatever happens meanwhile",
        arguments: ["sign-in", "network", "powerCut"])
    func beginDate(event: String) throws {
        upload(delay: .hours(2))
        upload(url: "https://backend.homework/essay-2")
        complete()
        pad.advance(.hours(1), daemon)
        switch event {
        case "sign-in": daemon.observe(.signedIn("maya"), pad)
        case "network": daemon.observe(.networkReturned, pad)
        default:
            try pad.powerCut()
            daemon.boot(pad)
        }
        pad.advance(.minutes(59), daemon)
        #expect(pad.takeRequest() == nil)
        #expect(daemon.pending(of: "maya").map(\.waitsFor).contains { $0.contains("not before") })
        pad.advance(.minutes(1), daemon)
        #expect(pad.takeRequest()?.request.target == "/upload/v1/homework/essay-1")
    }

    @Test("two uploads to one address go one after the other; others side by side")
    func order() {
        upload()
        upload()
        upload(url: "https://backend.homework/essay-2")
        #expect(
            pad.sent.map(\.task.name) == ["upload /upload/v1/homework/essay-1", "upload /upload/v1/homework/essay-2"])
        complete()
        #expect(pad.sent.last?.task.name == "upload /upload/v1/homework/essay-1")
    }

    @Test(
        "hostile messages are refused",
        arguments: [
            Message("transfer.upload"),
            Message("transfer.upload", ["session": "s", "path": 1, "method": "PUT", "url": "x"]),
            Message("transfer.upload", ["session": "", "path": "p", "method": "PUT", "url": "https://backend.a/"]),
            Message("transfer.tasks", .null), Message("transfer.steal", ["session": "s"]),
        ])
    func hostile(message: Message) {
        #expect(daemon.call(message, from: app, pad)["error"]?["code"]?.int == 22)
        #expect(daemon.pending(of: "maya").isEmpty)
    }
}

@Suite(.timeLimit(.minutes(20))) struct ForegroundRequests {
    let pad: FakePad
    let daemon = HTTPDaemon()
    let app: AppIdentity

    init() throws {
        pad = try FakePad()
        app = pad.launch("homework")
    }
    func send(_ url: Value = "https://backend.homework/login", exchange: UInt64 = 7) {
        daemon.post(
            Message("http.send", ["method": "POST", "url": url, "headers": [:], "data": .data([1])]),
            exchange: exchange, from: app, pad)
    }

    @Test("header fields that frame the message or belong to the connection are the system's own")
    func framing() {
        let given: Value = [
            "Content-Length": "0", "transfer-encoding": "chunked", "Host": "other", "Connection": "close", "X-A": "1",
        ]
        #expect(BackendURL.headers(given).fields.map(\.name) == ["X-A"])
    }

    @Test("a request: sent to the app's backend and answered")
    func answered() throws {
        send()
        let sent = try #require(pad.takeRequest())
        #expect(sent.request.target == "/upload/v1/homework/login")
        daemon.reply(.response(HTTPResponse(status: 200, json: ["credential": "c"])), to: sent.task, pad)
        #expect(pad.lastPost("http.send")?["status"]?.int == 200)
        #expect(pad.posts.last?.exchange == 7)
    }

    @Test("requests of one name are told apart")
    func twins() throws {
        send(exchange: 1)
        send(exchange: 2)
        let first = try #require(pad.takeRequest())
        let second = try #require(pad.takeRequest())
        #expect(first.task != second.task)
        #expect(first.cause == second.cause)
        daemon.reply(.response(HTTPResponse(status: 200)), to: second.task, pad)
        #expect(pad.posts.map(\.exchange) == [2])
    }

    @Test("a request: its own time, 60 s without one; over it fails as timed out, a break before it does not")
    func timeout() {
        send()
        #expect(pad.sent.last?.timeout == .seconds(60))
        daemon.post(
            Message(
                "http.send",
                [
                    "method": "GET", "url": "https://backend.homework/slow", "headers": [:], "timeout": 5_000_000_000,
                ]), exchange: 8, from: app, pad)
        #expect(pad.sent.last?.timeout == .seconds(5))
        pad.now = pad.now + .seconds(5)
        pad.fail(.connectionLost, daemon)
        pad.fail(.connectionLost, daemon)
        #expect(pad.posts.map { $0.message["error"]?["code"] } == [-1005, -1001])
    }

    @Test("a request: fails offline, on a broken connection, on suspension and on nonsense (S155)")
    func failures() throws {
        pad.online = false
        send()
        #expect(pad.lastPost("http.send")?["error"]?["code"]?.int == -1009)
        pad.online = true
        send()
        pad.fail(.connectionLost, daemon)
        #expect(pad.lastPost("http.send")?["error"]?["code"]?.int == -1005)
        send()
        pad.fail(.unreachable, daemon)
        #expect(pad.lastPost("http.send")?["error"]?["code"]?.int == -1009)
        send()
        pad.enter(.suspended, app, daemon)
        #expect(pad.lastPost("http.send")?["error"]?["code"]?.int == -1005)
        #expect(pad.forgotten.count == 1)
        send(17)
        #expect(pad.lastPost("http.send")?["error"]?["code"]?.int == 22)
        pad.posts = []
        send()
        pad.end(app, daemon)
        #expect(pad.posts.isEmpty)
    }
}
