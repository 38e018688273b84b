import FleetModel
import Storage
import Testing

@testable import CloudCore

@Suite("Cloud", .timeLimit(.minutes(20)))
struct CloudTests {
    @Test("Crash and restart: acknowledged commits and handed-out tokens are good, no id comes twice (8 power cuts)")
    func crash() throws {
        let fleet = try Fleet()
        let maya = try fleet.device("maya", on: 1)
        maya.makeZone()
        var tags: Set<String> = []
        var token = maya.changes().syncToken
        for round in 0..<8 {
            let saved = maya.save("create", "n\(round)", payload("maya.\(round)"))
            #expect(tags.insert(saved.tag).inserted)
            try fleet.crash(seed: UInt64(round))
            let page = maya.changes(since: token)
            #expect(page.names == ["n\(round)"])
            token = page.syncToken
        }
        #expect(fleet.observed("maya").count == 8)
        #expect(try fleet.device("maya", on: 1).token != maya.token)
    }

    @Test("Crash: the dead process says nothing more")
    func dead() throws {
        let fleet = try Fleet()
        fleet.command("cloud.crash", ["seed": 1])
        #expect(
            fleet.step([
                Input(
                    from: .pad(1),
                    .request(HTTPRequest(post: "/accounts/v1/signin", json: ["account": "maya", "device": "ipad-1"])),
                    exchange: 1)
            ]).isEmpty)
    }

    @Test("Same seed and requests: the same bytes; another seed: other tags")
    func determinism() throws {
        func run(_ seed: Int64, crashing: Bool = false) throws -> [[UInt8]] {
            let fleet = try Fleet(seed: seed)
            let maya = try fleet.device("maya", on: 1)
            var answers = [maya.makeZone().body]
            for number in 0..<3 {
                answers.append(maya.modify([Device.operation("create", "n\(number)", text: "x")]).body)
            }
            return answers
        }
        #expect(try run(1) == run(1))
        #expect(try run(1) != run(2))
    }

    @Test("Names: what others do shifts nobody's ids and tags")
    func independence() throws {
        func tag(_ noise: Int) throws -> String {
            let fleet = try Fleet()
            let (maya, omar) = (try fleet.device("maya", on: 1), try fleet.device("omar", on: 2))
            omar.makeZone()
            for number in 0..<noise { omar.save("create", "n\(number)", "x") }
            maya.makeZone()
            return maya.save("create", "n", "x").tag
        }
        #expect(try tag(0) == tag(5))
    }

    @Test("One step, several requests: one reply each in order, a refused one undoes only itself")
    func batch() throws {
        let fleet = try Fleet()
        let maya = try fleet.device("maya", on: 1)
        maya.makeZone()
        func request(_ name: String, _ kind: String = "create") -> HTTPRequest {
            let body: Value = [
                "operations": [Device.operation(kind, name, text: payload("maya.\(name)"))],
                "zoneID": Device.zoneID("Notes"),
            ]
            return maya.http("POST", "\(Device.database)/private/records/modify", body: body.jsonBytes)
        }
        let bad = maya.http("POST", "/kvs/v1/s/sync", body: Array("{".utf8))
        let replies = fleet.cloud.apply(
            [request("1"), bad, request("2"), request("1")].enumerated().map {
                CloudRequest(from: .pad(1), exchange: UInt64($0), http: $1)
            }, now: fleet.now)
        #expect(replies.map(\.exchange) == [0, 1, 2, 3])
        #expect(replies.map(\.response.status) == [200, 400, 200, 400])
        #expect(replies.map { $0.notes.count } == [1, 0, 1, 0])
        #expect(replies[0].cause == "maya.1")
        #expect(maya.changes().names == ["1", "2"])
    }

    @Test("Refused half way: what the request had written is undone, alone and among others", arguments: [false, true])
    func halfWay(_ isAlone: Bool) throws {
        let fleet = try Fleet()
        let maya = try fleet.device("maya", on: 1)
        let good: Value = ["operationType": "create", "zone": ["zoneID": Device.zoneID("A")]]
        let body: Value = ["operations": [good, .empty]]
        let bad = maya.http("POST", "\(Device.database)/private/zones/modify", body: body.jsonBytes)
        let list = maya.http("GET", "\(Device.database)/private/zones/list")
        let requests = (isAlone ? [bad] : [bad, list]).map { CloudRequest(from: .pad(1), exchange: 1, http: $0) }
        #expect(fleet.cloud.apply(requests, now: fleet.now).first?.response.status == 400)
        let zones = fleet.send(list, from: 1).json?["zones"]?.array?.compactMap { $0["zoneID"]?["zoneName"]?.string }
        #expect(zones == ["_defaultZone"])
    }

    @Test("Outputs: response with its exchange first, then pushes, then notes; causes name the edit")
    func outputs() throws {
        let fleet = try Fleet()
        let (one, _) = (try fleet.device("maya", on: 1), try fleet.device("maya", on: 2))
        let body: Value = [
            "since": 0, "writes": [Device.write("k", .string(payload("maya.1")), stamp: 1, device: "ipad-1")],
        ]
        let outputs = fleet.step([
            Input(from: .pad(1), .request(one.http("POST", "/kvs/v1/s/sync", body: body.jsonBytes)), exchange: 99)
        ])
        #expect(outputs.map(\.to) == [.pad(1), .pad(2), .cloud])
        #expect(outputs.map(\.exchange) == [99, 0, 0])
        #expect(outputs.map(\.cause) == ["maya.1", "push/maya.1", ""])
    }

    @Test("Two people: nobody reads, lists or fetches anything of the other (S224, S230)")
    func privacy() throws {
        let fleet = try Fleet()
        let (maya, omar) = (try fleet.device("maya", on: 1), try fleet.device("omar", on: 2))
        maya.makeZone()
        maya.save("create", "n", payload("maya.1"))
        maya.sync([Device.write("k", .string(payload("maya.2")), stamp: 1, device: "ipad-1")])
        maya.sync([Device.write("k", .string(payload("maya.3")), stamp: 1, device: "ipad-1")], at: "/keychain/v1/sync")
        maya.put("d", modified: 1, payload("maya.4"))
        omar.makeZone()
        let query: Value = ["query": ["recordType": "Note"], "zoneWide": true]
        let answers = [
            omar.ck("records/query", query), omar.ck("records/query", query, scope: "public"),
            omar.ck("records/lookup", ["zoneID": Device.zoneID("Notes"), "records": [["recordName": "n"]]]),
            omar.ck("changes/zone", ["zones": [["zoneID": Device.zoneID("Notes")]]]),
            omar.ck("changes/database", .empty),
            omar.post("/kvs/v1/com.example.quiz/sync", ["since": 0, "writes": []]),
            omar.post("/keychain/v1/sync", ["since": 0, "writes": []]),
            omar.post("\(Device.documents)/changes", ["since": 0]), omar.request("GET", "\(Device.documents)/items/d"),
            omar.request("GET", "/upload/v1/homework/?list"),
        ]
        for answer in answers { #expect(EditPayload.scan(answer.body).tokens == []) }
        // The same names are omar's own things.
        omar.put("d", modified: 1, payload("omar.1"))
        omar.save("create", "n", payload("omar.2"))
        #expect(maya.content("d") == payload("maya.4"))
        #expect(maya.lookup(["n"]).first?.field == payload("maya.1"))
        #expect(fleet.observed("omar").values.flatMap { $0 }.sorted() == ["omar.1", "omar.2"])
        #expect(fleet.observed("maya").values.flatMap { $0 }.sorted() == ["maya.1", "maya.2", "maya.3", "maya.4"])
    }

    @Test("Unknown command: refused with a reason")
    func command() throws {
        #expect(try Fleet().command("cloud.dance")?["refused"]?.string != nil)
    }
}
