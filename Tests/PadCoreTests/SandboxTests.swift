import FleetModel
import Storage
import Testing

@testable import PadCore

@Suite("Sandbox", .timeLimit(.minutes(20))) struct SandboxTests {
    private static let home = Pad.home(of: "com.example.quiz")
    private func running() throws -> PadBench {
        let bench = try PadBench()
        bench.signIn("maya")
        bench.open("quiz")
        return bench
    }
    private func file(_ bench: PadBench, _ verb: String, _ path: String, _ more: Value = .empty) -> Value {
        var body = more
        body[verb == "move" ? "from" : "path"] = .string(path)
        return bench.call(bench.launch("quiz"), "file.\(verb)", body) ?? .null
    }
    private func code(_ value: Value) -> Int64? { value["error"]?["code"]?.int }

    @Test("Files: written, appended, listed, moved, removed; errors by the table")
    func files() throws {
        let bench = try running()
        let a = Self.home + "/Documents/a", b = Self.home + "/Documents/b"
        #expect(file(bench, "write", a, ["data": .data([1, 2])]) == .empty)
        #expect(file(bench, "append", a, ["data": .data([3])]) == .empty)
        #expect(file(bench, "read", a) == ["data": .data([1, 2, 3])])
        #expect(file(bench, "list", Self.home + "/Documents") == ["names": ["a"]])
        #expect(file(bench, "stat", a)["size"] == 3 && file(bench, "stat", b)["exists"] == false)
        #expect(file(bench, "move", a, ["to": .string(b)]) == .empty)
        #expect(code(file(bench, "read", a)) == 260)
        #expect(file(bench, "write", a, ["data": .data([])]) == .empty)
        #expect(code(file(bench, "move", a, ["to": .string(b)])) == 516)
        #expect(code(file(bench, "write", Self.home + "/nowhere/x", ["data": .data([])])) == 4)
        #expect(file(bench, "remove", b) == .empty)
        #expect(code(file(bench, "remove", b)) == 4)
        #expect(file(bench, "makeFolder", Self.home + "/tmp/x/y") == .empty)
        #expect(file(bench, "stat", Self.home + "/tmp/x/y")["folder"] == true)
        #expect(file(bench, "list", Self.home)["names"] == ["Documents", "Library", "tmp"])
    }

    @Test("Places in a file: read, written, cut off; what is not there and what cannot be meant is refused")
    func places() throws {
        let bench = try running()
        let a = Self.home + "/Documents/a"
        #expect(code(file(bench, "open", a, ["create": false])) == 260)
        #expect(code(file(bench, "writeAt", a, ["offset": 0, "data": .data([1])])) == 4)
        #expect(file(bench, "open", a, ["create": true]) == ["size": 0])
        #expect(file(bench, "writeAt", a, ["offset": 2, "data": .data([7, 8])]) == .empty)
        #expect(file(bench, "readAt", a, ["offset": 0, "count": 9]) == ["data": .data([0, 0, 7, 8])])
        #expect(file(bench, "readAt", a, ["offset": 9, "count": 9]) == ["data": .data([])])
        #expect(file(bench, "truncate", a, ["size": 3]) == .empty)
        #expect(file(bench, "open", a, ["create": true]) == ["size": 3])
        for wrong: Value in [
            [:], ["offset": -1], ["offset": 0.5], ["offset": .int(Int64.max)], ["offset": .int(Int64.min)],
            ["offset": "0"], ["offset": .int(3 + Disk.gapMax + 1)],
        ] {
            var body = wrong
            (body["count"], body["data"], body["size"]) = (1, .data([1]), wrong["offset"] ?? "x")
            for verb in ["readAt", "writeAt", "truncate"] { #expect(code(file(bench, verb, a, body)) == 22) }
        }
        for count: Value in [-1, "1", .int(Int64.max), .int(1 << 20 + 1)] {
            #expect(code(file(bench, "readAt", a, ["offset": 0, "count": count])) == 22)
        }
        #expect(code(file(bench, "open", a)) == 22 && code(file(bench, "open", Self.home, ["create": true])) == 260)
        #expect(code(file(bench, "open", "/etc/passwd", ["create": false])) == 257)
        #expect(file(bench, "read", a) == ["data": .data([0, 0, 7])])
    }

    @Test("Suspension: an app that holds a lock on a database is killed, and the reason names the statement")
    func suspendedWithLock() throws {
        for held in [true, false] {
            let bench = try running()
            let locks: Value = [["path": .string(Self.home + "/Documents/a.db"), "statement": "DELETE FROM outbox"]]
            bench.post(bench.launch("quiz"), "file.locks", ["held": locks])
            if !held { bench.post(bench.launch("quiz"), "file.locks", ["held": []]) }
            bench.ask("app.home")
            bench.advance(.minutes(2))
            let ends = bench.notes(.appExited).map { $0.detail["missed"]?.string ?? "" }
            #expect(ends.contains { $0.contains("'DELETE FROM outbox'") && $0.contains("0xdead10cc") } == held)
            #expect(bench.notes(.appSuspended).isEmpty == held)
        }
    }

    @Test("Power cut: a file written atomically is the old or the new, and after a sync the new")
    func powerCut() throws {
        let path = Self.home + "/Documents/a"
        let (old, new) = ([UInt8](repeating: 1, count: 2000), [UInt8](repeating: 2, count: 2000))
        var seen: [Bool: Set<String>] = [:]
        for sync in [false, true] {
            for seed in Int64(0)..<12 {
                let bench = try running()
                #expect(file(bench, "write", path, ["data": .data(old), "atomic": true]) == .empty)
                #expect(file(bench, "sync", path) == .empty)
                #expect(file(bench, "write", path, ["data": .data(new), "atomic": true]) == .empty)
                if sync { #expect(file(bench, "sync", path) == .empty) }
                bench.command("device.powerCut", ["seed": .int(seed)])
                let found = try? bench.disk(of: "maya")?.read(path)
                seen[sync, default: []].insert(found == old ? "old" : found == new ? "new" : "torn")
            }
        }
        #expect(seen == [false: ["old", "new"], true: ["new"]])
    }

    @Test("Full disk: error 640, the old content stays")
    func full() throws {
        let bench = try running()
        let path = Self.home + "/Documents/a"
        #expect(file(bench, "write", path, ["data": .data([1])]) == .empty)
        bench.ask("storage.fill", ["free": 10])
        #expect(code(file(bench, "write", path, ["data": .data(Array(repeating: 2, count: 100_000))])) == 640)
        #expect(file(bench, "read", path) == ["data": .data([1])])
    }

    @Test(
        "Paths: nothing outside the app's own home",
        arguments: [
            "/", "", "Documents/a", "/etc/passwd", "/var/mobile/daemons.sqlite", Self.home + "/../com.example.notes/a",
            Self.home + "x/a",
            Self.home + "/./a", Self.home + "//a", Self.home + "/a\0b",
            Pad.home(of: "com.example.notes") + "/Documents/a",
            "/var/mobile/Library/Mobile Documents/iCloud.com.example.notes/Documents/a",
        ])
    func outside(path: String) throws {
        let bench = try running()
        for verb in ["read", "write", "append", "sync", "remove", "move", "makeFolder", "list", "stat"] {
            #expect(
                file(bench, verb, path, ["data": .data([1]), "to": .string(Self.home + "/tmp/z")])["error"] != nil,
                "\(verb)")
        }
        #expect(file(bench, "move", Self.home + "/tmp", ["to": .string(path)])["error"] != nil)
    }

    @Test("The app's own folder cannot be removed or moved")
    func ownFolder() throws {
        let bench = try running()
        #expect(code(file(bench, "remove", Self.home)) == 513)
        #expect(code(file(bench, "move", Self.home, ["to": .string(Self.home + "/tmp/z")])) == 513)
    }

    @Test("Ubiquity container: apart from the app's own files, a purge of those leaves it (S41)")
    func apart() throws {
        let bench = try running()
        let folder = try #require(bench.call(bench.launch("quiz"), "docs.container", [:])?["path"]?.string)
        #expect(!folder.hasPrefix(Self.home) && !Self.home.hasPrefix(folder))
        let own = Self.home + "/Documents/a"
        let kept = folder + "/Documents/a.nosync"
        for path in [own, kept] { #expect(file(bench, "write", path, ["data": .data([1])]) == .empty) }
        bench.ask("app.forceQuit", ["app": "quiz"])
        bench.advance(.minutes(1))
        #expect(bench.ask("storage.purge", ["app": "quiz"])?["ok"]?.bool == true)
        #expect(bench.disk(of: "maya")?.status(own) == nil)
        #expect(bench.disk(of: "maya")?.status(kept) != nil)
    }

    @Test("Low space while work is only here: caches and tmp go, the rest stays; a running app keeps all")
    func caches() throws {
        let bench = try running()
        let (kept, caches) = (Self.home + "/Documents/a", [Self.home + "/Library/Caches/b", Self.home + "/tmp/c"])
        for path in caches + [kept] { #expect(file(bench, "write", path, ["data": .data([1])]) == .empty) }
        bench.ask("identity.change", ["to": "withoutDocuments"])
        for isRunning in [true, false] {
            if !isRunning { bench.ask("app.forceQuit", ["app": "quiz"]) }
            bench.advance(.minutes(1))
            bench.ask("storage.purge")
            for path in caches { #expect((bench.disk(of: "maya")?.status(path) != nil) == isRunning) }
        }
        #expect(bench.disk(of: "maya")?.status(kept) != nil && bench.notes(.purged).isEmpty)
    }

    @Test("Ubiquity container: open to the app once it has asked for it (S83)")
    func container() throws {
        let bench = try running()
        let path = "/var/mobile/Library/Mobile Documents/iCloud.com.example.quiz/Documents/a"
        #expect(code(file(bench, "write", path, ["data": .data([1])])) == 257)
        #expect(bench.call(bench.launch("quiz"), "docs.container", ["identifier": .null])?["path"]?.string != nil)
        #expect(file(bench, "write", path, ["data": .data([1])]) == .empty)
        #expect(file(bench, "read", path) == ["data": .data([1])])
    }

    @Test("A full volume: unused documents that the Cloud has make room; without any the write is refused (S66)")
    func makesRoom() throws {
        let bench = try PadBench()
        bench.cloud.script = { request in
            guard request.method == "PUT" else { return nil }
            return .response(HTTPResponse(status: 200, json: ["id": "x", "version": "v1", "conflict": false]))
        }
        bench.signIn("maya")
        bench.open("quiz")
        let quiz = bench.launch("quiz")
        let document =
            (bench.call(quiz, "docs.container", ["identifier": .null])?["path"]?.string ?? "") + "/Documents/d"
        func write(_ path: String, _ bytes: Int) -> Int64? {
            let body: Value = ["path": .string(path), "data": .data([UInt8](repeating: 7, count: bytes))]
            return bench.call(quiz, "file.write", body)?["error"]?["code"]?.int
        }
        bench.call(quiz, "docs.beginWrite", ["path": .string(document)])
        #expect(write(document, 50_000) == nil)
        bench.call(quiz, "docs.endWrite", ["path": .string(document)])
        bench.advance(.minutes(2))
        let disk = try #require(bench.disk(of: "maya"))
        bench.ask("storage.fill", ["free": 20_000])
        let own = Pad.home(of: "com.example.quiz") + "/Documents/own"
        #expect(write(own, 18_000) == nil && disk.status(document) != nil)
        // What an app has just read is in use.
        bench.call(quiz, "file.read", ["path": .string(document)])
        #expect(write(own + "2", 10_000) == 640 && disk.status(document) != nil)
        bench.advance(.minutes(2))
        #expect(write(own + "2", 10_000) == nil && disk.status(document) == nil)
        #expect(write(own + "3", 90_000) == 640)
        #expect(
            bench.call(quiz, "file.read", ["path": .string(document)])?["error"]?["code"] == 4353)
    }
}
