import FleetModel
import Testing

@testable import PadCore

@Suite("Lifecycle", .timeLimit(.minutes(20))) struct LifecycleTests {
    private func signedIn() throws -> PadBench {
        let bench = try PadBench()
        bench.signIn("maya")
        return bench
    }

    @Test("Callbacks: cold launch to the foreground (S125)")
    func coldLaunch() throws {
        let bench = try signedIn()
        let before = bench.now
        #expect(bench.open("quiz")?["ok"]?.bool == true)
        #expect(bench.takeTold() == ["quiz didFinishLaunching", "quiz didBecomeActive"])
        #expect(bench.now == before + .milliseconds(400))
        #expect(bench.launches.map(\.spec["reason"]) == ["user"])
        #expect(bench.launches.first?.spec["home"] == "/var/mobile/Containers/Data/Application/com.example.quiz")
    }

    @Test("Callbacks: home, suspension, return (S123, S126, S127, S128, S135, S174)")
    func homeAndBack() throws {
        let bench = try signedIn()
        bench.open("quiz")
        _ = bench.takeTold()
        #expect(bench.ask("app.home")?["ok"]?.bool == true)
        #expect(bench.takeTold() == ["quiz willResignActive", "quiz didEnterBackground"])
        #expect(bench.notes(.appSuspended).isEmpty)
        bench.advance(.milliseconds(1500))
        #expect(bench.notes(.appSuspended).count == 1)
        bench.open("quiz")
        #expect(bench.takeTold() == ["quiz willEnterForeground", "quiz didBecomeActive"])
        #expect(bench.notes(.appResumed).count == 1)
        #expect(bench.launches.count == 1)
    }

    @Test("Interruption: inactive and active again, never in the background (S125, S126)")
    func interruption() throws {
        let bench = try signedIn()
        #expect(bench.ask("device.interrupt")?["refused"] != nil)
        bench.open("quiz")
        _ = bench.takeTold()
        #expect(bench.ask("device.interrupt")?["ok"] == true)
        bench.advance(.minutes(1))
        #expect(bench.takeTold() == ["quiz willResignActive"])
        #expect(bench.call(bench.launch("quiz"), "app.state")?["state"] == "inactive")
        #expect(bench.notes(.appSuspended).isEmpty && bench.marks.contains("interrupted"))
        let edit = Edit(
            token: "maya.1", person: "maya", app: "quiz", action: "answer", item: "a-1", verb: .put, value: "x")
        let asked = bench.command("app.perform", edit.body)
        bench.advance(.seconds(5))
        #expect(bench.answer(asked) == nil, "nobody reaches an app through an alert")
        #expect(bench.ask("device.interruptEnded")?["ok"] == true)
        #expect(bench.takeTold() == ["quiz didBecomeActive", "quiz ui.perform"])
    }

    @Test("Interruption: who leaves the screen meanwhile goes on to the background and comes back uncovered")
    func interruptedAndGone() throws {
        let bench = try signedIn()
        bench.open("quiz")
        bench.ask("device.interrupt")
        bench.ask("app.home")
        bench.advance(.seconds(3))
        bench.open("quiz")
        #expect(
            bench.takeTold().suffix(4) == [
                "quiz willResignActive", "quiz didEnterBackground", "quiz willEnterForeground", "quiz didBecomeActive",
            ])
    }

    @Test("Callbacks: the present app leaves before the next one comes")
    func switchApps() throws {
        let bench = try signedIn()
        bench.open("quiz")
        _ = bench.takeTold()
        bench.open("notes")
        #expect(
            bench.takeTold() == [
                "quiz willResignActive", "quiz didEnterBackground", "notes didFinishLaunching", "notes didBecomeActive",
            ])
    }

    @Test("Callbacks: cold launch to the background gets its event last, then rests (S162, S167)")
    func backgroundLaunch() throws {
        let bench = try signedIn()
        #expect(bench.pad.apps.launchInBackground("quiz", person: "maya", reason: "push"))
        let app = try #require(bench.pad.apps.running("maya", app: "quiz").first)
        bench.pad.apps.post(Message("app.remoteNotification", ["payload": ["n": 1]]), exchange: 0, to: app)
        bench.command("pad.pending")
        bench.advance(.seconds(3))
        #expect(bench.takeTold() == ["quiz didFinishLaunching", "quiz didEnterBackground", "quiz remoteNotification"])
        #expect(bench.launches.first?.spec["reason"] == "background")
        #expect(bench.notes(.appSuspended).count == 1)
    }

    @Test("Callbacks: an event that comes during a launch waits for its end")
    func eventDuringLaunch() throws {
        let bench = try signedIn()
        bench.stuck = ["app.didFinishLaunching"]
        bench.pad.apps.launchInBackground("quiz", person: "maya", reason: "push")
        bench.advance(.seconds(1))
        let app = try #require(bench.pad.apps.running("maya", app: "quiz").first)
        bench.pad.apps.post(Message("app.remoteNotification", ["payload": 1]), exchange: 0, to: app)
        bench.pad.apps.post(Message("app.remoteNotification", ["payload": 2]), exchange: 0, to: app)
        bench.advance(.seconds(1))
        #expect(bench.takeTold() == ["quiz didFinishLaunching"])
        bench.stuck = []
        bench.returnLate("app.didFinishLaunching")
        #expect(bench.takeTold() == ["quiz didEnterBackground", "quiz remoteNotification"])
        #expect(bench.lastMessage("app.remoteNotification") == ["payload": 2])
    }

    @Test(
        "Watchdog: an app that does not return from a callback is killed (S131, S184, S219)",
        arguments: [
            ("app.didFinishLaunching", Int64(20)), ("app.didEnterBackground", 5), ("app.willEnterForeground", 5),
        ])
    func watchdog(callback: String, seconds: Int64) throws {
        let bench = try signedIn()
        bench.stuck = [callback]
        bench.command("app.open", ["app": "quiz"])
        bench.advance(.seconds(1))
        bench.command("app.home")
        bench.advance(.seconds(1))
        bench.command("app.open", ["app": "quiz"])
        bench.advance(.seconds(seconds - 3))
        #expect(bench.reasons(.appExited).isEmpty)
        bench.advance(.seconds(4))
        #expect(bench.reasons(.appExited) == ["watchdog"])
        #expect(bench.launch("quiz") == 0 || bench.launch("quiz") == 2)
    }

    @Test(
        "Background task: held, the app runs on; at 30 s it expires, unended it costs the process (S136, S139, S140, S141, S185)",
        arguments: [true, false])
    func backgroundTask(endsAtExpiry: Bool) throws {
        let bench = try signedIn()
        bench.open("quiz")
        let launch = bench.launch("quiz")
        let task = try #require(bench.call(launch, "app.beginBackgroundTask", ["name": "save"])?["task"]?.int)
        #expect(task > 0)
        bench.inApp = { launch, message in
            if endsAtExpiry, message.name == "app.backgroundTaskExpired" {
                bench.call(launch, "app.endBackgroundTask", ["task": .int(task)])
            }
        }
        bench.ask("app.home")
        bench.advance(.seconds(29))
        #expect(bench.notes(.appSuspended).isEmpty)
        #expect(!bench.told.contains("quiz backgroundTaskExpired"))
        bench.advance(.seconds(10))
        #expect(bench.told.contains("quiz backgroundTaskExpired"))
        #expect(bench.reasons(.appExited) == (endsAtExpiry ? [] : ["watchdog"]))
        #expect(bench.notes(.appSuspended).count == (endsAtExpiry ? 1 : 0))
    }

    @Test("Background task: no more time for didEnterBackground itself, 5 s with a task too (S185)")
    func callbackDespiteTask() throws {
        let bench = try signedIn()
        bench.open("quiz")
        bench.call(bench.launch("quiz"), "app.beginBackgroundTask")
        bench.stuck = ["app.didEnterBackground"]
        bench.command("app.home")
        bench.advance(.seconds(4))
        #expect(bench.reasons(.appExited).isEmpty)
        bench.advance(.seconds(2))
        #expect(bench.reasons(.appExited) == ["watchdog"])
    }

    @Test("Suspended app: notices wait, the newest of a kind comes first on return (S175)")
    func queuedNotices() throws {
        let bench = try signedIn()
        bench.open("quiz")
        bench.ask("app.home")
        bench.advance(.seconds(3))
        _ = bench.takeTold()
        bench.ask("identity.change", ["to": .null])
        bench.ask("identity.change", ["to": "other"])
        #expect(bench.takeTold().isEmpty)
        bench.open("quiz")
        #expect(bench.takeTold() == ["quiz identityChanged", "quiz willEnterForeground", "quiz didBecomeActive"])
        let second = bench.pad.accounts.token(of: SecondAccount.name(of: "maya"))
        #expect(bench.lastMessage("app.identityChanged")?["identity"] == .string(second))
    }

    @Test("Force-quit: no callback, no background launch until the person opens the app (S133, S151)")
    func forceQuit() throws {
        let bench = try signedIn()
        bench.open("quiz")
        _ = bench.takeTold()
        #expect(bench.ask("app.forceQuit", ["app": "quiz"])?["ok"]?.bool == true)
        #expect(bench.takeTold().isEmpty)
        #expect(bench.reasons(.appExited) == ["forceQuit"])
        #expect(!bench.pad.apps.launchInBackground("quiz", person: "maya", reason: "push"))
        bench.open("quiz")
        bench.command("app.exited", ["launch": .int(bench.launch("quiz")), "reason": "crash"])
        #expect(bench.pad.apps.launchInBackground("quiz", person: "maya", reason: "push"))
        #expect(bench.marks.contains("force-quit"))
    }

    @Test(
        "Memory: a suspended app goes first and without notice; the one on the screen is warned (S129, S131, S132, S153)"
    )
    func memoryKill() throws {
        let bench = try signedIn()
        bench.open("quiz")
        bench.open("notes")
        bench.advance(.seconds(2))
        _ = bench.takeTold()
        bench.ask("app.memoryKill")
        #expect(bench.notes(.appExited).map(\.app) == ["quiz"])
        #expect(bench.takeTold().isEmpty)
        bench.ask("app.memoryKill")
        bench.advance(.seconds(1))
        #expect(bench.takeTold() == ["notes memoryWarning"])
        #expect(bench.reasons(.appExited) == ["memory", "memory"])
    }

    @Test("Memory: an app that runs in the background hears willTerminate (S129)")
    func memoryKillInBackground() throws {
        let bench = try signedIn()
        bench.open("quiz")
        bench.call(bench.launch("quiz"), "app.beginBackgroundTask")
        bench.ask("app.home")
        _ = bench.takeTold()
        bench.ask("app.memoryKill", ["app": "quiz"])
        #expect(bench.takeTold() == ["quiz willTerminate"])
        #expect(bench.reasons(.appExited) == ["memory"])
    }

    @Test("Memory: an app that blocks in willTerminate is ended after 5 s, whatever it had still to write (S220)")
    func blockedTermination() throws {
        let bench = try signedIn()
        bench.open("quiz")
        bench.call(bench.launch("quiz"), "app.beginBackgroundTask")
        bench.ask("app.home")
        bench.stuck = ["app.willTerminate"]
        bench.ask("app.memoryKill", ["app": "quiz"])
        bench.advance(.seconds(4))
        #expect(bench.told.last == "quiz willTerminate")
        #expect(bench.reasons(.appExited).isEmpty)
        bench.advance(.seconds(2))
        #expect(bench.reasons(.appExited).count == 1)
        #expect(bench.launch("quiz") == 0)
    }

    @Test("Crash while launching: the person who opened it is refused")
    func crashAtLaunch() throws {
        let bench = try signedIn()
        bench.stuck = ["app.didFinishLaunching"]
        let asked = bench.command("app.open", ["app": "quiz"])
        bench.advance(.seconds(1))
        bench.command("app.exited", ["launch": .int(bench.launch("quiz")), "reason": "crash"])
        #expect(bench.answer(asked)?["refused"] != nil)
        #expect(bench.reasons(.appExited) == ["crash"])
    }

    // MARK: The person's hand

    private func edit(_ token: Token, app: AppName = "quiz", person: Person = "maya") -> Value {
        Edit(token: token, person: person, app: app, action: "answer", item: "a-1", verb: .put, value: "x").body
    }

    @Test("Perform: given to the app when it is active; what it saw is noted as it begins, once, then the outcome")
    func perform() throws {
        let bench = try signedIn()
        bench.inApp = { launch, message in
            guard message.name == "ui.perform" else { return }
            // Only what the app was given can begin.
            for token in ["maya.2", "maya.1", "maya.1"] as [Value] {
                bench.post(launch, "ui.began", ["token": token, "saw": ["leo.1"], "sawDigest": "ab"])
            }
        }
        bench.command("app.open", ["app": "quiz"])
        #expect(bench.ask("app.perform", edit("maya.1"))?["ok"]?.bool == true)
        #expect(bench.takeTold().last == "quiz ui.perform")
        #expect(bench.tokens(.began) == ["maya.1"] && bench.tokens(.performed) == ["maya.1"])
        let note = try #require(bench.notes(.began).first)
        #expect(note.detail["saw"] == ["leo.1"] && note.detail["sawDigest"] == "ab")
    }

    @Test("Perform: refused by the app, by an absent app, by another person's session")
    func performRefused() throws {
        let bench = try signedIn()
        bench.answerTo = { $0.name == "ui.perform" ? ["refused": "full", "saw": []] : .empty }
        bench.open("quiz")
        #expect(bench.ask("app.perform", edit("maya.1"))?["refused"] == "full")
        let start = bench.now
        #expect(bench.ask("app.perform", edit("maya.2", app: "notes"))?["refused"] != nil)
        #expect(bench.now == start + .seconds(30))
        #expect(bench.ask("app.perform", edit("leo.1", person: "leo"))?["refused"] != nil)
        #expect(bench.tokens(.refused) == ["maya.1", "maya.2", "leo.1"])
        #expect(bench.notes(.performed).isEmpty)
        #expect(bench.told.filter { $0.hasSuffix("ui.perform") } == ["quiz ui.perform"])
    }

    @Test("Perform: an app that dies in the handler leaves it unanswered, neither performed nor refused")
    func performUnanswered() throws {
        let bench = try signedIn()
        bench.open("quiz")
        bench.stuck = ["ui.perform"]
        let asked = bench.command("app.perform", edit("maya.1"))
        bench.command("app.exited", ["launch": .int(bench.launch("quiz")), "reason": "kill"])
        #expect(bench.answer(asked)?["unanswered"] != nil)
        #expect(bench.notes(.performed).isEmpty && bench.notes(.refused).isEmpty)
        #expect(bench.reasons(.appExited) == ["memory"])
    }

    @Test("Read: the app's visible state")
    func read() throws {
        let bench = try signedIn()
        bench.open("quiz")
        bench.answerTo = { $0.name == "ui.state" ? ["items": [["id": "a"]], "complete": true] : .empty }
        #expect(bench.ask("app.read", ["app": "quiz"]) == ["items": [["id": "a"]], "complete": true])
    }

    @Test(
        "Read while the key-value store is still to be asked for: not complete, and why; complete when the Cloud has answered"
    )
    func readTooEarly() throws {
        let bench = try signedIn()
        bench.answerTo = { $0.name == "ui.state" ? ["items": [], "complete": true] : .empty }
        bench.inApp = { launch, message in
            if message.name == "app.didFinishLaunching" { bench.call(launch, "kvs.open") }
        }
        bench.isOnline = false
        bench.open("quiz")
        for _ in 1...3 {
            let answer = bench.ask("app.read", ["app": "quiz"])
            #expect(answer?["complete"] == false && answer?["items"] == [])
            #expect(answer?["reason"]?.string?.contains("key-value store") == true)
            // Also when the request has failed and the next one is not due.
            bench.advance(.seconds(59))
        }
        bench.isOnline = true
        bench.advance(.minutes(10))
        #expect(bench.ask("app.read", ["app": "quiz"]) == ["items": [], "complete": true])
        // Of what cannot be asked for nothing more will come.
        bench.command("device.airplane", ["on": true])
        bench.command("app.home")
        bench.open("quiz")
        #expect(bench.ask("app.read", ["app": "quiz"]) == ["items": [], "complete": true])
    }

    @Test("Launch numbers: not used again after a power cut")
    func launchNumbers() throws {
        let bench = try signedIn()
        bench.open("quiz")
        bench.command("device.powerCut", ["seed": 3])
        try bench.restart()
        bench.signIn("maya")
        bench.open("quiz")
        #expect(bench.launches.map(\.launch) == [1, 2])
    }
}
