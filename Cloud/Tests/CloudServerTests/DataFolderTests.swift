import CloudCore
import Foundation
import Testing

@testable import CloudServer

@Suite("Data folder") struct DataFolderTests {
    @Test("A secret that is there and cannot be read is no reason to make another")
    func unreadable() throws {
        let live = try LiveServer()
        let secret = live.folder.appendingPathComponent("secret")
        try FileManager.default.createSymbolicLink(
            at: secret, withDestinationURL: live.folder.appendingPathComponent("not-mounted"))
        #expect(throws: UnreadableSecret.self) { try live.data.secret() }
        try Data("known".utf8).write(to: live.folder.appendingPathComponent("not-mounted"))
        #expect(try live.data.secret() == "known")
        try FileManager.default.removeItem(at: secret)
        try Data().write(to: secret)
        #expect(throws: UnreadableSecret.self) { try live.data.secret() }
    }

    @Test("Import from another folder: its secret stays when the lines are taken, and the old one when they are not")
    func keptSecret() async throws {
        let live = try LiveServer(secret: "old")
        let engine = Engine(try live.data.open(isDevelopment: true, origin: LiveServer.origin))
        let lines = try await live.export(engine)
        await #expect(throws: CloudSpecError.self) {
            try await live.data.keep(secret: "new") { try await engine.restore(Array("nonsense".utf8)) }
        }
        #expect(try live.data.secret() == "old")
        try await live.data.keep(secret: "new") { try await engine.restore(lines) }
        #expect(try live.data.secret() == "new")
    }
}
