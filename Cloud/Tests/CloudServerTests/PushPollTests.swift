import CloudLoad
import FleetModel
import Foundation
import Testing

@testable import CloudServer

@Suite("Pushes to iPads", .timeLimit(.minutes(20))) struct PushPollTests {
    private static func signIn(_ connection: Connection, _ person: FleetModel.Person, _ device: String) throws -> String
    {
        let answer = try connection.send(
            .init(post: "/accounts/v1/signin", json: ["account": .string(person), "device": .string(device)]))
        return try #require(answer.json?["token"]?.string)
    }
    private static func poll(_ connection: Connection, _ sessions: [String], _ device: String) throws -> HTTPResponse {
        var request = HTTPRequest(post: "/push/v1/poll", json: ["sessions": .strings(sessions)])
        request.headers["X-Homeroom-Device"] = device
        return try connection.send(request)
    }
    private static func set(_ connection: Connection, _ token: String, _ device: String, stamp: Int64) throws {
        let write: Value = ["key": "k", "value": "v", "stamp": .int(stamp), "device": .string(device)]
        var request = HTTPRequest(post: "/kvs/v1/com.example.quiz/sync", json: ["since": 0, "writes": [write]])
        request.headers["Authorization"] = "Bearer \(token)"
        request.headers["X-Homeroom-Device"] = device
        #expect(try connection.send(request).status == 200)
    }

    @Test("A change of one iPad: told to the other of the account, once, and to nobody else")
    func told() async throws {
        let live = try LiveServer()
        try await live.run { port in
            let connection = try Connection(port: port)
            for person in ["maya", "omar"] {
                let request = HTTPRequest(
                    post: "/admin/v1/command", headers: ["X-Homeroom-Admin": LiveServer.adminToken],
                    json: ["name": "cloud.account", "body": ["account": .string(person)]])
                #expect(try connection.send(request).status == 200)
            }
            let one = try Self.signIn(connection, "maya", "ipad-1")
            let two = try Self.signIn(connection, "maya", "ipad-2")
            let omar = try Self.signIn(connection, "omar", "ipad-3")
            try Self.set(connection, one, "ipad-1", stamp: 1)
            let messages = try Self.poll(connection, [two], "ipad-2").json?["messages"]?.array ?? []
            #expect(messages.map { $0["account"]?.string } == ["maya"])
            #expect(messages.map { $0["service"]?.string } == ["kvs"])
            // Nothing is told twice, nothing to who made the change or to another's iPad.
            #expect(try Self.poll(connection, [two], "ipad-2").json?["messages"]?.array == [])
            #expect(try Self.poll(connection, [one], "ipad-1").json?["messages"]?.array == [])
            #expect(try Self.poll(connection, [omar], "ipad-3").json?["messages"]?.array == [])
            // A session of another device is none here.
            #expect(try Self.poll(connection, [two], "ipad-3").status == 401)
            #expect(try Self.poll(connection, ["guess"], "ipad-2").status == 401)
        }
    }

    @Test(
        "Polls that are none are refused (parameters: bodies)",
        arguments: ["", "[]", "{}", #"{"sessions":"x"}"#, #"{"sessions":["x",1]}"#])
    func malformed(body: String) async throws {
        let live = try LiveServer()
        try await live.run { port in
            let request = HTTPRequest(
                "POST", "/push/v1/poll", headers: ["X-Homeroom-Device": "ipad-1"], body: Array(body.utf8))
            let answer = try Connection(port: port).send(request)
            #expect(answer.status == 400)
        }
    }

    @Test("The queue: bounded, without doubles, for the newest poll alone")
    func queue() {
        let queue = PushQueue()
        let first = queue.begin("ipad-1")
        for number in 0..<150 {
            queue.add(["account": "maya", "topic": .int(number)], for: "ipad-1")
            queue.add(["account": "maya", "topic": .int(number)], for: "ipad-1")
        }
        let second = queue.begin("ipad-1")
        #expect(queue.take(for: ["maya"], on: "ipad-1", by: first) == nil)
        #expect(queue.take(for: ["omar"], on: "ipad-1", by: second) == [])
        let taken = queue.take(for: ["maya"], on: "ipad-1", by: second) ?? []
        #expect(taken.map { $0["topic"]?.int } == (50..<150).map { Int64($0) })
        #expect(queue.take(for: ["maya"], on: "ipad-1", by: second) == [])
    }
}
