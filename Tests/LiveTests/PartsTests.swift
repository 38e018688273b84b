import FleetModel
import Testing

@testable import Live
@testable import Run

/// The Cloud's board in memory, and a clock that the test turns.
private final class Board {
    var entries: [Value] = []
    var now: Int64 = 1

    func part(_ text: String) throws -> Parts {
        Parts(try #require(Shard(text)), clock: { self.now }, board: { self.ask($0) })
    }
    func ask(_ body: Value) -> Value {
        if let entry = body["entry"] { entries.append(["entry": entry, "at": .int(now)]) }
        let news = entries.indices.filter { $0 + 1 > body["after"]?.int ?? 0 }
        return [
            "entries": .array(news.map { entries[$0] }), "last": .int(entries.count), "now": .int(now),
        ]
    }
    /// Time for the next look.
    func wait(seconds: Int64 = 0) { now += seconds * 1_000_000_000 + 50_000_000 }
}

@Suite("Parts of a split run", .timeLimit(.minutes(20))) struct PartsTests {
    @Test("Meeting: nobody goes on before all are there, then each has what all brought, by part")
    func meeting() throws {
        let board = Board()
        let (one, two) = (try board.part("1/2"), try board.part("2/2"))
        try two.arrive(at: "storm", "b")
        #expect(two.met == nil)
        try one.arrive(at: "storm", "a")
        #expect(one.met == ["a", "b"])
        board.wait()
        _ = try two.look()
        #expect(two.met == ["a", "b"])
        #expect(one.run == two.run && !one.run.isEmpty)
    }

    @Test("Meetings are told apart: who is at the second one does not count for the first, nor the other way round")
    func twoMeetings() throws {
        let board = Board()
        let (one, two) = (try board.part("1/2"), try board.part("2/2"))
        try one.arrive(at: "storm", 1)
        try two.arrive(at: "storm", 2)
        try two.arrive(at: "calm", 3)
        board.wait()
        _ = try one.look()
        #expect(one.met == [1, 2])
        #expect(two.met == nil)
        try one.arrive(at: "calm", 4)
        #expect(one.met == [4, 3])
    }

    @Test("Word for people: heard by the others once, and not by whoever said it")
    func words() throws {
        let board = Board()
        let (one, two) = (try board.part("1/2"), try board.part("2/2"))
        one.tell(Message("people.handOver", ["person": "maya"]))
        board.wait()
        #expect(try one.look() == [])
        #expect(board.entries.count == 1)
        #expect(try two.look() == [Message("people.handOver", ["person": "maya"])])
        board.wait()
        #expect(try two.look() == [])
    }

    @Test("Many words at once: in entries that the board takes, in their order, each heard once")
    func manyWords() throws {
        let board = Board()
        let (one, two) = (try board.part("1/2"), try board.part("2/2"))
        let words = (0..<250).map { Message("people.handOver", ["person": .string("person-\($0)")]) }
        for word in words { one.tell(word) }
        var heard: [Message] = []
        for _ in 1...4 {
            board.wait()
            _ = try one.look()
            heard += try two.look()
        }
        #expect(heard == words)
        #expect(board.entries.compactMap { $0["entry"]?["words"]?.array?.count } == [100, 100, 50])
    }

    @Test("A part that fails: the others hear its reason")
    func failure() throws {
        let board = Board()
        let (one, two) = (try board.part("1/2"), try board.part("2/2"))
        one.fail(.harness("the network has gone"))
        board.wait()
        let problem = #expect(throws: RunEnd.self) { try two.look() }
        #expect(problem?.kind == .harness && problem?.message == "part 1/2 has failed: the network has gone")
    }

    @Test("A part that ends before it came to a meeting: the others hear of it all the same")
    func early() throws {
        let board = Board()
        let (one, two) = (try board.part("1/2"), try board.part("2/2"))
        try two.arrive(at: "the beginning", 1)
        one.fail(.harness("it was interrupted"))
        board.wait()
        let problem = #expect(throws: RunEnd.self) { try two.look() }
        #expect(problem?.kind == .harness && problem?.message == "part 1/2 has failed: it was interrupted")
    }

    @Test("A part that was started wrongly: the others hear that it is for their caller to mend")
    func slip() throws {
        let board = Board()
        let (one, two) = (try board.part("1/2"), try board.part("2/2"))
        one.fail(.input("another seed"))
        board.wait()
        let problem = #expect(throws: RunEnd.self) { try two.look() }
        #expect(problem?.kind == .input && problem?.message == "part 1/2 has failed: another seed")
    }

    @Test("Silence: a part that gives no sign for a minute counts as ended; one that waits with us gives signs")
    func silence() throws {
        let board = Board()
        let (one, two) = (try board.part("1/2"), try board.part("2/2"))
        try two.arrive(at: "storm", 1)
        try one.arrive(at: "storm", 1)
        try one.arrive(at: "calm", 1)
        for _ in 0..<20 {
            board.wait(seconds: 5)
            _ = try two.look()
            _ = try one.look()
        }
        let problem = #expect(throws: RunEnd.self) {
            for _ in 0..<20 {
                board.wait(seconds: 5)
                _ = try one.look()
            }
        }
        #expect(
            problem?.message.contains("part 2/2 was not heard of for a minute, and is waited for at 'calm'") == true)
    }

    @Test("Silence in a storm, when nobody waits for anybody: noticed too; who has ended may be silent")
    func silenceInStorm() throws {
        let board = Board()
        let (one, two) = (try board.part("1/2"), try board.part("2/2"))
        try two.arrive(at: "storm", 1)
        try one.arrive(at: "storm", 1)
        #expect(one.met != nil)
        board.wait(seconds: 61)
        let problem = #expect(throws: RunEnd.self) { try one.look() }
        #expect(
            problem?.kind == .harness
                && problem?.message == "part 2/2 was not heard of for a minute: it was ended, or its machine hangs")
        try two.end()
        board.wait(seconds: 500)
        #expect(try one.look() == [])
    }

    @Test("A second start of a part: refused before it says anything, and the others go on")
    func secondStart() throws {
        let board = Board()
        let (one, two) = (try board.part("1/2"), try board.part("2/2"))
        try one.arrive(at: "the beginning", 1)
        try two.arrive(at: "the beginning", 2)
        let count = board.entries.count
        let second = try board.part("1/2")
        let problem = #expect(throws: RunEnd.self) { try second.arrive(at: "the beginning", 1) }
        #expect(problem?.kind == .input && problem?.message.contains("part 1/2 is there already") == true)
        second.fail(.input("part 1/2 is there already"))
        #expect(board.entries.count == count)
        board.wait()
        #expect(try one.look() == [] && two.met == [1, 2])
    }

    @Test("A part that never came: named after five minutes")
    func absence() throws {
        let board = Board()
        let one = try board.part("1/2")
        try one.arrive(at: "the beginning", 1)
        let problem = #expect(throws: RunEnd.self) {
            for _ in 0..<70 {
                board.wait(seconds: 5)
                _ = try one.look()
            }
        }
        #expect(
            problem?.kind == .input && problem?.message.contains("part 2/2 did not come within five minutes") == true)
        #expect(board.now > 300_000_000_000)
    }

    @Test(
        "Who does not belong here: refused (parameters: the one who came before us)",
        arguments: [
            ("2/2", "is there already"), ("1/3", "the same number of parts"), ("3/3", "the same number of parts"),
        ])
    func strangers(other: String, reason: String) throws {
        let board = Board()
        try board.part(other).arrive(at: "the beginning", 1)
        let two = try board.part("2/2")
        let problem = #expect(throws: RunEnd.self) { try two.arrive(at: "the beginning", 1) }
        #expect(problem?.kind == .input && problem?.message.contains(reason) == true)
    }

    @Test("What is no word of a part: refused, not guessed at")
    func garbage() throws {
        let board = Board()
        board.entries = [["entry": ["shard": "4/2"], "at": 1]]
        #expect(throws: RunEnd.self) { try board.part("1/2").arrive(at: "the beginning", 1) }
    }
}
