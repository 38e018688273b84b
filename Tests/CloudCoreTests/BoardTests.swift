import FleetModel
import Testing

@testable import CloudCore

@Suite("Board of the Cloud", .timeLimit(.minutes(20))) struct BoardTests {
    private func ask(_ fleet: Fleet, _ body: Value) -> Value {
        fleet.cloud.command(Message("cloud.board", body), now: fleet.now).answer
    }
    private func words(_ answer: Value) -> [String] {
        (answer["entries"]?.array ?? []).compactMap { $0["entry"]?.string }
    }
    private func leave(_ fleet: Fleet, _ word: String, author: String = "a", number: Int) -> Value {
        ask(fleet, ["author": .string(author), "number": .int(number), "entry": .string(word)])
    }

    @Test("Entries: read by everybody in their order, each with author, number and moment")
    func order() throws {
        let fleet = try Fleet(more: ["history": true])
        _ = leave(fleet, "one", number: 1)
        let answer = leave(fleet, "two", author: "b", number: 1)
        #expect(words(answer) == ["one", "two"])
        #expect(answer["now"]?.int == fleet.now.nanoseconds)
        let last = try #require(answer["entries"]?.array?.last)
        #expect(last["author"] == "b" && last["number"] == 1 && last["at"]?.int == fleet.now.nanoseconds)
        let end = try #require(answer["last"]?.int)
        #expect(words(ask(fleet, ["after": .int(end)])) == [])
    }

    @Test("An entry that comes again with the same number is there once, and the first word stands")
    func again() throws {
        let fleet = try Fleet(more: ["history": true])
        _ = leave(fleet, "one", number: 1)
        #expect(words(leave(fleet, "other", number: 1)) == ["one"])
    }

    @Test("What was left survives a crash of the Cloud")
    func crash() throws {
        let fleet = try Fleet(more: ["history": true])
        _ = leave(fleet, "one", number: 1)
        try fleet.crash()
        #expect(words(ask(fleet, [:])) == ["one"])
    }

    @Test(
        "Refused, with the reason (parameters: entries)",
        arguments: [
            (["entry": "x"], "needs an 'author'"), (["entry": "x", "author": "a"], "needs an 'author'"),
            (
                ["entry": .string(String(repeating: "x", count: 70_000)), "author": "a", "number": 1],
                "takes 65536 bytes"
            ),
        ] as [(Value, String)])
    func refused(body: Value, reason: String) throws {
        let fleet = try Fleet(more: ["history": true])
        #expect(ask(fleet, body)["refused"]?.string?.contains(reason) == true)
        #expect(words(ask(fleet, [:])) == [])
    }

    @Test("A Cloud that is no testbed has none")
    func notThere() throws {
        let fleet = try Fleet(more: .empty)
        #expect(leave(fleet, "one", number: 1)["refused"]?.string?.contains("--testbed") == true)
    }
}
