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

    @Test("A folder that another has open, or that cannot be: told in words")
    func taken() throws {
        let live = try LiveServer()
        let engine = Engine(try live.data.open(isDevelopment: true, origin: LiveServer.origin))
        #expect(throws: Problem.self) { try live.data.open(isDevelopment: true, origin: LiveServer.origin) }
        withExtendedLifetime(engine) {}
        let file = live.folder.appendingPathComponent("secret").path
        #expect(throws: Problem.self) { try DataFolder(file) }
        #expect(throws: Problem.self) { try DataFolder(file + "/below") }
    }

    @Test("Import from another folder: its secret stays when the lines are taken, and the old one when they are not")
    func keptSecret() async throws {
        let live = try LiveServer(secret: "old")
        let engine = Engine(try live.data.open(isDevelopment: true, origin: LiveServer.origin))
        let lines = try await live.export(engine)
        let (good, bad) = (try live.reader(lines), try live.reader(Array("nonsense".utf8)))
        await #expect(throws: CloudSpecError.self) {
            try await live.data.keep(secret: "new") { try await engine.restore(bad) }
        }
        #expect(try live.data.secret() == "old")
        try await live.data.keep(secret: "new") { try await engine.restore(good) }
        #expect(try live.data.secret() == "new")
    }
}
