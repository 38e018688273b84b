import FleetModel
import Testing

@testable import PadCore

@Suite("Documents, places", .timeLimit(.minutes(20))) final class DocumentPlaces: TwoDocumentSites {
    /// What an iPad lists, below the container.
    private func places(_ site: DocumentSite) -> [String] {
        (site.call("list", ["container": .string(DocumentSite.container)])["items"]?.array ?? []).map {
            String(($0["path"]?.string ?? "").dropFirst(DocumentSite.folder.count + 1))
        }
    }

    @Test("a rename, a move, a copy, a deletion elsewhere: the app is told each time, its list follows (S38)")
    func elsewhere() throws {
        try share()
        func after(_ change: () throws -> Void) throws -> [String] {
            b.pad.posts = []
            try change()
            settle()
            #expect(b.pad.lastPost("docs.changed") != nil)
            return places(b)
        }
        #expect(try after { try a.move("page.txt", to: "first.txt") } == ["Documents/first.txt"])
        try a.disk.makeFolder(DocumentSite.path("folder"))
        #expect(try after { try a.move("first.txt", to: "folder/first.txt") } == ["Documents/folder/first.txt"])
        let copied = try after { try a.write("copy.txt", text("maya.1")) }
        #expect(copied == ["Documents/copy.txt", "Documents/folder/first.txt"])
        #expect(try after { try a.delete("folder/first.txt") } == ["Documents/copy.txt"])
        #expect(b.read("folder/first.txt") == nil)
    }

    @Test("a hundred documents that come at once: one change or two for the app, not one for each of them")
    func manyAtOnce() throws {
        b.pad.online = false
        for number in 1...100 { try a.write("page-\(number).txt", text("maya.\(number)")) }
        settle()
        b.pad.posts = []
        b.pad.online = true
        b.daemon.observe(.networkReturned, b.pad)
        settle()
        #expect(places(b).count == 100)
        #expect(b.pad.posts.count { $0.message.name == "docs.changed" } <= 2)
    }

    @Test("presented documents: their app is told of new content, a new place and the end, and of nothing else (S38)")
    func presented() throws {
        try share()
        try share("other.txt", "maya.2")
        func told() -> [String] {
            defer { b.pad.posts = [] }
            let news = b.pad.posts.filter {
                $0.message.name == "docs.presented" && $0.message["change"] != "attributes"
            }
            return news.map { post in
                let names = [post.message["path"], post.message["to"]].compactMap {
                    $0?.string?.split(separator: "/").last
                }
                return "\(post.message["change"]?.string ?? "?") \(names.joined(separator: " "))"
            }
        }
        b.pad.posts = []
        try a.write("page.txt", text("maya.3"))
        settle()
        #expect(told() == [], "nobody presents it")
        #expect(b.call("present", ["paths": [.string(DocumentSite.path("page.txt"))]]) == .empty)
        try a.write("other.txt", text("maya.4"))
        try a.write("page.txt", text("maya.5"))
        settle()
        for name in ["page.txt", "other.txt"] { b.download(name) }
        settle()
        #expect(told() == ["changed page.txt"])
        try b.write("page.txt", text("maya.6"))
        settle()
        #expect(told() == [], "what an app does itself is its coordinator's business")
        try a.move("page.txt", to: "first.txt")
        settle()
        #expect(told() == ["moved page.txt first.txt"])
        // A path that it may not see does not silence the others.
        b.call("present", ["paths": ["/etc/passwd", .string(DocumentSite.path("first.txt"))]])
        try a.delete("first.txt")
        try a.delete("other.txt")
        settle()
        #expect(told() == ["deleted first.txt"])
        for wrong in [["paths": 1], .empty] as [Value] {
            #expect(b.call("present", wrong)["error"] != nil)
        }
    }

    @Test("two apps: one container by its name, each its own without a name (S46, S47)")
    func sharedContainer() throws {
        try share()
        let own = "iCloud.com.example.paint"
        b.pad.manifests["paint"] = AppManifest(
            name: "paint", bundleID: "com.example.paint", infoPlist: .empty,
            entitlements: [
                "com.apple.developer.icloud-services": ["CloudDocuments"],
                "com.apple.developer.ubiquity-container-identifiers": [.string(own), .string(DocumentSite.container)],
            ], actions: [], promises: [:], channel: .document)
        let other = b.pad.launch("paint", launch: 7, daemon: b.daemon)
        func ask(_ name: String, _ body: Value) -> Value {
            b.daemon.call(Message("docs.\(name)", body), from: other, b.pad).body
        }
        let named = ask("container", ["identifier": .string(DocumentSite.container)])
        #expect(named["path"]?.string == DocumentSite.folder)
        let items = ask("list", ["container": .string(DocumentSite.container)])["items"]?.array ?? []
        #expect(items.map { $0["path"]?.string } == [DocumentSite.path("page.txt")])
        try a.write("second.txt", text("maya.2"))
        settle()
        for app in [b.app, other] {
            #expect(b.pad.lastPost("docs.changed", to: app)?["paths"]?.strings == [DocumentSite.path("second.txt")])
        }
        #expect(ask("container", ["identifier": .null])["path"]?.string == ContainerPath.folder(of: own))
        #expect(ask("list", ["container": .string(own)])["items"] == [])
    }

    @Test("any layout: folders in Documents and beside it arrive as they are (S51)")
    func layout() throws {
        let relatives = ["Documents/a/b/deep.txt", "State/progress/one.txt"]
        for (number, relative) in relatives.enumerated() {
            let path = DocumentSite.folder + "/" + relative
            try a.disk.makeFolder(String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex)))
            a.call("beginWrite", ["path": .string(path)])
            try a.disk.write(path, Array(text("maya.\(number)").utf8), sync: false)
            #expect(a.call("endWrite", ["path": .string(path)]) == .empty)
        }
        settle()
        #expect(cloud.items.map(\.path).sorted() == relatives)
        #expect(places(b) == relatives)
        for (number, relative) in relatives.enumerated() {
            let path = DocumentSite.folder + "/" + relative
            b.daemon.post(Message("docs.download", ["path": .string(path)]), exchange: 9, from: b.app, b.pad)
            settle()
            #expect(try b.disk.read(path) == Array(text("maya.\(number)").utf8))
        }
    }

    @Test("an evicted document: a rename elsewhere reaches it, its data still come on demand (S69)")
    func evicted() throws {
        try share()
        #expect(b.call("evict", ["path": .string(DocumentSite.path("page.txt"))]) == .empty)
        try a.move("page.txt", to: "first.txt")
        settle()
        #expect(places(b) == ["Documents/first.txt"])
        #expect(b.status("first.txt") == "notDownloaded")
        #expect(b.read("first.txt") == nil)
        b.download("first.txt")
        settle()
        #expect(b.read("first.txt") == text("maya.1"))
    }
}
