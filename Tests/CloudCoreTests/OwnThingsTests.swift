import FleetModel
import Testing

@testable import CloudCore

@Suite("One's own and others'", .timeLimit(.minutes(20)))
struct OwnThingsTests {
    // 6, 8.1
    @Test("A zone ID that names another owner means no zone of the caller's: nothing is deleted, made or subscribed to")
    func owners() throws {
        let fleet = try Web.fleet()
        let (maya, omar) = (Web(fleet: fleet, person: "maya"), Web(fleet: fleet, person: "omar"))
        maya.makeZone()
        maya.save("a")
        omar.makeZone()
        for key in ["ownerRecordName", "ownerName"] {
            let theirs: Value = ["zoneName": "Z", key: .string(omar.userRecordName)]
            func modify(_ kind: String, _ id: Value) -> Value {
                maya.call(
                    "private/zones/modify", ["operations": [["operationType": .string(kind), "zone": ["zoneID": id]]]]
                )
                .json?["zones"]?.array?.first ?? .null
            }
            #expect(modify("delete", theirs).code == "ZONE_NOT_FOUND")
            #expect(modify("create", theirs).code == "ZONE_NOT_FOUND")
            #expect(maya.has("a"))
            for type in ["zone", "query"] {
                let subscription: Value = [
                    "subscriptionID": "s", "subscriptionType": .string(type), "zoneID": theirs, "firesOn": ["create"],
                    "query": ["recordType": "Note"],
                ]
                let answer = maya.call(
                    "private/subscriptions/modify",
                    ["operations": [["operationType": "create", "subscription": subscription]]])
                #expect(answer.json?["subscriptions"]?.array?.first?.code == "ZONE_NOT_FOUND", "\(type)")
            }
            let mine: Value = ["zoneName": "Y", key: .string(maya.userRecordName)]
            #expect(modify("create", mine).code == nil)
            #expect(modify("delete", mine).code == nil)
        }
    }

    // framework 2
    @Test("Names of the form of user records: made by nobody but their person")
    func squatting() throws {
        let fleet = try Web.fleet()
        let (maya, omar) = (Web(fleet: fleet, person: "maya"), Web(fleet: fleet, person: "omar"))
        let guess = "_" + String(repeating: "0a", count: 16)
        for name in [maya.userRecordName, guess] {
            for kind in ["create", "forceUpdate", "forceReplace"] {
                for scope in ["public", "private"] {
                    #expect(omar.save(name, kind: kind, zone: .none, scope: scope).code == "ACCESS_DENIED", "\(kind)")
                }
            }
        }
        #expect(
            maya.save(maya.userRecordName, ["n": ["value": 1]], type: "Users", zone: .none, scope: "public").code == nil
        )
        omar.makeZone()
        #expect(omar.save(guess).code == "BAD_REQUEST", "in a custom zone it is nobody's")
    }

    // framework 12
    @Test("Names of people: not to be computed from the seed, nor those of others from one's own")
    func names() throws {
        func names(_ secret: String) throws -> [String] {
            let fleet = try Fleet([], more: ["dev": true, "secret": .string(secret)])
            return ["maya", "omar"].map { Web(fleet: fleet, person: $0).userRecordName }
        }
        let (first, second) = (try names("one"), try names("two"))
        #expect(Set(first + second).count == 4, "the seed is the same")
        #expect(try names("one") == first)
        for name in first {
            let halves = [name.dropFirst().prefix(16), name.suffix(16)].map { UInt64($0, radix: 16) ?? 0 }
            #expect(StableHash.mix(halves[0]) != halves[1])
        }
    }

    // 8.8
    @Test("What put-off work leads to is told: the push of a cascade, and the edit that it took")
    func putOff() throws {
        let fleet = try Fleet()
        let (maya, second) = (try fleet.device("maya", on: 1), try fleet.device("maya", on: 2))
        second.subscribe([
            "subscriptionID": "q", "subscriptionType": "query", "firesOn": ["delete"], "query": ["recordType": "Leaf"],
        ])
        maya.modify([Device.operation("create", "root", text: "x")], zone: "_defaultZone")
        let leaf: Value = [
            "operationType": "create",
            "record": [
                "recordName": "leaf", "recordType": "Leaf",
                "fields": ["text": ["value": .string(payload("maya.1"))], "r": Web.reference("root", "DELETE_SELF")],
            ],
        ]
        maya.modify([leaf], zone: "_defaultZone")
        maya.modify([Device.operation("forceDelete", "root")], zone: "_defaultZone")
        #expect(fleet.pushes.isEmpty)
        #expect(maya.lookup(["leaf"], zone: "_defaultZone").first?.code == nil)
        fleet.wait(.seconds(2))
        #expect(fleet.replaced == ["maya.1"])
        #expect(Set(fleet.pushes.map(\.pad)) == [1, 2])
        #expect(fleet.pushes.first?.message["ck"]?["ck"]?["qry"]?["rid"]?.string == "leaf")
    }

    // framework 1
    @Test(
        "Choice: what all shall see, structured or bulk, only CloudKit's public database brings, and to who asks for it (S294)"
    )
    func choice() throws {
        let fleet = try Fleet()
        let (maya, omar) = (try fleet.device("maya", on: 1), try fleet.device("omar", on: 2))
        let file = Array(payload("maya.2").utf8)
        var told: [Int] = []
        func tells<T>(_ body: () -> T) -> T {
            defer { told += fleet.pushes.map(\.pad) }
            return body()
        }
        // The same in each service.
        _ = tells { maya.sync([Device.write("k", "maya.1", stamp: 1, device: "ipad-1")]) }
        _ = tells { maya.put("d", modified: 1, "maya.1") }
        maya.makeZone()
        _ = tells { maya.save("create", "n", "maya.1") }
        let slot: Value = ["tokens": [["recordName": "p", "recordType": "Note", "fieldName": "file"]]]
        let url = maya.ck("assets/upload", slot, scope: "public").json?["tokens"]?.array?.first?["url"]?.string ?? ""
        let bulk = maya.request("POST", Web.target(url), body: file).json?["singleFile"] ?? .null
        var operation = Device.operation("create", "p", text: "maya.1")
        operation["record"]?["fields"]?["file"] = ["value": bulk, "type": "ASSETID"]
        _ = tells { maya.modify([operation], zone: "_defaultZone", atomic: false, scope: "public") }
        #expect(!told.contains(2), "nothing comes by itself")
        // What omar gets of it.
        #expect(omar.sync()["changes"]?.array?.isEmpty == true && omar.items().isEmpty)
        #expect(omar.lookup(["n"]).isEmpty)
        let found = try #require(omar.lookup(["p"], zone: "_defaultZone", scope: "public").first)
        #expect(found.field == "maya.1")
        let download = try #require(found["fields"]?["file"]?["value"]?["downloadURL"]?.string)
        #expect(omar.request("GET", Web.target(download)).body == file)
    }
}
