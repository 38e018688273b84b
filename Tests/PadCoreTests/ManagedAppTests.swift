import FleetModel
import Testing

@testable import PadCore

@Suite("Managed apps", .timeLimit(.minutes(20))) struct ManagedAppTests {
    @Test(
        "Apps: removed for everybody with their files; installed again they begin anew, with a new vendor's identifier (S192)"
    )
    func applications() throws {
        let bench = try PadBench(more: ["seed": 9])
        bench.signIn("maya")
        bench.open("quiz")
        func vendor(_ app: AppName) -> Value? { bench.call(bench.launch(app), "app.identifierForVendor") }
        let path: Value = ["path": .string(Pad.home(of: "com.example.quiz") + "/Documents/a")]
        var write = path
        write["data"] = .data([1])
        bench.call(bench.launch("quiz"), "file.write", write)
        let first = vendor("quiz")
        #expect(bench.manage("RemoveApplication", ["Identifier": "com.example.quiz"])["Status"] == "Acknowledged")
        #expect(bench.reasons(.appExited) == ["removed"] && bench.reasons(.purged) == ["appRemoved"])
        #expect(bench.open("quiz")?["refused"] != nil)
        #expect(code(bench.manage("RemoveApplication", ["Identifier": "com.example.quiz"])) == 12024)
        #expect(code(bench.manage("InstallApplication", ["Identifier": "com.example.none"])) == 12024)
        bench.ask("device.reboot")
        try bench.restart()
        bench.signIn("maya")
        #expect(bench.open("quiz")?["refused"] != nil)
        bench.manage("InstallApplication", ["Identifier": "com.example.quiz"])
        #expect(bench.open("quiz")?["ok"] == true)
        #expect(bench.call(bench.launch("quiz"), "file.read", path)?["error"] != nil)
        // Another app of the vendor was there all the time.
        #expect(vendor("quiz") == first && first != nil)
        for app in ["quiz", "notes"] {
            bench.manage("RemoveApplication", ["Identifier": .string("com.example.\(app)")])
        }
        for app in ["quiz", "notes"] {
            bench.manage("InstallApplication", ["Identifier": .string("com.example.\(app)")])
        }
        bench.open("quiz")
        let second = vendor("quiz")
        #expect(second != first && second != nil)
        bench.open("notes")
        #expect(vendor("notes") == second)
        bench.manage("EraseDevice")
        bench.signIn("maya")
        bench.open("quiz")
        #expect(vendor("quiz") != second && vendor("quiz") != first)
    }

    @Test("RemoveApplication while the app is being opened: it is not started, and what it wanted shown goes")
    func removedWhileOpened() throws {
        let bench = try PadBench()
        bench.signIn("maya")
        bench.open("quiz")
        bench.call(bench.launch("quiz"), "app.notifyLocally", ["text": "later", "after": 60_000_000_000])
        bench.open("notes")
        bench.stuck = ["app.didEnterBackground"]
        let opening = bench.command("app.open", ["app": "quiz"])
        bench.manage("RemoveApplication", ["Identifier": "com.example.quiz"])
        bench.advance(.minutes(2))
        #expect(bench.answer(opening)?["refused"] != nil)
        #expect(bench.pad.apps.running("maya", app: "quiz").isEmpty)
        #expect(bench.ask("device.notifications") == ["shown": []])
    }

    @Test("ApplicationConfiguration: whoever opens the app finds it, beside their own settings, until it is taken back")
    func managedApps() throws {
        let bench = try PadBench()
        let key = "com.apple.configuration.managed"
        func configure(_ configuration: Value?) {
            var item: Value = ["Item": "ApplicationConfiguration", "Identifier": "com.example.quiz"]
            item["Configuration"] = configuration
            bench.manage("Settings", ["Settings": [item]])
        }
        configure(["server": "a"])
        bench.ask("device.reboot")
        try bench.restart()
        for person in ["maya", "leo"] {
            bench.signIn(person)
            bench.open("quiz")
            #expect(bench.launches.last?.spec["settings"]?[key] == ["server": "a"], "\(person)")
            bench.ask("person.signOut")
        }
        bench.signIn("maya")
        bench.open("quiz")
        bench.ask("app.home")
        bench.advance(.minutes(1))
        configure(["server": "b"])
        bench.ask("settings.change", ["app": "quiz", "key": "sound", "value": false])
        configure(nil)
        bench.open("quiz")
        let told = bench.messages.last { $0.message["name"] == "NSUserDefaultsDidChange" }?.message["values"]
        #expect(told?["sound"] == false && told?[key] == .null)
        bench.open("notes")
        #expect(bench.launches.last?.spec["settings"] == nil)
    }
}
