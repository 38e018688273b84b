import FleetModel
import Testing

@testable import PadCore

@Suite struct Documents {
    let cloud = FakeDocumentCloud()
    let a: DocumentSite
    let b: DocumentSite

    init() throws {
        a = try DocumentSite("ipad-1")
        b = try DocumentSite("ipad-2")
        settle()
    }
    func settle() { DocumentSite.settle([a, b], cloud) }
    func text(_ token: Token) -> String { EditPayload.text(token: token, "page") }
    /// A document that both iPads have.
    func share(_ name: String = "page.txt", _ token: Token = "maya.1") throws {
        try a.write(name, text(token))
        settle()
        b.download(name)
        settle()
    }

    @Test("a container: the app's own by default, with its folder; none when signed out or misnamed")
    func container() {
        #expect(a.call("container", ["identifier": .null])["path"]?.string == DocumentSite.folder)
        #expect(a.disk.status(DocumentSite.folder + "/Documents")?.isFolder == true)
        #expect(a.call("container", ["identifier": "iCloud.../../x"])["path"] == .null)
        #expect(a.call("container", ["identifier": "Documents"])["path"] == .null)
        a.pad.withoutIdentity = ["maya"]
        #expect(a.call("container", [:])["path"] == .null)
    }

    @Test("a coordinated write: handed over at its end, uploaded, metadata elsewhere first, data on demand")
    func journey() throws {
        let path = DocumentSite.path("page.txt")
        a.call("beginWrite", ["path": .string(path)])
        try a.disk.write(path, Array(text("maya.1").utf8), sync: false)
        #expect(a.pad.tokens(.handedOver).isEmpty)
        #expect(a.call("endWrite", ["path": .string(path)]) == .empty)
        #expect(a.pad.tokens(.handedOver) == ["maya.1"])
        #expect(a.daemon.queuedTokens(of: "maya") == ["maya.1"])
        #expect(a.pad.sent.last?.cause == "maya.1")
        settle()
        #expect(a.isIdle && b.isIdle)
        #expect(a.list()["page.txt"]?["uploaded"]?.bool == true)
        #expect(b.status("page.txt") == "notDownloaded")
        #expect(b.daemon.isPlaceholder(path, person: "maya"))
        #expect(!a.daemon.isPlaceholder(path, person: "maya"))
        #expect(b.pad.lastPost("docs.changed")?["paths"]?.strings == [path])
        b.download("page.txt")
        settle()
        #expect(b.pad.lastPost("docs.download") == .empty)
        #expect(b.status("page.txt") == "current")
        #expect(b.read("page.txt") == text("maya.1"))
    }

    @Test("a later edit elsewhere: refreshes what is local")
    func refresh() throws {
        try share()
        try b.write("page.txt", text("maya.2"))
        settle()
        #expect(a.read("page.txt") == text("maya.2"))
        #expect(cloud.item("Documents/page.txt")?.conflicts.isEmpty == true)
    }

    @Test("edits on two iPads offline: both are kept, shown on both, and merged once")
    func conflict() throws {
        try share()
        a.pad.online = false
        b.pad.online = false
        try a.write("page.txt", text("maya.2"))
        b.pad.now = b.pad.now + .seconds(1)
        try b.write("page.txt", text("maya.3"))
        settle()
        a.pad.online = true
        b.pad.online = true
        settle()
        #expect(cloud.tokens == ["maya.2", "maya.3"])
        #expect((a.pad.marks + b.pad.marks).contains("document-conflict"))
        for site in [a, b] {
            #expect(site.list()["page.txt"]?["conflicts"]?.bool == true)
            #expect(site.read("page.txt") == text("maya.3"))
            #expect(site.versions("page.txt").compactMap { $0["data"]?.data } == [Array(text("maya.2").utf8)])
        }
        try a.write("page.txt", text("maya.3") + text("maya.2"))
        a.resolveAll("page.txt")
        settle()
        #expect(a.isIdle && b.isIdle)
        #expect(cloud.item("Documents/page.txt")?.conflicts.isEmpty == true)
        #expect(b.read("page.txt") == text("maya.3") + text("maya.2"))
        #expect(b.versions("page.txt").isEmpty)
        try b.write("page.txt", text("maya.4"))
        settle()
        #expect(cloud.item("Documents/page.txt")?.conflicts.isEmpty == true)
        #expect(a.read("page.txt") == text("maya.4"))
    }

