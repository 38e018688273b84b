import CloudConformance
import CloudLoad
import FleetModel
import Foundation
import Testing

@testable import CloudServer

@Suite("Credentials over HTTP", .timeLimit(.minutes(20)))
struct CredentialTests {
    @Test("Every endpoint with every kind of wrong credential: refused, nothing told, nothing changed")
    func walk() async throws {
        let live = try LiveServer()
        let walk = try await live.run(isDevelopment: false) { port in
            var walk = try CredentialWalk(over: HTTPWire(port: port))
            walk.run()
            return (walk.faults, walk.count)
        }
        #expect(walk.0 == [])
        #expect(walk.1 > 1000)
    }
}

@Suite("Compare and swap over HTTP", .timeLimit(.minutes(20)))
struct CompareAndSwapTests {
    /// 64 clients, each with a connection of its own, increment one record.
    private func increments(_ kind: String) async throws -> (acknowledged: Int, value: Int) {
        try await LiveServer().run { port in
            let person = try Person(port: port)
            try person.makeZone()
            _ = try person.save(["recordName": "n", "recordType": "Note", "fields": ["n": ["value": 0]]], "create")
            let wins = Counter()
            let group = DispatchGroup()
            for _ in 0..<64 {
                group.enter()
                Thread.detachNewThread {
                    defer { group.leave() }
                    guard let person = try? Person(port: port) else { return }
                    for _ in 0..<6 { if (try? person.increment("n", kind: kind)) == true { wins.add() } }
                }
            }
            group.wait()
            return (wins.value, Int(try person.lookup("n")["fields"]?["n"]?["value"]?.int ?? -1))
        }
    }

    @Test("64 clients increment one record to exactly the number of their acknowledged successes")
    func compared() async throws {
        let (acknowledged, value) = try await increments("update")
        #expect(value == acknowledged)
        #expect(acknowledged > 0)
    }

    @Test("The count itself: clients that do not compare tags lose increments")
    func forced() async throws {
        let (acknowledged, value) = try await increments("forceUpdate")
        #expect(acknowledged == 64 * 6)
        #expect(value < acknowledged)
    }
}

/// Counts from many threads.
private final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0
    func add() { lock.withLock { count += 1 } }
    var value: Int { lock.withLock { count } }
}
