import CloudLoad
import FleetModel
import Foundation
import Testing

@testable import CloudServer

@Suite("Export and import", .timeLimit(.minutes(20))) struct ExportTests {
    private static func save(_ number: Int, _ engine: Engine) async -> Int {
        let text = Value.string(String(repeating: "x", count: 100_000))
        let record: Value = [
            "recordName": .string("r\(number)"), "recordType": "Note", "fields": ["t": ["value": text]],
        ]
        let path = "/database/1/iCloud.com.example.web/development/public/records/modify"
        let reply = await engine.serve(
            .init(
                post: path + "?ckAPIToken=dev&ckWebAuthToken=person%3Amaya",
                json: ["operations": [["operationType": "create", "record": record]]]))
        return reply.response.status
    }
    /// Without the books' counters, which never go back.
    private static func rows(_ lines: [UInt8]) -> [String] {
        String(decoding: lines, as: UTF8.self).split(separator: "\n").map(String.init)
            .filter { !$0.contains(#""table":"owner""#) }
    }

    @Test("The lines come in parts and are those of the core; nobody but the administrator gets them; no file stays")
    func streamed() async throws {
        let live = try LiveServer()
        let server = try live.server()
        let engine = server.engine
        let file = live.folder.appendingPathComponent("lines")
        try await live.serve(server) { port in
            for number in 0..<12 { #expect(await Self.save(number, engine) == 200) }
            try await engine.export(head: .empty, to: file)
            let lines = [UInt8](try Data(contentsOf: file))
            let running = DataFolder.Running(origin: "http://127.0.0.1:\(port)", token: LiveServer.adminToken)
            let parts = Parts()
            #expect(await Administrator(running: running).export(head: .empty) { parts.add($0) })
            #expect(parts.bytes == lines)
            #expect(parts.count > 3)
            let stranger = DataFolder.Running(origin: running.origin, token: "guess")
            #expect(await !Administrator(running: stranger).export(head: .empty) { parts.add($0) })
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: live.folder.path)
        #expect(!left.contains { $0.hasPrefix("export") })
    }

    @Test(
        "Import into a running server: taken whole in parts; cut off, broken off or by a stranger it changes nothing; no file stays"
    )
    func taken() async throws {
        let live = try LiveServer()
        let server = try live.server()
        let engine = server.engine
        try await live.serve(server) { port in
            for number in 0..<6 { #expect(await Self.save(number, engine) == 200) }
            let kept = try await live.export(engine)
            #expect(await Self.save(99, engine) == 200)
            let later = try await live.export(engine)
            let running = DataFolder.Running(origin: "http://127.0.0.1:\(port)", token: LiveServer.adminToken)
            let stranger = DataFolder.Running(origin: running.origin, token: "guess")
            #expect(await Administrator(running: stranger).import(try live.reader(kept)) == nil)
            for bad in [Array(kept.dropLast(kept.count / 2)), Array(kept.dropLast(20)), [], Array("nonsense\n".utf8)] {
                let answer = await Administrator(running: running).import(try live.reader(bad))
                #expect(answer?["refused"]?.string != nil)
            }
            try await Self.breakOff(port, kept)
            #expect(try await live.export(engine) == later)
            #expect(await Administrator(running: running).import(try live.reader(kept)) == ["ok": true])
            #expect(try await Self.rows(live.export(engine)) == Self.rows(kept))
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: live.folder.path)
        #expect(!left.contains { $0.hasPrefix("import") })
    }
    /// A client that goes in the middle; returns when the server has noticed.
    private static func breakOff(_ port: Int, _ lines: [UInt8]) async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread {
                done.resume(
                    with: Result {
                        let head =
                            "POST /admin/v1/import HTTP/1.1\r\nHost: x\r\nX-Homeroom-Admin: \(LiveServer.adminToken)\r\n"
                        let connection = try Connection(port: port)
                        try connection.write(Array((head + "Content-Length: \(lines.count)\r\n\r\n").utf8))
                        try connection.write(Array(lines.dropLast(5)))
                        connection.endSending()
                        _ = try? connection.response()
                    })
            }
        }
    }
}

private final class Parts: @unchecked Sendable {
    private let lock = NSLock()
    private(set) var bytes: [UInt8] = []
    private(set) var count = 0
    func add(_ part: [UInt8]) {
        lock.withLock {
            bytes += part
            count += 1
        }
    }
}

@Suite("Lines", .timeLimit(.minutes(20))) struct LineReaderTests {
    private static func reader(_ text: String, bytesMax: Int = LineReader.bytesMax) throws -> LineReader {
        let pipe = Pipe()
        // Little enough for the pipe to hold.
        try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try pipe.fileHandleForWriting.close()
        return LineReader(pipe.fileHandleForReading, bytesMax: bytesMax)
    }
    private static func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

    @Test(
        "Each comes once, empty ones and a last one without an end too; looked at before it comes",
        arguments: ["c", "c\n"])
    func lines(_ end: String) throws {
        var lines = try Self.reader("a\n\nbb\n" + end)
        #expect(Self.text(try lines.peek()) == "a")
        #expect(try ["a", "", "bb", "c", nil, nil] == (0..<6).map { _ in Self.text(try lines.next()) })
        var parts = try Self.reader("a\nbb\nc")
        #expect(Self.text(try parts.peek()) == "a")
        #expect(Self.text(try parts.part()) == "a\nbb\nc")
        #expect(try parts.part() == nil)
    }

    @Test("One beyond all measure is refused before it is read to its end")
    func endless() throws {
        var lines = try Self.reader("ab\n" + String(repeating: "x", count: 2000), bytesMax: 1000)
        #expect(Self.text(try lines.next()) == "ab")
        #expect(throws: LineReader.TooLong.self) { try lines.next() }
    }
}