    @Test("an edit while the upload is under way: uploaded after it, on top of it")
    func editDuringUpload() throws {
        try a.write("page.txt", text("maya.1"))
        let first = try #require(a.pad.takeRequest())
        try a.write("page.txt", text("maya.2"))
        try a.write("page.txt", text("maya.3"))
        #expect(a.pad.sent.isEmpty)
        #expect(a.daemon.queuedTokens(of: "maya") == ["maya.1", "maya.3"])
        a.daemon.reply(.response(cloud.answer(first.request, from: "ipad-1")), to: first.task, a.pad)
        settle()
        #expect(cloud.item("Documents/page.txt")?.current.data == Array(text("maya.3").utf8))
        #expect(cloud.item("Documents/page.txt")?.conflicts.isEmpty == true)
        #expect(cloud.writes == 2)
    }

    @Test("a lost response: the same request again, one version, no conflict with oneself")
    func lostResponse() throws {
        try share()
        var lost: [HTTPRequest] = []
        a.losesAnswer = { request in
            guard request.method == "PUT", lost.count < 3 else { return false }
            lost.append(request)
            return true
        }
        try a.write("page.txt", text("maya.2"))
        settle()
        try a.write("page.txt", text("maya.3"))
        settle()
        #expect(lost.count == 3)
        #expect(Set(lost.map { $0.headers["X-Homeroom-Request"] }).count == 1)
        #expect(cloud.writes == 3)
        #expect(cloud.item("Documents/page.txt")?.conflicts.isEmpty == true)
        #expect(b.read("page.txt") == text("maya.3"))
    }

    @Test("a power cut right after the answer: the edit is uploaded and shown", arguments: [1, 2, 3, 4, 5] as [UInt64])
    func powerCut(seed: UInt64) throws {
        try share()
        a.pad.online = false
        try a.write("page.txt", text("maya.2"))
        try a.write("new.txt", text("maya.3"))
        try a.powerCut(seed: seed)
        #expect(a.daemon.queuedTokens(of: "maya") == ["maya.2", "maya.3"])
        #expect(a.read("page.txt") == text("maya.2"))
        a.pad.online = true
        settle()
        #expect(cloud.tokens == ["maya.2", "maya.3"])
        #expect(cloud.items.allSatisfy { $0.conflicts.isEmpty })
    }

    @Test("a power cut after a deletion: the document does not come back", arguments: [1, 2, 3, 4, 5] as [UInt64])
    func powerCutAfterDelete(seed: UInt64) throws {
        try share()
        try a.delete("page.txt")
        settle()
        try a.powerCut(seed: seed)
        a.pad.enter(.background, a.app, a.daemon)
        settle()
        #expect(!cloud.items.contains { !$0.isDeleted })
        #expect(a.list().isEmpty && b.list().isEmpty)
        #expect(a.read("page.txt") == nil && b.read("page.txt") == nil)
    }

    @Test(
        "a power cut after a download and a rename from outside: both are whole",
        arguments: 1...8 as ClosedRange<UInt64>)
    func powerCutAfterLaying(seed: UInt64) throws {
        let long = text("maya.1") + String(repeating: "long ", count: 1000)
        try a.write("page.txt", long)
        settle()
        b.download("page.txt")
        settle()
        try b.powerCut(seed: seed)
        #expect(b.read("page.txt") == long)
        try a.move("page.txt", to: "first.txt")
        settle()
        try b.powerCut(seed: seed)
        b.pad.enter(.background, b.app, b.daemon)
        settle()
        #expect(b.read("first.txt") == long)
        #expect(b.read("page.txt") == nil)
        #expect(cloud.items.map(\.path) == ["Documents/first.txt"])
        #expect(cloud.item("Documents/first.txt")?.conflicts.isEmpty == true)
    }

    @Test("sign-out and death of the app: the upload goes on")
    func signOut() throws {
        a.pad.online = false
        try a.write("page.txt", text("maya.1"))
        a.pad.end(a.app, a.daemon)
        a.daemon.observe(.signedOut("maya"), a.pad)
        a.pad.online = true
        a.daemon.observe(.networkReturned, a.pad)
        settle()
        #expect(cloud.tokens == ["maya.1"])
        #expect(a.isIdle)
    }

