import FleetModel
import Storage
import Testing

@testable import PadCore

@Suite("Guests", .timeLimit(.minutes(20))) struct GuestTests {
    @Test("Guest: no account, nothing of iCloud leaves, own volume; all of it is gone at the end")
    func guest() throws {
        let bench = try PadBench()
        #expect(bench.guest("visitor")?["ok"] == true)
        #expect(bench.notes(.signedIn).first?.detail["guest"] == true)
        bench.open("quiz")
        #expect(bench.call(bench.launch("quiz"), "identity.get") == ["identity": .null, "accountStatus": 3])
        bench.post(
            bench.launch("quiz"), "kvs.set",
            ["key": "k", "value": .string(EditPayload.text(token: "visitor.1", "hello"))])
        bench.advance(.minutes(5))
        #expect(bench.cloud.requests.isEmpty)
        bench.ask("person.signOut")
        #expect(bench.pad.residents.people.isEmpty && bench.reasons(.purged) == ["temporarySession"])
        #expect(bench.notes(.purged).flatMap(\.tokens) == ["visitor.1"])
        #expect(bench.disk(of: "visitor")?.files(under: "/").isEmpty == true)
        #expect(bench.marks.contains("guest-session-ended") && !bench.marks.contains("user-switch-with-pending"))
    }

    /// A guest with quiz on the screen.
    private func visitor() throws -> PadBench {
        let bench = try PadBench(entitlements: [
            "quiz": [
                "com.apple.developer.icloud-container-identifiers": ["iCloud.com.example.quiz"],
                "com.apple.developer.icloud-services": ["CloudKit"],
            ]
        ])
        bench.guest("visitor")
        bench.open("quiz")
        return bench
    }
    private func read(_ database: String, _ bench: PadBench) {
        bench.post(
            bench.launch("quiz"), "ck.lookup",
            [
                "container": "iCloud.com.example.quiz", "database": .string(database), "op": .string(database),
                "zone": "_defaultZone", "names": ["poster"],
            ], exchange: 70)
        bench.command("pad.people")
        bench.advance(.seconds(1))
    }

    @Test(
        "Guest: the public database is read in nobody's name, the private one is not; the network is there (S106, S223)"
    )
    func publicDatabase() throws {
        let bench = try visitor()
        bench.cloud.script = {
            $0.target.contains("/public/records/lookup")
                ? .response(HTTPResponse(status: 200, json: ["records": []])) : nil
        }
        read("private", bench)
        #expect(bench.cloud.requests.isEmpty && bench.lastMessage("ck.lookup")?["error"]?["code"] == 9)
        read("public", bench)
        let sent = try #require(bench.cloud.requests.first?.request)
        #expect(sent.headers["X-Homeroom-Account"] == "none" && sent.headers["Authorization"] == nil)
        #expect(bench.messages.last?.message["records"]?.array?.isEmpty == true)
        #expect(bench.call(bench.launch("quiz"), "app.watchNetwork") == ["satisfied": true])
    }

    @Test(
        "Guest: requests and background uploads go out without an account; a refusal is theirs; unsent ones end with the session"
    )
    func transfers() throws {
        let bench = try visitor()
        let quiz = bench.launch("quiz")
        bench.post(
            quiz, "http.send", ["method": "GET", "url": "https://backend.quiz/menu", "headers": .empty], exchange: 71)
        bench.advance(.seconds(1))
        #expect(bench.messages.last?.message["status"] == 401, "the backend's answer, no renewal of what is not there")
        #expect(bench.cloud.requests.map(\.request.target) == ["/upload/v1/quiz/menu"])
        #expect(bench.cloud.requests.first?.request.headers["Authorization"] == nil)
        let file = Pad.home(of: "com.example.quiz") + "/tmp/page"
        bench.call(
            quiz, "file.write",
            ["path": .string(file), "data": .data(Array(EditPayload.text(token: "visitor.1", "x").utf8))])
        bench.isOnline = false
        bench.call(
            quiz, "transfer.upload",
            [
                "session": "s", "path": .string(file), "method": "PUT", "url": "https://backend.quiz/page",
                "headers": .empty,
            ])
        bench.advance(.seconds(5))
        bench.ask("person.signOut")
        bench.isOnline = true
        bench.advance(.hours(2))
        #expect(bench.cloud.requests.count == 1 && bench.pad.residents.people.isEmpty)
        #expect(bench.disk(of: "visitor")?.files(under: "/").isEmpty == true)
    }

    @Test("Guest: the power cut ends the session too")
    func powerCut() throws {
        let bench = try PadBench()
        bench.guest("visitor")
        bench.ask("device.powerCut", ["seed": 3])
        try bench.restart()
        #expect(bench.pad.residents.people.isEmpty && bench.disk(of: "visitor")?.files(under: "/").isEmpty == true)
    }

    @Test("Guest: the name of somebody with an account on the iPad is refused")
    func name() throws {
        let bench = try PadBench()
        bench.signIn("maya")
        bench.ask("person.signOut")
        #expect(bench.guest("maya")?["refused"] != nil)
        #expect(bench.signIn("maya")?["ok"] == true)
    }

    @Test("Session timeouts: of guests and of people, counted from the last thing done", arguments: [true, false])
    func timeout(isGuest: Bool) throws {
        let bench = try PadBench(configuration: [
            isGuest ? "TemporarySessionTimeout" : "UserSessionTimeout": 60
        ])
        if isGuest { bench.guest("visitor") } else { bench.signIn("visitor") }
        bench.advance(.seconds(50))
        bench.open("quiz")
        bench.advance(.seconds(50))
        #expect(bench.notes(.signedOut).isEmpty)
        bench.advance(.seconds(15))
        #expect(bench.notes(.signedOut).count == 1 && bench.marks.contains("session-timed-out"))
        // The other kind of session has no limit.
        if isGuest { bench.signIn("visitor") } else { bench.guest("other") }
        bench.advance(.minutes(10))
        #expect(bench.notes(.signedOut).count == 1)
    }

    @Test("Grace period: a cached person is asked for online each time (0) or after days; without a network refused")
    func grace() throws {
        for (days, pause, isAsked) in [(0, Span.minutes(1), true), (2, .hours(47), false), (2, .hours(49), true)] {
            let bench = try PadBench(configuration: ["OnlineAuthenticationGracePeriod": .int(days)])
            bench.signIn("maya")
            bench.ask("person.signOut")
            bench.advance(pause)
            bench.isOnline = false
            #expect((bench.signIn("maya")?["refused"] != nil) == isAsked)
            bench.ask("person.signOut")
            bench.isOnline = true
            #expect(bench.signIn("maya")?["ok"] == true)
            #expect(bench.notes(.signedIn).allSatisfy { $0.detail["first"] == true } == false)
            #expect(bench.pad.residents.people == ["maya"])
        }
    }
}
