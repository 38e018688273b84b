import FleetModel
import Testing

@testable import PadCore

@Suite("Background fetch", .timeLimit(.minutes(20))) struct BackgroundFetchTests {
    /// Signed in; quiz has run once, wants fetches every 15 minutes and is suspended.
    private func waiting(modes: Value = ["fetch"], interval: Value = 0) throws -> PadBench {
        let bench = try PadBench(plist: ["UIBackgroundModes": modes])
        bench.signIn("maya")
        bench.open("quiz")
        bench.call(bench.launch("quiz"), "app.fetchInterval", ["interval": interval])
        bench.ask("app.home")
        bench.advance(.seconds(3))
        _ = bench.takeTold()
        return bench
    }
    private func fetches(_ bench: PadBench) -> Int { bench.takeTold().count { $0 == "quiz performFetch" } }
    /// Minutes of the day at which fetches came.
    private func minutes(_ bench: PadBench, for length: Int64, result: String) -> [Int64] {
        bench.answerTo = { $0.name == "app.performFetch" ? ["result": .string(result)] : .empty }
        var found: [Int64] = []
        for minute in 0..<length {
            bench.advance(.minutes(1))
            if fetches(bench) > 0 { found.append(minute) }
        }
        return found
    }

    @Test("Fetch: the interval is a minimum; what brings news comes again after it, what brings none ever later")
    func results() throws {
        let steady = try minutes(waiting(), for: 120, result: "newData")
        #expect(steady == [14, 29, 44, 59, 74, 89, 104, 119])
        let vain = try minutes(waiting(), for: 24 * 60, result: "noData")
        let gaps = zip(vain.dropFirst(), vain).map { $0 - $1 }
        #expect(gaps.prefix(4) == [30, 60, 120, 240] && gaps.dropFirst(4).allSatisfy { $0 == 240 }, "\(vain)")
        #expect(try minutes(waiting(), for: 24 * 60, result: "failed") == vain)
        #expect(
            try minutes(waiting(interval: .int(Span.hours(5).nanoseconds)), for: 11 * 60, result: "newData").count == 2)
    }

    @Test(
        "Fetch: only with the declared mode and an interval; the app runs, is given 30 s, and sleeps again (S138, S147)"
    )
    func declared() throws {
        #expect(try minutes(waiting(modes: ["audio"]), for: 60, result: "newData") == [])
        #expect(try minutes(waiting(interval: .null), for: 60, result: "newData") == [])
        let bench = try waiting()
        bench.stuck = ["app.performFetch"]
        bench.advance(.minutes(16))
        #expect(bench.reasons(.appExited) == ["watchdog"])
    }

    @Test("Fetch: not in front of the person, not without network, not after a force-quit, not in another's session")
    func conditions() throws {
        let front = try waiting()
        front.open("quiz")
        front.advance(.hours(1))
        #expect(fetches(front) == 0)
        let offline = try waiting()
        offline.ask("device.airplane", ["on": true])
        offline.advance(.hours(1))
        #expect(fetches(offline) == 0)
        offline.ask("device.airplane", ["on": false])
        offline.advance(.minutes(20))
        #expect(fetches(offline) == 1)
        let quit = try waiting()
        quit.ask("app.forceQuit", ["app": "quiz"])
        quit.advance(.hours(1))
        #expect(fetches(quit) == 0)
        let other = try waiting()
        other.ask("person.signOut")
        other.signIn("leo")
        other.advance(.hours(1))
        #expect(fetches(other) == 0)
        other.ask("person.signOut")
        other.signIn("maya")
        other.advance(.minutes(1))
        #expect(fetches(other) == 1, "its plan is kept while the person is away")
    }

    @Test("Fetch: a dead app is started for it, also after a restart of the iPad")
    func restarted() throws {
        let bench = try waiting()
        bench.command("device.reboot")
        try bench.restart()
        bench.signIn("maya")
        bench.advance(.minutes(16))
        #expect(
            bench.takeTold().suffix(3) == ["quiz didFinishLaunching", "quiz didEnterBackground", "quiz performFetch"])
    }
}
