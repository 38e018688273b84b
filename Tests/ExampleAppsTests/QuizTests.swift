import PadDouble
import Testing
import Ubiquity

@testable import ExampleApps

/// An edit of a person whose payload carries its token.
func edit(_ token: Token, _ action: String, _ item: String, verb: Edit.Verb = .put, _ text: String = "hello") -> Edit {
    Edit(
        token: token, person: "maya", app: "test", action: action, item: item, verb: verb,
        value: verb == .put ? EditPayload.text(token: token, text) : text)
}
extension VisibleState {
    func tokens(_ id: String) -> [Token]? { items.first { $0.id == id }?.tokens }
}

@Suite("Quiz", .serialized, .timeLimit(.minutes(20))) struct QuizTests {
    @Test("Answer: kept in the store, seen by the next edit, in the next launch and after a purge (S8)")
    func answers() throws {
        let pad = PadDouble(bundle: "com.example.quiz")
        pad.launch(Quiz.self)
        #expect(pad.perform(edit("maya.1", "answer", "answer-3"))?["saw"]?.strings == [])
        let second = pad.perform(edit("maya.2", "answer", "answer-3"))
        #expect(second?["saw"]?.strings == ["maya.1"])
        #expect(second?["refused"] == nil)
        pad.perform(edit("maya.3", "finishIntro", "introDone-1", verb: .effect, "done"))
        pad.purge()
        pad.launch(Quiz.self)
        let state = try #require(pad.state())
        #expect(state.complete)
        #expect(state.items.map(\.id) == ["answer-3", "introDone-1"])
        #expect(state.tokens("answer-3") == ["maya.2"])
        #expect(state.items.last == Item(id: "introDone-1", kind: "flag", digest: "done"))
    }

    @Test("Nothing of its own on the disk: a purge changes nothing that is seen (S5)")
    func noFiles() throws {
        let pad = PadDouble(bundle: "com.example.quiz")
        pad.launch(Quiz.self)
        pad.perform(edit("maya.1", "answer", "answer-3"))
        pad.perform(edit("maya.2", "finishIntro", "introDone-1", verb: .effect, "done"))
        #expect(pad.files.isEmpty)
        let before = try #require(pad.state())
        #expect(before.items.count == 2)
        pad.purge()
        pad.launch(Quiz.self)
        #expect(pad.state() == before)
    }

    @Test("Opened, looked at and left: nothing is written (S205)")
    func unchanged() throws {
        let pad = PadDouble(bundle: "com.example.quiz")
        pad.launch(Quiz.self)
        pad.perform(edit("maya.1", "answer", "answer-3"))
        pad.kill()
        pad.forgetCalls()
        pad.launch(Quiz.self)
        #expect(try #require(pad.state()).tokens("answer-3") == ["maya.1"])
        pad.ask("app.willResignActive")
        #expect(pad.posts("kvs.set") == [] && pad.calls("file.write") == [])
    }

    @Test("A full disk: an answer is given when the store has it on disk, not before")
    func fullDisk() {
        let pad = PadDouble(bundle: "com.example.quiz")
        pad.launch(Quiz.self)
        pad.refusals["kvs.synchronize"] = ["error": ["domain": "NSCocoaErrorDomain", "code": 640]]
        pad.deliver("ui.perform", edit("maya.1", "answer", "answer-3").body, exchange: 5)
        pad.advance(by: .seconds(30))
        pad.deliver("ui.perform", edit("maya.2", "answer", "answer-3").body, exchange: 6)
        pad.advance(by: .seconds(30))
        #expect(pad.posts("ui.perform") == [] && pad.store["answer-3"] != nil && pad.state()?.items == [])
        pad.refusals = [:]
        pad.advance(by: .seconds(2))
        #expect(pad.posts("ui.perform").map { $0["refused"] != nil } == [true, false])
        #expect(pad.state()?.tokens("answer-3") == ["maya.2"])
    }

    @Test("Unknown action or item: refused, nothing stored")
    func refused() {
        let pad = PadDouble(bundle: "com.example.quiz")
        pad.launch(Quiz.self)
        #expect(pad.perform(edit("maya.1", "erase", "answer-1"))?["refused"] != nil)
        #expect(pad.perform(edit("maya.2", "answer", "introDone-1"))?["refused"] != nil)
        #expect(pad.store.isEmpty)
    }

    @Test("First run: values that come late are waited for before the view is whole (S23)")
    func lateValues() throws {
        let pad = PadDouble(bundle: "com.example.quiz")
        pad.launch(Quiz.self)
        pad.deliver("ui.state", exchange: 5)
        pad.advance(by: .seconds(3))
        #expect(pad.posts("ui.state").isEmpty)
        let text = EditPayload.text(token: "maya.1", "x")
        pad.deliver("kvs.changed", ["reason": 1, "values": ["answer-1": .string(text)]])
        let items = try #require(pad.posts("ui.state").first?["items"]?.array)
        #expect(items.compactMap(Item.init).map(\.tokens) == [["maya.1"]])
        #expect(pad.store.isEmpty, "what nobody typed was written")
    }

    @Test("First run: a person without any value sees a whole, empty view after the wait")
    func nobody() {
        let pad = PadDouble(bundle: "com.example.quiz")
        pad.launch(Quiz.self)
        #expect(pad.state() == VisibleState([]))
        #expect(pad.now == .zero + .seconds(10))
    }

    @Test("Leaving the foreground: sets are flushed (S20)")
    func flush() {
        let pad = PadDouble(bundle: "com.example.quiz")
        pad.launch(Quiz.self)
        pad.perform(edit("maya.1", "answer", "answer-1"))
        pad.forgetCalls()
        pad.ask("app.willResignActive")
        #expect(pad.calls("kvs.synchronize").count == 1)
    }

    @Test(
        "Twin: the first launch on another iPad lays starter values over answers; the correct app leaves them (S22)",
        arguments: [true, false])
    func twin(isTwin: Bool) throws {
        let type: any PadApp.Type = isTwin ? QuizLocalFlag.self : Quiz.self
        let pad = PadDouble(bundle: "com.example.quiz")
        pad.launch(type)
        pad.perform(edit("maya.1", "answer", "answer-1"))
        pad.kill()
        pad.launch(type)
        #expect(try #require(pad.state()).tokens("answer-1") == ["maya.1"])
        pad.purge()
        pad.launch(type)
        #expect(try #require(pad.state()).tokens("answer-1") == (isTwin ? nil : ["maya.1"]))
    }
}
