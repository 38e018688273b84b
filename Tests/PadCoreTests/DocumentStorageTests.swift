import FleetModel
import Storage
import Testing

@testable import PadCore

@Suite("Documents, storage", .timeLimit(.minutes(20))) final class DocumentStorage: TwoDocumentSites {
    private func files(_ site: DocumentSite) -> [String] {
        site.disk.files(under: DocumentSite.folder).map { String($0.dropFirst(DocumentSite.folder.count + 1)) }
    }

    @Test(
        "a .nosync file: goes when its folder is deleted elsewhere, and when the folder is evicted here (S63)",
        arguments: ["deleted", "evicted", "partly deleted"])
    func nosync(how: String) throws {
        try a.disk.makeFolder(DocumentSite.path("book"))
        for name in ["book/one.txt", "book/two.txt"] { try share(name, "maya.\(name.count)") }
        for name in ["book/cache.nosync", "other.nosync"] {
            try b.disk.write(DocumentSite.path(name), [1], sync: true)
        }
        switch how {
        case "evicted": #expect(b.call("evict", ["path": .string(DocumentSite.path("book"))]) == .empty)
        case "deleted":
            try a.delete("book/one.txt")
            try a.delete("book/two.txt")
        default: try a.delete("book/one.txt")
        }
        settle()
        let kept = ["Documents/book/cache.nosync", "Documents/book/two.txt", "Documents/other.nosync"]
        #expect(files(b) == (how == "partly deleted" ? kept : ["Documents/other.nosync"]))
    }

    @Test("space is short: data of unused documents go, oldest use first; the unsent and the one in use stay (S66)")
    func pressure() throws {
        for (name, token) in [("1.txt", "maya.1"), ("2.txt", "maya.2"), ("3.txt", "maya.3")] { try share(name, token) }
        let size = text("maya.1").utf8.count
        b.pad.advance(.minutes(10), b.daemon)
        b.daemon.used(DocumentSite.path("1.txt"), person: "maya", at: b.pad.now)
        b.pad.advance(.minutes(10), b.daemon)
        b.daemon.used(DocumentSite.path("3.txt"), person: "maya", at: b.pad.now)
        b.pad.online = false
        try b.write("new.txt", text("maya.9"))
        #expect(b.daemon.evictUnused(bytes: 1, b.pad) == size)
        #expect(files(b) == ["1.txt", "3.txt", "new.txt"].map { "Documents/" + $0 })
        #expect(b.pad.lastPost("docs.changed")?["paths"]?.strings == [DocumentSite.path("2.txt")])
        #expect(b.daemon.evictUnused(bytes: 100_000, b.pad) == size)
        #expect(files(b) == ["3.txt", "new.txt"].map { "Documents/" + $0 })
        #expect(["1.txt", "2.txt"].map { b.status($0) } == ["notDownloaded", "notDownloaded"])
    }

    @Test(
        "a full disk at the end of a write: no error, for the file is changed; with room it is taken over, before that nobody is removed"
    )
    func fullAtTheEnd() throws {
        try share("page.txt", "maya.1")
        let path = DocumentSite.path("page.txt")
        a.call("beginWrite", ["path": .string(path)])
        try a.disk.write(path, Array(text("maya.2").utf8), sync: true)
        a.disk.capacityBytes = a.disk.usedBytes
        #expect(a.call("endWrite", ["path": .string(path)]) == .empty)
        a.pad.advance(.minutes(1), a.daemon)
        #expect(a.pad.tokens(.handedOver) == ["maya.1"])
        #expect(a.daemon.pending(of: "maya").map(\.waitsFor) == ["room on the disk"])
        a.disk.capacityBytes = .max
        a.pad.advance(.seconds(6), a.daemon)
        #expect(a.pad.tokens(.handedOver) == ["maya.1", "maya.2"])
        settle()
        #expect(a.isIdle && cloud.tokens == ["maya.2"])
    }

    @Test("space is short: a document that was changed a moment ago is in use, though nobody has read it (S66)")
    func justWritten() throws {
        settle()
        try a.write("new.txt", text("maya.1"))
        _ = a.exchange(with: cloud)
        #expect(a.list()["new.txt"]?["uploaded"] == true && a.daemon.evictUnused(bytes: 1, a.pad) == 0)
        a.pad.advance(.minutes(2), a.daemon)
        #expect(a.daemon.evictUnused(bytes: 1, a.pad) == text("maya.1").utf8.count)
    }

    @Test("space is short: the volume that is too small, not another's; what is about to be written stays")
    func ownVolume() throws {
        try share("1.txt", "maya.1")
        b.pad.advance(.minutes(10), b.daemon)
        #expect(b.daemon.evictUnused(bytes: 1, of: "leo", b.pad) == 0)
        #expect(b.daemon.evictUnused(bytes: 1, besides: DocumentSite.path("1.txt"), b.pad) == 0)
        #expect(b.daemon.evictUnused(bytes: 1, of: "maya", besides: DocumentSite.path("2.txt"), b.pad) > 0)
    }

    @Test("metadata: an evicted document is listed with name, size and date, as is one that was never here (S67)")
    func metadata() throws {
        try share()
        a.pad.clockSkew = 100
        try a.write("far.txt", text("maya.2"))
        settle()
        let before = b.call("metadata", ["path": .string(DocumentSite.path("page.txt"))])
        #expect(before["size"] == .int(text("maya.1").utf8.count) && before["name"] == "page.txt")
        #expect(b.call("evict", ["path": .string(DocumentSite.path("page.txt"))]) == .empty)
        let evicted = b.call("metadata", ["path": .string(DocumentSite.path("page.txt"))])
        #expect(evicted["size"] == before["size"] && b.list()["page.txt"] != nil && b.read("page.txt") == nil)
        #expect((evicted["modified"]?.int ?? 0) > Instant.epochNanoseconds)
        let far = b.call("metadata", ["path": .string(DocumentSite.path("far.txt"))])
        #expect(far["size"] == .int(text("maya.2").utf8.count))
        #expect((far["modified"]?.int ?? 0) - (evicted["modified"]?.int ?? 0) >= 100_000_000_000)
        #expect(b.call("metadata", ["path": .string(DocumentSite.path("none.txt"))])["error"]?["code"] == 260)
    }

    @Test(
        "desktop: every document comes by itself and stays when space is short; an iPad waits to be asked (S117, S292)")
    func desktop() throws {
        let desk = try DocumentSite("desk-1", isDesktop: true)
        for (name, token) in [("1.txt", "maya.1"), ("2.txt", "maya.2")] { try a.write(name, text(token)) }
        DocumentSite.settle([a, b, desk], cloud)
        #expect(["1.txt", "2.txt"].map { desk.status($0) } == ["current", "current"])
        #expect(["1.txt", "2.txt"].map { b.status($0) } == ["notDownloaded", "notDownloaded"])
        desk.pad.advance(.hours(30), desk.daemon)
        #expect(desk.daemon.evictUnused(bytes: 100_000, desk.pad) == 0)
        desk.pad.online = false
        #expect(desk.read("1.txt") == text("maya.1"))
    }

    // MARK: Manage Storage

    private func storage(_ site: DocumentSite) -> Value { .array(site.daemon.storageEntries(of: "maya").map(\.body)) }
    private func delete(_ site: DocumentSite, _ body: Value) -> String? {
        var body = body
        body["confirmed"] = true
        return site.daemon.deleteFromStorage(Message("storage.delete", body), of: "maya", site.pad)
    }

    @Test("manage storage: nothing is deleted that the person has not confirmed (S61)")
    func confirmed() throws {
        try share("1.txt", "maya.1")
        for body: Value in [
            ["path": .string(DocumentSite.path("1.txt"))],
            ["path": .string(DocumentSite.path("1.txt")), "confirmed": false],
            ["container": .string(DocumentSite.container)],
        ] {
            let answer = b.daemon.deleteFromStorage(Message("storage.delete", body), of: "maya", b.pad)
            #expect(answer?.contains("confirm") == true)
        }
        settle()
        #expect(a.read("1.txt") == text("maya.1") && cloud.item("Documents/1.txt") != nil)
        #expect(delete(b, ["path": .string(DocumentSite.path("1.txt"))]) == nil)
    }

    @Test("manage storage: documents one by one; each can be deleted by itself, everywhere (S53)")
    func documents() throws {
        try share("1.txt", "maya.1")
        try a.write("2.txt", text("maya.2"))
        settle()
        let size = Value.int(text("maya.1").utf8.count)
        let entries: [Value] = ["1.txt", "2.txt"].map { ["path": .string(DocumentSite.path($0)), "size": size] }
        #expect(storage(b) == [["container": .string(DocumentSite.container), "documents": .array(entries)]])
        #expect(delete(b, ["path": .string(DocumentSite.path("2.txt"))]) == nil)
        settle()
        #expect(a.read("2.txt") == nil && a.read("1.txt") == text("maya.1"))
        #expect(cloud.item("Documents/2.txt") == nil && cloud.item("Documents/1.txt") != nil)
        #expect(delete(b, ["path": .string(DocumentSite.path("2.txt"))]) != nil)
    }

    @Test("manage storage: what lies beside Documents is one entry, and goes as one (S54)")
    func privateData() throws {
        try share("1.txt", "maya.1")
        for name in ["one", "two"] {
            let path = "\(DocumentSite.folder)/State/\(name)"
            try a.disk.makeFolder("\(DocumentSite.folder)/State")
            a.call("beginWrite", ["path": .string(path)])
            try a.disk.write(path, [1, 2, 3], sync: false)
            a.call("endWrite", ["path": .string(path)])
        }
        settle()
        #expect(storage(b)[0]?["data"] == ["size": 6])
        #expect(storage(b)[0]?["documents"]?.array?.count == 1)
        #expect(delete(b, ["path": .string("\(DocumentSite.folder)/State/one")]) != nil)
        #expect(delete(b, ["container": .string(DocumentSite.container)]) == nil)
        settle()
        #expect(files(a) == ["Documents/1.txt"] && storage(b)[0]?["data"] == nil)
    }

    @Test("manage storage: what is never sent goes with the private data; what lies in Documents stays (S54, S62)")
    func privateUnsent() throws {
        try a.disk.makeFolder(DocumentSite.folder + "/State")
        for name in ["State/cache.nosync", "Documents/draft.nosync"] {
            try a.disk.write("\(DocumentSite.folder)/\(name)", [1], sync: true)
        }
        #expect(delete(a, ["container": .string(DocumentSite.container)]) == nil)
        #expect(files(a) == ["Documents/draft.nosync"])
        #expect(delete(a, ["container": .string(DocumentSite.container)]) != nil)
    }

    @Test("a .nosync file above an empty inner folder goes when the last document is deleted elsewhere (S63)")
    func emptyInner() throws {
        try a.disk.makeFolder(DocumentSite.path("book/part"))
        try share("book/part/one.txt", "maya.1")
        try b.disk.write(DocumentSite.path("book/cache.nosync"), [1], sync: true)
        try a.delete("book/part/one.txt")
        settle()
        #expect(files(b).isEmpty)
    }
}

