import CloudLoad
import FleetModel
import Foundation
import Hummingbird
import Logging
import ServiceLifecycle
import Testing

@testable import CloudServer

@Suite("Long polls", .timeLimit(.minutes(20))) struct PollTests {
    private static let base = "/database/1/iCloud.com.example.web/development/"
    private static let maya = "?ckAPIToken=dev&ckWebAuthToken=person%3Amaya"

    private static func call(_ connection: Connection, _ path: String, _ body: Value) throws -> Value {
        try connection.send(.init(post: base + path + maya, json: body)).json ?? .null
    }
    /// The path of a new courier that hears of every change in maya's private database.
    private static func courier(_ connection: Connection) throws -> String {
        let zone: Value = ["operationType": "create", "zone": ["zoneID": ["zoneName": "Z"]]]
        _ = try call(connection, "private/zones/modify", ["operations": [zone]])
        let subscription: Value = ["subscriptionID": "d", "subscriptionType": "database"]
        _ = try call(
            connection, "private/subscriptions/modify",
            ["operations": [["operationType": "create", "subscription": subscription]]])
        let made = try call(connection, "tokens/create", ["apnsEnvironment": "development"])
        return String((made["webcourierURL"]?.string ?? "").dropFirst(LiveServer.origin.count))
    }
    private static func ask(_ connection: Connection, _ courier: String) throws {
        try connection.write(Array("GET \(courier) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8))
    }
    private static func save(_ connection: Connection, _ name: String) throws {
        let record: Value = ["recordName": .string(name), "recordType": "Note", "fields": .empty]
        let operation: Value = ["operationType": "create", "record": record]
        _ = try call(
            connection, "private/records/modify", ["operations": [operation], "zoneID": ["zoneName": "Z"]])
    }
    /// The subscription of the next push.
    private static func push(_ connection: Connection) throws -> String? {
        try connection.response().json?["ck"]?["met"]?["sid"]?.string
    }
    /// Waits until so many polls are held back.
    private static func wait(_ engine: Engine, polls: Int) {
        LiveServer.wait { engine.polls == polls }
        #expect(engine.polls == polls)
    }

    @Test(
        "The client goes: its poll ends at once, and pushes are for who polls then, before or after they come, on a connection that stays"
    )
    func departed() async throws {
        let live = try LiveServer()
        let server = try live.server(patience: .seconds(3600))
        let engine = server.engine
        try await live.serve(server) { port in
            try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
                Thread.detachNewThread {
                    done.resume(
                        with: Result {
                            let connection = try Connection(port: port)
                            let courier = try Self.courier(connection)
                            var leaving: Connection? = try Connection(port: port)
                            try leaving.map { try Self.ask($0, courier) }
                            Self.wait(engine, polls: 1)
                            leaving = nil
                            Self.wait(engine, polls: 0)
                            for name in ["a", "b"] {
                                try Self.save(connection, name)
                                try Self.ask(connection, courier)
                                #expect(try Self.push(connection) == "d")
                            }
                            // One that waits already gets it too.
                            let other = try Connection(port: port)
                            for name in ["c", "d"] {
                                try Self.ask(other, courier)
                                Self.wait(engine, polls: 1)
                                try Self.save(connection, name)
                                #expect(try Self.push(other) == "d")
                            }
                        })
                }
            }
        }
    }

    @Test("The server is to stop: open polls are answered as empty, and it does not wait for their time")
    func stopped() async throws {
        let live = try LiveServer()
        let server = try live.server(patience: .seconds(3600))
        let engine = server.engine
        let (ports, ready) = AsyncStream<Int>.makeStream()
        let application = try server.application(host: "127.0.0.1", port: 0) { port in ready.yield(port) }
        let services = ServiceGroup(services: [application], logger: server.log)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            for await port in ports {
                try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
                    Thread.detachNewThread {
                        done.resume(
                            with: Result {
                                let connection = try Connection(port: port)
                                try Self.ask(connection, try Self.courier(connection))
                                Self.wait(engine, polls: 1)
                                Task { await services.triggerGracefulShutdown() }
                                let answer = try connection.response()
                                #expect(answer.status == 200)
                                #expect(answer.body.isEmpty)
                            })
                    }
                }
                break
            }
            try await group.waitForAll()
        }
    }

    @Test("The server is to stop: a client in the middle of its request is not waited for without end")
    func unfinished() async throws {
        let live = try LiveServer()
        let server = try live.server()
        let (ports, ready) = AsyncStream<Int>.makeStream()
        let application = try server.application(host: "127.0.0.1", port: 0) { port in ready.yield(port) }
        let services = Server.group(application, signals: [], farewell: .milliseconds(100), log: server.log)
        let isSilence = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            var isSilence: Bool?
            for await port in ports {
                isSilence = try await withCheckedThrowingContinuation { done in
                    Thread.detachNewThread {
                        done.resume(
                            with: Result {
                                let connection = try Connection(port: port)
                                let head = "POST /assets/v1/upload/x HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"
                                try connection.write(Array((head + "123").utf8))
                                LiveServer.wait { server.budget.bytes == 3 }
                                Task { await services.triggerGracefulShutdown() }
                                do { _ = try connection.response() } catch let error as ConnectionError {
                                    return error.isSilence
                                }
                                return false
                            })
                    }
                }
                break
            }
            try? await group.waitForAll()
            return isSilence
        }
        #expect(isSilence == false, "the server closes the connection")
    }
}