    @Test("a deletion: on every iPad; but not over an edit that it never saw")
    func deletion() throws {
        try share()
        try share("other.txt", "maya.2")
        try a.delete("page.txt")
        settle()
        #expect(b.list().keys.sorted() == ["other.txt"])
        #expect(b.read("page.txt") == nil)
        b.pad.online = false
        try b.delete("other.txt")
        try a.write("other.txt", text("maya.3"))
        settle()
        b.pad.online = true
        settle()
        #expect(cloud.tokens == ["maya.3"])
        #expect(b.read("other.txt") == text("maya.3"))
        #expect(a.isIdle && b.isIdle)
    }

    @Test("an edit of what was deleted elsewhere: kept")
    func editOfDeleted() throws {
        try share()
        b.pad.online = false
        try b.write("page.txt", text("maya.2"))
        try a.delete("page.txt")
        settle()
        b.pad.online = true
        settle()
        #expect(cloud.tokens == ["maya.2"])
        #expect(a.list().keys.sorted() == ["page.txt"])
    }

    @Test("two new documents of one name: both kept, one renamed, the same on both iPads")
    func sameName() throws {
        a.pad.online = false
        b.pad.online = false
        try a.write("page.txt", text("maya.1"))
        try b.write("page.txt", text("maya.2"))
        settle()
        a.pad.online = true
        b.pad.online = true
        settle()
        for site in [a, b] {
            for name in ["page.txt", "page 2.txt"] { site.download(name) }
        }
        settle()
        #expect(cloud.tokens == ["maya.1", "maya.2"])
        for name in ["page.txt", "page 2.txt"] {
            #expect(a.read(name) != nil)
            #expect(a.read(name) == b.read(name))
        }
        #expect(a.isIdle && b.isIdle)
    }

    @Test("a rename: replayed elsewhere with its identity, an edit after it included")
    func rename() throws {
        try share()
        try a.move("page.txt", to: "first.txt")
        try a.write("first.txt", text("maya.2"))
        try a.write("page.txt", text("maya.3"))
        settle()
        #expect(b.read("first.txt") == text("maya.2"))
        #expect(b.status("page.txt") == "notDownloaded")
        #expect(cloud.items.count == 2)
        #expect(cloud.items.allSatisfy { $0.conflicts.isEmpty })
    }

    @Test("two documents that change names: both arrive")
    func swap() throws {
        try share("one.txt", "maya.1")
        try share("two.txt", "maya.2")
        b.pad.online = false
        try a.move("one.txt", to: "three.txt")
        try a.move("two.txt", to: "one.txt")
        try a.move("three.txt", to: "two.txt")
        settle()
        b.pad.online = true
        b.daemon.observe(.networkReturned, b.pad)
        settle()
        #expect(b.read("one.txt") == text("maya.2"))
        #expect(b.read("two.txt") == text("maya.1"))
        #expect(b.isIdle)
    }

    @Test("writes without coordination: noticed when the app leaves; .nosync never")
    func uncoordinated() throws {
        try share()
        try a.disk.write(DocumentSite.path("page.txt"), Array(text("maya.20").utf8), sync: false)
        try a.disk.write(DocumentSite.path("loose.txt"), Array(text("maya.3").utf8), sync: false)
        try a.disk.write(DocumentSite.path("draft.nosync"), Array(text("maya.4").utf8), sync: false)
        settle()
        #expect(cloud.tokens == ["maya.1"])
        a.pad.enter(.background, a.app, a.daemon)
        settle()
        #expect(cloud.tokens == ["maya.20", "maya.3"])
        try a.disk.remove(DocumentSite.path("loose.txt"))
        a.pad.end(a.app, a.daemon)
        settle()
        #expect(cloud.tokens == ["maya.20"])
        let answer = try a.write("other.nosync", text("maya.5"))
        #expect(answer == .empty)
        #expect(!a.pad.tokens(.handedOver).contains("maya.5"))
    }

