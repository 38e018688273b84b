import FleetModel
import Testing

@testable import PadCore

@Suite("Documents, two sides", .timeLimit(.minutes(20))) final class DocumentConflicts: TwoDocumentSites {
    @Test("edits on two iPads offline: both are kept, shown on both, and merged once (S112)")
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

    @Test("a deletion: on every iPad; but not over an edit that it never saw (S60)")
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

    @Test("a rename elsewhere while an edit waits: the new name stays, the edit arrives (S65)")
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

    @Test("presented document: versions that lost are told when they can be read and when they are settled or removed")
    func presentedVersions() throws {
        try share()
        for site in [a, b] { site.call("present", ["paths": [.string(DocumentSite.folder + "/Documents")]]) }
        func told(_ site: DocumentSite) -> [String] {
            defer { site.pad.posts = [] }
            return site.pad.posts.filter { $0.message.name == "docs.presented" }.map {
                "\($0.message["change"]?.string ?? "") \($0.message["version"]?["device"]?.string ?? "")"
            }.filter { !["changed ", "attributes "].contains($0) }
        }
        func conflict(_ first: Token, _ second: Token) throws {
            a.pad.online = false
            try a.write("page.txt", text(first))
            try b.write("page.txt", text(second))
            settle()
            a.pad.online = true
            settle()
            _ = (a.daemon.observe(.networkReturned, a.pad), b.daemon.observe(.networkReturned, b.pad))
            settle()
        }
        try conflict("maya.2", "maya.3")
        let (first, second) = (told(a), told(b))
        #expect(first.count == 1 && first == second && first.first?.hasPrefix("gained ipad-") == true)
        a.resolveAll("page.txt")
        settle()
        // Who settles it knows.
        #expect(told(a) == [] && told(b) == first.map { $0.replacing("gained", with: "resolved") })
        #expect(b.versions("page.txt").isEmpty)
        let other = a.pad.launch("scrapbook", launch: 9, daemon: a.daemon)
        _ = a.daemon.call(Message("docs.container", [:]), from: other, a.pad)
        let place: Value = ["paths": [.string(DocumentSite.path("page.txt"))]]
        _ = a.daemon.call(Message("docs.present", place), from: other, a.pad)
        try conflict("maya.4", "maya.5")
        _ = told(a)
        let ids = Value.array(a.versions("page.txt").compactMap { $0["id"] })
        #expect(ids.array?.count == 1)
        a.call("resolve", ["path": .string(DocumentSite.path("page.txt")), "ids": ids, "removing": true])
        #expect(told(a).map { $0.prefix(5) } == ["lost "])
    }

    @Test("presented document: what changes of its sync is told, to who presents it and by name")
    func presentedAttributes() throws {
        try share()
        a.call("present", ["paths": [.string(DocumentSite.path("page.txt"))]])
        a.pad.posts = []
        func told() -> [[String]] {
            defer { a.pad.posts = [] }
            return a.pad.posts.filter { $0.message["change"] == "attributes" }.map {
                $0.message["names"]?.strings ?? []
            }
        }
        cloud.quotaBytes = 0
        try a.write("page.txt", text("maya.2"))
        settle()
        #expect(told().flatMap { $0 }.contains("uploadError"))
        cloud.quotaBytes = .max
        settle()
        #expect(told().flatMap { $0 }.contains("uploadError"))
        try b.write("page.txt", text("maya.3"))
        settle()
        #expect(told().flatMap { $0 }.contains("status"))
        settle()
        #expect(told() == [], "nothing has changed")
    }

    @Test("deleted on another iPad: the file's protection class goes with it, a later one of the name has its own")
    func deletedProtection() throws {
        try share()
        b.download("page.txt")
        settle()
        let path = DocumentSite.path("page.txt")
        let protection = try #require(b.pad.volume(of: "maya")).protection
        try protection.set(.complete, path)
        try a.delete("page.txt")
        settle()
        #expect(b.read("page.txt") == nil && protection.own(path) == nil)
    }

    @Test("presented folder: a document that appears in it, one whose data go from the iPad")
    func presentedFolder() throws {
        b.call("present", ["paths": [.string(DocumentSite.folder + "/Documents")]])
        b.pad.posts = []
        func told() -> [String] {
            defer { b.pad.posts = [] }
            let news = b.pad.posts.filter {
                $0.message.name == "docs.presented" && $0.message["change"] != "attributes"
            }
            return news.map {
                "\($0.message["change"]?.string ?? "") \($0.message["path"]?.string?.split(separator: "/").last ?? "")"
            }
        }
        try a.write("page.txt", text("maya.1"))
        settle()
        #expect(told() == ["appeared page.txt"])
        b.download("page.txt")
        settle()
        #expect(told() == ["changed page.txt"])
        _ = b.daemon.evictUnused(bytes: 1, b.pad)
        #expect(b.status("page.txt") == "notDownloaded" && told() == ["evicted page.txt"])
        b.call("present", ["paths": []])
        try a.write("other.txt", text("maya.2"))
        settle()
        #expect(told() == [])
    }

    @Test("a coordinated write that is never ended: keeps the sync out for a minute, not longer (S39)")
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
}
