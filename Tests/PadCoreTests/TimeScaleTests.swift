import FleetModel
import Testing

@testable import PadCore

@Suite("Allowances in compressed time", .timeLimit(.minutes(20))) struct TimeScaleTests {
    private static func allowed(_ span: Span, at timeScale: Double) throws -> Span {
        try PadSpec(["pad": 1, "timeScale": .double(timeScale)]).real(span)
    }

    @Test("An allowance is never shorter than it is in real time, and no longer than the machine may need for it")
    func allowances() throws {
        for timeScale in [0.5, 1, 4] { #expect(try Self.allowed(.seconds(10), at: timeScale) == .seconds(10)) }
        #expect(try Self.allowed(.seconds(10), at: 60) == .seconds(60))
        #expect(try Self.allowed(.minutes(2), at: 60) == .minutes(2))
        // What a real iPad allows less for than the machine needs grows with the speed.
        #expect(try Self.allowed(.milliseconds(100), at: 60) == .seconds(6))
    }

    @Test("An app that hangs is ended within a few minutes of the run at 60 times the speed, by the watchdog")
    func watchdog() throws {
        let bench = try PadBench(more: ["timeScale": 60])
        bench.signIn("maya")
        bench.stuck = ["app.didFinishLaunching"]
        bench.command("app.open", ["app": "quiz"])
        bench.advance(.seconds(59))
        #expect(bench.pad.apps.running("maya", app: "quiz").count == 1)
        bench.advance(.seconds(2))
        #expect(bench.pad.apps.running("maya", app: "quiz").isEmpty)
    }
}