    @Test("a change from outside: never over an unsent edit, coordinated or not", arguments: [true, false])
    func noOverlay(isCoordinated: Bool) throws {
        try share()
        a.pad.online = false
        if isCoordinated {
            try a.write("page.txt", text("maya.20"))
        } else {
            try a.disk.write(DocumentSite.path("page.txt"), Array(text("maya.20").utf8), sync: false)
        }
        try b.write("page.txt", text("maya.3"))
        settle()
        a.pad.online = true
        a.daemon.observe(.networkReturned, a.pad)
        settle()
        #expect(cloud.tokens == ["maya.20", "maya.3"])
        #expect(a.versions("page.txt").count == 1)
    }

    @Test("a download under way: not laid over an edit made meanwhile")
    func editDuringDownload() throws {
        try share()
        try b.write("page.txt", text("maya.2"))
        _ = b.exchange(with: cloud)
        a.daemon.observe(.networkReturned, a.pad)
        let feed = try #require(a.pad.takeRequest())
        a.daemon.reply(.response(cloud.answer(feed.request, from: "ipad-1")), to: feed.task, a.pad)
        let get = try #require(a.pad.sent.first { $0.task.name.hasPrefix("get") })
        try a.write("page.txt", text("maya.3"))
        a.daemon.reply(.response(cloud.answer(get.request, from: "ipad-1")), to: get.task, a.pad)
        #expect(a.read("page.txt") == text("maya.3"))
        settle()
        #expect(cloud.tokens == ["maya.2", "maya.3"])
    }

    @Test("a deletion from outside: not over an edit without coordination")
    func deletionOverLooseEdit() throws {
        try share()
        try a.disk.write(DocumentSite.path("page.txt"), Array(text("maya.20").utf8), sync: false)
        try b.delete("page.txt")
        settle()
        #expect(cloud.tokens == ["maya.20"])
        #expect(a.read("page.txt") == text("maya.20"))
    }

    @Test("a power cut while an upload's answer is under way: the next edit is no conflict with oneself")
    func powerCutDuringUpload() throws {
        try share()
        try a.write("page.txt", text("maya.2"))
        let put = try #require(a.pad.takeRequest())
        _ = cloud.answer(put.request, from: "ipad-1")
        a.pad.online = false
        try a.powerCut()
        try a.write("page.txt", text("maya.3"))
        a.pad.online = true
        settle()
        #expect(cloud.tokens == ["maya.3"])
        #expect(b.read("page.txt") == text("maya.3"))
    }

    @Test("a rename elsewhere while an edit waits: the new name stays, the edit arrives")
    func renameUnderEdit() throws {
        try share()
        a.pad.online = false
        try a.write("page.txt", text("maya.2"))
        try b.move("page.txt", to: "first.txt")
        settle()
        a.pad.online = true
        a.daemon.observe(.networkReturned, a.pad)
        settle()
        #expect(cloud.items.map(\.path) == ["Documents/first.txt"])
        #expect(cloud.tokens == ["maya.2"])
        #expect(b.read("first.txt") == text("maya.2"))
        #expect(a.read("first.txt") == text("maya.2"))
    }

    @Test("a coordinated write that is never ended: keeps the sync out for a minute, not longer")
    func forgottenWrite() throws {
        try share()
        a.call("beginWrite", ["path": .string(DocumentSite.path("page.txt"))])
        try b.write("page.txt", text("maya.2"))
        _ = b.exchange(with: cloud)
        a.daemon.observe(.networkReturned, a.pad)
        _ = a.exchange(with: cloud)
        #expect(a.read("page.txt") == text("maya.1"))
        settle()
        #expect(a.read("page.txt") == text("maya.2"))
    }

    @Test("data put where only metadata were: both are kept")
    func writeOverPlaceholder() throws {
        try a.write("page.txt", text("maya.1"))
        settle()
        try b.write("page.txt", text("maya.2"))
        settle()
        #expect(cloud.tokens == ["maya.1", "maya.2"])
        #expect(b.isIdle)
    }

