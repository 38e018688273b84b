import CloudCore
import FleetModel
import Synchronization
import Testing

@testable import CloudServer

private typealias Request = FleetModel.HTTPRequest

/// Of clients that write until it is over.
private final class Progress: Sendable {
    private let state = Mutex((served: 0, isOver: false))
    var served: Int { state.withLock { $0.served } }
    var isOver: Bool { state.withLock { $0.isOver } }
    func count() { state.withLock { $0.served += 1 } }
    func end() { state.withLock { $0.isOver = true } }
}

@Suite("Engine", .timeLimit(.minutes(20))) struct EngineTests {
    private static let base = "/database/1/iCloud.com.example.web/development/"
    private static let maya = "?ckAPIToken=dev&ckWebAuthToken=person%3Amaya"

    private static func save(_ name: String) -> Request {
        Request(
            post: base + "public/records/modify" + maya,
            json: [
                "operations": [
                    [
                        "operationType": "forceUpdate",
                        "record": ["recordName": .string(name), "recordType": "Note", "fields": .empty],
                    ]
                ]
            ])
    }

    @Test("Steady writing (64 clients): a command, chores and an export get their turn after a few commits")
    func turns() async throws {
        let live = try LiveServer()
        let engine = Engine(try live.data.open(isDevelopment: true, origin: LiveServer.origin))
        // So many that they are not done before what they must not keep waiting.
        let (clients, requestsMax) = (64, 100)
        let fewMax = clients * 10
        let progress = Progress()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<clients {
                group.addTask {
                    for _ in 0..<requestsMax where !progress.isOver {
                        #expect(await engine.serve(Self.save("r\(client)")).response.status == 200)
                        progress.count()
                    }
                }
            }
            while progress.served < 100 { await Task.yield() }
            let before = progress.served
            await engine.settle()
            #expect(await engine.command(Message("cloud.accounts", .empty))["accounts"] == ["maya"])
            #expect(progress.served - before < fewMax)
            _ = try await live.export(engine)
            #expect(progress.served - before < fewMax)
            progress.end()
            try await group.waitForAll()
        }
    }

    @Test("Many chores are due (1,000): one call does them all")
    func manyChores() async throws {
        let live = try LiveServer()
        let engine = Engine(try live.data.open(isDevelopment: true, origin: LiveServer.origin))
        func chores(_ lines: [UInt8]) -> Int {
            String(decoding: lines, as: UTF8.self).split(separator: "\n").count { $0.contains(#""table":"chore""#) }
        }
        var lines = try await live.export(engine).split(separator: 10).dropLast().map { Array($0) }
        for id in 1...1000 {
            let row: Value = ["id": .int(id), "due": 0, "kind": "collect", "body": ["$json": ["asset": .int(id)]]]
            lines.append((["table": "chore", "row": row] as Value).jsonBytes)
        }
        lines.append((["rows": .int(lines.count - 1)] as Value).jsonBytes)
        try await engine.restore(live.reader(Array(lines.joined(separator: [10]))))
        #expect(chores(try await live.export(engine)) == 1000)
        await engine.settle(for: .seconds(60))
        #expect(chores(try await live.export(engine)) == 0)
    }
}
