import FleetModel
import Testing

@testable import PadCore

@Suite("Messages of the local link", .timeLimit(.minutes(20))) struct LocalMessageTests {
    private static let refused = "no service answers"
    private static func messages(_ way: LocalMessages.Way) -> [String] {
        LocalMessages.all.filter { $0.way == way }.flatMap(\.messages)
    }
    private func running() throws -> PadBench {
        let bench = try PadBench()
        bench.signIn("maya")
        bench.open("quiz")
        return bench
    }
    private func words(_ answer: Value?) -> String { answer?["error"]?["message"]?.string ?? "" }

    @Test("Calls: a service answers each, if only to say that its body is wrong; a name that is none has none")
    func calls() throws {
        let bench = try running()
        for name in Self.messages(.call) {
            let answer = bench.call(bench.launch("quiz"), name)
            let isRefused = words(answer).contains(Self.refused) || words(answer).contains("is not a call")
            #expect(answer != nil && !isRefused, "\(name): \(words(answer))")
        }
        #expect(words(bench.call(bench.launch("quiz"), "nothing.at.all")).contains(Self.refused))
        #expect(words(bench.call(bench.launch("quiz"), "ck.query")).contains("is not a call"))
    }

    /// The app of this bench answers all that it gets but messages of these two services.
    @Test("Questions with an exchange: a service takes each; a name that is none is refused")
    func asks() throws {
        let bench = try running()
        let names = Self.messages(.ask).filter { $0.hasPrefix("ck.") || $0.hasPrefix("http.") }
        for (number, name) in (names + ["ck.nothing"]).enumerated() {
            let body: Value = [
                "container": "iCloud.com.example.quiz", "database": "private", "op": .string("op-\(number)"),
            ]
            bench.post(bench.launch("quiz"), name, body, exchange: UInt64(number + 100))
            bench.ask("pad.people")
            let answer = bench.lastMessage(name)
            let text = answer?.json ?? ""
            let isRefused = text.contains(Self.refused) || text.contains("there is no message")
            #expect(isRefused == (name == "ck.nothing"), "\(name): \(text)")
        }
    }
}
