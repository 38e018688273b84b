import FleetModel
import Testing

@testable import PadCore

@Suite("Habits noted", .timeLimit(.minutes(20))) struct HabitTests {
    private static let home = Pad.home(of: "com.example.quiz")
    private func running(habits: Bool = true) throws -> PadBench {
        let bench = try PadBench(more: habits ? ["habits": true] : .empty)
        bench.signIn("maya")
        bench.open("quiz")
        return bench
    }
    private func facts(_ bench: PadBench, _ what: String) -> [Value] {
        bench.notes(.habit).map(\.detail).filter { $0["what"]?.string == what }
    }
    private func call(_ bench: PadBench, _ name: String, _ body: Value) { bench.call(bench.launch("quiz"), name, body) }

    @Test("Nothing is noted unless it is asked for")
    func silent() throws {
        let bench = try running(habits: false)
        call(bench, "docs.container", ["identifier": .null])
        bench.post(bench.launch("quiz"), "app.habit", ["what": "identityToken", "main": true])
        bench.ask("app.forceQuit", ["app": "quiz"])
        #expect(bench.notes(.habit).isEmpty)
        #expect(bench.launches.allSatisfy { $0.spec["habits"] == nil })
    }

    @Test("Launch: how long its methods took (S164)")
    func launch() throws {
        let bench = try running()
        bench.stuck = ["app.didFinishLaunching"]
        bench.command("app.open", ["app": "notes"])
        bench.advance(.milliseconds(6400))
        bench.returnLate("app.didFinishLaunching")
        #expect(facts(bench, "launch").map { $0["took"] } == [0, .int(Span.seconds(6).nanoseconds)])
    }

    @Test("Identity token: whether the launch was still under way, on which thread (S75)")
    func token() throws {
        let bench = try running()
        bench.inApp = { launch, message in
            guard message.name == "app.didFinishLaunching" else { return }
            bench.post(launch, "app.habit", ["what": "identityToken", "main": true])
        }
        bench.open("notes")
        bench.post(bench.launch("notes"), "app.habit", ["what": "identityToken", "main": false])
        bench.post(bench.launch("notes"), "app.habit", ["what": "anything"])
        let found = bench.notes(.habit).filter { $0.app == "notes" && $0.detail["what"] == "identityToken" }.map(
            \.detail)
        #expect(found.map { $0["early"] } == [true, false] && found.map { $0["main"] } == [true, false])
    }

    @Test("Files in a container: coordinated or not, a database by its first bytes (S52, S58, S84)")
    func containerFiles() throws {
        let bench = try running()
        call(bench, "docs.container", ["identifier": .null, "main": true])
        #expect(facts(bench, "container").map { $0["main"] } == [true])
        let path = "/var/mobile/Library/Mobile Documents/iCloud.com.example.quiz/Documents/a"
        func write(_ text: String) {
            call(bench, "file.write", ["path": .string(path), "data": .data(Array(text.utf8))])
        }
        write("one")
        call(bench, "docs.beginWrite", ["path": .string(path)])
        write("SQLite format 3\0")
        call(bench, "docs.endWrite", ["path": .string(path)])
        call(bench, "file.write", ["path": .string(Self.home + "/Documents/b"), "data": .data([1])])
        let found = facts(bench, "containerFile")
        #expect(found.map { $0["coordinated"] } == [false, true] && found.map { $0["database"] } == [false, true])
    }

    @Test("Coordinated in the second account: it is that account's library which knows (S52)")
    func secondAccount() throws {
        let bench = try running()
        bench.ask("identity.change", ["to": "other"])
        let told = bench.call(bench.launch("quiz"), "identity.get")?["identity"] ?? .null
        bench.call(bench.launch("quiz"), "identity.taken", ["identity": told])
        let folder = bench.call(bench.launch("quiz"), "docs.container", ["identifier": .null])?["path"]?.string ?? ""
        let path = folder + "/Documents/a"
        call(bench, "docs.beginWrite", ["path": .string(path)])
        call(bench, "file.write", ["path": .string(path), "data": .data([1])])
        call(bench, "docs.endWrite", ["path": .string(path)])
        #expect(facts(bench, "containerFile").map { $0["coordinated"] } == [true])
    }

    @Test("Background task: how long it was held off the screen, and whether over a transfer's end (S24, S25)")
    func backgroundTask() throws {
        for waits in [true, false] {
            let bench = try running()
            bench.cloud.script = { $0.target.hasPrefix("/upload") ? .response(HTTPResponse(status: 200)) : nil }
            call(bench, "file.write", ["path": .string(Self.home + "/Documents/b"), "data": .data([1])])
            call(bench, "app.beginBackgroundTask", ["name": "upload"])
            bench.advance(.seconds(20))
            bench.ask("app.home")
            call(
                bench, "transfer.upload",
                [
                    "session": "s", "path": .string(Self.home + "/Documents/b"), "method": "POST",
                    "url": "https://backend.quiz/work", "headers": .empty, "description": "work",
                ])
            if waits { bench.advance(.seconds(7)) }
            call(bench, "app.endBackgroundTask", ["task": 1])
            let found = try #require(facts(bench, "backgroundTask").first)
            #expect(found["name"] == "upload" && found["overTransfer"]?.bool == waits)
            #expect(found["held"] == .int(Span.seconds(waits ? 7 : 0).nanoseconds))
        }
    }

    @Test("Protection and temporary files: the size when the class was set, what lies in tmp at the end (S191, S214)")
    func files() throws {
        let bench = try running()
        for size in [0, 2] {
            let path = Value.string("\(Self.home)/tmp/\(size)")
            call(bench, "file.write", ["path": path, "data": .data(Array(repeating: 1, count: size))])
            call(bench, "file.protect", ["path": path, "protection": "complete"])
        }
        bench.ask("app.forceQuit", ["app": "quiz"])
        #expect(facts(bench, "protected").map { $0["size"] } == [0, 2])
        #expect(facts(bench, "ended").map { $0["temporaryFiles"] } == [2])
    }

    @Test("Downloads that were asked for and never read; a zone fetched from the beginning again (S17, S18)")
    func fetches() throws {
        let bench = try running()
        let launch = bench.launch("quiz")
        let folder = bench.call(launch, "docs.container", ["identifier": .null])?["path"]?.string ?? ""
        for name in ["a", "b"] { bench.post(launch, "docs.download", ["path": .string("\(folder)/Documents/\(name)")]) }
        let here = Value.string(folder + "/Documents/a")
        call(bench, "file.write", ["path": here, "data": .data([1])])
        call(bench, "file.read", ["path": here])
        bench.cloud.script = { request in
            guard request.target.hasSuffix("changes/zone") else { return nil }
            let page: Value = ["zoneID": ["zoneName": "Notes"], "records": [], "syncToken": "t", "moreComing": false]
            return .response(HTTPResponse(status: 200, json: ["zones": [page]]))
        }
        func fetch(_ op: String, _ token: Value) {
            bench.post(
                bench.launch("quiz"), "ck.zoneChanges",
                [
                    "op": .string(op), "container": "iCloud.com.example.quiz", "database": "private", "zone": "Notes",
                    "token": token,
                ], exchange: 7)
            bench.advance(.seconds(2))
        }
        fetch("1", .null)
        fetch("2", "t")
        #expect(facts(bench, "refetch").isEmpty)
        fetch("3", .null)
        #expect(facts(bench, "refetch").count == 1)
        bench.ask("app.forceQuit", ["app": "quiz"])
        #expect(facts(bench, "ended").map { $0["unread"] } == [1])
    }

    @Test("A file written again: how much of it has changed (S212, S213)")
    func rewritten() throws {
        let bench = try running()
        let path = Value.string(Self.home + "/Documents/b")
        for bytes in [[1, 2, 3, 4, 5], [1, 2, 9, 4, 5], [1, 2, 9, 4, 5, 6, 7]] as [[UInt8]] {
            call(bench, "file.write", ["path": path, "data": .data(bytes)])
        }
        #expect(facts(bench, "rewritten").map { [$0["size"], $0["changed"]] } == [[5, 1], [7, 2]])
    }

    @Test(
        "Secrets: what goes into the keychain or to the backend, found in a file, the key-value store or a record (S16, S97)"
    )
    func secrets() throws {
        let bench = try running()
        let launch = bench.launch("quiz")
        let file = Value.string(Self.home + "/Documents/a")
        func write(_ text: String) {
            call(bench, "file.write", ["path": file, "data": .data(Array(text.utf8))])
        }
        func places() -> [String] { facts(bench, "secret").compactMap { $0["place"]?.string } }
        write("my-password is here")
        call(
            bench, "keychain.add",
            [
                "service": "s", "account": "a", "data": .data(Array("my-password".utf8)), "synchronizable": false,
                "accessible": "AfterFirstUnlock",
            ])
        #expect(places() == [])
        write("my-password again")
        bench.post(launch, "kvs.set", ["key": "k", "value": "my-password"])
        bench.post(launch, "kvs.set", ["key": "k", "value": "my-pass"])
        bench.post(
            launch, "http.send",
            [
                "method": "GET", "url": "https://backend.quiz/x", "headers": ["X-Api-Token": "Bearer abcdefgh"],
                "data": .data([]),
            ], exchange: 3)
        let record: Value = ["recordName": "r", "recordType": "Note", "fields": ["t": ["value": "an abcdefgh"]]]
        bench.post(launch, "ck.modify", ["op": "1", "save": [record], "delete": []], exchange: 5)
        #expect(places() == [Self.home + "/Documents/a", "the key 'k' of its store", "the record 'r'"])
        bench.ask("app.forceQuit", ["app": "quiz"])
        #expect(places().last == Self.home + "/Documents/a" && places().count == 4, "what lies there at the end")
    }

    @Test(
        "Flags in the defaults and keys of the store; documents fetched before the app is there; development (S17, S22, S290)"
    )
    func kept() throws {
        let bench = try PadBench(
            plist: ["HomeroomLocalFlags": ["usesICloud"]],
            entitlements: ["notes": ["com.apple.developer.icloud-container-environment": "Development"]],
            more: ["habits": true])
        bench.signIn("maya")
        bench.inApp = { launch, message in
            guard ["app.didFinishLaunching", "app.didBecomeActive"].contains(message.name) else { return }
            bench.post(launch, "docs.download", ["path": .string("/\(message.name)")])
        }
        bench.open("notes")
        let launch = bench.launch("notes")
        for key in ["introDone", "usesICloud"] {
            bench.post(launch, "app.habit", ["what": "flag", "main": true, "key": .string(key)])
        }
        bench.post(launch, "kvs.set", ["key": "level", "value": 3])
        bench.post(launch, "docs.download", ["path": "/later"])
        #expect(facts(bench, "flag").map { $0["key"] } == ["introDone", "usesICloud"])
        #expect(facts(bench, "flag").map { $0["local"] ?? false } == [false, true])
        #expect(facts(bench, "kvsKey").map { $0["key"] } == ["level"])
        #expect(facts(bench, "development").count == 1)
        bench.ask("app.forceQuit", ["app": "notes"])
        #expect(facts(bench, "ended").map { $0["eager"] } == [2])
    }

    @Test(
        "What lies in the sandbox of an app that does not declare it purgeable, whenever it ends (S11)",
        arguments: [true, false])
    func undeclared(isPurgeable: Bool) throws {
        let bench = try PadBench(purgeable: isPurgeable, more: ["habits": true])
        bench.signIn("maya")
        bench.open("quiz")
        bench.call(
            bench.launch("quiz"), "file.write",
            [
                "path": .string(Pad.home(of: "com.example.quiz") + "/Documents/a"),
                "data": .data(Array(EditPayload.text(token: "maya.1", "x").utf8)),
            ])
        bench.ask("app.forceQuit", ["app": "quiz"])
        let told = bench.notes(.habit).filter { $0.detail["what"] == "undeclared" }
        #expect(told.map(\.tokens) == (isPurgeable ? [] : [["maya.1"]]))
    }

    @Test("The same answer to the same question: counted in a row, until something happens (S204)")
    func polling() throws {
        let bench = try running()
        let launch = bench.launch("quiz")
        var answer: Value = ["items": []]
        bench.cloud.script = {
            $0.target.hasPrefix("/upload") ? .response(HTTPResponse(status: 200, json: answer)) : nil
        }
        func ask(_ method: String = "GET") {
            bench.post(
                launch, "http.send",
                ["method": .string(method), "url": "https://backend.quiz/?list", "headers": .empty, "data": .data([])],
                exchange: 9)
            bench.advance(.seconds(1))
        }
        func times() -> [Value?] { facts(bench, "unchanged").map { $0["times"] } }
        // The services have told what they tell at the start.
        bench.advance(.seconds(30))
        for _ in 1...3 { ask() }
        #expect(times() == [1, 2])
        answer = ["items": ["new"]]
        ask()
        #expect(times() == [1, 2])
        ask()
        ask("POST")
        ask()
        #expect(times() == [1, 2, 1, 1], "it has sent something itself")
        bench.ask("app.home")
        bench.open("quiz")
        ask()
        #expect(times() == [1, 2, 1, 1, 1], "it has come back to the screen")
    }

    @Test("What is read while the launch is under way, with its size; later reading is nobody's business (S209)")
    func loaded() throws {
        let bench = try running()
        let path = Pad.home(of: "com.example.notes") + "/Documents/all"
        bench.inApp = { launch, message in
            guard ["app.didFinishLaunching", "app.didBecomeActive"].contains(message.name) else { return }
            bench.call(launch, "file.write", ["path": .string(path), "data": .data([1, 2, 3])])
            bench.call(launch, "file.read", ["path": .string(path)])
        }
        bench.open("notes")
        #expect(facts(bench, "loadedAtLaunch").map { $0["size"] } == [3])
    }

    @Test("Records of an operation; a screen that changes in the background (S159, S210)")
    func operations() throws {
        let bench = try running()
        let launch = bench.launch("quiz")
        bench.post(launch, "ck.modify", ["op": "1", "save": [.empty, .empty], "delete": ["x"]], exchange: 5)
        #expect(facts(bench, "operation").map { $0["items"] } == [3])
        bench.answerTo = { $0.name == "app.didEnterBackground" ? ["screen": "before", "resident": 10] : .empty }
        call(bench, "app.beginBackgroundTask", ["name": "save"])
        bench.ask("app.home")
        for (screen, bytes) in [("before", 5), ("after", 1)] {
            bench.answerTo = {
                $0.name == "app.memoryWarning" ? ["screen": .string(screen), "resident": .int(bytes)] : .empty
            }
            bench.ask("device.memoryPressure", ["bytes": 1])
            #expect(facts(bench, "interface").count == (screen == "after" ? 1 : 0))
        }
    }
}
