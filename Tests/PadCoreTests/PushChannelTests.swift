import FleetModel
import Testing

@testable import PadCore

@Suite("Push channel", .timeLimit(.minutes(20))) struct PushChannelTests {
    private static let path = "/push/v1/poll"

    /// An iPad with quiz open for maya, whose polls wait until they are answered by `answers`.
    private func running(
        timeScale: Double = 1, _ answers: @escaping (Int) -> Payload? = { _ in nil }
    ) throws -> PadBench {
        let bench = try PadBench(more: ["push": ["poll": 40], "timeScale": .double(timeScale)])
        var polls = 0
        bench.cloud.script = { request in
            guard request.target == Self.path else { return nil }
            polls += 1
            return answers(polls) ?? .post(Message("nobody answers"))
        }
        bench.signIn("maya")
        bench.open("quiz")
        bench.call(bench.launch("quiz"), "kvs.open")
        bench.advance(.seconds(2))
        return bench
    }
    private func polls(_ bench: PadBench) -> [Value] {
        bench.cloud.requests.filter { $0.request.target == Self.path }.map {
            (try? Value(json: $0.request.body)) ?? .null
        }
    }
    private func reply(_ messages: [Value]) -> Payload {
        .response(HTTPResponse(status: 200, json: ["messages": .array(messages)]))
    }

    @Test("Polls: none unless the specification says so")
    func off() throws {
        let bench = try PadBench()
        bench.signIn("maya")
        bench.advance(.minutes(2))
        #expect(bench.cloud.count(Self.path) == 0)
    }

    @Test("Polls: one at a time, with the sessions of everybody cached, anew when somebody comes")
    func sessions() throws {
        let bench = try running()
        #expect(polls(bench) == [["sessions": ["maya-1"]]])
        bench.ask("person.signOut")
        bench.signIn("noah")
        bench.advance(.seconds(1))
        #expect(polls(bench).last == ["sessions": ["maya-1", "noah-2"]])
        #expect(polls(bench).count == 2)
        let last = bench.cloud.requests.last { $0.request.target == Self.path }
        #expect(last?.request.headers["X-Homeroom-Device"] == "ipad-1")
    }

    @Test("Pushes: what a poll brings reaches its daemon, and the next poll follows at once")
    func push() throws {
        let hint: Value = ["account": "maya", "service": "kvs", "topic": "com.example.quiz"]
        let bench = try running { $0 == 1 ? self.reply([hint]) : nil }
        bench.cloud.put(KeyValueWrite(key: "k", value: "v", stamp: 9, device: "ipad-2"))
        bench.advance(.seconds(20))
        #expect(bench.cloud.count(Self.path) == 2)
        // The hint made the daemon fetch.
        #expect(bench.lastMessage("kvs.changed") != nil)
    }

    @Test("Failed polls: pauses grow to a minute; a good one ends them (parameters: 1 to 8 failures)", arguments: 1...8)
    func pauses(failures: Int) throws {
        let bench = try running { $0 <= failures ? .failure(.unreachable) : nil }
        bench.advance(.minutes(10))
        #expect(bench.cloud.count(Self.path) > failures)
        let early = try running { _ in .failure(.unreachable) }
        early.advance(.minutes(10))
        // 2, 4, 8, 16, 32 and then 60 seconds between them.
        #expect((14...16).contains(early.cloud.count(Self.path)))
    }

    @Test("A poll without an answer is given up by the machine's clock and made again", arguments: [1, 60])
    func givenUp(timeScale: Int64) throws {
        let bench = try running(timeScale: Double(timeScale))
        bench.advance(.seconds(37 * timeScale))
        #expect(bench.cloud.count(Self.path) == 1, "the service may hold it for so long")
        bench.advance(.seconds(6 * timeScale))
        #expect(bench.cloud.count(Self.path) == 2)
    }

    @Test("Airplane mode: no polls; afterwards they go on")
    func airplane() throws {
        let bench = try running()
        bench.ask("device.airplane", ["on": true])
        let before = bench.cloud.count(Self.path)
        bench.advance(.minutes(5))
        #expect(bench.cloud.count(Self.path) == before)
        bench.ask("device.airplane", ["on": false])
        bench.advance(.seconds(30))
        #expect(bench.cloud.count(Self.path) == before + 1)
    }

    @Test(
        "Answers that are none: nothing breaks (parameters: bodies)",
        arguments: ["", "[]", #"{"messages":[1,null,{}]}"#, #"{"messages":{}}"#])
    func hostile(body: String) throws {
        let bench = try running { $0 < 4 ? .response(HTTPResponse(status: 200, body: Array(body.utf8))) : nil }
        bench.advance(.minutes(3))
        #expect(bench.problems.isEmpty)
        #expect(bench.cloud.count(Self.path) >= 4)
    }

    @Test("Specification: a patience that cannot be is refused", arguments: [0, -1, 1_000_001])
    func specification(seconds: Int) throws {
        #expect(throws: PadProblem.self) { try PadBench(more: ["push": ["poll": .int(Int64(seconds))]]) }
    }
}
