import FleetModel
import Testing

@testable import PadCore

@Suite("Launch and states", .timeLimit(.minutes(20))) struct LaunchTests {
    private func signedIn(plist: Value = .empty, more: Value = .empty) throws -> PadBench {
        let bench = try PadBench(plist: plist, more: more)
        bench.signIn("maya")
        return bench
    }
    private func state(_ bench: PadBench, _ launch: Int) -> String {
        bench.call(launch, "app.state")?["state"]?.string ?? "none"
    }
    /// `applicationState` in each callback of what follows.
    private func states(_ bench: PadBench, _ body: () throws -> Void) rethrows -> [String] {
        var seen: [String] = []
        bench.inApp = { launch, message in seen.append("\(message.name.dropFirst(4)) \(self.state(bench, launch))") }
        defer { bench.inApp = { _, _ in } }
        try body()
        return seen
    }

    @Test("applicationState: inactive when launched to be shown, background when launched for an event (S168)")
    func applicationState() throws {
        let bench = try signedIn()
        #expect(
            states(bench) { bench.open("quiz") } == ["didFinishLaunching inactive", "didBecomeActive active"])
        #expect(state(bench, bench.launch("quiz")) == "active")
        #expect(
            states(bench) { bench.ask("app.home") } == ["willResignActive active", "didEnterBackground background"])
        let other = states(bench) {
            bench.pad.apps.launchInBackground("notes", person: "maya", reason: "push")
            bench.command("pad.pending")
            bench.advance(.seconds(1))
        }
        #expect(other == ["didFinishLaunching background", "didEnterBackground background"])
    }

    @Test(
        "Leaving the screen: home button, sleep button, another app: the same callbacks in the same order (S186)",
        arguments: ["app.home", "device.lock", "app.open"])
    func leaving(by trigger: String) throws {
        let bench = try signedIn()
        bench.open("quiz")
        _ = bench.takeTold()
        #expect(bench.ask(trigger, ["app": "notes"])?["ok"]?.bool == true)
        #expect(
            bench.takeTold().filter { $0.hasPrefix("quiz") } == ["quiz willResignActive", "quiz didEnterBackground"])
        bench.advance(.seconds(2))
        #expect(bench.notes(.appSuspended).map(\.app) == ["quiz"])
    }

    @Test("Exits on suspend: active, inactive, willTerminate, gone; 5 s at most; never in the background (S161)")
    func exitsOnSuspend() throws {
        let bench = try signedIn(plist: ["UIApplicationExitsOnSuspend": true])
        bench.open("quiz")
        _ = bench.takeTold()
        bench.ask("app.home")
        #expect(bench.takeTold() == ["quiz willResignActive", "quiz didEnterBackground", "quiz willTerminate"])
        #expect(bench.reasons(.appExited) == ["exitsOnSuspend"] && bench.launch("quiz") == 0)
        #expect(!bench.pad.apps.launchInBackground("quiz", person: "maya", reason: "push"))
        bench.open("quiz")
        #expect(bench.takeTold() == ["quiz didFinishLaunching", "quiz didBecomeActive"])
        bench.stuck = ["app.willTerminate"]
        bench.ask("app.home")
        bench.advance(.seconds(4))
        #expect(bench.launch("quiz") != 0)
        bench.advance(.seconds(2))
        #expect(bench.launch("quiz") == 0 && bench.notes(.appSuspended).isEmpty)
    }

    @Test("Exits on suspend: opened again while it is told that it ends, it is launched anew, with the URL (S161)")
    func reopened() throws {
        let bench = try signedIn(plist: ["UIApplicationExitsOnSuspend": true])
        bench.open("quiz")
        bench.stuck = ["app.willTerminate"]
        bench.ask("app.home")
        let asked = bench.command("app.openURL", ["app": "quiz", "url": "quiz://7"])
        bench.stuck = []
        bench.returnLate("app.willTerminate")
        bench.advance(.seconds(2))
        #expect(bench.answer(asked)?["ok"]?.bool == true && bench.launches.count == 2)
        #expect(bench.lastMessage("app.openURL") == ["url": "quiz://7"])
    }

    @Test("Background time: without limit on the screen, then counted down to 0, never below (S142)")
    func remainingTime() throws {
        let bench = try signedIn()
        bench.open("quiz")
        let launch = bench.launch("quiz")
        func remaining() -> Value? { bench.call(launch, "app.state")?["remaining"] }
        #expect(remaining() == .null)
        bench.call(launch, "app.beginBackgroundTask", ["name": "save"])
        bench.ask("app.home")
        #expect(remaining() == .int(Span.seconds(30).nanoseconds))
        bench.advance(.seconds(10))
        #expect(remaining() == .int(Span.seconds(20).nanoseconds))
        bench.advance(.seconds(23))
        #expect(bench.told.contains("quiz backgroundTaskExpired") && remaining() == 0)
        bench.call(launch, "app.endBackgroundTask", ["task": 1])
        bench.open("quiz")
        #expect(remaining() == .null)
    }

    @Test(
        "Launch limit: 5 s by the older guide, 20 s today; who needs longer is killed (S165)",
        arguments: [Int64(5), 20])
    func launchLimit(seconds: Int64) throws {
        let bench = try signedIn(more: seconds == 20 ? .empty : ["launchLimit": .int(seconds)])
        bench.stuck = ["app.didFinishLaunching"]
        bench.command("app.open", ["app": "quiz"])
        bench.advance(.milliseconds(400) + .seconds(seconds - 1))
        bench.stuck = []
        bench.returnLate("app.didFinishLaunching")
        #expect(bench.takeTold().last == "quiz didBecomeActive")
        bench.stuck = ["app.didFinishLaunching"]
        bench.command("app.open", ["app": "notes"])
        bench.advance(.milliseconds(400) + .seconds(seconds + 1))
        #expect(bench.reasons(.appExited) == ["watchdog"] && bench.launch("notes") == 0)
    }

    @Test("Launch: an app that waits there for a network that does not answer is killed at the limit (S166)")
    func networkAtLaunch() throws {
        for isOnline in [true, false] {
            let bench = try signedIn()
            bench.cloud.script = { request in
                request.target.hasPrefix("/upload") ? .response(HTTPResponse(status: 200, json: ["ok": true])) : nil
            }
            bench.isOnline = isOnline
            bench.stuck = ["app.didFinishLaunching", "http.send"]
            bench.inApp = { launch, message in
                if message.name == "app.didFinishLaunching" {
                    bench.post(
                        launch, "http.send",
                        ["method": "GET", "url": "https://backend.quiz/start", "headers": .empty, "data": .data([])],
                        exchange: 9)
                } else if message.name == "http.send" {
                    bench.returnLate("app.didFinishLaunching")
                }
            }
            bench.command("app.open", ["app": "quiz"])
            bench.advance(.seconds(25))
            #expect(bench.reasons(.appExited) == (isOnline ? [] : ["watchdog"]))
            #expect(bench.told.contains("quiz didBecomeActive") == isOnline)
        }
    }

    @Test("Launch: an app that asks the network and does not wait for it is launched, whatever the network does (S166)")
    func networkBesideLaunch() throws {
        let bench = try signedIn()
        bench.isOnline = false
        bench.inApp = { launch, message in
            guard message.name == "app.didFinishLaunching" else { return }
            bench.post(
                launch, "http.send",
                ["method": "GET", "url": "https://backend.quiz/start", "headers": .empty, "data": .data([])],
                exchange: 9)
        }
        bench.open("quiz")
        bench.advance(.minutes(3))
        #expect(bench.reasons(.appExited).isEmpty && bench.told.contains("quiz didBecomeActive"))
        #expect(bench.lastMessage("http.send")?["error"] != nil)
    }

    @Test("Before the first unlock: no background launch; what it was for waits until the person has signed in (S152)")
    func beforeFirstUnlock() throws {
        let bench = try signedIn()
        bench.open("quiz")
        let path = Pad.home(of: "com.example.quiz") + "/Documents/body"
        bench.call(bench.launch("quiz"), "file.write", ["path": .string(path), "data": .data([1])])
        bench.cloud.script = { $0.target.hasPrefix("/upload") ? .response(HTTPResponse(status: 200)) : nil }
        bench.isOnline = false
        let upload: Value = [
            "session": "s", "path": .string(path), "method": "POST", "url": "https://backend.quiz/work",
            "headers": .empty, "description": "work",
        ]
        #expect(bench.call(bench.launch("quiz"), "transfer.upload", upload)?["task"] != nil)
        bench.ask("device.reboot")
        bench.isOnline = true
        try bench.restart()
        bench.advance(.minutes(10))
        #expect(bench.cloud.count("/upload") > 0)
        #expect(!bench.pad.apps.launchInBackground("quiz", person: "maya", reason: "transfers"))
        #expect(bench.launches.count == 1)
        bench.signIn("maya")
        bench.advance(.minutes(10))
        #expect(bench.launches.map(\.spec["reason"]) == ["user", "background"])
        #expect(bench.told.contains("quiz backgroundEvents"))
    }

    @Test("Open URL: launched or brought back, told of it before it is active; active, told at once (S203)")
    func openURL() throws {
        let bench = try signedIn()
        let url: Value = ["app": "quiz", "url": "quiz://lesson/3"]
        #expect(bench.ask("app.openURL", url)?["ok"]?.bool == true)
        #expect(bench.takeTold() == ["quiz didFinishLaunching", "quiz openURL", "quiz didBecomeActive"])
        #expect(bench.lastMessage("app.didFinishLaunching")?["url"] == "quiz://lesson/3")
        #expect(bench.lastMessage("app.openURL") == ["url": "quiz://lesson/3"])
        bench.ask("app.openURL", ["app": "quiz", "url": "quiz://lesson/4"])
        #expect(bench.takeTold() == ["quiz openURL"])
        bench.open("notes")
        bench.advance(.seconds(2))
        _ = bench.takeTold()
        bench.ask("app.openURL", url)
        #expect(
            bench.takeTold() == [
                "notes willResignActive", "notes didEnterBackground", "quiz willEnterForeground", "quiz openURL",
                "quiz didBecomeActive",
            ])
    }

    @Test(
        "Open URL of an app that works in the background: it comes to the front and is told before it is active (S203)")
    func openURLInBackground() throws {
        let bench = try signedIn()
        bench.open("quiz")
        bench.call(bench.launch("quiz"), "app.beginBackgroundTask")
        bench.ask("app.home")
        bench.advance(.seconds(5))
        _ = bench.takeTold()
        bench.ask("app.openURL", ["app": "quiz", "url": "quiz://lesson/5"])
        #expect(bench.takeTold() == ["quiz willEnterForeground", "quiz openURL", "quiz didBecomeActive"])
        #expect(bench.launches.count == 1 && bench.notes(.appSuspended).isEmpty)
    }
}
