import FleetModel
import Storage
import Testing

@testable import PadCore

@Suite("Session", .timeLimit(.minutes(20))) struct SessionTests {
    private func set(_ bench: PadBench, _ key: String, _ token: Token) {
        bench.post(
            bench.launch("quiz"), "kvs.set",
            ["key": .string(key), "value": .string(EditPayload.text(token: token, "hello"))])
    }

    @Test("First sign-in: needs the network; a cached person does not")
    func signIn() throws {
        let bench = try PadBench()
        bench.isOnline = false
        #expect(bench.signIn("maya")?["refused"] != nil)
        #expect(bench.notes(.signInRefused).count == 1)
        bench.isOnline = true
        #expect(bench.signIn("maya")?["ok"]?.bool == true)
        bench.ask("person.signOut")
        bench.isOnline = false
        #expect(bench.signIn("maya")?["ok"]?.bool == true)
        #expect(bench.notes(.signedIn).map { $0.detail["first"]?.bool } == [true, false])
    }

    @Test("First sign-in: tried again after a lost request, with the same request id")
    func signInRetry() throws {
        let bench = try PadBench()
        bench.isOnline = false
        let asked = bench.command("person.signIn", ["person": "maya"])
        bench.advance(.seconds(16))
        bench.isOnline = true
        bench.advance(.seconds(5))
        #expect(bench.answer(asked)?["ok"]?.bool == true)
        #expect(bench.cloud.requests.first?.request.headers["X-Homeroom-Request"] == "signin/ipad-1/1")
    }

    @Test("First sign-in: airplane mode, an unknown account, and a captive portal are refused")
    func signInRefused() throws {
        let bench = try PadBench()
        bench.ask("device.airplane", ["on": true])
        #expect(bench.signIn("maya")?["refused"] != nil)
        bench.ask("device.airplane", ["on": false])
        bench.cloud.unknownAccounts = ["maya"]
        #expect(bench.signIn("maya")?["refused"] == "unknown account")
        bench.cloud.script = { _ in .response(HTTPResponse(status: 200, body: Array("<html>".utf8))) }
        #expect(bench.signIn("leo")?["refused"] != nil)
        #expect(bench.notes(.signInRefused).count == 3)
        #expect(bench.pad.residents.people.isEmpty)
    }

    @Test("Sign-in: one session at a time; during a sign-out it waits for the login screen")
    func oneSession() throws {
        let bench = try PadBench()
        bench.signIn("maya")
        #expect(bench.signIn("leo")?["refused"] != nil)
        bench.open("quiz")
        bench.stuck = ["app.didEnterBackground"]
        bench.command("person.signOut")
        let asked = bench.command("person.signIn", ["person": "leo"])
        #expect(bench.answer(asked) == nil)
        bench.advance(.seconds(6))
        #expect(bench.answer(asked)?["ok"]?.bool == true)
        #expect(bench.reasons(.appExited) == ["watchdog"])
        #expect(bench.marks.contains("user-switched"))
    }

    @Test("Sign-out: callbacks, then the process ends without notice, then the login screen; the queue goes on")
    func signOut() throws {
        let bench = try PadBench()
        bench.signIn("maya")
        bench.open("quiz")
        bench.inApp = { _, message in if message.name == "app.willResignActive" { set(bench, "level", "maya.1") } }
        bench.cloud.script = { $0.target.hasPrefix("/kvs") ? .failure(.unreachable) : nil }
        _ = bench.takeTold()
        #expect(bench.ask("person.signOut")?["ok"]?.bool == true)
        #expect(bench.takeTold() == ["quiz willResignActive", "quiz didEnterBackground"])
        let kinds: [Note.Kind] = [.handedOver, .appSuspended, .appExited, .signedOut]
        #expect(bench.notes.map(\.kind).filter(kinds.contains) == kinds)
        #expect(bench.reasons(.appExited) == ["userSwitch"])
        #expect(bench.marks.contains("user-switch-with-pending"))
        #expect(bench.pad.daemons.pending(of: "maya").flatMap(\.tokens) == ["maya.1"])
        bench.cloud.script = { _ in nil }
        bench.advance(.minutes(3))
        #expect(bench.pad.daemons.pending(of: "maya").isEmpty)
        #expect(bench.cloud.value("level")?.string?.contains("maya.1") == true)
        #expect(bench.marks.contains("upload-after-sign-out"))
    }

    @Test("Sign-out: waits for a background task up to its limit; a forced one does not", arguments: [false, true])
    func signOutWithTask(forced: Bool) throws {
        let bench = try PadBench()
        bench.signIn("maya")
        bench.open("quiz")
        bench.call(bench.launch("quiz"), "app.beginBackgroundTask")
        let start = bench.now
        #expect(bench.ask(forced ? "session.logOut" : "person.signOut")?["ok"]?.bool == true)
        #expect(bench.now == (forced ? start : start + .seconds(35)))
        #expect(bench.told.contains("quiz backgroundTaskExpired") == !forced)
        #expect(bench.reasons(.appExited) == [forced ? "userSwitch" : "watchdog"])
    }

    @Test("Slots: a synced person makes room, the one away longest; nobody with data to sync does")
    func eviction() throws {
        let bench = try PadBench(slots: 2)
        for person in ["maya", "leo"] {
            bench.signIn(person)
            bench.ask("person.signOut")
        }
        #expect(bench.signIn("ida")?["ok"]?.bool == true)
        #expect(bench.pad.residents.people == ["leo", "ida"])
        #expect(bench.notes(.purged).map(\.person) == ["maya"])
        #expect(bench.reasons(.purged) == ["eviction"])
        bench.ask("person.signOut")
        bench.cloud.script = { $0.target.hasPrefix("/kvs") ? .failure(.unreachable) : nil }
        for person in ["leo", "ida"] {
            bench.signIn(person)
            bench.open("quiz")
            set(bench, "k", "\(person).1")
            bench.ask("person.signOut")
        }
        #expect(bench.signIn("maya")?["refused"]?.string?.contains("no free slot") == true)
        #expect(bench.pad.residents.people == ["leo", "ida"])
        bench.cloud.script = { _ in nil }
        bench.advance(.minutes(5))
        #expect(bench.signIn("maya")?["ok"]?.bool == true)
        #expect(bench.pad.residents.people == ["ida", "maya"])
    }

    @Test(
        "Purge at sign-out: only when nothing waits any more, only apps that allow it (S2, S12)",
        arguments: [true, false])
    func purge(purgeable: Bool) throws {
        let bench = try PadBench(purge: true, purgeable: purgeable)
        bench.signIn("maya")
        bench.open("quiz")
        let file = Pad.home(of: "com.example.quiz") + "/Documents/a.txt"
        bench.call(bench.launch("quiz"), "file.write", ["path": .string(file), "data": .data([1])])
        bench.cloud.script = { $0.target.hasPrefix("/kvs") ? .failure(.unreachable) : nil }
        set(bench, "k", "maya.1")
        bench.ask("person.signOut")
        #expect(bench.disk(of: "maya")?.status(file) != nil)
        bench.cloud.script = { _ in nil }
        bench.advance(.minutes(5))
        #expect((bench.disk(of: "maya")?.status(file) == nil) == purgeable)
        #expect(bench.reasons(.purged) == (purgeable ? ["signOut"] : []))
    }

    @Test("Purge and eviction: not before the apps used without iCloud have run with it again")
    func purgeWithoutAccount() throws {
        let bench = try PadBench(slots: 1, purge: true)
        bench.signIn("maya")
        bench.open("quiz")
        let home = Pad.home(of: "com.example.quiz")
        bench.ask("identity.change", ["to": "unavailable"])
        bench.ask("person.signOut")
        bench.advance(.minutes(5))
        #expect(bench.disk(of: "maya")?.status(home) != nil)
        #expect(bench.signIn("leo")?["refused"] != nil)
        bench.ask("identity.change", ["to": "own"])
        bench.advance(.minutes(5))
        #expect(bench.disk(of: "maya")?.status(home) != nil, "the app has not run with its account yet")
        bench.signIn("maya")
        bench.open("quiz")
        bench.ask("person.signOut")
        bench.advance(.minutes(5))
        #expect(bench.disk(of: "maya")?.status(home) == nil)
        #expect(bench.signIn("leo")?["ok"]?.bool == true)
    }

    @Test("Volumes: nobody finds another person's files (S1)")
    func isolation() throws {
        let bench = try PadBench()
        let file: Value = [
            "path": .string(Pad.home(of: "com.example.quiz") + "/Documents/a.txt"), "data": .data([1]),
        ]
        bench.signIn("maya")
        bench.open("quiz")
        #expect(bench.call(bench.launch("quiz"), "file.write", file) == .empty)
        bench.ask("person.signOut")
        bench.signIn("leo")
        bench.open("quiz")
        #expect(bench.call(bench.launch("quiz"), "file.read", file)?["error"]?["code"] == 260)
        bench.ask("person.signOut")
        bench.signIn("maya")
        bench.open("quiz")
        #expect(bench.call(bench.launch("quiz"), "file.read", file)?["data"]?.data == [1])
    }

    @Test("Power cut: what was handed over is uploaded by the next life")
    func powerCut() throws {
        for seed in 0..<8 {
            let bench = try PadBench()
            bench.signIn("maya")
            bench.open("quiz")
            bench.cloud.script = { $0.target.hasPrefix("/kvs") ? .failure(.unreachable) : nil }
            for number in 1...5 { set(bench, "k\(number)", "maya.\(number)") }
            bench.call(bench.launch("quiz"), "kvs.synchronize")
            set(bench, "k6", "maya.6")
            #expect(bench.tokens(.handedOver) == ["maya.1", "maya.2", "maya.3", "maya.4", "maya.5"])
            bench.command("device.powerCut", ["seed": .int(Int64(seed))])
            #expect(bench.reasons(.appExited) == ["powerCut"])
            #expect(!bench.marks.contains("power-cut-with-unsynced"), "a queue is durable: the cut takes nothing of it")
            bench.cloud.script = { _ in nil }
            try bench.restart()
            bench.advance(.minutes(1))
            for number in 1...5 { #expect(bench.cloud.value("k\(number)")?.string?.contains("maya.\(number)") == true) }
            #expect(bench.cloud.value("k6") == nil)
            #expect(bench.problems == [])
        }
    }

    @Test("Power cut: the mark of un-synced files only where an app's file is in danger")
    func unsyncedFiles() throws {
        for sync in [true, false] {
            let bench = try PadBench()
            bench.signIn("maya")
            bench.open("quiz")
            let file: Value = [
                "path": .string(Pad.home(of: "com.example.quiz") + "/Documents/a.txt"), "data": .data([1]),
                "atomic": true,
            ]
            bench.call(bench.launch("quiz"), "file.write", file)
            if sync { bench.call(bench.launch("quiz"), "file.sync", file) }
            bench.command("device.powerCut", ["seed": 1])
            #expect(bench.marks.contains("power-cut-with-unsynced") == !sync)
        }
    }

    @Test("After a power cut the iPad does nothing until it is made anew")
    func down() throws {
        let bench = try PadBench()
        bench.signIn("maya")
        bench.open("quiz")
        bench.command("device.powerCut", ["seed": 1])
        let count = bench.notes.count
        #expect(bench.ask("app.open", ["app": "quiz"])?["refused"] != nil)
        bench.advance(.minutes(10))
        #expect(bench.notes.count == count)
    }

    @Test("Reboot: people stay cached, nobody is signed in, the airplane switch keeps its place")
    func reboot() throws {
        let bench = try PadBench()
        bench.signIn("maya")
        bench.open("quiz")
        bench.ask("device.airplane", ["on": true])
        bench.command("device.reboot")
        #expect(bench.reasons(.appExited) == ["reboot"])
        try bench.restart()
        #expect(bench.ask("pad.people") == ["people": ["maya"]])
        #expect(bench.open("quiz")?["refused"] != nil)
        #expect(!bench.pad.network.canReachNetwork(as: "maya"))
        #expect(bench.signIn("maya")?["ok"]?.bool == true)
        #expect(bench.marks.contains("rebooted"))
    }

    @Test("Pending and observation: empty when idle, tokens where they lie")
    func observation() throws {
        let bench = try PadBench()
        bench.signIn("maya")
        bench.advance(.seconds(5))
        #expect(bench.ask("pad.pending") == ["pending": []])
        bench.open("quiz")
        bench.cloud.script = { $0.target.hasPrefix("/kvs") ? .failure(.unreachable) : nil }
        set(bench, "k", "maya.1")
        bench.call(
            bench.launch("quiz"), "file.write",
            [
                "path": .string(Pad.home(of: "com.example.quiz") + "/tmp/x"),
                "data": .data(Array(EditPayload.text(token: "maya.2", "x").utf8)),
            ])
        #expect(bench.ask("pad.pending")?["pending"]?.array?.first?["tokens"] == ["maya.1"])
        bench.ask("pad.observe")
        #expect(
            bench.notes(.observed).map { "\($0.detail["where"]?.string ?? "") \($0.tokens)" } == [
                "padQueue [\"maya.1\"]", "padDisk [\"maya.2\"]",
            ])
    }

    @Test("Unknown commands and messages: a clear refusal, never a trap")
    func hostile() throws {
        let bench = try PadBench()
        for name in [
            "", "device.explode", "person.signIn", "app.open", "app.perform", "app.read", "app.exited",
            "device.airplane",
        ] {
            #expect(bench.ask(name)?["refused"] != nil, "\(name)")
        }
        bench.signIn("maya")
        bench.open("quiz")
        let launch = bench.launch("quiz")
        for name in [
            "", ".", "x", "x.y", "app.", "app.endBackgroundTask", "file.", "file.write", "kvs.what", "kvs",
            "identity.set", "ui.perform",
        ] {
            #expect(bench.call(launch, name, 7)?["error"] != nil, "\(name)")
            bench.post(launch, name, [1, 2], exchange: 99)
            bench.post(launch, name, .null)
        }
        #expect(bench.call(77, "file.read", ["path": "/x"])?["error"] != nil)
        #expect(bench.apps[launch] != nil)
    }
}
