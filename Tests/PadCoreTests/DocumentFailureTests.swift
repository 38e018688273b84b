import FleetModel
import Testing

@testable import PadCore

@Suite("Documents, failures", .timeLimit(.minutes(20))) final class DocumentFailures: TwoDocumentSites {
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

    @Test(
        "a full account: one app fills it, the other's upload is refused and says so; with room it goes on (S55, S102)")
    func quota() throws {
        let reader = a.pad.launch("reader", launch: 7, daemon: a.daemon)
        func ask(_ name: String, _ body: Value) -> Value {
            a.daemon.call(Message(name, body), from: reader, a.pad).body
        }
        let container = "iCloud.com.example.reader"
        let path = "\(ContainerPath.folder(of: container))/Documents/book.txt"
        func entry() -> Value? {
            ask("docs.list", ["container": .string(container)])["items"]?.array?.first
        }
        #expect(ask("docs.container", ["identifier": .null])["path"] != .null)
        cloud.quotaBytes = 300
        try a.write("page.txt", text("maya.1") + String(repeating: "x", count: 200))
        settle()
        #expect(cloud.tokens == ["maya.1"] && a.list()["page.txt"]?["uploadError"] == nil)
        _ = ask("docs.beginWrite", ["path": .string(path)])
        try a.disk.write(path, Array((text("maya.2") + String(repeating: "y", count: 200)).utf8), sync: false)
        #expect(ask("docs.endWrite", ["path": .string(path)]) == .empty)
        a.pad.posts = []
        settle()
        #expect(cloud.tokens == ["maya.1"])
        #expect(entry()?["uploadError"] == 4354 && entry()?["uploaded"] == false && entry()?["status"] == "current")
        let status = ask("docs.status", ["path": .string(path)])
        #expect(status["uploadError"] == 4354 && status["containerName"] == "reader")
        #expect(a.pad.posts.contains { $0.message.name == "docs.changed" && $0.app == reader })
        #expect(a.daemon.queuedTokens(of: "maya") == ["maya.2"] && a.disk.status(path) != nil)
        cloud.quotaBytes = 10_000
        settle()
        #expect(cloud.tokens == ["maya.1", "maya.2"])
        #expect(entry()?["uploadError"] == nil && entry()?["uploaded"] == true)
    }

    @Test("an upload that nobody answers, a download that fails: the item says why until one goes through")
    func unanswered() throws {
        try share()
        a.losesAnswer = { $0.method == "PUT" }
        try a.write("page.txt", text("maya.2"))
        settle()
        #expect(a.list()["page.txt"]?["uploadError"] == 4355)
        a.losesAnswer = { _ in false }
        settle()
        #expect(a.list()["page.txt"]?["uploadError"] == nil)
        try a.write("new.txt", text("maya.3"))
        settle()
        b.losesRequest = { $0.method == "GET" }
        b.download("new.txt")
        #expect(b.list()["new.txt"]?["requested"] == true)
        settle()
        #expect(b.list()["new.txt"]?["downloadError"] == 4355)
        b.losesRequest = { _ in false }
        settle()
        #expect(b.status("new.txt") == "current" && b.list()["new.txt"]?["downloadError"] == nil)
        #expect(b.call("status", ["path": .string(DocumentSite.path("none.txt"))]) == .empty)
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

    @Test("a folder where a placeholder's data belong: who waits hears an error, the next try comes after a pause")
    func folderInTheWay() throws {
        try a.write("page.txt", text("maya.1"))
        settle()
        try b.disk.makeFolder(DocumentSite.path("page.txt"))
        b.download("page.txt")
        let get = try #require(b.pad.takeRequest())
        b.daemon.reply(.response(cloud.answer(get.request, from: "ipad-2")), to: get.task, b.pad)
        #expect(b.pad.lastPost("docs.download")?["error"]?["code"]?.int == 516)
        try #require(b.pad.takeRequest() == nil && b.daemon.nextWake.map { $0 > b.pad.now } == true)
        #expect(b.status("page.txt") == "notDownloaded")
        try b.disk.remove(DocumentSite.path("page.txt"))
        settle()
        #expect(b.read("page.txt") == text("maya.1") && cloud.writes == 1)
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

    @Test("a portal's page as long as the document: not taken for it")
    func pageOfThatSize() throws {
        try a.write("page.txt", text("maya.1"))
        settle()
        let size = text("maya.1").utf8.count
        let page = HTTPResponse(
            status: 200, headers: ["Content-Type": "text/html"], body: Array(repeating: 0x3c, count: size))
        b.download("page.txt")
        let get = try #require(b.pad.takeRequest())
        b.daemon.reply(.response(page), to: get.task, b.pad)
        #expect(b.read("page.txt") == nil && b.pad.lastPost("docs.download")?["error"]?["code"]?.int == 4353)
        settle()
        #expect(b.read("page.txt") == text("maya.1"))
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
