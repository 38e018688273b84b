import FleetModel
import Testing

@testable import PadCore

@Suite("State archive, snapshot, memory", .timeLimit(.minutes(20))) struct RestorationTests {
    private static let archive =
        Pad.home(of: "com.example.quiz") + "/Library/Saved Application State/com.example.quiz.savedState/data.data"

    /// An app in the background that has kept its interface, and a file of its own.
    private func kept() throws -> PadBench {
        let bench = try PadBench()
        bench.signIn("maya")
        bench.answerTo = { $0.name == "app.didEnterBackground" ? ["screen": "marks", "preserves": true] : .empty }
        bench.open("quiz")
        bench.call(
            bench.launch("quiz"), "file.write",
            ["path": .string(Pad.home(of: "com.example.quiz") + "/Documents/model"), "data": .data([7])])
        bench.inApp = { launch, message in
            guard message.name == "app.saveState" else { return }
            bench.call(launch, "app.keepState", ["archive": .data([1, 2])])
        }
        bench.ask("app.home")
        bench.inApp = { _, _ in }
        bench.advance(.seconds(3))
        return bench
    }
    private func kill(_ bench: PadBench) { bench.ask("app.memoryKill", ["app": "quiz"]) }
    private func restored(_ bench: PadBench) -> Value? {
        bench.call(bench.launch("quiz"), "app.restoreState")?["archive"]
    }

    @Test("Archive: kept over a kill by the system, and given to the next launch (S163)")
    func killed() throws {
        let bench = try kept()
        kill(bench)
        bench.open("quiz")
        #expect(bench.launches.map { $0.spec["restores"]?.bool ?? false } == [false, true])
        #expect(restored(bench) == .data([1, 2]))
    }

    @Test(
        "Archive: asked for after the snapshot, of who wants it; a sign-out waits for it (S187)",
        arguments: [true, false])
    func order(isSignOut: Bool) throws {
        let bench = try PadBench()
        bench.signIn("maya")
        bench.open("quiz")
        bench.open("notes")
        bench.answerTo = {
            $0.name == "app.didEnterBackground" ? ["screen": "marks", "preserves": true] : .empty
        }
        var pictures: [Bool] = []
        bench.inApp = { launch, message in
            let snapshot = Pad.home(of: "com.example.notes") + "/Library/Caches/Snapshots/com.example.notes"
            pictures.append(bench.disk(of: "maya")?.status(snapshot) != nil)
            if message.name == "app.saveState" { bench.call(launch, "app.keepState", ["archive": .data([1])]) }
        }
        _ = bench.takeTold()
        bench.ask(isSignOut ? "person.signOut" : "app.home")
        #expect(bench.takeTold() == ["notes willResignActive", "notes didEnterBackground", "notes saveState"])
        #expect(pictures == [false, false, true])
        let archives = bench.disk(of: "maya")?.files(under: Pad.containers).filter { $0.contains(".savedState/") }
        #expect(archives?.count == 1)
    }

    @Test("Archive: without one a launch is not told of any; an app that keeps none has none (S193)")
    func optIn() throws {
        let bench = try kept()
        bench.open("notes")
        bench.ask("app.home")
        bench.advance(.seconds(2))
        bench.ask("app.memoryKill", ["app": "notes"])
        bench.open("notes")
        #expect(bench.launches.last?.spec["restores"] == nil)
        #expect(bench.call(bench.launch("notes"), "app.restoreState") == ["archive": .null])
        let archives = bench.disk(of: "maya")?.files(under: Pad.containers).filter { $0.contains(".savedState/") }
        #expect(archives == [Self.archive])
    }

    @Test("Force-quit: deletes the archive and the snapshot (S199)")
    func forceQuit() throws {
        let bench = try kept()
        #expect(bench.disk(of: "maya")?.status(Self.archive) != nil)
        #expect(switcher(bench) == [["app": "quiz", "screen": "marks"]])
        bench.ask("app.forceQuit", ["app": "quiz"])
        #expect(bench.disk(of: "maya")?.status(Self.archive) == nil)
        bench.open("quiz")
        #expect(bench.launches.last?.spec["restores"] == nil && restored(bench) == .null)
        #expect(switcher(bench) == [["app": "quiz", "screen": .null]])
    }

    @Test(
        "Crash while restoring: the archive goes, the app's own data stay; a crash afterwards costs nothing (S197)",
        arguments: [true, false])
    func crash(whileRestoring: Bool) throws {
        let bench = try kept()
        kill(bench)
        bench.stuck = whileRestoring ? ["app.didFinishLaunching"] : []
        bench.inApp = { launch, message in
            if message.name == "app.didFinishLaunching" { bench.call(launch, "app.restoreState") }
        }
        bench.command("app.open", ["app": "quiz"])
        bench.advance(.seconds(1))
        bench.command("app.exited", ["launch": .int(bench.launch("quiz")), "reason": "crash"])
        bench.stuck = []
        bench.inApp = { _, _ in }
        bench.open("quiz")
        #expect((bench.launches.last?.spec["restores"] == true) == !whileRestoring)
        let model = Pad.home(of: "com.example.quiz") + "/Documents/model"
        #expect(bench.call(bench.launch("quiz"), "file.read", ["path": .string(model)]) == ["data": .data([7])])
    }

    @Test(
        "Archive: encrypted while the iPad is locked; a launch then restores nothing, one after the unlock does (S194)")
    func locked() throws {
        let bench = try kept()
        kill(bench)
        bench.ask("device.lock")
        bench.advance(.seconds(11))
        bench.pad.apps.launchInBackground("quiz", person: "maya", reason: "push")
        bench.command("pad.pending")
        bench.advance(.seconds(2))
        #expect(bench.launches.last?.spec["restores"] == nil && restored(bench) == .null)
        let read = bench.call(bench.launch("quiz"), "file.read", ["path": .string(Self.archive)])
        #expect(read?["error"]?["code"] == 257)
        kill(bench)
        bench.ask("device.unlock")
        bench.open("quiz")
        #expect(bench.launches.last?.spec["restores"] == true)
    }

    // MARK: Snapshot

    private func switcher(_ bench: PadBench) -> [Value] { bench.ask("app.switcher")?["apps"]?.array ?? [] }

    @Test("Snapshot: taken when didEnterBackground has returned, again after work in the background (S187, S188)")
    func snapshot() throws {
        let bench = try PadBench()
        bench.signIn("maya")
        var screen = "marks of maya"
        bench.answerTo = { $0.name.hasPrefix("app.") ? ["screen": .string(screen)] : .empty }
        bench.open("quiz")
        #expect(switcher(bench) == [["app": "quiz", "screen": .null]])
        bench.inApp = { _, message in if message.name == "app.didEnterBackground" { screen = "a curtain" } }
        bench.ask("app.home")
        #expect(switcher(bench) == [["app": "quiz", "screen": "a curtain"]])
        bench.advance(.seconds(3))
        screen = "2 new marks"
        let app = try #require(bench.pad.apps.running("maya", app: "quiz").first)
        bench.pad.apps.launchInBackground("quiz", person: "maya", reason: "push")
        bench.pad.apps.post(Message("app.remoteNotification", ["payload": 1]), exchange: 0, to: app)
        bench.command("pad.pending")
        bench.advance(.seconds(3))
        #expect(switcher(bench) == [["app": "quiz", "screen": "2 new marks"]])
    }

    // MARK: Memory

    /// Apps that hold so much, all of them suspended.
    private func suspended(_ sizes: [(AppName, Int64)]) throws -> PadBench {
        let bench = try PadBench(apps: sizes.map(\.0))
        bench.signIn("maya")
        for (app, bytes) in sizes {
            bench.answerTo = { _ in ["resident": .int(bytes)] }
            bench.open(app)
            bench.ask("app.home")
            bench.advance(.seconds(3))
        }
        _ = bench.takeTold()
        return bench
    }
    private func press(_ bench: PadBench, _ bytes: Int64) {
        bench.ask("device.memoryPressure", ["bytes": .int(bytes)])
        bench.advance(.seconds(3))
    }

    @Test("Memory short: the biggest suspended app goes first, without notice (S189)")
    func biggest() throws {
        let bench = try suspended([("a", 10), ("b", 30), ("c", 20)])
        for _ in 0..<3 { bench.ask("app.memoryKill") }
        #expect(bench.notes(.appExited).map(\.app) == ["b", "c", "a"])
        #expect(bench.takeTold().isEmpty)
        let other = try suspended([("a", 10), ("b", 30), ("c", 20)])
        press(other, 45)
        #expect(other.notes(.appExited).map(\.app) == ["b", "c"])
    }

    @Test("Memory: an app that gave its memory back in the background outlives one that did not (S157)")
    func givenBack() throws {
        let bench = try PadBench(apps: ["a", "b", "c"])
        bench.signIn("maya")
        for (app, later) in [("a", 5), ("b", 50)] as [(AppName, Int64)] {
            bench.answerTo = { ["resident": .int($0.name == "app.didEnterBackground" ? later : 50)] }
            bench.open(app)
            bench.ask("app.home")
            bench.advance(.seconds(3))
        }
        bench.ask("device.memoryPressure", ["bytes": 20])
        #expect(bench.notes(.appExited).map(\.app) == ["b"])
    }

    @Test("Memory warning: who gives enough back lives, who does not is killed (S208)", arguments: [true, false])
    func warning(drops: Bool) throws {
        let bench = try PadBench()
        bench.signIn("maya")
        bench.answerTo = { ["resident": .int(drops && $0.name == "app.memoryWarning" ? 10 : 100)] }
        bench.open("quiz")
        _ = bench.takeTold()
        #expect(bench.ask("device.memoryPressure", ["bytes": 60])?["ok"]?.bool == true)
        #expect(bench.takeTold() == ["quiz memoryWarning"])
        bench.advance(.seconds(5))
        #expect(bench.reasons(.appExited) == (drops ? [] : ["memory"]))
    }

    @Test("Memory warning: an app that does not return from it is killed when the time is over (S208)")
    func stuckWarning() throws {
        let bench = try PadBench()
        bench.signIn("maya")
        bench.answerTo = { _ in ["resident": 100] }
        bench.open("quiz")
        bench.stuck = ["app.memoryWarning"]
        press(bench, 10)
        #expect(bench.reasons(.appExited) == ["memory"])
    }

    @Test(
        "Memory: an app that claims more than there is, warned or dead, costs the iPad nothing",
        arguments: ["app.memoryWarning", "app.didBecomeActive"])
    func absurd(message: String) throws {
        let bench = try PadBench(apps: ["a", "b", "c"])
        bench.signIn("maya")
        bench.answerTo = { $0.name == message ? ["resident": .int(Int64.max)] : .empty }
        for app in ["a", "b", "c"] {
            bench.open(app)
            bench.call(bench.launch(app), "app.beginBackgroundTask")
        }
        bench.stuck = message == "app.memoryWarning" ? [] : ["app.memoryWarning"]
        bench.command("device.memoryPressure", ["bytes": .int(MemoryCollector.memoryMost)])
        for app in ["a", "b"] {
            bench.command("app.exited", ["launch": .int(bench.launch(app)), "reason": "crash"])
        }
        bench.advance(.seconds(3))
        #expect(bench.open("b")?["ok"]?.bool == true && bench.problems.isEmpty)
    }

    @Test(
        "Memory wanted, then nobody's apps run any more: whoever asked is answered",
        arguments: ["person.signOut", "device.reboot", "device.powerCut", "mdm.command"])
    func answered(after trigger: String) throws {
        let bench = try PadBench()
        bench.signIn("maya")
        bench.open("quiz")
        bench.stuck = ["app.memoryWarning"]
        let asked = bench.command("device.memoryPressure", ["bytes": 1])
        #expect(bench.answer(asked) == nil)
        bench.command(trigger, trigger == "mdm.command" ? ["Command": ["RequestType": "EraseDevice"]] : ["seed": 1])
        bench.advance(.milliseconds(1500))
        #expect(bench.answer(asked) != nil)
    }

    @Test("Memory: an app that never said what it holds counts as an ordinary one")
    func unknownSize() throws {
        let bench = try PadBench(apps: ["a", "b", "c"])
        bench.signIn("maya")
        for app in ["a", "b", "c"] {
            bench.open(app)
            bench.ask("app.home")
            bench.advance(.seconds(3))
        }
        press(bench, MemoryCollector.ordinaryFootprint + 1)
        #expect(bench.notes(.appExited).map(\.app) == ["a", "b"])
    }

    @Test("Archive: nothing can be kept while the iPad is locked, and what was kept stays (S194)")
    func keptLocked() throws {
        let bench = try kept()
        bench.open("quiz")
        bench.call(bench.launch("quiz"), "app.beginBackgroundTask")
        bench.ask("device.lock")
        bench.advance(.seconds(11))
        let answer = bench.call(bench.launch("quiz"), "app.keepState", ["archive": .data([9])])
        #expect(answer?["error"]?["code"] == 513)
        #expect(try bench.disk(of: "maya")?.read(Self.archive) == [1, 2])
    }

    @Test("Snapshot: an event that is handled on the screen makes none; app content is not shown for it (S187)")
    func snapshotOnScreen() throws {
        let bench = try PadBench(plist: ["UIBackgroundModes": ["audio"]])
        bench.signIn("maya")
        bench.answerTo = { $0.name == "app.wake" ? ["screen": "private"] : .empty }
        bench.open("quiz")
        bench.ask("device.wake", ["app": "quiz", "mode": "audio"])
        #expect(switcher(bench) == [["app": "quiz", "screen": .null]])
    }
}
