import FleetModel
import Storage
import Testing

@testable import PadCore

/// Each breaks the state of an iPad on purpose, and expects that the iPad says so.
@Suite("Invariants of the iPad", .timeLimit(.minutes(20))) struct InvariantTests {
    /// Maya has the quiz on the screen.
    private func bench() throws -> PadBench {
        let bench = try PadBench()
        bench.signIn("maya")
        bench.open("quiz")
        try bench.pad.checkInvariants()
        return bench
    }
    private func broken(_ bench: PadBench) -> String {
        do { try bench.pad.checkInvariants() } catch { return error.description }
        return "nothing is broken"
    }

    @Test("A step that breaks one ends the run as a problem of the testbed, with the iPad's name")
    func told() throws {
        let bench = try bench()
        bench.pad.kernel.state.residents.append(contentsOf: bench.pad.kernel.state.residents)
        bench.advance(.minutes(1))
        bench.command("device.notifications")
        #expect(
            bench.problems.first?.contains("an invariant of ipad-1 is broken: somebody is on the iPad twice") == true)
    }

    @Test(
        "A launch: what its process does and what daemons see of it agree, and nothing waits without an end",
        arguments: [
            ("phase", "is running, and daemons see it suspended"),
            ("process", "is starting, and daemons see it active"),
            ("number", "is kept under another number"), ("person", "who has no session"),
            ("callback", "may take for ever to return from app.willTerminate"),
        ])
    func launches(_ what: String, _ message: String) throws {
        let bench = try bench()
        let launch = bench.launch("quiz")
        var run = try #require(bench.pad.apps.runs[launch])
        switch what {
        case "phase": run.phase = .suspended
        case "process": run.process = .starting
        case "callback": run.callback = (.willTerminate, 99)
        case "person":
            run = AppRun(
                AppIdentity(person: "leo", app: "quiz", bundle: "q", launch: launch), account: "leo", reason: "user",
                goal: .foreground)
        default:
            run = AppRun(
                AppIdentity(person: "maya", app: "quiz", bundle: "q", launch: 99), account: "maya", reason: "user",
                goal: .foreground)
        }
        bench.pad.apps.runs[launch] = run
        #expect(broken(bench).contains(message))
    }

    @Test("The screen belongs to a launch that is alive")
    func screen() throws {
        let bench = try bench()
        bench.pad.apps.runs = [:]
        #expect(
            broken(bench).contains("and it is not alive") || broken(bench).contains("has the screen and is not alive"))
    }

    @Test("A request has a timer: nothing waits for its answer for ever")
    func requests() throws {
        let bench = try bench()
        bench.pad.network.send(
            HTTPRequest(post: "/x", json: .empty),
            task: NetworkTask(service: "kvs", person: "maya", name: "sync", attempt: 0),
            cause: "sync", timeout: nil)
        try bench.pad.checkInvariants()
        bench.pad.kernel.timers.cancel { if case .request = $0 { true } else { false } }
        #expect(broken(bench).contains("a request waits for its answer for ever"))
    }

    @Test("The session's person is on the iPad")
    func session() throws {
        let bench = try bench()
        bench.pad.kernel.state.residents = []
        #expect(broken(bench) == "maya has the session and is not on the iPad")
    }

    @Test("Documents: a place is the place of the document that says so, and what is counted is there")
    func documents() throws {
        let disk = Disk.memory()
        let library = try DocumentLibrary(
            Volume(person: "maya", disk: disk, database: Database(disk: disk, path: "/daemons.db")))
        var item = DocumentItem(id: "one", container: "iCloud.com.example.notes", wanted: "a")
        item.path = "/a"
        try library.commit([.save(item)])
        try library.checkInvariants()
        library.update(item: "one") { $0.path = "/b" }
        #expect(throws: BrokenInvariant.self) { try library.checkInvariants() }
        library.update(item: "one") { $0.path = "/a" }
        try library.checkInvariants()
    }

    @Test("Transfers: what has ended is not under way, and what was delivered has ended", arguments: [true, false])
    func transfers(_ hasEnded: Bool) throws {
        let bench = try bench()
        let queue = try TransferQueue(try #require(bench.pad.storage.volume(of: "maya")))
        let row: Value = [
            "bundle": "q", "session": "s", "number": 1, "method": "PUT", "url": "https://x/y", "target": "/y",
            "headers": [], "description": "", "request": "r", "created": 0, "begins": 0, "tokens": [],
        ]
        let made = try queue.add(Transfer(task: 0, app: "quiz", row: row, outcome: nil), bodyAt: nil)
        try queue.checkInvariants()
        if hasEnded { try queue.finish(0, .response(status: 200, data: [])) }
        queue.update(0) { if hasEnded { $0.isUnderWay = true } else { $0.deliveredTo = 7 } }
        #expect(throws: BrokenInvariant.self, "\(made.task)") { try queue.checkInvariants() }
    }
}
