import CloudLoad
import Crypto
import FleetModel
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Testing

@testable import CloudServer

extension LiveServer {
    fileprivate func run(
        _ server: Server, _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        try await server.application(host: "127.0.0.1", port: 0).test(.live) { client in try await body(client) }
    }
}

private let base = "/database/1/iCloud.com.example.web/development/"
private let maya = "?ckAPIToken=dev&ckWebAuthToken=person%3Amaya"

extension TestClientProtocol {
    fileprivate func call(
        _ target: String, _ body: Value? = nil, method: HTTPTypes.HTTPRequest.Method = .post, headers: HTTPFields = [:]
    ) async throws -> (status: Int, body: Value, headers: HTTPFields) {
        let bytes = body.map { ByteBuffer(bytes: $0.jsonBytes) }
        let answer = try await execute(uri: target, method: method, headers: headers, body: bytes)
        return (answer.status.code, (try? Value(json: Array(answer.body.readableBytesView))) ?? .null, answer.headers)
    }
    fileprivate func makeZone() async throws {
        _ = try await call(
            base + "private/zones/modify" + maya,
            ["operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": "Z"]]]]])
    }
    fileprivate func save(_ name: String, _ kind: String = "create", tag: String? = nil, number: Int = 0) async throws
        -> Value
    {
        var record: Value = [
            "recordName": .string(name), "recordType": "Note", "fields": ["n": ["value": .int(number)]],
        ]
        record["recordChangeTag"] = tag.map(Value.string)
        let answer = try await call(
            base + "private/records/modify" + maya,
            [
                "zoneID": ["zoneName": "Z"], "atomic": false,
                "operations": [["operationType": .string(kind), "record": record]],
            ])
        return answer.body["records"]?.array?.first ?? answer.body
    }
}

