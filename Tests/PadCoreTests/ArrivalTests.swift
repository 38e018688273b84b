import FleetModel
import Testing

@testable import PadCore

@Suite("Arrivals noted", .timeLimit(.minutes(20))) struct ArrivalTests {
    private static let path = Pad.home(of: "com.example.quiz") + "/Documents/a"

    private func running(notes: Bool = true) throws -> PadBench {
        let bench = try PadBench(more: notes ? ["notesArrivals": true] : .empty)
        bench.signIn("maya")
        bench.open("quiz")
        return bench
    }
    private func payload(_ token: Token) -> String { EditPayload.text(token: token, "some words") }
    private func write(_ bench: PadBench, _ tokens: [Token]) {
        let data = Array(tokens.map(payload).joined(separator: " and ").utf8)
        bench.call(bench.launch("quiz"), "file.write", ["path": .string(Self.path), "data": .data(data)])
    }
    private func read(_ bench: PadBench) {
        bench.call(bench.launch("quiz"), "file.read", ["path": .string(Self.path)])
    }
    private func made(_ token: Token) -> Edit {
        Edit(
            token: token, person: "maya", app: "quiz", action: "write", item: "a", verb: .put, value: payload(token))
    }

    @Test("Answered: each edit once a launch, in the order of the bytes, with person, app and launch")
    func answers() throws {
        let bench = try running()
        write(bench, ["ben.2", "ben.1"])
        read(bench)
        read(bench)
        let launch = bench.launch("quiz")
        let note = Note(
            .arrived, person: "maya", app: "quiz", tokens: ["ben.2", "ben.1"], detail: ["launch": .int(launch)])
        #expect(bench.notes(.arrived) == [note])
        write(bench, ["ben.1", "ben.3"])
        read(bench)
        #expect(bench.tokens(.arrived) == ["ben.2", "ben.1", "ben.3"])
    }

    @Test("Told: a change of the key-value store that another iPad made")
    func told() throws {
        let bench = try running()
        bench.call(bench.launch("quiz"), "kvs.open")
        bench.advance(.seconds(1))
        let stamp = Instant.epochNanoseconds + bench.now.nanoseconds
        bench.cloud.put(KeyValueWrite(key: "k", value: .string(payload("maya.7")), stamp: stamp, device: "ipad-2"))
        bench.push(["account": "maya", "service": "kvs", "topic": "com.example.quiz"])
        #expect(bench.tokens(.arrived).isEmpty)
        bench.advance(.seconds(1))
        #expect(bench.tokens(.arrived) == ["maya.7"])
    }

    @Test("What the person has this launch do is no arrival, and is one for the next launch")
    func own() throws {
        let bench = try running()
        bench.ask("app.perform", made("maya.1").body)
        write(bench, ["maya.1"])
        read(bench)
        #expect(bench.tokens(.arrived).isEmpty)
        bench.ask("app.forceQuit", ["app": "quiz"])
        bench.open("quiz")
        read(bench)
        #expect(bench.tokens(.arrived) == ["maya.1"])
    }

    @Test("Nothing is noted unless it is asked for, nor of damaged payloads")
    func silent() throws {
        let quiet = try running(notes: false)
        write(quiet, ["ben.1"])
        read(quiet)
        #expect(quiet.notes(.arrived).isEmpty)
        let bench = try running()
        let data = Array(payload("ben.1").dropLast(3).utf8)
        bench.call(bench.launch("quiz"), "file.write", ["path": .string(Self.path), "data": .data(data)])
        read(bench)
        #expect(bench.notes(.arrived).isEmpty)
    }

    @Test("Memory: bounded; the newest half is known at least")
    func bounded() {
        var handed = HandedTokens()
        let half = HandedTokens.most / 2
        let all = (1...3 * half).map { "maya.\($0)" }
        let first = all.map { handed.insert($0) }
        let again = all.suffix(half).map { handed.insert($0) }
        #expect(!first.contains(false) && !again.contains(true))
        let isForgotten = handed.insert("maya.1")
        #expect(isForgotten)
        #expect(handed.count <= HandedTokens.most)
    }
}
