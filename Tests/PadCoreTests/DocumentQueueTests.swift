import FleetModel
import Testing

@testable import PadCore

@Suite("Documents, what may leave", .timeLimit(.minutes(20))) final class DocumentQueue: TwoDocumentSites {
    @Test("without an iCloud account: nothing leaves; with it again the edit goes up")
    func account() throws {
        try share()
        a.pad.guests = ["maya"]
        try a.write("page.txt", text("maya.2"))
        a.pad.advance(.minutes(5), a.daemon)
        #expect(a.pad.sent.isEmpty && a.daemon.queuedTokens(of: "maya") == ["maya.2"])
        a.pad.guests = []
        a.daemon.observe(.networkReturned, a.pad)
        settle()
        #expect(cloud.tokens == ["maya.2"])
    }

    @Test("a document at the old place of one whose move waits for its retry: not before the move")
    func place() throws {
        try share()
        var left: [String] = []
        var isBroken = true
        a.losesRequest = { request in
            let isMove = request.target.hasSuffix("/move")
            if isMove || request.method == "PUT" { left.append(isMove ? "move" : "put") }
            return isMove && isBroken
        }
        try a.move("page.txt", to: "other.txt")
        try a.write("page.txt", text("maya.2"))
        _ = a.exchange(with: cloud)
        #expect(left == ["move"])
        isBroken = false
        settle()
        #expect(left == ["move", "move", "put"])
        #expect(cloud.items.map(\.path).sorted() == ["Documents/other.txt", "Documents/page.txt"])
        #expect(b.list().keys.sorted() == ["other.txt", "page.txt"])
    }

    @Test(
        "a newer version in the Cloud: not asked for while an app writes the document, or while its own edit waits",
        arguments: [true, false])
    func download(isWriting: Bool) throws {
        try share()
        try b.write("page.txt", text("maya.2"))
        _ = b.exchange(with: cloud)
        var asked = 0
        a.losesRequest = { request in
            if request.method == "GET" { asked += 1 }
            return request.method == "GET" || request.method == "PUT"
        }
        a.daemon.observe(.networkReturned, a.pad)
        _ = a.exchange(with: cloud)
        #expect(asked > 0)
        if isWriting {
            a.call("beginWrite", ["path": .string(DocumentSite.path("page.txt"))])
        } else {
            try a.write("page.txt", text("maya.3"))
        }
        asked = 0
        // The retry is due long before a forgotten write is given up.
        a.pad.advance(.seconds(40), a.daemon)
        _ = a.exchange(with: cloud)
        #expect(asked == 0)
    }

    @Test(
        "a coordinated move, then a power cut: the document stands at its new place, also without a network",
        arguments: 1...20 as ClosedRange<UInt64>)
    func movedThenCut(seed: UInt64) throws {
        try share()
        a.pad.online = false
        try a.move("page.txt", to: "other.txt")
        try a.powerCut(seed: seed)
        #expect(a.read("other.txt") == text("maya.1") && a.read("page.txt") == nil)
        a.pad.online = true
        a.daemon.observe(.networkReturned, a.pad)
        settle()
        #expect(b.list().keys.sorted() == ["other.txt"])
    }
}
