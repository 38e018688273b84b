import FleetModel
import Testing

@testable import PadCore

@Suite("Phase of an app", .timeLimit(.minutes(20))) struct PhaseTests {
    @Test("Five phases: each is reached, one after the other, and told by what the system does (S122)")
    func five() throws {
        let bench = try PadBench()
        bench.signIn("maya")
        let app = AppIdentity(person: "maya", app: "quiz", bundle: "com.example.quiz", launch: 1)
        var phases: [AppPhase] = []
        func look() { phases.append(bench.pad.apps.phase(of: app)) }
        look()
        bench.stuck = ["app.didFinishLaunching"]
        bench.command("app.open", ["app": "quiz"])
        bench.advance(.seconds(1))
        #expect(bench.pad.apps.running("maya", app: "quiz") == [app])
        look()
        bench.stuck = []
        bench.returnLate("app.didFinishLaunching")
        bench.advance(.seconds(1))
        look()
        let task = try #require(bench.call(1, "app.beginBackgroundTask")?["task"])
        bench.ask("app.home")
        bench.advance(.seconds(3))
        look()
        bench.call(1, "app.endBackgroundTask", ["task": task])
        bench.advance(.seconds(3))
        look()
        bench.ask("app.memoryKill", ["app": "quiz"])
        look()
        #expect(phases == [.notRunning, .inactive, .active, .background, .suspended, .notRunning])
    }
}