extension Value {
    fileprivate subscript(index: Int) -> Value? {
        guard let array, array.indices.contains(index) else { return nil }
        return array[index]
    }
}

@Suite("Documents, packages", .timeLimit(.minutes(20))) struct DocumentPackages {
    private static let plist: Value = [
        "CFBundleDocumentTypes": [["CFBundleTypeExtensions": ["page"], "LSTypeIsPackage": true]]
    ]
    private let cloud = FakeDocumentCloud()
    private let a: DocumentSite
    private let b: DocumentSite
    private let path = DocumentSite.path("book.page")

    init() throws {
        a = try DocumentSite("ipad-1", plist: Self.plist)
        b = try DocumentSite("ipad-2", plist: Self.plist)
        settle()
    }
    private func settle() { DocumentSite.settle([a, b], cloud) }
    /// One coordinated write of files inside the package.
    private func write(_ site: DocumentSite, _ files: [(String, String)]) throws {
        site.call("beginWrite", ["path": .string(path)])
        site.disk.now = site.pad.now
        for (name, text) in files {
            let file = "\(path)/\(name)"
            try site.disk.makeFolder(String(file[..<(file.lastIndex(of: "/") ?? file.endIndex)]))
            try site.disk.write(file, Array(text.utf8), sync: false)
        }
        site.call("endWrite", ["path": .string(path)])
    }
    private func text(_ token: Token) -> String { EditPayload.text(token: token, "page") }
    private func inside(_ site: DocumentSite) -> [String: String] {
        Dictionary(
            site.disk.files(under: path).map {
                (String($0.dropFirst(path.count + 1)), String(decoding: (try? site.disk.read($0)) ?? [], as: UTF8.self))
            }, uniquingKeysWith: { first, _ in first })
    }

    @Test("a package: a folder that is one document: one entry, one upload, all its files at once elsewhere (S94, S99)")
    func journey() throws {
        let files = ["contents": text("maya.1"), "parts/picture": text("maya.2")]
        try write(a, [("contents", text("maya.1")), ("parts/picture", text("maya.2"))])
        #expect(a.pad.tokens(.handedOver) == ["maya.1", "maya.2"])
        settle()
        #expect(cloud.items.map(\.path) == ["Documents/book.page"] && a.isIdle)
        #expect(Array(b.list().keys) == ["book.page"] && b.status("book.page") == "notDownloaded")
        #expect(b.daemon.isPlaceholder(path + "/contents", person: "maya"))
        b.daemon.post(Message("docs.download", ["path": .string(path + "/contents")]), exchange: 9, from: b.app, b.pad)
        settle()
        #expect(inside(b) == files && b.status("book.page") == "current")
        try write(b, [("parts/picture", text("maya.3"))])
        try b.disk.remove(path + "/contents")
        b.daemon.observe(.appEntered(b.app, .background), b.pad)
        settle()
        #expect(inside(a) == ["parts/picture": text("maya.3")])
        #expect(cloud.items.count == 1 && cloud.items[0].conflicts.isEmpty)
    }

    @Test("two iPads change parts of one package: one conflict of the whole, nothing is mixed or lost (S99)")
    func conflict() throws {
        try write(a, [("one", text("maya.1")), ("two", text("maya.2"))])
        settle()
        b.download("book.page")
        settle()
        for site in [a, b] { site.pad.online = false }
        try write(a, [("one", text("maya.3"))])
        try write(b, [("two", text("maya.4"))])
        for site in [a, b] {
            site.pad.online = true
            site.daemon.observe(.networkReturned, site.pad)
        }
        settle()
        #expect(cloud.items.count == 1 && cloud.items[0].conflicts.count == 1)
        #expect(cloud.tokens == ["maya.1", "maya.2", "maya.3", "maya.4"])
        #expect(inside(a) == inside(b))
        #expect(
            Set(inside(a).values) == [text("maya.3"), text("maya.2")]
                || Set(inside(a).values) == [text("maya.1"), text("maya.4")])
    }

    @Test("a package moved, evicted and fetched, deleted: as one; a damaged content from outside is kept as a file")
    func asOne() throws {
        try write(a, [("one", text("maya.1"))])
        settle()
        b.download("book.page")
        settle()
        try a.move("book.page", to: "novel.page")
        settle()
        #expect(inside(b).isEmpty && b.disk.files(under: DocumentSite.path("novel.page")).count == 1)
        #expect(b.call("evict", ["path": .string(DocumentSite.path("novel.page/one"))]) == .empty)
        #expect(b.disk.status(DocumentSite.path("novel.page")) == nil)
        b.download("novel.page")
        settle()
        #expect(b.disk.files(under: DocumentSite.path("novel.page")).count == 1)
        try a.delete("novel.page")
        settle()
        #expect(b.disk.files(under: DocumentSite.folder).isEmpty && cloud.item("Documents/novel.page") == nil)
        try a.write("flat.page", "homeroom package\n\u{1}")
        settle()
        b.download("flat.page")
        settle()
        #expect(b.read("flat.page") == "homeroom package\n\u{1}")
    }

    @Test("a new version that does not fit: the old package stays whole, nothing of it is sent; with room it comes")
    func fullDisk() throws {
        try write(a, [("one", text("maya.1")), ("parts/two", text("maya.2"))])
        settle()
        b.download("book.page")
        settle()
        let before = inside(b)
        try write(a, [("one", text("maya.3")), ("parts/big", text("maya.4") + String(repeating: "x", count: 60_000))])
        b.disk.capacityBytes = b.disk.usedBytes + 30_000
        settle()
        #expect(inside(b) == before && b.status("book.page") == "downloaded")
        #expect(b.disk.files(under: "/var/mobile/Library/Caches").isEmpty)
        b.disk.capacityBytes = .max
        DocumentSite.settle([a, b], cloud, minutes: 120)
        #expect(inside(b) == inside(a) && b.status("book.page") == "current")
        #expect(cloud.items.count == 1 && cloud.items[0].conflicts.isEmpty && cloud.writes == 2)
    }

    @Test("content from outside whose names cannot lie beside each other is kept as a file", arguments: ["a", "a/b"])
    func impossible(second: String) throws {
        func chunk(_ text: String) -> String {
            String(UnicodeScalar(UInt8(text.utf8.count))) + String(repeating: "\0", count: 7) + text
        }
        let content = "homeroom package\n" + ["a", "x", second, "y"].map(chunk).joined()
        try a.write("odd.page", content)
        settle()
        b.download("odd.page")
        settle()
        #expect(b.read("odd.page") == content && b.status("odd.page") == "current" && cloud.writes == 1)
    }

    @Test("a .nosync file in a package: never sent, and kept when a new version comes (S62)")
    func nosyncInside() throws {
        try write(a, [("one", text("maya.1")), ("cache.nosync", "mine"), ("parts.nosync/two", text("maya.2"))])
        settle()
        #expect(cloud.tokens == ["maya.1"])
        b.download("book.page")
        settle()
        #expect(inside(b) == ["one": text("maya.1")])
        try write(b, [("local.nosync", "b's own"), ("parts/local.nosync", "deep")])
        settle()
        #expect(cloud.writes == 1)
        try write(a, [("one", text("maya.3"))])
        settle()
        #expect(
            inside(b) == ["one": text("maya.3"), "local.nosync": "b's own", "parts/local.nosync": "deep"])
        #expect(cloud.writes == 2 && cloud.items[0].conflicts.isEmpty)
    }

    @Test("a file removed inside a package: gone after a power cut too", arguments: 1...8 as ClosedRange<UInt64>)
    func removedInside(seed: UInt64) throws {
        try write(a, [("one", text("maya.1")), ("parts/deep/two", text("maya.2"))])
        settle()
        a.call("beginWrite", ["path": .string(path)])
        try a.disk.remove(path + "/parts/deep/two")
        a.call("endWrite", ["path": .string(path)])
        try a.powerCut(seed: seed)
        #expect(inside(a) == ["one": text("maya.1")])
    }
}
