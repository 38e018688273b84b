import FleetModel
import Testing

@testable import PadCore

/// Two apps of one person that share a container.
@Suite("Documents, two apps", .timeLimit(.minutes(20))) final class DocumentTurns {
    let pad: FakePad
    let daemon = DocumentDaemon()
    let cloud = FakeDocumentCloud()
    let writer: AppIdentity
    let reader: AppIdentity
    static let folder = ContainerPath.folder(of: "iCloud.com.example.shared") + "/Documents/"
    let page: Value = ["path": .string(folder + "page.txt")]

    init() throws {
        pad = try FakePad()
        for app in ["writer", "reader"] {
            pad.manifests[app] = AppManifest(
                name: app, bundleID: "com.example.\(app)", infoPlist: .empty,
                entitlements: [
                    "com.apple.developer.icloud-services": ["CloudDocuments"],
                    "com.apple.developer.icloud-container-identifiers": ["iCloud.com.example.shared"],
                ], actions: [], promises: [:], channel: .document)
        }
        daemon.boot(pad)
        daemon.observe(.signedIn("maya"), pad)
        writer = pad.launch("writer", launch: 1, daemon: daemon)
        reader = pad.launch("reader", launch: 2, daemon: daemon)
        for app in [writer, reader] { _ = ask("container", [:], app) }
    }
    func ask(_ name: String, _ body: Value, _ app: AppIdentity) -> Value {
        daemon.call(Message("docs.\(name)", body), from: app, pad).body
    }
    func wait(_ name: String, _ body: Value, _ app: AppIdentity, exchange: UInt64) {
        daemon.post(Message("docs.\(name)", body), exchange: exchange, from: app, pad)
    }
    /// Exchanges that were answered, in order.
    var turns: [UInt64] { pad.posts.filter { $0.message.name.hasPrefix("docs.begin") }.map(\.exchange) }

    @Test("Writers of one place: one after the other; a call is refused, a post waits its turn (S39)")
    func writers() throws {
        let disk = try #require(pad.volume(of: "maya")).disk
        #expect(ask("beginWrite", page, writer) == .empty)
        #expect(ask("beginWrite", page, reader)["error"]?["code"] == 255)
        wait("beginWrite", page, reader, exchange: 5)
        #expect(turns.isEmpty)
        try disk.write(Self.folder + "page.txt", Array("one".utf8), sync: false)
        #expect(ask("endWrite", page, writer) == .empty)
        #expect(turns == [5])
        // It is the second writer's now.
        #expect(ask("beginWrite", page, writer)["error"]?["code"] == 255)
        #expect(ask("beginWrite", ["path": .string(Self.folder + "other.txt")], writer) == .empty)
        #expect(String(decoding: try disk.read(Self.folder + "page.txt"), as: UTF8.self) == "one")
        try disk.write(Self.folder + "page.txt", Array("one, two".utf8), sync: false)
        #expect(ask("endWrite", page, reader) == .empty)
        #expect(ask("beginWrite", page, writer) == .empty)
    }

    @Test("Readers together, a writer alone, nobody overtakes who waits; a folder stands for all in it (S39)")
    func readers() {
        #expect(ask("beginRead", page, writer) == .empty)
        #expect(ask("beginRead", page, reader) == .empty)
        wait("beginWrite", ["path": .string(String(Self.folder.dropLast()))], reader, exchange: 5)
        #expect(turns.isEmpty)
        #expect(ask("beginRead", page, writer)["error"]?["code"] == 255)
        #expect(ask("endRead", page, reader) == .empty && turns.isEmpty)
        #expect(ask("endRead", page, writer) == .empty && turns == [5])
        #expect(ask("beginRead", page, writer)["error"]?["code"] == 255)
        #expect(ask("endRead", page, writer)["error"]?["code"] == 22)
    }

    @Test("Who holds a place and is gone, or forgets it for a minute, keeps nobody out; who sleeps gets no turn")
    func held() {
        #expect(ask("beginWrite", page, writer) == .empty)
        wait("beginWrite", page, reader, exchange: 5)
        pad.advance(.seconds(59), daemon)
        #expect(turns.isEmpty)
        pad.advance(.seconds(2), daemon)
        #expect(turns == [5])
        wait("beginRead", page, writer, exchange: 6)
        pad.enter(.suspended, writer, daemon)
        pad.end(reader, daemon)
        #expect(turns == [5])
        pad.enter(.active, writer, daemon)
        #expect(turns == [5, 6])
    }

    @Test("What one app writes the other's presenters and queries hear of, not its own")
    func told() throws {
        let disk = try #require(pad.volume(of: "maya")).disk
        for app in [writer, reader] { _ = ask("present", ["paths": [page["path"] ?? .null]], app) }
        pad.posts = []
        func changes() -> [String] {
            defer { pad.posts = [] }
            let news = pad.posts.filter { $0.message["change"] != "attributes" }
            return news.map { "\($0.app.app) \($0.message.name) \($0.message["change"]?.string ?? "-")" }
        }
        _ = ask("beginWrite", page, writer)
        _ = ask("endWrite", page, writer)
        #expect(changes() == [])
        _ = ask("beginWrite", page, writer)
        try disk.write(Self.folder + "page.txt", Array("one".utf8), sync: false)
        _ = ask("endWrite", page, writer)
        #expect(changes() == ["reader docs.presented changed", "reader docs.changed -"])
        _ = ask("beginWrite", ["path": page["path"] ?? .null, "deleting": true], writer)
        try disk.remove(Self.folder + "page.txt")
        _ = ask("endWrite", page, writer)
        #expect(changes() == ["reader docs.presented deleted", "reader docs.changed -"])
    }
}
