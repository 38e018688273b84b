import FleetModel
import Storage
import Testing

@testable import PadCore

/// Uploads of one app and person while others use the iPad.
@Suite("Transfers among others", .timeLimit(.minutes(20))) struct TransferNeighbourTests {
    let pad: FakePad
    let daemon = TransferDaemon()

    init() throws {
        pad = try FakePad(people: ["maya", "omar"])
        daemon.boot(pad)
        daemon.observe(.signedIn("maya"), pad)
    }
    private func upload(_ token: Token, by app: AppIdentity) throws {
        let path = "\(Pad.home(of: app.bundle))/tmp/body"
        let disk = try #require(pad.volume(of: app.person)).disk
        try disk.makeFolder("\(Pad.home(of: app.bundle))/tmp")
        try disk.write(path, Array(EditPayload.text(token: token, "essay").utf8), sync: false)
        let answer = daemon.call(
            Message(
                "transfer.upload",
                [
                    "session": "s", "path": .string(path), "method": "PUT",
                    "url": .string("https://backend.\(app.app)/\(token)"), "headers": .empty, "description": "essay",
                    "delay": 0,
                ]), from: app, pad)
        #expect(answer["task"]?.int != nil)
    }

    @Test("Somebody else signs in: an upload that has to be tried again goes on meanwhile (S28)")
    func otherPerson() throws {
        let app = pad.launch("homework", daemon: daemon)
        try upload("maya.1", by: app)
        let first = try #require(pad.takeRequest())
        pad.end(app, daemon)
        daemon.observe(.signedOut("maya"), pad)
        daemon.observe(.signedIn("omar"), pad)
        daemon.reply(.failure(.connectionLost), to: first.task, pad)
        pad.advance(.minutes(1), daemon)
        let second = try #require(pad.takeRequest())
        #expect(second.request == first.request && second.task.person == "maya")
        daemon.reply(.response(HTTPResponse(status: 201, json: [:])), to: second.task, pad)
        #expect(daemon.queuedTokens(of: "maya").isEmpty && pad.marks.contains("upload-after-sign-out"))
    }

    @Test("Force-quit: cancels the app's own transfers, and nobody else's (S146)")
    func otherApp() throws {
        let (own, other) = (
            pad.launch("homework", daemon: daemon), pad.launch("reader", launch: 2, daemon: daemon)
        )
        try upload("maya.1", by: own)
        try upload("maya.2", by: other)
        #expect(pad.sent.count == 2)
        pad.end(own, forced: true, daemon)
        #expect(pad.tokens(.transfersCancelled) == ["maya.1"])
        #expect(daemon.queuedTokens(of: "maya") == ["maya.2"])
        let left = try #require(pad.takeRequest())
        #expect(left.request.target.hasSuffix("maya.2") && pad.takeRequest() == nil)
        daemon.reply(.response(HTTPResponse(status: 201, json: [:])), to: left.task, pad)
        #expect(pad.posts.map(\.app) == [other])
    }
}
