import FleetModel
import Testing

@testable import PadCore

/// What a background session says about its transfers, and what the system makes of it (app-lifecycle.md 7).
@Suite("Background sessions", .timeLimit(.minutes(20))) struct BackgroundSessionTests {
    private let pad: FakePad
    private let daemon = TransferDaemon()
    private let app: AppIdentity
    private static let essay = Array(EditPayload.text(token: "maya.1", "essay").utf8)
    private static var file: String { Pad.home(of: "com.example.homework") + "/tmp/body" }

    init() throws {
        pad = try FakePad()
        daemon.boot(pad)
        daemon.observe(.signedIn("maya"), pad)
        app = pad.launch("homework", daemon: daemon)
        let disk = try #require(pad.volume(of: "maya")).disk
        try disk.makeFolder(Pad.home(of: "com.example.homework") + "/tmp")
        try disk.write(Self.file, Self.essay, sync: false)
    }
    @discardableResult private func upload(_ name: String, _ more: Value = .empty, session: String = "s") -> Int64? {
        var body: Value = [
            "session": .string(session), "path": .string(Self.file), "method": "PUT",
            "url": .string("https://backend.homework/\(name)"), "headers": .empty,
        ]
        for pair in more.object?.pairs ?? [] { body[pair.key] = pair.value }
        return daemon.call(Message("transfer.upload", body), from: app, pad)["task"]?.int
    }
    private func suits(_ isSo: Bool) {
        pad.suitsDiscretionary = isSo
        daemon.observe(.suitsDiscretionary, pad)
    }
    private func acknowledge(_ launch: AppIdentity) {
        for post in pad.posts where post.message.name == "transfer.completed" {
            daemon.post(Message("transfer.completed"), exchange: post.exchange, from: launch, pad)
        }
        pad.posts = []
    }

    @Test("Discretionary: waits for power and Wi-Fi, also over a power cut; the other does not")
    func discretionary() throws {
        suits(false)
        upload("later", ["discretionary": true])
        upload("now")
        #expect(pad.sent.map(\.request.target) == ["/upload/v1/homework/now"])
        #expect(daemon.pending(of: "maya").first?.waitsFor == "power and Wi-Fi")
        try pad.powerCut()
        daemon.boot(pad)
        #expect(pad.sent.map(\.request.target) == ["/upload/v1/homework/now"])
        suits(true)
        #expect(pad.sent.map(\.request.target) == ["/upload/v1/homework/now", "/upload/v1/homework/later"])
    }

    @Test("Begun in the background: discretionary always; begun in the foreground: as the session says")
    func background() {
        suits(false)
        pad.enter(.background, app, daemon)
        upload("asleep")
        #expect(pad.sent.isEmpty)
        pad.enter(.active, app, daemon)
        #expect(pad.sent.isEmpty, "to come back does not change what it was begun as")
        upload("awake")
        #expect(pad.sent.map(\.request.target) == ["/upload/v1/homework/awake"])
        pad.advance(.hours(7 * 24 + 1), daemon)
        #expect(pad.posts.filter { $0.message["error"]?["code"] == -1001 }.count == 2)
    }

    /// One transfer begun in the background after a relaunch for another one; gives how long it was held.
    private func held(_ round: Int) -> Span {
        let launch = pad.launch("homework", launch: round + 1, phase: .background, daemon: daemon)
        var body: Value = [
            "session": "s", "path": .string(Self.file), "method": "PUT",
            "url": .string("https://backend.homework/round-\(round)"), "headers": .empty,
        ]
        body["description"] = "round"
        _ = daemon.call(Message("transfer.upload", body), from: launch, pad)
        acknowledge(launch)
        pad.end(launch, daemon)
        let began = pad.now
        while pad.sent.isEmpty, let wake = daemon.nextWake, wake < began + .hours(3) {
            pad.advance(wake - pad.now, daemon)
        }
        defer { pad.answer(201, [:], daemon) }
        return pad.now - began
    }

    @Test("Limiter: each relaunch makes the delay of what is begun in the background longer; the foreground resets it")
    func limiter() {
        upload("first")
        pad.end(app, daemon)
        pad.answer(201, [:], daemon)
        #expect(pad.backgroundLaunches.count == 1)
        #expect((1...4).map(held) == [.seconds(30), .seconds(60), .seconds(120), .seconds(240)])
        #expect(pad.backgroundLaunches.count == 5, "no launch itself is put off")
        let front = pad.launch("homework", launch: 9, daemon: daemon)
        acknowledge(front)
        pad.end(front, daemon)
        #expect(held(10) == .zero)
    }

    @Test(
        "Limiter: the delay starts anew when it has passed without another relaunch; what begins in front never waits")
    func limiterPasses() {
        upload("first")
        pad.end(app, daemon)
        pad.answer(201, [:], daemon)
        #expect(held(1) == .seconds(30))
        let last = pad.launch("homework", launch: 5, phase: .background, daemon: daemon)
        acknowledge(last)
        pad.end(last, daemon)
        pad.advance(.minutes(10), daemon)
        #expect(held(6) == .zero)
        let front = pad.launch("homework", launch: 9, daemon: daemon)
        _ = daemon.call(
            Message(
                "transfer.upload",
                [
                    "session": "s", "path": .string(Self.file), "method": "PUT",
                    "url": "https://backend.homework/front", "headers": .empty,
                ]), from: front, pad)
        #expect(pad.sent.map(\.request.target) == ["/upload/v1/homework/front"])
    }

    @Test("sessionSendsLaunchEvents off: the app is not started for the end, and hears of it when it runs")
    func quiet() {
        upload("one", ["launches": false])
        pad.end(app, daemon)
        pad.answer(201, [:], daemon)
        pad.advance(.hours(3), daemon)
        #expect(pad.backgroundLaunches.isEmpty)
        pad.launch("homework", launch: 2, daemon: daemon)
        #expect(pad.lastPost("transfer.completed")?["status"] == 201)
    }

    @Test("timeoutIntervalForRequest: one try's time; no failure of the transfer, the system tries again")
    func requestTimeout() throws {
        upload("one", ["requestTimeout": .int(Span.seconds(5).nanoseconds)])
        #expect(pad.sent.first?.timeout == .seconds(5))
        pad.fail(.connectionLost, daemon)
        pad.advance(.minutes(1), daemon)
        #expect(pad.posts.isEmpty && pad.sent.first?.timeout == .seconds(5))
        #expect(pad.takeRequest() != nil)
        upload("two")
        #expect(pad.takeRequest()?.timeout == nil)
    }

    @Test("Task numbers: counted in each session from 1, over relaunch, end and power cut; two sessions share them")
    func numbers() throws {
        pad.online = false
        #expect([upload("a"), upload("b"), upload("c", session: "t"), upload("d")] == [1, 2, 1, 3])
        func tasks(_ session: String, _ app: AppIdentity) -> [Value?] {
            (daemon.call(Message("transfer.tasks", ["session": .string(session)]), from: app, pad)["tasks"]?.array ?? [])
                .map { $0["task"] }
        }
        #expect(tasks("s", app) == [1, 2, 3] && tasks("t", app) == [1])
        _ = daemon.call(Message("transfer.cancel", ["session": "t", "task": 1]), from: app, pad)
        #expect(
            pad.lastPost("transfer.completed")?["session"] == "t" && pad.lastPost("transfer.completed")?["task"] == 1)
        acknowledge(app)
        #expect(tasks("s", app) == [1, 2, 3] && tasks("t", app) == [])
        try pad.powerCut()
        daemon.boot(pad)
        daemon.observe(.signedIn("maya"), pad)
        let again = pad.launch("homework", launch: 2, daemon: daemon)
        #expect(tasks("s", again) == [1, 2, 3])
        // The app's own file was not synced.
        let disk = try #require(pad.volume(of: "maya")).disk
        try disk.makeFolder(Pad.home(of: "com.example.homework") + "/tmp")
        try disk.write(Self.file, Self.essay, sync: false)
        #expect([upload("e", session: "t"), upload("f")] == [2, 4], "no number comes twice")
        pad.online = true
        daemon.observe(.networkReturned, pad)
        for _ in 0..<5 { pad.answer(201, [:], daemon) }
        let told = pad.posts.filter { $0.message.name == "transfer.completed" }.map(\.message)
        #expect(told.map { $0["session"] } == ["s", "s", "s", "t", "s"] && told.map { $0["task"] } == [1, 2, 3, 2, 4])
        acknowledge(again)
        #expect(tasks("s", again) == [] && tasks("t", again) == [])
    }

    enum Seal: CaseIterable { case lock, signOut }

    @Test(
        "Answer that comes behind a lock: EPERM where the app has sealed its caches, though the backend has it; else whole (S190)",
        arguments: [
            (nil, false), (.completeUntilFirstUserAuthentication, false), (.completeUnlessOpen, true),
            (.complete, true),
        ]
            as [(ProtectionClass?, Bool)], Seal.allCases)
    func sealedAnswer(protection: (class: ProtectionClass?, isSealed: Bool), seal: Seal) throws {
        let volume = try #require(pad.volume(of: "maya"))
        if let found = protection.class {
            try volume.protection.set(found, Pad.home(of: "com.example.homework") + "/Library/Caches")
        }
        upload("open")
        pad.answer(201, ["path": "open"], daemon)
        #expect(pad.lastPost("transfer.completed")?["status"] == 201, "unlocked")
        acknowledge(app)
        upload("behind")
        _ = daemon.call(
            Message(
                "transfer.download",
                ["session": "s", "method": "GET", "url": "https://backend.homework/lesson", "headers": .empty]),
            from: app, pad)
        pad.isProtectedDataAvailable = false
        if seal == .signOut {
            pad.end(app, daemon)
            daemon.observe(.signedOut("maya"), pad)
        }
        pad.answer(201, ["path": "behind"], daemon)
        pad.answer(200, ["lesson": 1], daemon)
        try pad.powerCut()
        pad.isProtectedDataAvailable = true
        daemon.boot(pad)
        daemon.observe(.signedIn("maya"), pad)
        pad.posts = []
        pad.launch("homework", launch: 2, daemon: daemon)
        let told = pad.posts.filter { $0.message.name == "transfer.completed" }.map(\.message)
        try #require(told.count == 2)
        for (message, status) in zip(told, [201, 200] as [Value]) {
            #expect((message["error"]?["domain"] == "POSIX" && message["error"]?["code"] == 1) == protection.isSealed)
            #expect(message[protection.isSealed ? "error" : "status"] != nil)
            #expect((protection.isSealed ? message["error"]?["status"] : message["status"]) == status)
        }
        #expect((told[1]["location"] == nil) == protection.isSealed)
    }

    @Test("Cancelled by the app: nothing more is sent, -999 without a reason, the bytes are the app's again")
    func cancelled() throws {
        let task = try #require(upload("one"))
        _ = daemon.call(Message("transfer.cancel", ["session": "s", "task": .int(task)]), from: app, pad)
        #expect(pad.forgotten.count == 1)
        let told = try #require(pad.lastPost("transfer.completed")?["error"])
        #expect(told["code"] == -999 && told["reason"] == nil && told["resumeData"] == nil)
        #expect(pad.tokens(.handedBack) == ["maya.1"])
        let stranger = pad.launch("quiz", launch: 5)
        let other = try #require(upload("two"))
        _ = daemon.call(Message("transfer.cancel", ["session": "s", "task": .int(other)]), from: stranger, pad)
        #expect(pad.tokens(.handedBack) == ["maya.1"], "another app's task")
    }

    @Test("Force-quit: -999 with the reason that the person quit the app, kept over a power cut (S146)")
    func forceQuit() throws {
        upload("one")
        pad.launchesInBackground = false
        pad.end(app, forced: true, daemon)
        try pad.powerCut()
        daemon.boot(pad)
        pad.launch("homework", launch: 2, daemon: daemon)
        let told = try #require(pad.lastPost("transfer.completed")?["error"])
        #expect(told["code"] == -999 && told["reason"] == 0)
    }
}
