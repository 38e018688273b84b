import FleetModel
import Testing

@testable import PadCore

/// Commands that only the nemesis gives (Docs/pad-commands.md).
@Suite("Commands of faults", .timeLimit(.minutes(20))) struct FaultCommandTests {
    private func running(_ app: AppName = "quiz") throws -> PadBench {
        let bench = try PadBench()
        bench.signIn("maya")
        bench.open(app)
        return bench
    }
    private func sets(_ bench: PadBench) {
        let value = Value.string(EditPayload.text(token: "maya.1", "hello"))
        bench.post(bench.launch("quiz"), "kvs.set", ["key": "level", "value": value])
    }

    @Test("Hang: the app is told nothing more and is killed when its allowance is over, not before")
    func hang() throws {
        let bench = try running()
        _ = bench.takeTold()
        #expect(bench.ask("app.hang")?["ok"] == true)
        bench.advance(.seconds(9))
        #expect(bench.takeTold().isEmpty && bench.apps.count == 1)
        bench.advance(.seconds(2))
        #expect(bench.reasons(.appExited) == ["watchdog"] && bench.marks.contains("watchdog"))
        #expect(bench.ask("app.hang")?["refused"] != nil)
        #expect(bench.open("quiz")?["ok"] == true && bench.takeTold().contains("quiz didBecomeActive"))
    }

    @Test("Hang of an app in the background: what is asked of it next ends it")
    func hangBehind() throws {
        let bench = try running()
        bench.call(bench.launch("quiz"), "app.beginBackgroundTask")
        bench.open("notes")
        #expect(bench.ask("app.hang", ["app": "quiz"])?["ok"] == true)
        bench.command("app.open", ["app": "quiz"])
        bench.advance(.seconds(6))
        #expect(bench.reasons(.appExited) == ["watchdog"] && bench.launch("notes") != 0)
    }

    @Test("Crash: booked as the app's own, unlike a kill from outside")
    func crash() throws {
        for reason in ["crash", "kill"] {
            let bench = try running()
            bench.command("app.exited", ["launch": .int(bench.launch("quiz")), "reason": .string(reason)])
            #expect(bench.reasons(.appExited) == [reason == "crash" ? "crash" : "memory"])
        }
    }

    @Test(
        "Suspension: at once when the callbacks have returned, and the app comes back; a background task is waited for")
    func suspend() throws {
        let bench = try running()
        _ = bench.takeTold()
        let begin = bench.now
        #expect(bench.ask("app.suspend")?["ok"] == true)
        #expect(bench.notes(.appSuspended).count == 1 && bench.now == begin && bench.marks.contains("suspended"))
        #expect(bench.ask("app.resume")?["ok"] == true)
        #expect(
            bench.takeTold() == [
                "quiz willResignActive", "quiz didEnterBackground", "quiz willEnterForeground", "quiz didBecomeActive",
            ])
        let task = bench.call(bench.launch("quiz"), "app.beginBackgroundTask")?["task"] ?? .null
        bench.ask("app.suspend")
        bench.advance(.seconds(5))
        #expect(bench.notes(.appSuspended).count == 1)
        bench.call(bench.launch("quiz"), "app.endBackgroundTask", ["task": task])
        bench.advance(.milliseconds(1))
        #expect(bench.notes(.appSuspended).count == 2)
    }

    @Test("Suspension: nothing comes back to whoever has gone on to something else")
    func suspendedAndLeft() throws {
        let bench = try running()
        bench.ask("app.suspend")
        bench.open("notes")
        _ = bench.takeTold()
        #expect(bench.ask("app.resume")?["ok"] == true && bench.takeTold().isEmpty)
        #expect(bench.ask("app.suspend")?["ok"] == true)
        bench.ask("person.signOut")
        bench.signIn("leo")
        #expect(bench.ask("app.resume")?["ok"] == true && bench.launches.count == 2)
        #expect(bench.ask("app.suspend")?["refused"] != nil)
    }

    @Test("Sign-out when idle: not while something waits, then at once; forgotten, it never comes")
    func idle() throws {
        let bench = try running()
        bench.advance(.seconds(5))
        bench.isOnline = false
        sets(bench)
        bench.advance(.seconds(5))
        bench.ask("session.signOutWhen", ["moment": "idle"])
        bench.advance(.minutes(2))
        #expect(bench.notes(.signedOut).isEmpty)
        bench.isOnline = true
        bench.advance(.minutes(5))
        #expect(bench.notes(.signedOut).map { $0.detail["pending"] } == [0])
        #expect(bench.marks.contains("user-switch-idle"))
        bench.signIn("leo")
        bench.ask("session.signOutWhen", ["moment": "idle"])
        bench.ask("session.signOutWhen", ["moment": .null])
        bench.open("quiz")
        bench.advance(.minutes(1))
        #expect(bench.notes(.signedOut).count == 1)
        #expect(bench.ask("session.signOutWhen", ["moment": "soon"])?["refused"] != nil)
    }

    @Test("Sign-out with a background task: the moment it is taken; the switch waits for it up to its limit")
    func backgroundTask() throws {
        let bench = try running()
        bench.ask("session.signOutWhen", ["moment": "backgroundTask"])
        bench.advance(.minutes(1))
        #expect(bench.pad.sessions.session == .active("maya"))
        bench.call(bench.launch("quiz"), "app.beginBackgroundTask")
        #expect(bench.marks.contains("user-switch-background-task"))
        // What was sent with the answer of the call arrives.
        bench.command("pad.people")
        bench.advance(.seconds(30))
        #expect(bench.pad.sessions.session == .leaving("maya", forced: false))
        bench.advance(.seconds(6))
        #expect(bench.pad.sessions.session == Session.none && bench.marks.contains("background-task-expired"))
    }

    @Test("Bell: whoever is here signs out as by hand; nobody here is no bell")
    func bell() throws {
        let bench = try running()
        #expect(bench.ask("session.bell")?["ok"] == true && bench.pad.sessions.session == Session.none)
        #expect(bench.marks.contains("bell") && bench.notes(.signedOut).first?.detail["forced"] == false)
        let empty = try PadBench()
        empty.ask("session.bell")
        #expect(!empty.marks.contains("bell"))
    }

    @Test("Time-out: a guest's session ends and all of it goes; a person's does not")
    func timeOut() throws {
        let bench = try running()
        #expect(bench.ask("session.timeOut")?["refused"] != nil)
        bench.ask("person.signOut")
        bench.guest("visitor")
        #expect(bench.ask("session.timeOut")?["ok"] == true)
        bench.advance(.seconds(1))
        #expect(bench.marks.contains("session-timed-out") && bench.marks.contains("guest-session-ended"))
        #expect(bench.pad.residents.people == ["maya"])
    }

    @Test("Log-out of one person: only of that one")
    func logOutOfOne() throws {
        let bench = try running()
        #expect(bench.ask("session.logOut", ["person": "leo"])?["refused"] != nil)
        #expect(bench.ask("session.logOut", ["person": "maya"])?["ok"] == true)
    }

    @Test("Squeeze: with data to sync nobody makes room and a new person is turned away; without it somebody does")
    func squeeze() throws {
        for isPending in [true, false] {
            let bench = try running()
            bench.cloud.script = { isPending && $0.target.hasPrefix("/kvs") ? .failure(.unreachable) : nil }
            sets(bench)
            bench.advance(.seconds(5))
            bench.ask("person.signOut")
            bench.ask("session.squeeze", ["on": true])
            #expect((bench.signIn("leo")?["refused"] == nil) == !isPending)
            #expect(bench.marks.contains("no-free-slot") == isPending && bench.marks.contains("evicted") == !isPending)
            bench.ask("session.squeeze", ["on": false])
            #expect(isPending ? bench.signIn("leo")?["ok"] == true : bench.pad.residents.people == ["leo"])
        }
    }

    @Test("Eviction: only of who has nothing to sync and is not signed in")
    func evict() throws {
        let bench = try running()
        #expect(bench.ask("session.evict")?["refused"] != nil)
        bench.isOnline = false
        sets(bench)
        bench.advance(.seconds(5))
        bench.ask("person.signOut")
        #expect(
            bench.ask("session.evict", ["person": "maya"])?["refused"] != nil && bench.pad.residents.people == ["maya"])
        bench.isOnline = true
        bench.advance(.minutes(5))
        #expect(bench.ask("session.evict")?["ok"] == true && bench.pad.residents.people.isEmpty)
        #expect(bench.reasons(.purged) == ["eviction"] && bench.marks.contains("evicted"))
    }

    @Test("Erasure: the mark of pending data only when something had not gone up", arguments: [true, false])
    func erased(isPending: Bool) throws {
        let bench = try running()
        bench.isOnline = !isPending
        sets(bench)
        bench.advance(.minutes(1))
        bench.isOnline = true
        bench.manage("EraseDevice")
        #expect(bench.marks.contains("device-erased") && bench.marks.contains("erased-with-pending") == isPending)
    }

    @Test("Purge of the signed out: without purging at each sign-out, once nothing waits")
    func purgeSignedOut() throws {
        let bench = try running()
        bench.advance(.seconds(5))
        bench.ask("storage.purgeSignedOut")
        bench.ask("person.signOut")
        bench.advance(.minutes(1))
        #expect(bench.notes(.purged).isEmpty)
        bench.ask("storage.purgeSignedOut")
        #expect(bench.reasons(.purged) == ["signOut"] && !bench.marks.contains("low-space-purged"))
        bench.signIn("maya")
        bench.open("quiz")
        bench.open("notes")
        bench.advance(.seconds(5))
        bench.ask("app.memoryKill", ["app": "quiz"])
        bench.ask("storage.purge", ["app": "quiz"])
        #expect(bench.marks.contains("low-space-purged"))
    }

    @Test(
        "Delayed notice: what is asked is answered by the new state at once, the notice comes later, once, with what is true then"
    )
    func delayedNotice() throws {
        let bench = try running()
        _ = bench.takeTold()
        bench.ask("identity.change", ["to": .null, "noticeAfter": 20_000_000_000])
        #expect(bench.call(bench.launch("quiz"), "identity.get")?["identity"] == .null)
        bench.advance(.seconds(19))
        #expect(!bench.told.contains("quiz identityChanged") && !bench.marks.contains("delayed-notice"))
        bench.advance(.seconds(2))
        #expect(bench.takeTold().filter { $0 == "quiz identityChanged" }.count == 1)
        #expect(bench.lastMessage("app.identityChanged")?["identity"] == .null)
        #expect(bench.marks.contains("delayed-notice"))
        bench.ask("identity.change", ["to": "other-1", "noticeAfter": 20_000_000_000])
        bench.ask("identity.change", ["to": "own"])
        bench.advance(.minutes(1))
        #expect(bench.takeTold().filter { $0 == "quiz identityChanged" }.count == 1)
        #expect(bench.lastMessage("app.identityChanged")?["identity"]?.string?.hasPrefix("identity-") == true)
    }

    @Test("Clock: a jump counts from what is shown, drift goes on, and both have marks of their own")
    func clock() throws {
        let bench = try running()
        func ahead() -> Int64 { bench.pad.daemons.deviceClock - Instant.epochNanoseconds - bench.pad.now.nanoseconds }
        bench.ask("clock.set", ["offset": 0, "drift": 1_000_000])
        bench.advance(.seconds(10))
        bench.ask("clock.jump", ["by": 5_000_000_000])
        #expect(bench.marks.filter { $0.hasPrefix("clock") } == ["clock-drifted", "clock-jumped"])
        #expect(ahead() == 5_010_000_000)
        bench.advance(.seconds(10))
        bench.ask("clock.jump", ["by": -5_000_000_000])
        #expect(ahead() == 20_000_000)
        #expect(bench.ask("clock.jump", ["by": 0])?["refused"] != nil)
        bench.ask("clock.set", ["offset": 0])
        #expect(ahead() == 0)
    }

    @Test(
        "Power and Wi-Fi: without either what is discretionary waits and the rest goes; over a restart too",
        arguments: [("device.power", "on-battery"), ("device.wifi", "no-wifi")])
    func discretionary(command: String, mark: String) throws {
        let bench = try running()
        let file = Pad.home(of: "com.example.quiz") + "/tmp/page"
        bench.call(bench.launch("quiz"), "file.write", ["path": .string(file), "data": .data([1])])
        bench.ask(command, ["on": true])
        #expect(!bench.marks.contains(mark))
        bench.ask(command, ["on": false])
        #expect(bench.marks.contains(mark))
        for (name, waits) in [("later", true), ("now", false)] {
            bench.call(
                bench.launch("quiz"), "transfer.upload",
                [
                    "session": "s", "path": .string(file), "method": "PUT", "headers": .empty,
                    "url": .string("https://backend.quiz/\(name)"), "discretionary": .bool(waits),
                ])
        }
        bench.advance(.minutes(5))
        func sent() -> Set<String> {
            Set(bench.cloud.requests.map(\.request.target).filter { $0.hasPrefix("/upload") })
        }
        #expect(sent() == ["/upload/v1/quiz/now"])
        bench.ask("device.reboot")
        try bench.restart()
        bench.advance(.minutes(5))
        #expect(!sent().contains("/upload/v1/quiz/later"))
        bench.ask(command, ["on": true])
        bench.advance(.minutes(5))
        #expect(sent().contains("/upload/v1/quiz/later"))
    }

    @Test(
        "Full disk: people share what is left, what does not fit is refused with 640 and marked, freed space is there again"
    )
    func fullDisk() throws {
        let bench = try running()
        let path = Pad.home(of: "com.example.quiz") + "/Documents/a"
        func write(_ bytes: Int) -> Int64? {
            let body: Value = ["path": .string(path), "data": .data([UInt8](repeating: 7, count: bytes))]
            return bench.call(bench.launch("quiz"), "file.write", body)?["error"]?["code"]?.int
        }
        #expect(bench.pad.storage.freeBytes > 30_000_000_000)
        bench.ask("storage.fill", ["free": 50_000])
        #expect(bench.pad.storage.freeBytes == 50_000 && write(40_000) == nil && !bench.marks.contains("disk-full"))
        #expect(write(150_000) == 640 && bench.marks.contains("disk-full"))
        // What one takes another cannot have.
        bench.ask("person.signOut")
        bench.signIn("leo")
        bench.open("quiz")
        #expect(write(100_000) == 640)
        bench.ask("storage.fill", ["bytes": 0])
        #expect(write(100_000) == nil && bench.problems.isEmpty)
        #expect(bench.ask("storage.fill")?["refused"] != nil)
    }

    @Test("Full disk: what an app could not hand over keeps its local data on the iPad until it was in use with space")
    func unsettled() throws {
        let bench = try PadBench(purge: true)
        func visit(writing bytes: Int? = nil) {
            bench.signIn("maya")
            bench.open("quiz")
            if let bytes {
                let path = Pad.home(of: "com.example.quiz") + "/Documents/a"
                let body: Value = ["path": .string(path), "data": .data([UInt8](repeating: 7, count: bytes))]
                #expect(bench.call(bench.launch("quiz"), "file.write", body)?["error"]?["code"] == 640)
            }
            bench.ask("person.signOut")
            bench.advance(.minutes(1))
        }
        bench.ask("storage.fill", ["free": 0])
        visit(writing: 9)
        #expect(bench.notes(.purged).isEmpty && bench.marks.contains("disk-full"))
        visit()
        #expect(bench.notes(.purged).isEmpty)
        bench.ask("storage.fill", ["bytes": 0])
        visit()
        #expect(bench.reasons(.purged) == ["signOut"])
    }

    @Test("Full disk: a CloudKit operation that found no room keeps its app's local data too")
    func unsettledOperation() throws {
        let bench = try PadBench(purge: true)
        bench.signIn("maya")
        bench.open("quiz")
        bench.ask("storage.fill", ["free": 0])
        let save: Value = [
            "recordName": "n1", "recordType": "Note", "fields": ["text": ["value": "hello", "type": "STRING"]],
        ]
        bench.post(
            bench.launch("quiz"), "ck.modify",
            [
                "container": "iCloud.com.example.quiz", "database": "private", "op": "a", "longLived": true,
                "zone": "Notes", "save": [save],
            ], exchange: 7)
        #expect(bench.marks.contains("disk-full"))
        bench.ask("person.signOut")
        bench.advance(.minutes(1))
        #expect(bench.notes(.purged).isEmpty)
    }

    @Test("Full disk: it stays full over a restart")
    func stillFull() throws {
        let bench = try running()
        bench.ask("storage.fill", ["free": 0])
        try bench.restart()
        #expect(bench.pad.storage.freeBytes <= 0)
    }
}