    @Test("an eviction: refused until uploaded; the document stays and can be had again; a purge does the same")
    func eviction() throws {
        a.pad.online = false
        try a.write("page.txt", text("maya.1"))
        let path: Value = ["path": .string(DocumentSite.path("page.txt"))]
        #expect(a.call("evict", path)["error"]?["code"]?.int == 512)
        a.daemon.observe(.purged("maya", app: a.app), a.pad)
        #expect(a.read("page.txt") == text("maya.1"))
        a.pad.online = true
        a.daemon.observe(.networkReturned, a.pad)
        settle()
        #expect(a.call("evict", path) == .empty)
        #expect(a.status("page.txt") == "notDownloaded")
        #expect(a.read("page.txt") == nil)
        a.download("page.txt")
        settle()
        #expect(a.read("page.txt") == text("maya.1"))
        a.daemon.observe(.purged("maya", app: a.app), a.pad)
        #expect(a.daemon.isPlaceholder(DocumentSite.path("page.txt"), person: "maya"))
        a.pad.enter(.background, a.app, a.daemon)
        settle()
        #expect(cloud.tokens == ["maya.1"])
    }

    @Test("a download: fails without a network, on loss, and for what does not exist")
    func downloadFails() throws {
        try a.write("page.txt", text("maya.1"))
        settle()
        b.pad.online = false
        b.download("page.txt")
        #expect(b.pad.lastPost("docs.download")?["error"]?["code"]?.int == 4353)
        b.download("none.txt")
        #expect(b.pad.lastPost("docs.download")?["error"]?["code"]?.int == 260)
        b.pad.online = true
        b.pad.posts = []
        b.download("page.txt")
        b.pad.fail(.connectionLost, b.daemon)
        #expect(b.pad.lastPost("docs.download")?["error"]?["code"]?.int == 4353)
        settle()
        #expect(b.read("page.txt") == text("maya.1"))
    }

    @Test("answers that are none: a portal's page and half a file change nothing")
    func falseAnswers() throws {
        try a.write("page.txt", text("maya.1"))
        settle()
        let page = HTTPResponse(status: 200, body: Array("<html>".utf8))
        b.download("page.txt")
        let get = try #require(b.pad.takeRequest())
        b.daemon.reply(.response(page), to: get.task, b.pad)
        #expect(b.read("page.txt") == nil)
        try a.write("page.txt", text("maya.2"))
        let put = try #require(a.pad.takeRequest())
        a.daemon.reply(.response(page), to: put.task, a.pad)
        #expect(a.daemon.queuedTokens(of: "maya") == ["maya.2"])
        b.daemon.observe(.networkReturned, b.pad)
        let changes = try #require(b.pad.sent.first { $0.task.name.hasPrefix("changes") })
        b.daemon.reply(.response(page), to: changes.task, b.pad)
        #expect(b.status("page.txt") == "notDownloaded")
        settle()
        #expect(a.isIdle && b.isIdle)
        #expect(b.read("page.txt") == text("maya.2"))
    }

    @Test("a feed with paths out of the container: passed over")
    func hostileFeed() throws {
        b.daemon.observe(.networkReturned, b.pad)
        let sent = try #require(b.pad.takeRequest())
        let evil: [Value] = ["../../x", "/etc/passwd", "Documents//x", ""].map {
            [
                "id": "x", "path": .string($0), "version": 1, "size": 1, "digest": "d", "modified": 1, "device": "d",
                "deleted": false,
            ]
        }
        let body: Value = [
            "seq": 99, "items": .array(evil + [7, ["id": "a/b", "path": "Documents/a", "version": 1]]),
        ]
        b.daemon.reply(.response(HTTPResponse(status: 200, json: body)), to: sent.task, b.pad)
        #expect(b.list().isEmpty)
    }

    @Test(
        "hostile messages are refused",
        arguments: [
            Message("docs.beginWrite"),
            Message("docs.beginWrite", ["path": "/var/mobile/Library/Mobile Documents/iCloud.other/x"]),
            Message("docs.beginWrite", ["path": .string(DocumentSite.folder + "/../x")]),
            Message("docs.endWrite", ["path": .string(DocumentSite.path("x"))]),
            Message("docs.list", ["container": 3]), Message("docs.versions", ["path": "x"]),
            Message("docs.evict", .array([])),
            Message("docs.resolve", ["path": .string(DocumentSite.path("x"))]), Message("docs.steal"),
            Message("docs.container", ["identifier": 3]),
        ])
    func hostile(message: Message) {
        #expect(a.daemon.call(message, from: a.app, a.pad)["error"]?["code"]?.int == 22)
        #expect(a.isIdle)
    }
}
