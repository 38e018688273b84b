import FleetModel
import Testing

@testable import PadCore

@Suite("Documents", .timeLimit(.minutes(20))) final class Documents: TwoDocumentSites {
    @Test(
        "a container: the app's own by default, with its folder; none when signed out or misnamed (S43, S45, S50, S85)")
    func container() throws {
        #expect(a.call("container", ["identifier": .null])["path"]?.string == DocumentSite.folder)
        #expect(a.disk.status(DocumentSite.folder + "/Documents")?.isFolder == true)
        #expect(try a.disk.list(DocumentSite.folder) == ["Documents"])
        #expect(a.call("container", ["identifier": "iCloud.../../x"])["path"] == .null)
        #expect(a.call("container", ["identifier": "Documents"])["path"] == .null)
        for wild in ["iCloud.com.example.*", "iCloud.*"] {
            #expect(a.call("container", ["identifier": .string(wild)])["path"] == .null)
        }
        a.pad.withoutIdentity = ["maya"]
        #expect(a.call("container", [:])["path"] == .null)
    }

    @Test(
        "a coordinated write: handed over at its end, uploaded, metadata elsewhere first, data on demand (S31, S71, S116, S120)"
    )
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

    @Test("writes without coordination: noticed when the app leaves; .nosync never (S62)")
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

    @Test(
        "an eviction: refused until uploaded; the document stays and can be had again; a purge does the same (S64, S70)"
    )
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
}