@Suite("Server", .timeLimit(.minutes(20))) struct ServerTests {
    @Test("Health, metrics, unknown paths, odd verbs: JSON error objects with status and uuid")
    func plain() async throws {
        let live = try LiveServer()
        try await live.run(live.server()) { client in
            #expect(try await client.call("/health", method: .get).status == 200)
            #expect(try await client.call("/metrics", method: .get).status == 200)
            for (target, method) in [
                ("/nowhere", HTTPTypes.HTTPRequest.Method.get), (base + "private/records/explode" + maya, .post),
                ("//", .get),
                (base + "private/records/modify" + maya, .put),
            ] {
                let answer = try await client.call(target, method: method)
                #expect((400..<500).contains(answer.status))
                #expect(answer.body["serverErrorCode"]?.string != nil)
                #expect(answer.body["uuid"]?.string?.count == 36)
            }
            let anonymous = try await client.call(base + "private/records/query?ckAPIToken=dev", .empty)
            #expect(anonymous.status == 421)
            #expect(anonymous.headers[.accessControlAllowOrigin] == "*")
        }
    }

    @Test("Compare and swap: 16 clients increment one record to exactly the number of their successes")
    func increments() async throws {
        let live = try LiveServer()
        try await live.run(live.server()) { client in
            try await client.makeZone()
            _ = try await client.save("n")
            let wins = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        var wins = 0
                        while wins < 5 {
                            let found = try await client.call(
                                base + "private/records/lookup" + maya,
                                ["zoneID": ["zoneName": "Z"], "records": [["recordName": "n"]]]
                            ).body["records"]?.array?.first
                            let number = Int(found?["fields"]?["n"]?["value"]?.int ?? 0)
                            let saved = try await client.save(
                                "n", "update", tag: found?["recordChangeTag"]?.string, number: number + 1)
                            if saved["serverErrorCode"] == nil { wins += 1 }
                        }
                        return wins
                    }
                }
                return try await group.reduce(0, +)
            }
            let last = try await client.save("n", "forceUpdate", number: 0)
            #expect(last["serverErrorCode"] == nil)
            #expect(wins == 80)
        }
    }

    @Test("Restart: what was acknowledged is there, and a change token handed out before goes on")
    func restart() async throws {
        let live = try LiveServer()
        try await live.run(live.server()) { client in
            try await client.makeZone()
            _ = try await client.save("before")
        }
        try await live.run(live.server()) { client in
            let zone: Value = ["zoneID": ["zoneName": "Z"]]
            let first = try await client.call(base + "private/records/changes" + maya, zone).body
            #expect(first["records"]?.array?.count == 1)
            #expect(try await client.save("before")["serverErrorCode"]?.string == "EXISTS")
            #expect(try await client.save("after")["serverErrorCode"] == nil)
            let next = try await client.call(
                base + "private/records/changes" + maya,
                ["zoneID": ["zoneName": "Z"], "syncToken": first["syncToken"] ?? .null]
            ).body
            #expect(next["records"]?.array?.first?["recordName"]?.string == "after")
        }
    }

    @Test("Long poll: an empty one ends when its time is over")
    func poll() async throws {
        let live = try LiveServer()
        try await live.run(live.server(patience: .seconds(2))) { client in
            let made = try await client.call(base + "tokens/create" + maya, ["apnsEnvironment": "development"]).body
            let courier = String((made["webcourierURL"]?.string ?? "").dropFirst("http://127.0.0.1:1".count))
            let start = ContinuousClock.now
            #expect(try await client.call(courier, method: .get).body == .null)
            #expect(ContinuousClock.now - start > .seconds(1))
        }
    }

    @Test("Signed request: a key added while the server runs signs for the public database; a bad signature does not")
    func signed() async throws {
        let live = try LiveServer()
        try await live.run(live.server()) { client in
            let key = P256.Signing.PrivateKey()
            let bytes = try PublicKey.bytes(pem: key.publicKey.pemRepresentation)
            let command: Value = [
                "name": "cloud.key",
                "body": ["container": "iCloud.com.example.web", "publicKey": .string(Base64.encode(bytes))],
            ]
            #expect(try await client.call("/admin/v1/command", command).status == 401)
            let added = try await client.call("/admin/v1/command", command, headers: [.admin: "secret"])
            let keyID = try #require(added.body["keyID"]?.string)
            let body: Value = [
                "operations": [
                    ["operationType": "create", "record": ["recordName": "s", "recordType": "Note", "fields": .empty]]
                ]
            ]
            let date = ISO8601DateFormatter().string(from: Date())
            let path = base + "public/records/modify"
            let hash = Data(Crypto.SHA256.hash(data: body.jsonBytes)).base64EncodedString()
            for (text, status) in [("\(date):\(hash):\(path)", 200), ("\(date):\(hash):\(path)/", 401)] {
                let signature = try key.signature(for: Data(text.utf8)).derRepresentation.base64EncodedString()
                var headers = HTTPFields()
                for (name, value) in [("KeyID", keyID), ("ISO8601Date", date), ("SignatureV1", signature)] {
                    headers[try #require(HTTPField.Name("X-Apple-CloudKit-Request-\(name)"))] = value
                }
                #expect(try await client.call(path, body, headers: headers).status == status)
            }
        }
    }

    @Test("Large body: refused while it comes in")
    func large() async throws {
        let live = try LiveServer()
        try await live.run(live.server()) { client in
            let answer = try? await client.execute(
                uri: base + "private/records/modify" + maya, method: .post,
                body: ByteBuffer(repeating: 0x20, count: Server.bodyBytesMax + 1))
            // The connection may be closed under a client that goes on sending.
            if let answer { #expect(answer.status == .badRequest) }
        }
    }

    @Test(
        "Addresses that cannot be listened on are told in words",
        arguments: ["127.0.0.1", "203.0.113.7", "no.such.invalid"])
    func addresses(_ host: String) async throws {
        let live = try LiveServer()
        let server = try live.server()
        try await live.serve(server) { port in
            do {
                try await server.application(host: host, port: port).runService(gracefulShutdownSignals: [])
            } catch {
                #expect(Problem.starting(on: host, port, error) is Problem, "\(error)")
            }
        }
    }

    @Test("HEAD: the headers of a refusal, and no body that a connection would take for its next answer")
    func head() async throws {
        let live = try LiveServer()
        try await live.run { port in
            let connection = try Connection(port: port)
            for target in ["/nowhere", "/health", base + "private/zones/list" + maya] {
                try connection.write(Array("HEAD \(target) HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
                let head = try connection.head()
                #expect(head.contains("Content-Length: ") || head.contains("content-length: "))
                #expect(try connection.send(.init("GET", "/health")).status == 200, "\(target)")
            }
        }
    }

    @Test("Log: of URLs that are secrets themselves the beginning")
    func log() {
        for (path, shown) in [
            ("/webcourier/v1/abc", "/webcourier/v1/*"), ("/assets/v1/upload/abc", "/assets/v1/*"),
            ("/assets/v1/download/a/1/b/x", "/assets/v1/*"), ("//webcourier//v1/abc", "/webcourier/v1/*"),
            ("/%77ebcourier/v1/abc", "/%77ebcourier/v1/*"), ("/kvs/v1/s/sync", "/kvs/v1/s/sync"), ("/", "/"),
        ] { #expect(Server.shown(path) == shown) }
    }

    @Test("Origins: an IPv6 address is in brackets")
    func origins() {
        #expect(Server.origin(isEncrypted: false, host: "::1", port: 8080) == "http://[::1]:8080")
        #expect(Server.origin(isEncrypted: true, host: "127.0.0.1", port: 1) == "https://127.0.0.1:1")
    }
}
