import FleetModel
import Testing

@testable import PadCore

@Suite("Entitlements", .timeLimit(.minutes(20))) struct EntitlementTests {
    private static let prefix = "com.apple.developer."
    /// Two apps of one team that share a container and a store.
    private static let shared: Value = [
        "com.apple.developer.team-identifier": "T3AM",
        "com.apple.developer.icloud-services": ["CloudDocuments", "CloudKit"],
        "com.apple.developer.icloud-container-identifiers": ["iCloud.com.example.school", "iCloud.com.example.*"],
        "com.apple.developer.ubiquity-container-identifiers": [
            "iCloud.com.example.school", "iCloud.$(CFBundleIdentifier)",
        ],
        "com.apple.developer.ubiquity-kvstore-identifier": "$(TeamIdentifierPrefix)com.example.school",
    ]
    private func running(_ entitlements: Value?) throws -> PadBench {
        var given: [AppName: Value] = [:]
        for app in ["quiz", "notes"] { given[app] = entitlements }
        let bench = try PadBench(entitlements: given)
        bench.signIn("maya")
        bench.open("quiz")
        return bench
    }
    private func container(_ bench: PadBench, _ identifier: Value) -> String? {
        bench.call(bench.launch("quiz"), "docs.container", ["identifier": identifier])?["path"]?.string
    }
    private func records(_ bench: PadBench, _ container: String) -> Int64? {
        bench.stuck = ["ck.zones"]
        bench.post(
            bench.launch("quiz"), "ck.zones",
            ["container": .string(container), "database": "private", "op": .string(container), "save": ["Z"]],
            exchange: 7)
        bench.command("pad.pending")
        return bench.lastMessage("ck.zones")?["error"]?["code"]?.int
    }

    @Test(
        "Document container: its own without a list, nothing of others; used before it is opened it is shut (S36, S42)")
    func own() throws {
        let bench = try running(nil)
        let file = "/var/mobile/Library/Mobile Documents/iCloud.com.example.quiz/Documents/a"
        #expect(container(bench, "iCloud.com.example.notes") == nil)
        #expect(
            bench.call(bench.launch("quiz"), "file.write", ["path": .string(file), "data": .data([1])])?["error"]?[
                "code"]
                == 257)
        #expect(bench.call(bench.launch("quiz"), "docs.beginWrite", ["path": .string(file)])?["error"] != nil)
        #expect(container(bench, "iCloud.com.example.quiz") != nil)
        #expect(bench.call(bench.launch("quiz"), "file.write", ["path": .string(file), "data": .data([1])]) == .empty)
        let none = try running(.empty)
        #expect(container(none, .null) == nil && container(none, "iCloud.com.example.quiz") == nil)
    }

    @Test("Document container: the first of the list is what no name means; wildcards are no names (S44)")
    func primary() throws {
        let bench = try running(Self.shared)
        let path = container(bench, .null)
        #expect(path == "/var/mobile/Library/Mobile Documents/iCloud.com.example.school")
        #expect(container(bench, "iCloud.com.example.school") == path)
        #expect(container(bench, "iCloud.com.example.quiz") != nil && container(bench, "iCloud.com.example.x") == nil)
    }

    @Test(
        "Each key opens its own interface: without it documents, records or the store are not there (S98)",
        arguments: [
            "icloud-services", "icloud-container-identifiers", "ubiquity-container-identifiers",
            "ubiquity-kvstore-identifier",
        ])
    func missing(key: String) throws {
        var entitlements = Value.empty
        for pair in Self.shared.object?.pairs ?? [] where pair.key != Self.prefix + key {
            entitlements[pair.key] = pair.value
        }
        if key == "ubiquity-container-identifiers" {
            // Then the other list counts.
            entitlements[Self.prefix + "icloud-container-identifiers"] = ["iCloud.com.example.other"]
        }
        let bench = try running(entitlements)
        #expect(
            (container(bench, "iCloud.com.example.school") != nil) == ![
                "icloud-services", "ubiquity-container-identifiers",
            ].contains(key))
        let code = records(bench, "iCloud.com.example.school")
        #expect(
            code == (["icloud-services": 8, "ubiquity-kvstore-identifier": nil] as [String: Int64?])[key, default: 5])
        let store = bench.call(bench.launch("quiz"), "kvs.open")
        #expect((store?["error"]?["code"] == 257) == (key == "ubiquity-kvstore-identifier"))
    }

    @Test("CloudKit: a container that is not listed is a bad one, without the service there is none (S226)")
    func cloudKit() throws {
        let own = try running(nil)
        #expect(records(own, "iCloud.com.example.quiz") == nil && own.cloud.count("/database/") == 1)
        #expect(try records(running(nil), "iCloud.com.example.notes") == 5)
        #expect(try records(running(Self.shared), "iCloud.com.example.quiz") == 5)
        #expect(try records(running([:]), "iCloud.com.example.quiz") == 8)
    }

    @Test("Key-value store: two apps that name the same one read each other's values, here and at the Cloud (S48)")
    func sharedStore() throws {
        let bench = try running(Self.shared)
        bench.call(bench.launch("quiz"), "kvs.open")
        bench.post(bench.launch("quiz"), "kvs.set", ["key": "level", "value": 3])
        bench.open("notes")
        #expect(bench.call(bench.launch("notes"), "kvs.open")?["values"] == ["level": 3])
        bench.post(bench.launch("notes"), "kvs.set", ["key": "level", "value": 4])
        bench.advance(.seconds(5))
        #expect(bench.cloud.value("level", store: "T3AM.com.example.school") == 4)
        #expect(bench.cloud.count("/kvs/v1/com.example") == 0)
        bench.open("quiz")
        #expect(bench.call(bench.launch("quiz"), "kvs.open")?["values"] == ["level": 4])
        let heard = bench.messages.last { $0.launch == bench.launch("quiz") && $0.message.name == "kvs.changed" }
        #expect(heard?.message["values"] == ["level": 4])
        let apart = try running(nil)
        apart.post(apart.launch("quiz"), "kvs.set", ["key": "level", "value": 3])
        apart.open("notes")
        #expect(apart.call(apart.launch("notes"), "kvs.open")?["values"] == .empty)
    }

    @Test("Key-value store: a set that is not on disk yet outlives the other app of the store")
    func unflushed() throws {
        let bench = try running(Self.shared)
        bench.open("notes")
        bench.call(bench.launch("notes"), "kvs.open")
        bench.post(bench.launch("notes"), "kvs.set", ["key": "k", "value": 1])
        bench.command("app.exited", ["launch": .int(bench.launch("quiz")), "reason": "crash"])
        #expect(bench.call(bench.launch("notes"), "kvs.open")?["values"] == ["k": 1])
        bench.advance(.seconds(5))
        #expect(bench.cloud.value("k", store: "T3AM.com.example.school") == 1)
    }

    @Test("Key-value store of two apps: each set is handed over in the name of the app that made it")
    func writer() throws {
        let bench = try running(Self.shared)
        bench.open("notes")
        for app in ["quiz", "notes"] {
            let value = EditPayload.text(token: app + ".1", "x")
            bench.post(bench.launch(app), "kvs.set", ["key": .string(app), "value": .string(value)])
        }
        bench.advance(.seconds(5))
        let notes = bench.notes(.handedOver)
        #expect(notes.map(\.app) == notes.map { $0.tokens.first == "quiz.1" ? "quiz" : "notes" } && notes.count == 2)
    }

    @Test("Key-value store: by default the team's prefix and the bundle identifier (S49)")
    func defaultStore() throws {
        let bench = try running([
            "com.apple.developer.team-identifier": "T3AM",
            "com.apple.developer.ubiquity-kvstore-identifier": "$(TeamIdentifierPrefix)$(CFBundleIdentifier)",
        ])
        bench.post(bench.launch("quiz"), "kvs.set", ["key": "k", "value": 1])
        bench.advance(.seconds(5))
        #expect(bench.cloud.value("k", store: "T3AM.com.example.quiz") == 1)
        #expect(Entitlements(nil, bundle: "com.example.quiz").store == "com.example.quiz")
    }

    @Test("Manage storage: documents of the person, and no key-value store (S121)")
    func noStore() throws {
        let bench = try running(Self.shared)
        _ = container(bench, .null)
        bench.post(bench.launch("quiz"), "kvs.set", ["key": "k", "value": "much"])
        bench.advance(.seconds(5))
        let list: Value = ["entries": [["container": "iCloud.com.example.school", "documents": []]]]
        #expect(bench.ask("storage.list") == list)
    }

    @Test("Manage storage: a document adds an entry, as many bytes in the store none; nobody can delete a store (S121)")
    func storeBesideDocument() throws {
        let bench = try running(Self.shared)
        let page = (container(bench, .null) ?? "") + "/Documents/page"
        let launch = bench.launch("quiz")
        let bytes = [UInt8](repeating: 7, count: 1000)
        func listed() -> [Value] {
            let entries = bench.ask("storage.list")?["entries"]?.array ?? []
            #expect(entries.map { $0["container"] } == ["iCloud.com.example.school"])
            #expect(entries.allSatisfy { $0["data"] == nil })
            return entries.first?["documents"]?.array ?? []
        }
        bench.post(launch, "kvs.set", ["key": "k", "value": .data(bytes)])
        bench.advance(.seconds(5))
        #expect(listed() == [])
        bench.call(launch, "docs.beginWrite", ["path": .string(page)])
        bench.call(launch, "file.write", ["path": .string(page), "data": .data(bytes)])
        bench.call(launch, "docs.endWrite", ["path": .string(page)])
        let entry: Value = ["path": .string(page), "size": 1000]
        #expect(listed() == [entry])
        for name in ["T3AM.com.example.school", "com.example.school", "k"] {
            for key in ["container", "path"] {
                let answer = bench.ask("storage.delete", [key: .string(name), "confirmed": true])
                #expect(answer?["refused"] != nil, "\(key) \(name)")
            }
        }
        #expect(bench.ask("storage.delete", ["path": .string(page), "confirmed": true])?["ok"] == true)
        #expect(listed() == [] && bench.call(launch, "kvs.open")?["values"]?["k"] == .data(bytes))
    }

    @Test(
        "Document container of another app: after that one opened it, no call sees or changes what is in it (S36, S42)",
        arguments: ["list", "beginWrite", "move", "versions", "metadata", "evict", "resolve", "download"])
    func foreign(call: String) throws {
        let bench = try PadBench()
        bench.signIn("maya")
        bench.open("notes")
        let folder = "/var/mobile/Library/Mobile Documents/iCloud.com.example.notes"
        let file: Value = .string(folder + "/Documents/diary")
        let notes = bench.launch("notes")
        bench.call(notes, "docs.container", ["identifier": .null])
        bench.call(notes, "docs.beginWrite", ["path": file])
        bench.call(notes, "file.write", ["path": file, "data": .data([1])])
        #expect(bench.call(notes, "docs.endWrite", ["path": file]) == .empty)
        bench.open("quiz")
        let quiz = bench.launch("quiz")
        let own = bench.call(quiz, "docs.container", ["identifier": .null])?["path"]?.string ?? ""
        bench.call(quiz, "docs.container", ["identifier": "iCloud.com.example.notes"])
        var body: Value = ["path": file, "deleting": true, "ids": ["x"], "container": "iCloud.com.example.notes"]
        if call == "move" { (body["path"], body["movedTo"]) = (.string(own + "/Documents/mine"), file) }
        if call == "download" {
            bench.post(quiz, "docs.download", body, exchange: 9)
            bench.command("pad.pending")
            #expect(bench.lastMessage("docs.download")?["error"]?["code"] == 22)
        } else {
            let answer = bench.call(quiz, call == "move" ? "docs.beginWrite" : "docs." + call, body)
            #expect(answer?["error"]?["code"] == 22)
        }
        #expect(bench.call(quiz, "docs.endWrite", body)?["error"] != nil)
        #expect(
            bench.call(notes, "docs.list", ["container": "iCloud.com.example.notes"])?["items"]?.array?.count == 1)
        #expect(bench.disk(of: "maya")?.status(file.string ?? "") != nil)
    }
}
