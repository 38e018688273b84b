import PadDouble
import Testing
import Ubiquity

@testable import ExampleApps

/// Every correct app with texts and names of every kind: taken and shown under the very name, or visibly refused; never half.
@Suite("Odd texts and names", .serialized, .timeLimit(.minutes(20))) struct OddTests {
    private let records = RecordsDouble()
    private let backend = OnceBackend()
    private let account = "token-maya"

    private func pad(_ app: String) -> PadDouble {
        let pad = PadDouble(bundle: "com.example.\(app)")
        pad.store["zoneIsMade"] = app == "notebook" ? true : nil
        pad.records = { [records] in records.answer($0) }
        pad.http = { [backend] in backend.answer($0) }
        return pad
    }
    private func isRefused(_ answer: Value?) -> Bool { answer?["refused"] != nil }

    // MARK: Notebook

    @Test("Notebook, text: saved once, shown whole on another iPad, then left in peace", arguments: Odd.texts)
    func noteTexts(text: String) throws {
        let (writer, reader) = (pad("notebook"), pad("notebook"))
        writer.launch(Notebook.self)
        for token in ["maya.1", "maya.2"] {
            #expect(!isRefused(writer.perform(edit(token, "write", "note-1", text))))
            writer.advance(by: .minutes(1))
        }
        #expect(records.saves == 2)
        reader.launch(Notebook.self)
        for pad in [writer, reader] {
            let state = try #require(pad.state())
            #expect(state.tokens("note-1") == ["maya.2"] && state.items.first?.damaged == [])
        }
    }

    @Test("Notebook, two notes of two iPads in one: both are whole on both", arguments: Odd.texts)
    func mergedTexts(text: String) throws {
        var note = Note(lines: [EditPayload.text(token: "maya.1", text)])
        note.merge(server: [EditPayload.text(token: "maya.2", text)])
        let read = NoteRecord.lines(of: NoteRecord.make("note-1", note))
        #expect(read == note.lines && read.count == 2)
    }

    @Test("Notebook, name: shown under it on another iPad and in the next launch, or refused", arguments: Odd.names)
    func noteNames(name: String) throws {
        let (writer, reader) = (pad("notebook"), pad("notebook"))
        writer.launch(Notebook.self)
        let answer = writer.perform(edit("maya.1", "write", name))
        writer.advance(by: .minutes(1))
        #expect(records.saves == (isRefused(answer) ? 0 : 1) && isRefused(answer) == (name.utf8.count > 255))
        writer.kill()
        writer.launch(Notebook.self)
        reader.launch(Notebook.self)
        for pad in [writer, reader] { #expect(pad.state()?.tokens(name) == (isRefused(answer) ? nil : ["maya.1"])) }
    }

    @Test("Notebook: what is definitely refused is not sent again until it changes", arguments: [1, 3])
    func definiteRefusal(notes: Int) throws {
        let pad = pad("notebook")
        records.refusal = 12
        pad.launch(Notebook.self)
        for number in 1...notes { pad.perform(edit("maya.\(number)", "write", "note-\(number)")) }
        pad.advance(by: .minutes(10))
        let saves = records.saves
        #expect(saves <= 4 * notes)
        pad.advance(by: .hours(3))
        #expect(records.saves == saves && pad.state()?.items.count == notes)
        records.refusal = nil
        pad.perform(edit("maya.9", "write", "note-1"))
        #expect(records.records["note-1"] != nil)
    }

    @Test("Notebook: a request that is too large is sent in halves")
    func halves() throws {
        let pad = pad("notebook")
        pad.launch(Notebook.self)
        pad.records = { _ in nil }
        for number in 1...8 { pad.perform(edit("maya.\(number)", "write", "note-\(number)")) }
        pad.kill()
        pad.records = { [records] message in
            (message["save"]?.array ?? []).count > 3 ? linkError("CKErrorDomain", 27) : records.answer(message)
        }
        pad.launch(Notebook.self)
        pad.advance(by: .minutes(5))
        #expect(records.records.count == 8)
    }

    // MARK: Homework

    @Test("Homework, text: the backend has it whole, and it is shown", arguments: Odd.texts)
    func essayTexts(text: String) throws {
        let pad = pad("homework")
        pad.launch(Homework.self)
        let essay = edit("maya.1", "handIn", "essay-1", text)
        #expect(!isRefused(pad.perform(essay)))
        backend.take(pad)
        #expect(backend.essays["essays/essay-1"] == Array(essay.value.utf8))
        #expect(try #require(pad.state()).tokens("essay-1") == ["maya.1"])
    }

    @Test("Homework, name: confirmed, kept no longer, listed under it; or refused", arguments: Odd.names)
    func essayNames(name: String) throws {
        let pad = pad("homework")
        pad.launch(Homework.self)
        let answer = pad.perform(edit("maya.1", "handIn", name))
        #expect(isRefused(answer) == (name.utf8.count > 200))
        backend.take(pad)
        #expect(pad.transfers.isEmpty && pad.files.isEmpty)
        let state = try #require(pad.state())
        #expect(state.items.map(\.id) == (isRefused(answer) ? [] : [name]))
    }

    @Test(
        "Homework, the longest names, handed in on three iPads: each copy has room for a name of its own",
        arguments: [196, 197, 200])
    func longTwins(bytes: Int) throws {
        let name = String(repeating: "n", count: bytes)
        for number in 1...3 {
            let pad = pad("homework")
            pad.launch(Homework.self)
            #expect(!isRefused(pad.perform(edit("maya.\(number)", "handIn", name))))
            for _ in 0..<5 { backend.take(pad) }
            #expect(pad.transfers.isEmpty && pad.files.isEmpty)
        }
        #expect(backend.essays.keys.sorted() == ["", "=202", "=202=202"].map { "essays/\(name)\($0)" })
    }

    @Test("Homework, a name that another iPad has handed in: under a name of its own, both are there")
    func sameName() throws {
        let (first, second) = (pad("homework"), pad("homework"))
        for (pad, token) in [(first, "maya.1"), (second, "maya.2")] {
            pad.launch(Homework.self)
            pad.perform(edit(token, "handIn", "essay-1"))
            for _ in 0..<3 { backend.take(pad) }
            #expect(pad.transfers.isEmpty && pad.files.isEmpty)
        }
        let state = try #require(second.state())
        #expect(state.tokens("essay-1") == ["maya.1"] && state.tokens("essay-1 2") == ["maya.2"])
    }

    @Test("Homework, a name handed in here: refused, and the essay stays")
    func sameNameHere() throws {
        let pad = pad("homework")
        pad.launch(Homework.self)
        pad.perform(edit("maya.1", "handIn", "essay-1"))
        #expect(isRefused(pad.perform(edit("maya.2", "handIn", "essay-1"))))
        backend.take(pad)
        #expect(isRefused(pad.perform(edit("maya.3", "handIn", "essay-1"))))
        #expect(try #require(pad.state()).tokens("essay-1") == ["maya.1"])
    }

    @Test("Homework, 250 essays: the list comes in parts, all are shown")
    func manyEssays() throws {
        let pad = pad("homework")
        pad.launch(Homework.self)
        for number in 1...250 {
            pad.perform(edit("maya.\(number)", "handIn", "50% of ö\(number)"))
            backend.take(pad)
        }
        #expect(pad.transfers.isEmpty && pad.state()?.items.count == 250)
    }

    // MARK: Quiz

    @Test("Quiz, text: kept in the store and shown", arguments: Odd.texts)
    func answerTexts(text: String) throws {
        let pad = pad("quiz")
        pad.launch(Quiz.self)
        #expect(!isRefused(pad.perform(edit("maya.1", "answer", "answer-1", text))))
        #expect(try #require(pad.state()).tokens("answer-1") == ["maya.1"])
    }

    @Test("Quiz, name: kept under it, or refused where a key would be too long (S103)", arguments: Odd.names)
    func answerNames(name: String) throws {
        let pad = pad("quiz")
        pad.launch(Quiz.self)
        let id = "answer-\(name)"
        let answer = pad.perform(edit("maya.1", "answer", id))
        #expect(pad.isAlive)
        #expect(pad.state()?.tokens(id) == (isRefused(answer) ? nil : ["maya.1"]))
        // A mark on the dash is no dash any more.
        #expect(isRefused(answer) == (id.utf8.count > 64 || !id.hasPrefix("answer-")))
    }

    @Test(
        "Quiz, 500 answers at once: all are kept; 500 of 4 KB: refused before the store is full", arguments: [10, 4096])
    func manyAnswers(size: Int) throws {
        let pad = pad("quiz")
        pad.launch(Quiz.self)
        let text = String(repeating: "a", count: size)
        let taken = (1...500).filter { !isRefused(pad.perform(edit("maya.\($0)", "answer", "answer-\($0)", text))) }
        #expect(size == 10 ? taken.count == 500 : (100..<256).contains(taken.count))
        #expect(pad.state()?.items.count == taken.count)
    }

    // MARK: Documents

    @Test("Scrapbook and diary, text: shown whole, also two side by side", arguments: Odd.texts)
    func pageTexts(text: String) throws {
        for (name, app) in [("scrapbook", Scrapbook.self), ("diary", Diary.self)] as [(String, Scrapbook.Type)] {
            let pad = pad(name)
            pad.launch(app)
            #expect(!isRefused(pad.perform(edit("maya.1", "draw", "page-1", text))))
            let state = try #require(pad.state())
            #expect(state.tokens("page-1") == ["maya.1"] && state.items.first?.damaged == [])
        }
        let drawings = ["maya.1", "leo.2"].map { EditPayload.text(token: $0, text) } + [text, text + "\n"]
        let page = Page(drawings)
        #expect(Page(text: page.text) == page && page.drawings.count == Set(drawings.filter { !$0.isEmpty }).count)
    }

    @Test("Scrapbook and diary, name: shown under it, or refused where no file can be called so", arguments: Odd.names)
    func pageNames(name: String) throws {
        for (bundle, app) in [("scrapbook", Scrapbook.self), ("diary", Diary.self)] as [(String, Scrapbook.Type)] {
            for identity in [account, nil] where identity != nil || bundle == "diary" {
                let pad = pad(bundle)
                pad.identity = identity
                pad.launch(app)
                let answer = pad.perform(edit("maya.1", "draw", name))
                #expect(pad.state()?.tokens(name) == (isRefused(answer) ? nil : ["maya.1"]))
                pad.kill()
                pad.launch(app)
                let state = pad.state()
                #expect(state?.items.map(\.id) == (isRefused(answer) ? [] : [name]), "\(bundle) \(identity ?? "-")")
            }
        }
    }

    @Test("Scrapbook and diary: ordinary names of all scripts are taken")
    func ordinaryPageNames() {
        let pad = pad("scrapbook")
        pad.launch(Scrapbook.self)
        for name in ["nöte", "日本語", "العربية", "👩‍👩‍👧‍👦", "50% off", "a%20b", "a b", "Note", "note", "\u{1B}[31m", "a\nb"] {
            #expect(!isRefused(pad.perform(edit("maya.1", "draw", name))), "\(name)")
        }
    }

    // MARK: Names that look alike

    @Test(
        "Equal but for Unicode normalisation: one item, the second edit sees the first; but for case: two",
        arguments: ["notebook", "scrapbook", "quiz"])
    func alike(app: String) throws {
        let type = try #require(exampleApps.first { $0.declaration.name == app })
        let action = ["notebook": "write", "scrapbook": "draw"][app] ?? "answer"
        let pad = pad(app)
        pad.launch(type)
        pad.perform(edit("maya.1", action, "answer-\u{E9}"))
        #expect(pad.perform(edit("maya.2", action, "answer-e\u{301}"))?["saw"]?.strings == ["maya.1"])
        pad.perform(edit("maya.3", action, "answer-\u{C9}"))
        pad.advance(by: .minutes(1))
        let state = try #require(pad.state())
        #expect(state.items.count == 2 && state.tokens("answer-\u{E9}") == ["maya.2"])
        if app == "notebook" { #expect(records.records.count == 2) }
        if app == "quiz" { #expect(pad.store.keys.filter { Array($0.utf8).starts(with: "answer-".utf8) }.count == 2) }
    }

    @Test("Empty name: visibly refused", arguments: ["notebook", "scrapbook", "quiz", "homework", "diary"])
    func emptyName(app: String) throws {
        let type = try #require(exampleApps.first { $0.declaration.name == app })
        let pad = pad(app)
        pad.launch(type)
        #expect(isRefused(pad.perform(edit("maya.1", type.declaration.actions[0].name, ""))))
        #expect(pad.state()?.items == [])
    }
}
