import FleetModel
import Testing

@testable import PadCore

/// What a document daemon does to files itself, while the disk fills up or the power fails: none of it is ever taken for the person's edit.
@Suite("Documents, laid down", .timeLimit(.minutes(20))) final class DocumentLaying: TwoDocumentSites {
    /// Bytes that are free while the daemon works: from none to more than it needs.
    static let free = stride(from: 0, through: 24_000, by: 600)

    /// Leaves so much room. The journal's log begins again, so that what is written down needs some of it.
    private static func fill(_ site: DocumentSite, butFor bytes: Int) throws {
        _ = try site.pad.volume(of: "maya")?.database.query("PRAGMA wal_checkpoint(TRUNCATE)")
        site.disk.capacityBytes = site.disk.usedBytes + bytes
    }
    /// Both iPads edit the same page; the later edit wins, and the other is a conflict version that nobody has looked at.
    private func loser() throws {
        try share()
        for site in [a, b] { site.pad.online = false }
        try a.write("page.txt", text("maya.2"))
        b.pad.advance(.seconds(10), b.daemon)
        try b.write("page.txt", text("maya.3"))
        b.pad.online = true
        b.daemon.observe(.networkReturned, b.pad)
        _ = b.exchange(with: cloud)
        // The upload alone: what won is fetched in the part that each test watches.
        a.pad.online = true
        a.losesRequest = { $0.method == "GET" }
        a.daemon.observe(.networkReturned, a.pad)
        _ = a.exchange(with: cloud)
        a.losesRequest = { _ in false }
    }
    /// - Parameter writes: to the account, before what was watched.
    private func expectNothingSent(_ writes: Int, _ what: String) {
        #expect(cloud.tokens == ["maya.2", "maya.3"], "\(what)")
        #expect(cloud.writes == writes && cloud.item("Documents/page.txt")?.conflicts.count == 1, "\(what)")
        #expect(a.read("page.txt") == text("maya.3") && a.status("page.txt") == "current", "\(what)")
        #expect(a.isIdle && a.pad.problems.isEmpty, "\(what)")
    }

    @Test(
        "a download on a full disk: never sent as the person's edit, the conflict version stays (each amount of room)")
    func fullDisk() throws {
        for bytes in Self.free {
            let sites = try DocumentLaying()
            try sites.loser()
            let writes = sites.cloud.writes
            try Self.fill(sites.a, butFor: bytes)
            sites.settle()
            sites.a.daemon.observe(.appEntered(sites.a.app, .background), sites.a.pad)
            sites.settle()
            sites.a.disk.capacityBytes = .max
            DocumentSite.settle([sites.a, sites.b], sites.cloud, minutes: 30)
            sites.expectNothingSent(writes, "\(bytes) bytes free")
        }
    }

    @Test("a download while the power fails: the old version or the new, never an edit (each change of the disk)")
    func powerFails() throws {
        var isThrough = false
        for change in 0..<60 as Range<UInt64> where !isThrough {
            for seed in 1...4 as ClosedRange<UInt64> {
                let sites = try DocumentLaying()
                try sites.loser()
                let writes = sites.cloud.writes
                sites.a.disk.powerFailsAt = sites.a.disk.writeCount + change
                sites.a.pad.advance(.seconds(30), sites.a.daemon)
                _ = sites.a.exchange(with: sites.cloud)
                isThrough = sites.a.disk.outage == nil && sites.a.status("page.txt") == "current"
                sites.a.pad.problems = []
                try sites.a.powerCut(seed: seed)
                let page = sites.a.read("page.txt")
                #expect(page == text("maya.2") || page == text("maya.3"), "change \(change), seed \(seed)")
                sites.settle()
                sites.expectNothingSent(writes, "change \(change), seed \(seed)")
            }
        }
        #expect(isThrough)
    }

    /// An app writes without coordination.
    private func scribble(_ token: Token, padding: Int = 0) throws {
        b.pad.now = b.pad.now + .seconds(1)
        let page = text(token) + String(repeating: " ", count: padding)
        try b.disk.write(DocumentSite.path("page.txt"), Array(page.utf8), sync: true)
    }

    @Test("a download meets an edit that the full disk cannot take over: asked for again after a pause, the edit stays")
    func meetsStranger() throws {
        try share()
        try a.write("page.txt", text("maya.2"))
        _ = a.exchange(with: cloud)
        b.losesRequest = { $0.method == "GET" }
        b.daemon.observe(.networkReturned, b.pad)
        _ = b.exchange(with: cloud)
        try scribble("maya.3")
        try Self.fill(b, butFor: 0)
        b.pad.advance(.seconds(10), b.daemon)
        var requests = 0
        while requests < 100, let sent = b.pad.takeRequest() {
            requests += 1
            b.daemon.reply(.response(cloud.answer(sent.request, from: "ipad-2")), to: sent.task, b.pad)
        }
        #expect(requests == 1 && b.read("page.txt") == text("maya.3"))
        b.disk.capacityBytes = .max
        b.losesRequest = { _ in false }
        DocumentSite.settle([a, b], cloud, minutes: 30)
        #expect(cloud.tokens == ["maya.2", "maya.3"] && a.isIdle && b.isIdle)
    }

    @Test(
        "deleted elsewhere under an edit that the full disk cannot take over: the edit stays, and brings the page back")
    func deletedUnderStranger() throws {
        try share()
        try a.delete("page.txt")
        _ = a.exchange(with: cloud)
        try scribble("maya.3", padding: 80_000)
        // Room for the deletion, none for the edit.
        try Self.fill(b, butFor: 40_000)
        b.daemon.observe(.networkReturned, b.pad)
        DocumentSite.settle([b], cloud)
        #expect(b.read("page.txt")?.hasPrefix(text("maya.3")) == true)
        b.disk.capacityBytes = .max
        DocumentSite.settle([a, b], cloud, minutes: 30)
        #expect(cloud.tokens == ["maya.3"] && b.read("page.txt") != nil && b.isIdle)
    }

    @Test(
        "a write that ends on a full disk, then a power cut: the app's bytes are there and are sent with room",
        arguments: 1...8 as ClosedRange<UInt64>)
    func endedOnFullDisk(seed: UInt64) throws {
        try share()
        let path = DocumentSite.path("page.txt")
        a.pad.now = a.pad.now + .seconds(1)
        a.call("beginWrite", ["path": .string(path)])
        try a.disk.write(path, Array(text("maya.2").utf8), sync: false)
        try Self.fill(a, butFor: 0)
        #expect(a.call("endWrite", ["path": .string(path)]) == .empty)
        try a.powerCut(seed: seed)
        #expect(a.read("page.txt") == text("maya.2") && a.pad.tokens(.handedOver) == ["maya.1"])
        a.disk.capacityBytes = .max
        a.daemon.observe(.appEntered(a.app, .background), a.pad)
        settle()
        #expect(cloud.tokens == ["maya.2"] && a.isIdle && a.pad.problems.isEmpty)
    }

    @Test("files that are missing while the disk is full: brought back or fetched again, never deleted for everybody")
    func missingOnFullDisk() throws {
        try share()
        try share("other.txt", "maya.2")
        a.pad.online = false
        try a.write("page.txt", text("maya.3"))
        try a.disk.remove(DocumentSite.path("page.txt"))
        try a.disk.remove(DocumentSite.path("other.txt"))
        a.disk.flush()
        try Self.fill(a, butFor: 0)
        try a.powerCut()
        a.daemon.observe(.appEntered(a.app, .background), a.pad)
        #expect(a.read("page.txt") == text("maya.3") && a.status("other.txt") == "notDownloaded")
        a.pad.online = true
        a.disk.capacityBytes = .max
        settle()
        #expect(cloud.tokens == ["maya.2", "maya.3"] && cloud.items.allSatisfy { !$0.isDeleted })
    }

    // MARK: Moves

    private func renamedElsewhere() throws {
        try share()
        try a.move("page.txt", to: "novel.txt")
        _ = a.exchange(with: cloud)
    }
    private func expectMoved(_ what: String) {
        #expect(cloud.items.filter { !$0.isDeleted }.map(\.path) == ["Documents/novel.txt"], "\(what)")
        #expect(cloud.items.count == 1 && cloud.writes == 2, "\(what): something else than the move was sent")
        b.download("novel.txt")
        settle()
        #expect(b.read("novel.txt") == text("maya.1") && b.read("page.txt") == nil, "\(what)")
        #expect(b.status("novel.txt") == "current" && b.isIdle && b.pad.problems.isEmpty, "\(what)")
    }

    @Test("renamed elsewhere on a full disk: moved with room, never deleted or doubled (each amount of room)")
    func movedOnFullDisk() throws {
        for bytes in Self.free {
            let sites = try DocumentLaying()
            try sites.renamedElsewhere()
            try Self.fill(sites.b, butFor: bytes)
            sites.b.daemon.observe(.networkReturned, sites.b.pad)
            sites.settle()
            sites.b.daemon.observe(.appEntered(sites.b.app, .background), sites.b.pad)
            sites.settle()
            sites.b.disk.capacityBytes = .max
            sites.b.daemon.observe(.appEntered(sites.b.app, .background), sites.b.pad)
            DocumentSite.settle([sites.a, sites.b], sites.cloud, minutes: 30)
            sites.expectMoved("\(bytes) bytes free")
        }
    }

    @Test("renamed elsewhere while the power fails: one document, one place (each change of the disk)")
    func movedWhilePowerFails() throws {
        var isThrough = false
        for change in 0..<60 as Range<UInt64> where !isThrough {
            for seed in 1...4 as ClosedRange<UInt64> {
                let sites = try DocumentLaying()
                try sites.renamedElsewhere()
                sites.b.disk.powerFailsAt = sites.b.disk.writeCount + change
                sites.b.daemon.observe(.networkReturned, sites.b.pad)
                _ = sites.b.exchange(with: sites.cloud)
                isThrough = sites.b.disk.outage == nil && sites.b.read("novel.txt") != nil
                sites.b.pad.problems = []
                try sites.b.powerCut(seed: seed)
                sites.settle()
                sites.b.daemon.observe(.appEntered(sites.b.app, .background), sites.b.pad)
                sites.settle()
                sites.expectMoved("change \(change), seed \(seed)")
            }
        }
        #expect(isThrough)
    }

    @Test("moved by the app: at its new place with its data after a power cut", arguments: 1...8 as ClosedRange<UInt64>)
    func movedByApp(seed: UInt64) throws {
        try share()
        for site in [a, b] { site.pad.online = false }
        try a.move("page.txt", to: "novel.txt")
        try a.powerCut(seed: seed)
        #expect(a.read("novel.txt") == text("maya.1") && a.read("page.txt") == nil)
        #expect(a.status("novel.txt") == "current")
    }
}
