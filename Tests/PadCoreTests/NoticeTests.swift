import FleetModel
import Storage
import Testing

@testable import PadCore

@Suite("Queued notices", .timeLimit(.minutes(20))) struct NoticeTests {
    /// An app that has been suspended.
    private func suspended(plist: Value = .empty) throws -> PadBench {
        let bench = try PadBench(plist: plist)
        bench.signIn("maya")
        bench.open("quiz")
        bench.ask("app.home")
        bench.advance(.seconds(3))
        _ = bench.takeTold()
        return bench
    }
    private func names(_ bench: PadBench) -> [String] {
        bench.messages.filter { $0.message.name == "app.notice" }.map { $0.message["name"]?.string ?? "" }
    }

    @Test("Eleven kinds: each waits while the app is suspended and comes first on return, before input (S176, S177)")
    func kinds() throws {
        let bench = try suspended()
        // Apple's list, app-lifecycle.md 8; the eleventh, the iCloud account, comes by `identity.change`.
        let kinds = [
            "EAAccessoryDidConnect", "EAAccessoryDidDisconnect", "UIDeviceOrientationDidChange",
            "UIApplicationSignificantTimeChange", "UIDeviceBatteryLevelDidChange", "UIDeviceBatteryStateDidChange",
            "UIDeviceProximityStateDidChange", "UIApplicationProtectedDataWillBecomeUnavailable",
            "UIApplicationProtectedDataDidBecomeAvailable", "UIScreenDidConnect", "UIScreenDidDisconnect",
            "UIScreenModeDidChange", "NSUserDefaultsDidChange", "NSCurrentLocaleDidChange",
            "UIApplicationDidChangeStatusBarFrame",
        ]
        for name in kinds { #expect(bench.ask("device.notice", ["name": .string(name)])?["ok"]?.bool == true) }
        bench.ask("identity.change", ["to": .null])
        #expect(bench.takeTold().isEmpty)
        #expect(bench.ask("device.notice", ["name": "NSSomethingElse"])?["refused"] != nil)
        bench.command(
            "app.perform",
            Edit(token: "maya.1", person: "maya", app: "quiz", action: "a", item: "a", verb: .put, value: "x").body)
        bench.open("quiz")
        let told = bench.takeTold()
        #expect(told.filter { $0 == "quiz notice" }.count == kinds.count && told.contains("quiz identityChanged"))
        #expect(told.suffix(3) == ["quiz willEnterForeground", "quiz didBecomeActive", "quiz ui.perform"])
        #expect(names(bench) == kinds)
    }

    @Test("The newest of a name says all; running, an app hears at once (S181)")
    func newest() throws {
        let bench = try suspended()
        for locale in ["de_DE", "fr_FR"] as [Value] {
            bench.ask("device.notice", ["name": "NSCurrentLocaleDidChange", "info": ["locale": locale]])
        }
        bench.ask("device.notice", ["name": "UIScreenDidConnect"])
        bench.open("quiz")
        #expect(names(bench) == ["NSCurrentLocaleDidChange", "UIScreenDidConnect"])
        let locale = bench.messages.first { $0.message["name"] == "NSCurrentLocaleDidChange" }?.message["info"]
        #expect(locale == ["locale": "fr_FR"])
        _ = bench.takeTold()
        bench.ask("device.notice", ["name": "NSCurrentLocaleDidChange"])
        #expect(bench.takeTold() == ["quiz notice"])
    }

    @Test("A slow handler of notices: input waits for it, and after 10 s the app is killed (S178)")
    func slow() throws {
        let bench = try suspended()
        bench.ask("device.notice", ["name": "UIApplicationSignificantTimeChange"])
        bench.stuck = ["app.notice"]
        bench.command("app.open", ["app": "quiz"])
        bench.advance(.seconds(9))
        #expect(bench.takeTold() == ["quiz notice"])
        bench.advance(.seconds(2))
        #expect(bench.reasons(.appExited) == ["watchdog"])
    }

    @Test(
        "Settings changed while away: a notice with the values; without a launch they come with the next one (S182)",
        arguments: [true, false])
    func settings(isSuspended: Bool) throws {
        let bench = try suspended()
        if !isSuspended { bench.ask("app.forceQuit", ["app": "quiz"]) }
        for (key, value) in [("server", "a"), ("server", "b"), ("sound", "off")] as [(String, Value)] {
            #expect(bench.ask("settings.change", ["app": "quiz", "key": .string(key), "value": value])?["ok"] == true)
        }
        let values: Value = ["server": "b", "sound": "off"]
        bench.open("quiz")
        if isSuspended {
            #expect(bench.lastMessage("app.notice") == ["name": "NSUserDefaultsDidChange", "values": values])
            #expect(bench.takeTold() == ["quiz notice", "quiz willEnterForeground", "quiz didBecomeActive"])
        } else {
            #expect(bench.launches.last?.spec["settings"] == values)
        }
        bench.call(bench.launch("quiz"), "app.settingsTaken", ["values": values])
        bench.ask("device.powerCut", ["seed": 3])
        try bench.restart()
        bench.signIn("maya")
        bench.open("quiz")
        #expect(bench.launches.last?.spec["settings"] == nil)
    }

    @Test(
        "A notice of the same name while the app handles one: it is told that one too, once (S181)", arguments: [0, 1])
    func whileHandled(others: Int) throws {
        let bench = try suspended()
        bench.ask("device.notice", ["name": "NSCurrentLocaleDidChange", "info": ["locale": "de_DE"]])
        if others > 0 { bench.ask("device.notice", ["name": "UIScreenDidConnect"]) }
        bench.stuck = ["app.notice"]
        bench.command("app.open", ["app": "quiz"])
        bench.advance(.seconds(1))
        for locale in ["fr_FR", "it_IT"] as [Value] {
            bench.command("device.notice", ["name": "NSCurrentLocaleDidChange", "info": ["locale": locale]])
        }
        bench.stuck = []
        bench.returnLate("app.notice")
        let locales = bench.messages.compactMap { $0.message["info"]?["locale"]?.string }
        #expect(locales == ["de_DE", "it_IT"])
        #expect(names(bench).filter { $0 == "UIScreenDidConnect" }.count == others)
        #expect(bench.takeTold().last == "quiz didBecomeActive")
    }

    @Test("A setting changed once more while the app takes the first change: kept until the app has taken that too")
    func settingsMeanwhile() throws {
        let bench = try suspended()
        bench.open("quiz")
        for (key, value) in [("server", "a"), ("sound", "off")] as [(String, Value)] {
            bench.ask("settings.change", ["app": "quiz", "key": .string(key), "value": value])
        }
        bench.ask("settings.change", ["app": "quiz", "key": "server", "value": "b"])
        let launch = bench.launch("quiz")
        #expect(bench.call(launch, "app.settingsTaken")?["error"]?["code"] == 22)
        bench.call(launch, "app.settingsTaken", ["values": ["server": "a", "sound": "off"]])
        bench.ask("app.forceQuit", ["app": "quiz"])
        bench.open("quiz")
        #expect(bench.launches.last?.spec["settings"] == ["server": "b"])
    }

    @Test("Events that come while a notice is handled: each expired task and each wake is told; of states the newest")
    func heldEvents() throws {
        let bench = try suspended(plist: ["UIBackgroundModes": ["audio", "location"]])
        bench.open("quiz")
        let launch = bench.launch("quiz")
        #expect(bench.call(launch, "app.watchNetwork") == ["satisfied": true])
        let tasks = (1...2).compactMap { _ in bench.call(launch, "app.beginBackgroundTask")?["task"] }
        bench.ask("app.home")
        bench.advance(.seconds(25))
        bench.stuck = ["app.notice"]
        bench.ask("device.notice", ["name": "NSCurrentLocaleDidChange"])
        bench.advance(.seconds(6))
        for mode in ["audio", "location"] as [Value] { bench.ask("device.wake", ["app": "quiz", "mode": mode]) }
        for isOn in [true, false, true] as [Value] { bench.ask("device.airplane", ["on": isOn]) }
        _ = bench.takeTold()
        bench.stuck = []
        bench.returnLate("app.notice")
        let told = bench.messages.filter { $0.message.name == "app.backgroundTaskExpired" }
        #expect(tasks.count == 2 && told.compactMap { $0.message["task"] } == tasks)
        let modes = bench.messages.filter { $0.message.name == "app.wake" }.compactMap { $0.message["mode"] }
        #expect(modes == ["audio", "location"])
        #expect(bench.takeTold().filter { $0 == "quiz networkPath" }.count == 1)
        #expect(bench.lastMessage("app.networkPath") == ["satisfied": false])
    }

    @Test("Settings that no app has taken: kept over a power cut")
    func settingsKept() throws {
        let bench = try suspended()
        bench.ask("settings.change", ["app": "notes", "key": "k", "value": 1])
        bench.ask("device.powerCut", ["seed": 3])
        try bench.restart()
        bench.signIn("maya")
        bench.open("notes")
        #expect(bench.launches.last?.spec["settings"] == ["k": 1])
    }

    @Test("Network: apps that watch it hear that it went and came, others do not (S201)")
    func reachability() throws {
        let bench = try PadBench()
        bench.signIn("maya")
        bench.open("notes")
        bench.open("quiz")
        #expect(bench.call(bench.launch("quiz"), "app.watchNetwork") == ["satisfied": true])
        _ = bench.takeTold()
        bench.ask("device.airplane", ["on": true])
        #expect(bench.takeTold() == ["quiz networkPath"])
        #expect(bench.lastMessage("app.networkPath") == ["satisfied": false])
        bench.ask("app.home")
        bench.advance(.seconds(3))
        bench.ask("device.airplane", ["on": false])
        bench.ask("device.airplane", ["on": true])
        bench.ask("device.airplane", ["on": false])
        _ = bench.takeTold()
        bench.open("quiz")
        #expect(bench.takeTold() == ["quiz networkPath", "quiz willEnterForeground", "quiz didBecomeActive"])
        #expect(bench.lastMessage("app.networkPath") == ["satisfied": true])
    }

    @Test("identifierForVendor: one for all apps of a vendor on an iPad, after a restart too; another elsewhere (S192)")
    func vendor() throws {
        func identifiers(_ more: Value) throws -> [String] {
            let bench = try PadBench(more: more)
            bench.signIn("maya")
            var found: [String] = []
            for app in ["quiz", "notes"] {
                bench.open(app)
                found.append(bench.call(bench.launch(app), "app.identifierForVendor")?["identifier"]?.string ?? "")
            }
            bench.ask("device.reboot")
            try bench.restart()
            bench.signIn("leo")
            bench.open("quiz")
            found.append(bench.call(bench.launch("quiz"), "app.identifierForVendor")?["identifier"]?.string ?? "")
            #expect(bench.pad.catalogue.vendorIdentifier(of: "org.other.quiz") != found[0])
            return found
        }
        let (here, there) = (try identifiers(["pad": 1]), try identifiers(["seed": 8]))
        #expect(Set(here).count == 1 && Set(there).count == 1 && here[0] != there[0])
        let second = try Pad(spec: ["pad": 2, "seed": 7]) { _ in .memory() }
        #expect(second.catalogue.vendorIdentifier(of: "com.example.quiz") != here[0])
        #expect(here[0].count == 36 && here[0].split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
    }

    @Test("A credential changed in Settings while the app sleeps: told before any hand reaches the app (S183)")
    func credential() throws {
        let bench = try suspended()
        bench.ask("settings.change", ["app": "quiz", "key": "password", "value": "new"])
        _ = bench.takeTold()
        bench.command("app.open", ["app": "quiz"])
        let edit = Edit(
            token: "maya.1", person: "maya", app: "quiz", action: "answer", item: "a-1", verb: .put, value: "x")
        // The app drops its session when it hears of it, and what the person does next meets an app that has.
        var session = "old password"
        var performedWith: [String] = []
        bench.inApp = { _, message in
            if message.name == "app.notice", let password = message["values"]?["password"]?.string {
                session = password
            }
            if message.name == "ui.perform" { performedWith.append(session) }
        }
        #expect(bench.ask("app.perform", edit.body)?["ok"] == true)
        #expect(performedWith == ["new"])
        #expect(
            bench.takeTold() == ["quiz notice", "quiz willEnterForeground", "quiz didBecomeActive", "quiz ui.perform"])
    }

    @Test("A setting changed while the app is being loaded: told once, at its beginning (S182)")
    func settingsWhileLoaded() throws {
        let bench = try PadBench()
        bench.signIn("maya")
        bench.command("app.open", ["app": "quiz"])
        bench.command("settings.change", ["app": "quiz", "key": "server", "value": "a"])
        bench.advance(.seconds(10))
        #expect(bench.launches.last?.spec["settings"] == ["server": "a"])
        #expect(bench.lastMessage("app.notice") == nil)
    }

    @Test("Key-value changes while suspended: one notice a reason, with the newest values")
    func keyValuesWhileAway() throws {
        let bench = try PadBench(plist: ["UIBackgroundModes": ["audio"]])
        bench.signIn("maya")
        bench.open("quiz")
        bench.call(bench.launch("quiz"), "kvs.open")
        bench.ask("app.home")
        bench.advance(.minutes(2))
        for (key, value) in [("a", "1"), ("b", "1"), ("a", "2")] as [(String, Value)] {
            bench.pad.apps.post(
                Message("kvs.changed", ["reason": 0, "values": .object(Value.Object([(key, value)]))]), exchange: 0,
                to: try #require(bench.pad.apps.running("maya", app: "quiz").last))
        }
        bench.open("quiz")
        let told = bench.messages.filter { $0.message.name == "kvs.changed" && $0.message["reason"] == 0 }
        #expect(told.map { $0.message["values"] } == [["a": "2", "b": "1"]])
    }
}
