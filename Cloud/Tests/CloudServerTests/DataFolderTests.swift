import CloudCore
import Foundation
import Testing

@testable import CloudServer

@Suite("Data folder", .timeLimit(.minutes(20))) struct DataFolderTests {
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

    @Test("A database whose secret is gone, or is another's: refused at the start and nothing is made in its place")
    func missing() throws {
        let live = try LiveServer()
        _ = try live.data.open(isDevelopment: true, origin: LiveServer.origin)
        let secret = live.folder.appendingPathComponent("secret")
        let kept = try Data(contentsOf: secret)
        try FileManager.default.removeItem(at: secret)
        let error = #expect(throws: MissingSecret.self) {
            try live.data.open(isDevelopment: true, origin: LiveServer.origin)
        }
        #expect(error.map { "\($0)".contains(secret.path) } == true)
        #expect(!FileManager.default.fileExists(atPath: secret.path))
        try Data("another".utf8).write(to: secret)
        #expect(throws: Problem.self) { try live.data.open(isDevelopment: true, origin: LiveServer.origin) }
        try kept.write(to: secret)
        _ = try live.data.open(isDevelopment: true, origin: LiveServer.origin)
    }

    @Test("Rights: the folder and what lies in it are its owner's alone, also where they were everybody's before")
    func rights() throws {
        let live = try LiveServer()
        _ = try live.data.open(isDevelopment: true, origin: LiveServer.origin)
        func rights(_ name: String) throws -> Int? {
            let found = try FileManager.default.attributesOfItem(atPath: live.folder.appendingPathComponent(name).path)
            return (found[.posixPermissions] as? NSNumber)?.intValue
        }
        #expect(try rights("") == 0o700 && rights("cloud.db") == 0o600 && rights("secret") == 0o600)
        for (name, open) in [("", 0o777), ("cloud.db", 0o644), ("secret", 0o644)] {
            let path = live.folder.appendingPathComponent(name).path
            try FileManager.default.setAttributes([.posixPermissions: open], ofItemAtPath: path)
        }
        #expect(try DataFolder(live.folder.path).warnings == [])
        #expect(try rights("") == 0o700 && rights("cloud.db") == 0o600 && rights("secret") == 0o600)
    }

    @Test("Rights: a folder that is not an iCloud's keeps them")
    func foreignRights() throws {
        let live = try LiveServer()
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: live.folder.path)
        _ = try DataFolder(live.folder.path)
        let found = try FileManager.default.attributesOfItem(atPath: live.folder.path)
        #expect((found[.posixPermissions] as? NSNumber)?.intValue == 0o777)
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
        // The folder has one master at a time.
        let lines = try await live.export(Engine(try live.data.open(isDevelopment: true, origin: LiveServer.origin)))
        let (good, bad) = (try live.reader(lines), try live.reader(Array("nonsense".utf8)))
        await #expect(throws: CloudSpecError.self) {
            try await live.data.keep(secret: "new", origin: LiveServer.origin) { try await Engine($0).restore(bad) }
        }
        #expect(try live.data.secret() == "old")
        try await live.data.keep(secret: "new", origin: LiveServer.origin) { try await Engine($0).restore(good) }
        #expect(try live.data.secret() == "new")
        #expect(try !FileManager.default.contentsOfDirectory(atPath: live.folder.path).contains("secret.next"))
    }

    @Test(
        "Import broken off by a kill: before the rows are there the old secret is the folder's, afterwards the new one")
    func killedImport() async throws {
        for isWritten in [false, true] {
            let live = try LiveServer(secret: "old")
            let lines = try await live.export(
                Engine(try live.data.open(isDevelopment: true, origin: LiveServer.origin)))
            let (secret, next) = (
                live.folder.appendingPathComponent("secret"), live.folder.appendingPathComponent("secret.next")
            )
            // The folder as it is at the end of the body, and what was there of it on the disk.
            try await live.data.keep(secret: "new", origin: LiveServer.origin) { cloud in
                #expect(try String(contentsOf: secret, encoding: .utf8) == "old")
                #expect(try String(contentsOf: next, encoding: .utf8) == "new")
                if isWritten { try await Engine(cloud).restore(live.reader(lines)) }
            }
            try Data("old".utf8).write(to: secret)
            try Data("new".utf8).write(to: next)
            _ = try live.data.open(isDevelopment: true, origin: LiveServer.origin)
            #expect(try live.data.secret() == (isWritten ? "new" : "old"))
            #expect(!FileManager.default.fileExists(atPath: next.path))
        }
    }
}
