import FleetModel
import Testing

@testable import PadCore

@Suite("Habits noted") struct HabitTests {
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
}
