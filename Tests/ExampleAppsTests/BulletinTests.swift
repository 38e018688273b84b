import PadDouble
import Testing
import Ubiquity

@testable import ExampleApps

@Suite("Bulletin", .serialized, .timeLimit(.minutes(20))) struct BulletinTests {
    /// The public database as a service would answer for it; a test says what goes wrong.
    private final class Board {
        var records: [String: (text: String, version: Int)] = [:]
        var version = 0
        /// Errors of the next saves, in order; nil: it is saved. The second says whether it is saved all the same.
        var failures: [(error: Value?, isSaved: Bool)] = []

        func put(_ place: String, _ text: String) {
            version += 1
            records[place] = (text, version)
        }
        func wire(_ place: String) -> Value? {
            records[place].map {
                [
                    "recordName": .string(place), "recordType": "Notice", "recordChangeTag": .string("t\($0.version)"),
                    "fields": ["text": ["value": .string($0.text)]], "modified": ["timestamp": .int($0.version)],
                ]
            }
        }
        func answer(_ message: Message) -> Value? {
            switch message.name {
            case "ck.query":
                // One record a page.
                let names = records.keys.sorted().filter { $0 > message["cursor"]?.string ?? "" }
                var page: Value = ["records": .array(names.prefix(1).compactMap(wire))]
                if names.count > 1 { page["cursor"] = .string(names[0]) }
                return page
            case "ck.lookup":
                let names = message["names"]?.strings ?? []
                let missing = names.filter { records[$0] == nil }
                return [
                    "records": .array(names.compactMap(wire)),
                    "errors": .object(
                        Value.Object(missing.map { ($0, linkError("CKErrorDomain", 11)["error"] ?? .null) })),
                ]
            case "ck.modify": return save(message["save"]?.array?.first ?? .null)
            default: return .empty
            }
        }
        private func save(_ record: Value) -> Value {
            let place = record["recordName"]?.string ?? ""
            let failure: (error: Value?, isSaved: Bool) = failures.isEmpty ? (nil, true) : failures.removeFirst()
            if failure.isSaved { put(place, record["fields"]?["text"]?["value"]?.string ?? "") }
            if let error = failure.error { return error }
            return [
                "zone": "_defaultZone", "saved": .array([wire(place)].compactMap { $0 }), "deleted": [],
                "errors": .empty,
            ]
        }
        /// The answer that refuses one record.
        func refuses(_ place: String, _ code: Int64) -> Value {
            let error = linkError("CKErrorDomain", code)["error"] ?? .null
            return [
                "zone": "_defaultZone", "saved": [], "deleted": [], "errors": .object(Value.Object([(place, error)])),
            ]
        }
    }
    private let pad = PadDouble(bundle: "com.example.bulletin")
    private let board = Board()

    private func launch() {
        pad.records = board.answer
        pad.launch(Bulletin.self)
    }
    private func text(_ token: Token) -> String { EditPayload.text(token: token, "hello") }
    private func pin(_ token: Token, _ place: String = "place-1") -> Value? { pad.perform(edit(token, "pin", place)) }
    private func shown(_ place: String = "place-1") -> [Token]? { pad.state()?.tokens(place) }

    @Test(
        "Board: page after page of the public database, on coming to the screen and at a push, behind it never (S294)")
    func reading() throws {
        board.put("place-1", text("omar.1"))
        board.put("place-2", text("ida.1"))
        launch()
        let state = try #require(pad.state())
        #expect(state.complete && state.tokens("place-1") == ["omar.1"] && state.tokens("place-2") == ["ida.1"])
        #expect(pad.posts("ck.query").count == 2)
        #expect(pad.posts.filter { $0.name.hasPrefix("ck.") }.allSatisfy { $0["database"] == "public" })
        #expect(pad.posts("ck.subscribe").first?["subscription"]?["subscriptionType"] == "query")
        board.put("place-3", text("ida.2"))
        pad.deliver("app.remoteNotification", ["payload": .empty])
        #expect(shown("place-3") == ["ida.2"])
        pad.ask("app.willResignActive")
        pad.forgetCalls()
        pad.deliver("app.remoteNotification", ["payload": .empty])
        pad.advance(by: .hours(3))
        #expect(pad.posts("ck.query").isEmpty && pad.files.keys.allSatisfy { !$0.hasPrefix(pad.home + "/Documents") })
    }

    @Test("No answer to the question: the board is not complete; asked again, and then it is")
    func unread() throws {
        board.put("place-1", text("omar.1"))
        var isDown = true
        pad.records = { [board] in $0.name == "ck.query" && isDown ? linkError("CKErrorDomain", 3) : board.answer($0) }
        pad.launch(Bulletin.self)
        #expect(pad.state()?.complete == false)
        isDown = false
        pad.advance(by: .minutes(2))
        #expect(pad.state()?.complete == true && shown() == ["omar.1"])
    }

    @Test(
        "Pinned: taken when the service has it, seen by the next edit; over somebody's newer note: refused, and that one is shown"
    )
    func pinning() {
        launch()
        #expect(pin("maya.1")?["refused"] == nil)
        #expect(board.records["place-1"]?.text == text("maya.1"))
        #expect(pin("maya.2")?["saw"]?.strings == ["maya.1"])
        board.put("place-1", text("maya.9"))
        #expect(pin("maya.3")?["refused"] != nil)
        #expect(board.records["place-1"]?.text == text("maya.9") && shown() == ["maya.9"])
    }

    @Test("Somebody else's place: the service says no, the person is told, the note stays (S233)")
    func owner() {
        board.put("place-1", text("omar.1"))
        launch()
        board.failures = [(board.refuses("place-1", 10), false)]
        #expect(pin("maya.1")?["refused"] != nil)
        #expect(shown() == ["omar.1"] && pad.posts("ck.modify").count == 1)
    }

    @Test(
        "Not answered: the person waits, then the note is there once; found there by the next try it counts as taken",
        arguments: [(Int64(4), true), (4, false), (3, false), (6, false), (14, false)])
    func unanswered(code: Int64, isSaved: Bool) {
        launch()
        board.failures = [(code == 14 ? board.refuses("place-1", 14) : linkError("CKErrorDomain", code), isSaved)]
        #expect(pin("maya.1")?["refused"] == nil)
        #expect(board.records["place-1"]?.text == text("maya.1") && shown() == ["maya.1"])
        #expect(pad.posts("ck.modify").count == (isSaved ? 1 : 2))
    }

    @Test("Board out of reach: the person is told after a few looks; once something was sent they wait for the answer")
    func outOfReach() {
        launch()
        pad.records = { $0.name == "ck.lookup" ? linkError("CKErrorDomain", 3) : .empty }
        #expect(pin("maya.1")?["refused"]?.string?.contains("cannot be reached") == true)
        #expect(pad.posts("ck.modify").isEmpty)
        var looks = 0
        board.failures = [(linkError("CKErrorDomain", 6), false)]
        pad.records = { [board] message in
            looks += message.name == "ck.lookup" ? 1 : 0
            return message.name == "ck.lookup" && (2...6).contains(looks)
                ? linkError("CKErrorDomain", 3) : board.answer(message)
        }
        #expect(pin("maya.2")?["refused"] == nil)
        pad.advance(by: .minutes(5))
        #expect(looks > 6 && board.records["place-1"]?.text == text("maya.2"))
    }

    @Test("Nobody knows whether it came there: a later no is not believed, the person waits on")
    func unknown() {
        launch()
        board.failures = [
            (linkError("CKErrorDomain", 4), false), (linkError("CKErrorDomain", 9), false), (nil, true),
        ]
        #expect(pin("maya.1")?["refused"] == nil)
        #expect(pad.posts("ck.modify").count == 3 && shown() == ["maya.1"])
    }

    @Test("A page that was answered before a save comes after it: what was saved stays shown")
    func overtaken() {
        board.put("place-1", text("maya.1"))
        launch()
        let old = board.wire("place-1")
        pad.records = { [board] in $0.name == "ck.query" ? nil : board.answer($0) }
        pad.deliver("app.remoteNotification", ["payload": .empty])
        #expect(pin("maya.2")?["refused"] == nil)
        pad.answerLate("ck.query", ["records": .array([old].compactMap { $0 })])
        #expect(shown() == ["maya.2"])
    }

    @Test("Taken down: the place stays its owner's, empty and compared by its tag; where nothing hangs nothing is sent")
    func takingDown() {
        board.put("place-1", text("maya.1"))
        launch()
        for place in ["place-1", "place-2"] {
            #expect(pad.perform(edit("maya.2", "takeDown", place, verb: .delete, ""))?["refused"] == nil)
        }
        #expect(board.records["place-1"]?.text == "" && board.records["place-2"] == nil && shown() == nil)
        #expect(pad.posts("ck.modify").count == 1 && pad.posts("ck.modify").first?["delete"] == [])
        #expect(pad.posts("ck.modify").first?["save"]?.array?.first?["recordChangeTag"] == "t1")
    }
}
