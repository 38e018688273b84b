import FleetModel
import Testing

@testable import PadCore

@Suite("Background modes, local notifications", .timeLimit(.minutes(20))) struct BackgroundModeTests {
    private func signedIn(_ modes: Value) throws -> PadBench {
        let bench = try PadBench(plist: ["UIBackgroundModes": modes])
        bench.signIn("maya")
        return bench
    }
    private func wake(_ bench: PadBench, _ mode: String, lasting: Bool = false) -> Value? {
        let answer = bench.ask("device.wake", ["app": "quiz", "mode": .string(mode), "lasting": .bool(lasting)])
        bench.advance(.seconds(5))
        return answer
    }

    @Test("A declared event starts an app that does not run, is given to it, and it rests (S149)")
    func relaunch() throws {
        let bench = try signedIn(["location", "bluetooth-central"])
        #expect(wake(bench, "bluetooth-central")?["ok"]?.bool == true)
        #expect(bench.takeTold() == ["quiz didFinishLaunching", "quiz didEnterBackground", "quiz wake"])
        #expect(bench.lastMessage("app.wake") == ["mode": "bluetooth-central"] && bench.notes(.appSuspended).count == 1)
        #expect(wake(bench, "location")?["ok"]?.bool == true)
        #expect(bench.takeTold() == ["quiz wake"] && bench.launches.count == 1)
    }

    @Test("An event whose mode is not declared, or that is none: the app does not run (S138)")
    func undeclared() throws {
        let bench = try signedIn(["location"])
        #expect(wake(bench, "audio")?["refused"] != nil && wake(bench, "thinking")?["refused"] != nil)
        #expect(bench.launches.isEmpty)
        // On its own way to the background it gets no more time for it.
        bench.open("quiz")
        #expect(wake(bench, "audio", lasting: true)?["refused"] != nil)
        bench.ask("app.home")
        bench.advance(.seconds(3))
        #expect(bench.notes(.appSuspended).count == 1)
    }

    @Test("Long in the background: only the kinds that last, until they end; a fetch has its seconds (S147)")
    func lasting() throws {
        let bench = try signedIn(["audio", "fetch"])
        bench.open("quiz")
        #expect(wake(bench, "fetch", lasting: true)?["refused"] != nil)
        #expect(wake(bench, "audio", lasting: true)?["ok"]?.bool == true)
        bench.ask("app.home")
        bench.advance(.hours(2))
        #expect(bench.notes(.appSuspended).isEmpty && bench.reasons(.appExited).isEmpty)
        bench.ask("device.wakeEnded", ["app": "quiz", "mode": "audio"])
        bench.advance(.seconds(2))
        #expect(bench.notes(.appSuspended).count == 1)
        #expect(wake(bench, "fetch")?["ok"]?.bool == true)
        #expect(bench.notes(.appSuspended).count == 2)
    }

    @Test("A call's push starts an app that the person quit and gives it 30 s; other events do not (S200)")
    func callPush() throws {
        let bench = try signedIn(["voip", "fetch"])
        bench.open("quiz")
        bench.ask("app.forceQuit", ["app": "quiz"])
        #expect(wake(bench, "fetch")?["refused"] != nil && bench.launch("quiz") == 0)
        bench.stuck = ["app.wake"]
        #expect(wake(bench, "voip")?["ok"]?.bool == true)
        #expect(bench.told.last == "quiz wake")
        bench.advance(.seconds(20))
        #expect(bench.launch("quiz") != 0)
        bench.advance(.seconds(10))
        #expect(bench.reasons(.appExited) == ["forceQuit", "watchdog"])
        #expect(wake(bench, "fetch")?["refused"] != nil)
    }

    @Test("Local notification: shown when the app is away or dead, told to it when it is in front (S148)")
    func local() throws {
        let bench = try signedIn([])
        bench.open("quiz")
        for (text, seconds) in [("later", 60), ("soon", 5)] as [(Value, Int64)] {
            let body: Value = ["text": text, "after": .int(Span.seconds(seconds).nanoseconds)]
            #expect(bench.call(bench.launch("quiz"), "app.notifyLocally", body) == .empty)
        }
        bench.advance(.seconds(10))
        #expect(bench.lastMessage("app.localNotification") == ["text": "soon"])
        #expect(bench.ask("device.notifications") == ["shown": []])
        bench.ask("app.forceQuit", ["app": "quiz"])
        bench.advance(.minutes(2))
        #expect(bench.ask("device.notifications") == ["shown": [["app": "quiz", "text": "later"]]])
        #expect(bench.told.filter { $0 == "quiz localNotification" }.count == 1)
    }

    @Test("Identity token: none when signed out, none with Documents & Data off, though the account is there (S80)")
    func documentsOff() throws {
        let bench = try signedIn([])
        bench.open("quiz")
        func seen() -> [Value] {
            let launch = bench.launch("quiz")
            let identity = bench.call(launch, "identity.get")
            return [
                identity?["identity"] == .null ? 0 : 1, identity?["accountStatus"] ?? .null,
                bench.call(launch, "docs.container", ["identifier": .null])?["path"] == .null ? 0 : 1,
            ]
        }
        #expect(seen() == [1, 1, 1])
        bench.ask("identity.change", ["to": "withoutDocuments"])
        #expect(
            bench.told.last == "quiz identityChanged" && bench.lastMessage("app.identityChanged")?["identity"] == .null
        )
        #expect(seen() == [0, 1, 0])
        bench.ask("identity.change", ["to": .null])
        #expect(seen() == [0, 3, 0])
        bench.ask("identity.change", ["to": "own"])
        #expect(seen() == [1, 1, 1])
        // Work that is only here is not purged meanwhile.
        bench.ask("identity.change", ["to": "withoutDocuments"])
        bench.ask("app.forceQuit", ["app": "quiz"])
        bench.advance(.minutes(1))
        bench.ask("storage.purge")
        #expect(bench.notes(.purged).isEmpty)
    }

    @Test("Local notifications: 64 wait for each app and person, and as many are shown, the newest")
    func limits() throws {
        let bench = try signedIn([])
        func schedule(_ app: AppName, _ text: String) -> Bool {
            bench.call(
                bench.launch(app), "app.notifyLocally",
                ["text": .string(text), "after": .int(Span.seconds(60).nanoseconds)]
            ) == .empty
        }
        bench.open("notes")
        #expect(schedule("notes", "memo"))
        bench.open("quiz")
        for number in 0..<64 { #expect(schedule("quiz", "\(number)")) }
        #expect(!schedule("quiz", "64") && schedule("notes", "more"))
        bench.ask("app.home")
        bench.advance(.minutes(2))
        bench.open("quiz")
        #expect(schedule("quiz", "last"))
        bench.ask("app.home")
        bench.advance(.minutes(2))
        let shown = (bench.ask("device.notifications")?["shown"]?.array ?? []).compactMap { $0["text"]?.string }
        #expect(shown == ["memo"] + (1..<64).map { "\($0)" } + ["more", "last"])
        bench.ask("person.signOut")
        bench.guest("visitor")
        bench.open("quiz")
        #expect(schedule("quiz", "secret"))
        bench.ask("app.home")
        bench.advance(.minutes(2))
        bench.ask("person.signOut")
        #expect(
            bench.pad.notices.local.shownNotifications.allSatisfy { $0.person == "maya" }
                && bench.pad.notices.local.localNotifications.isEmpty)
    }

    @Test("Refused events leave one bar, which opening the app lifts; an app without background is told so")
    func refused() throws {
        let bench = try signedIn(["fetch", "voip"])
        bench.open("quiz")
        bench.ask("app.forceQuit", ["app": "quiz"])
        for _ in 0..<3 { #expect(wake(bench, "fetch")?["refused"] != nil) }
        #expect(wake(bench, "voip")?["ok"]?.bool == true && bench.pad.apps.barred.count == 1)
        bench.open("quiz")
        #expect(bench.pad.apps.barred.isEmpty)
        let other = try PadBench(plist: ["UIBackgroundModes": ["fetch"], "UIApplicationExitsOnSuspend": true])
        other.signIn("maya")
        let refusal = wake(other, "fetch")?["refused"]?.string ?? ""
        #expect(refusal.contains("background") && !refusal.contains("quit"))
    }
}
