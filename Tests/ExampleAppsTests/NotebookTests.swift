import PadDouble
import Testing
import Ubiquity

@testable import ExampleApps

@Suite("Notebook", .serialized, .timeLimit(.minutes(20))) struct NotebookTests {
    private let pad = PadDouble(bundle: "com.example.notebook")
    private var journal: String {
        let account = AccountName.of(NSString(string: "token-maya")) ?? ""
        return "\(pad.home)/Library/Application Support/notes-\(account)/notes"
    }

    /// The zone is there, as the person's store says.
    init() { pad.store["zoneIsMade"] = true }

    /// A record service that knows the account and answers what the test says; the rest stays unanswered.
    private func serve(_ answers: @escaping (Message) -> Value?) {
        pad.records = { message in
            if let answer = answers(message) { return answer }
            return message.name == "ck.userRecordID" ? ["recordName": "_maya"] : nil
        }
    }
    private func record(_ token: Token, changed date: Int, _ name: String = "note-1") -> Value {
        [
            "recordName": .string(name), "recordType": "Note", "recordChangeTag": .string("tag-\(date)"),
            "fields": [
                "lines": ["type": "STRING_LIST", "value": [.string(EditPayload.text(token: token, "hello"))]]
            ],
            "modified": ["timestamp": .int(date)],
        ]
    }
    private func changes(_ records: Value...) -> Value {
        ["records": .array(records), "deleted": [], "token": "1", "moreComing": false]
    }
    private func write(_ token: Token, _ item: String = "note-1") -> Value? {
        pad.perform(edit(token, "write", item))
    }
    // MARK: What the system gives back

    @Test(
        "Zone missing: behind the screen the note goes back to the system while the zone is made, on the screen after it"
    )
    func zoneMissing() {
        for isBehind in [true, false] {
            let pad = PadDouble(bundle: "com.example.notebook")
            pad.store["zoneIsMade"] = true
            var refused = false
            pad.records = { message in
                guard message.name == "ck.modify", !refused else { return nil }
                refused = true
                return linkError("CKErrorDomain", 26)
            }
            pad.launch(Notebook.self, reason: isBehind ? "background" : "user")
            pad.perform(edit("maya.1", "write", "note-1"))
            #expect(pad.posts("ck.modify").count == (isBehind ? 2 : 1))
            #expect(!pad.posts("ck.zones").isEmpty)
        }
    }

    @Test("Conflict: merged and handed over again, behind the screen at once, on the screen a moment later")
    func conflict() {
        for isBehind in [true, false] {
            let pad = PadDouble(bundle: "com.example.notebook")
            pad.store["zoneIsMade"] = true
            let server = record("maya.0", changed: 1000)
            var refused = false
            pad.records = { message in
                guard message.name == "ck.modify", !refused else { return nil }
                refused = true
                var error = linkError("CKErrorDomain", 14)["error"] ?? .null
                error["serverRecord"] = server
                return ["zone": "Notebook", "saved": [], "deleted": [], "errors": ["note-1": error]]
            }
            pad.launch(Notebook.self, reason: isBehind ? "background" : "user")
            pad.perform(edit("maya.1", "write", "note-1"))
            #expect(pad.posts("ck.modify").count == (isBehind ? 2 : 1))
            pad.advance(by: .seconds(1))
            let last = pad.posts("ck.modify").last.map { EditPayload.scan($0["save"] ?? .null).tokens }
            #expect(pad.posts("ck.modify").count == 2 && last == ["maya.0", "maya.1"])
        }
    }

    @Test(
        "Launched behind the screen: what an earlier launch had to keep is handed over before any answer from the network (S35)"
    )
    func launchedInBackground() {
        for isAccountKnown in [true, false] {
            let pad = PadDouble(bundle: "com.example.notebook")
            pad.store["zoneIsMade"] = true
            pad.records = { $0.name == "ck.userRecordID" && isAccountKnown ? ["recordName": "_maya"] : nil }
            pad.launch(Notebook.self)
            #expect(pad.perform(edit("maya.1", "write", "note-1"))?["refused"] == nil)
            pad.kill()
            pad.forgetCalls()
            pad.launch(Notebook.self, reason: "background")
            #expect(pad.posts("ck.modify").map { EditPayload.scan($0["save"] ?? .null).tokens } == [["maya.1"]])
        }
    }

    @Test("Saved long ago, and then a fetch that was answered before that: the note stays as it was saved")
    func overtakenFetch() throws {
        serve { $0.name == "ck.zoneChanges" ? changes(record("maya.1", changed: 1000)) : nil }
        pad.launch(Notebook.self)
        #expect(write("maya.2")?["saw"]?.strings == ["maya.1"])
        pad.kill()
        pad.longLived = [["op": "first", "name": "ck.modify", "done": true]]
        serve { message in
            switch message.name {
            case "ck.attach":
                ["zone": "Notebook", "saved": [record("maya.2", changed: 2000)], "deleted": [], "errors": .empty]
            case "ck.zoneChanges": changes(record("maya.1", changed: 1000))
            default: nil
            }
        }
        pad.launch(Notebook.self)
        #expect(pad.posts("ck.attach").count == 1)
        #expect(try #require(pad.state()).tokens("note-1") == ["maya.2"])
    }

    @Test(
        "Another account: no byte of the one before is in the app's files or on its screen, also when late answers come (S90)"
    )
    func otherAccount() throws {
        var (account, isSlow) = ("_maya", false)
        pad.records = { message in
            switch message.name {
            case "ck.modify" where account == "_maya":
                [
                    "zone": "Notebook", "saved": [record("maya.2", changed: 2000, "note-2")], "deleted": [],
                    "errors": .empty,
                ]
            case "ck.zoneChanges" where account == "_maya": isSlow ? nil : changes(record("maya.1", changed: 1000))
            case "ck.zoneChanges": changes()
            case "ck.zones": ["saved": ["Notebook"], "deleted": [], "errors": .empty]
            default: nil
            }
        }
        pad.launch(Notebook.self)
        _ = write("maya.2", "note-2")
        func holdsMaya() -> [String] {
            pad.files.filter { !EditPayload.scan($0.value).tokens.isEmpty }.keys.sorted()
        }
        #expect(holdsMaya() == [journal])
        isSlow = true
        pad.ask("app.didBecomeActive")
        (account, pad.identity) = ("_omar", "token-omar")
        pad.deliver("app.identityChanged", ["identity": "token-omar"])
        pad.advance(by: .seconds(30))
        #expect(holdsMaya() == [] && pad.state()?.items == [])
        pad.answerLate("ck.zoneChanges", changes(record("maya.3", changed: 3000)))
        pad.advance(by: .seconds(30))
        #expect(holdsMaya() == [] && pad.state()?.items == [], "what was on its way comes too late")
        _ = write("omar.1", "note-1")
        pad.kill()
        pad.launch(Notebook.self)
        #expect(try #require(pad.state()).items.flatMap(\.tokens) == ["omar.1"])
        #expect(pad.files.values.flatMap { EditPayload.scan($0).tokens }.allSatisfy { $0 == "omar.1" })
    }

    @Test("Another account: what was not sent is neither shown nor sent there, and is there again when its own is back")
    func unsentOfAnotherAccount() throws {
        func become(_ account: String) {
            pad.identity = account
            pad.deliver("app.identityChanged", ["identity": .string(account)])
            pad.advance(by: .seconds(30))
        }
        pad.launch(Notebook.self)
        _ = write("maya.1", "note-1")
        pad.forgetCalls()
        become("token-omar")
        #expect(pad.state()?.items == [])
        _ = write("omar.1", "note-1")
        pad.kill()
        pad.launch(Notebook.self)
        #expect(try #require(pad.state()).tokens("note-1") == ["omar.1"])
        #expect(pad.posts("ck.modify").allSatisfy { EditPayload.scan($0["save"] ?? .null).tokens == ["omar.1"] })
        become("token-maya")
        #expect(try #require(pad.state()).tokens("note-1") == ["maya.1"])
        #expect(pad.posts("ck.modify").last.map { EditPayload.scan($0["save"] ?? .null).tokens } == ["maya.1"])
    }

    @Test(
        "Another account while a note waits for room: it is given when its own account is back, not when that has nothing to send"
    )
    func waitsForItsAccount() throws {
        pad.takesLongLived = false
        pad.launch(Notebook.self)
        pad.deliver("ui.perform", edit("maya.1", "write", "note-1").body, exchange: 5)
        pad.advance(by: .seconds(5))
        for (account, answers) in [("token-omar", [Value]()), ("token-maya", [.empty])] {
            pad.takesLongLived = true
            pad.identity = account
            pad.deliver("app.identityChanged", ["identity": .string(account)])
            pad.advance(by: .seconds(30))
            #expect(pad.posts("ui.perform") == answers)
        }
    }

    @Test("Own account after another, and then a power cut that takes the defaults: its unsent notes are there")
    func lostDefaults() throws {
        pad.identity = "token-omar"
        pad.launch(Notebook.self)
        pad.identity = "token-maya"
        pad.deliver("app.identityChanged", ["identity": "token-maya"])
        _ = write("maya.1")
        pad.powerCut()
        #expect(!pad.files.keys.contains { $0.hasSuffix(".plist") })
        pad.launch(Notebook.self)
        #expect(try #require(pad.state()).tokens("note-1") == ["maya.1"])
    }

    @Test(
        "No account met yet, and no token (Documents & Data off): nothing is kept or sent before it is known whose it is"
    )
    func nobodys() throws {
        pad.identity = nil
        pad.launch(Notebook.self)
        pad.deliver("ui.perform", edit("maya.1", "write", "note-1").body, exchange: 5)
        pad.deliver("app.remoteNotification", ["payload": .empty], exchange: 6)
        pad.advance(by: .minutes(1))
        #expect(pad.posts("ui.perform") == [] && !pad.posts.contains { $0.name.hasPrefix("ck.") })
        #expect(pad.files.values.allSatisfy { EditPayload.scan($0).tokens.isEmpty })
        pad.identity = "token-maya"
        pad.deliver("app.identityChanged", ["identity": "token-maya"])
        pad.advance(by: .seconds(5))
        #expect(try #require(pad.state()).tokens("note-1") == ["maya.1"] && pad.posts("ui.perform") == [.empty])
        #expect(pad.posts("ck.modify").map { EditPayload.scan($0["save"] ?? .null).tokens } == [["maya.1"]])
    }

    @Test(
        "Token gone (Documents & Data off): nothing is sent to an account that cannot be told, and all of it when its own is back"
    )
    func withoutToken() throws {
        pad.takesLongLived = false
        pad.launch(Notebook.self)
        pad.deliver("ui.perform", edit("maya.1", "write", "note-1").body, exchange: 5)
        pad.advance(by: .seconds(5))
        pad.takesLongLived = true
        pad.identity = nil
        pad.deliver("app.identityChanged", ["identity": .null])
        pad.forgetCalls()
        pad.deliver("ui.perform", edit("maya.2", "write", "note-2").body, exchange: 6)
        pad.advance(by: .minutes(2))
        #expect(pad.posts("ui.perform") == [] && !pad.posts.contains { $0.name.hasPrefix("ck.") })
        pad.identity = "token-maya"
        pad.deliver("app.identityChanged", ["identity": "token-maya"])
        pad.advance(by: .seconds(5))
        #expect(pad.posts("ui.perform") == [.empty, .empty])
        let sent = pad.posts("ck.modify").flatMap { EditPayload.scan($0["save"] ?? .null).tokens }
        #expect(Set(sent) == ["maya.1", "maya.2"])
    }

    // MARK: On disk

    @Test("Journal torn by a power cut: what is whole is shown, and later notes are kept behind it")
    func tornJournal() throws {
        pad.launch(Notebook.self)
        for number in 1...3 { _ = write("maya.\(number)", "note-\(number)") }
        pad.kill()
        let whole = try #require(pad.files[journal])
        pad.files[journal] = Array(whole.dropLast(20))
        pad.launch(Notebook.self)
        #expect(try #require(pad.state()).items.map(\.id) == ["note-1", "note-2"])
        _ = write("maya.4", "note-4")
        pad.kill()
        pad.launch(Notebook.self)
        #expect(try #require(pad.state()).items.map(\.id) == ["note-1", "note-2", "note-4"])
    }

    @Test("Journal of 450 changes of two notes: written anew on its way, nothing is missing after a power cut")
    func rewrittenJournal() throws {
        pad.launch(Notebook.self)
        for number in 1...450 { _ = write("maya.\(number)", "note-\(number % 2)") }
        let lines = try #require(pad.files[journal]).count { $0 == UInt8(ascii: "\n") }
        #expect(lines < 100)
        pad.powerCut()
        pad.launch(Notebook.self)
        let state = try #require(pad.state())
        #expect(state.tokens("note-0") == ["maya.450"] && state.tokens("note-1") == ["maya.449"])
    }

    @Test("Power cut that takes what was known of the zone: an edit that was kept is handed over without a network")
    func zoneForgotten() {
        pad.takesLongLived = false
        pad.launch(Notebook.self)
        pad.deliver("ui.perform", edit("maya.1", "write", "note-1").body, exchange: 5)
        pad.powerCut()
        pad.store = [:]
        pad.takesLongLived = true
        pad.records = { $0.name == "ck.zones" ? linkError("CKErrorDomain", 4) : nil }
        pad.forgetCalls()
        pad.launch(Notebook.self)
        #expect(pad.posts("ck.modify").map { EditPayload.scan($0["save"] ?? .null).tokens } == [["maya.1"]])
    }

    @Test("Nothing to hand over to: the person waits until there is a zone, and room for the operation")
    func waits() {
        pad.store = [:]
        var hasZone = false
        pad.records = { message in
            message.name != "ck.zones"
                ? nil
                : hasZone ? ["saved": ["Notebook"], "deleted": [], "errors": .empty] : linkError("CKErrorDomain", 6)
        }
        pad.takesLongLived = false
        pad.launch(Notebook.self)
        pad.deliver("ui.perform", edit("maya.1", "write", "note-1").body, exchange: 5)
        pad.advance(by: .seconds(10))
        #expect(pad.posts("ui.perform") == [] && pad.posts("ck.modify") == [])
        hasZone = true
        pad.advance(by: .seconds(10))
        #expect(pad.posts("ui.perform") == [] && pad.posts("ck.modify") != [])
        pad.takesLongLived = true
        pad.advance(by: .seconds(2))
        #expect(pad.posts("ui.perform") == [.empty] && pad.store["zoneIsMade"] == true)
    }

    @Test("Signed out while the person waits for a zone, then another account: the edit is refused, and sent to nobody")
    func zoneOfAnotherAccount() {
        pad.store = [:]
        pad.records = { $0.name == "ck.zones" ? linkError("CKErrorDomain", 6) : nil }
        pad.launch(Notebook.self)
        pad.deliver("ui.perform", edit("maya.1", "write", "note-1").body, exchange: 5)
        for identity: Value in [.null, "token-omar"] {
            pad.advance(by: .seconds(5))
            #expect(pad.posts("ui.perform") == [])
            pad.identity = identity.string
            pad.deliver("app.identityChanged", ["identity": identity])
        }
        pad.advance(by: .seconds(5))
        #expect(pad.posts("ui.perform").map { $0["refused"]?.string?.contains("another iCloud account") } == [true])
        #expect(pad.posts("ck.modify") == [])
    }

    @Test("Disk full: the edit is refused, the note before it stays, and nothing is handed over")
    func fullDisk() throws {
        pad.launch(Notebook.self)
        _ = write("maya.1")
        pad.forgetCalls()
        pad.refusals["file.append"] = linkError("NSCocoaErrorDomain", 640)
        #expect(write("maya.2")?["refused"]?.string?.contains("cannot be kept") == true)
        #expect(try #require(pad.state()).tokens("note-1") == ["maya.1"])
        #expect(pad.posts("ck.modify").allSatisfy { !EditPayload.scan($0).tokens.contains("maya.2") })
    }
}
