import FleetModel
import Testing

@testable import CloudCore

@Suite("Fetching", .timeLimit(.minutes(20)))
struct FetchingTests {
    private func person() throws -> Web {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        maya.makeZone()
        return maya
    }
    private static let zone: Value = ["zoneID": Device.zoneID("Z")]

    // 5.4
    @Test("records/changes: one zone, pages, deletions; the default zone and no zone are refused")
    func recordsChanges() throws {
        let maya = try person()
        for name in ["a", "b", "c"] { maya.save(name) }
        var body = Self.zone
        body["resultsLimit"] = 2
        let first = maya.call("private/records/changes", body).json ?? .null
        #expect(first.names == ["a", "b"])
        #expect(first["moreComing"]?.bool == true)
        body["syncToken"] = first["syncToken"]
        let second = maya.call("private/records/changes", body).json ?? .null
        #expect(second.names == ["c"])
        #expect(second["moreComing"]?.bool == false)
        maya.delete("a")
        body["syncToken"] = second["syncToken"]
        #expect(maya.call("private/records/changes", body).records.first?["deleted"]?.bool == true)
        #expect(maya.call("private/records/changes", .empty).code == "BAD_REQUEST")
        #expect(maya.call("private/records/changes", ["zoneID": ["zoneName": "_defaultZone"]]).code == "BAD_REQUEST")
        #expect(maya.call("public/records/changes", Self.zone).code == "BAD_REQUEST")
    }

    // 6
    @Test("zones/changes: changed zones under the older token's name")
    func zonesChanges() throws {
        let maya = try person()
        let first = maya.call("private/zones/changes").json ?? .null
        #expect(first["zones"]?.array?.count == 1)
        let token = first["metaSyncToken"] ?? .null
        #expect(maya.call("private/zones/changes", ["metaSyncToken": token]).json?["zones"]?.array == [])
        maya.makeZone("Y")
        let later = maya.call("private/zones/changes", ["metaSyncToken": token]).json ?? .null
        #expect(later["zones"]?.array?.first?["zoneID"]?["zoneName"]?.string == "Y")
    }

    // 6
    @Test("reverse: newest first; what changes meanwhile comes with the next fetch", arguments: [1, 2, 5])
    func reverse(_ limit: Int) throws {
        let maya = try person()
        for name in ["a", "b", "c", "d"] { maya.save(name) }
        var entry = Self.zone
        entry["resultsLimit"] = .int(limit)
        entry["reverse"] = true
        func fetch() -> Value {
            let page = maya.call("private/changes/zone", ["zones": [entry]]).json?["zones"]?.array?.first ?? .null
            entry["syncToken"] = page["syncToken"]
            return page
        }
        var seen: [String] = []
        var page = fetch()
        seen += page.names
        maya.save("a", ["n": ["value": 1]])
        while page["moreComing"]?.bool == true, seen.count < 100 {
            page = fetch()
            seen += page.names
        }
        #expect(seen == ["d", "c", "b", "a"].filter { $0 != "a" || limit == 5 })
        #expect(fetch().names == ["a"])
        entry["reverse"] = false
        #expect(fetch().names == [])
    }

    // 5.1, 5.2, 5.3
    @Test("numbersAsStrings and desiredKeys: in query, lookup, modify and changes")
    func rendering() throws {
        let maya = try person()
        let fields: Value = [
            "n": ["value": 9_007_199_254_740_993], "l": ["value": [1, 2]], "d": ["value": 1.5], "t": ["value": "x"],
        ]
        var body: Value = ["zoneID": Device.zoneID("Z"), "numbersAsStrings": true, "desiredKeys": ["n", "l", "d"]]
        func check(_ path: String, _ key: String, _ value: Value) {
            var whole = body
            whole[key] = value
            let answer = maya.call("private/\(path)", whole)
            let record = answer.records.first ?? answer.json?["zones"]?.array?.first?["records"]?.array?.first ?? .null
            #expect(record.value("n")?.string == "9007199254740993", "\(path)")
            #expect(record.value("l") == ["1", "2"])
            #expect(record.value("d") == 1.5)
            #expect(record.value("t") == nil)
        }
        check("records/modify", "operations", [Web.operation("create", "a", fields)])
        check("records/lookup", "records", [["recordName": "a"]])
        check("records/query", "query", ["recordType": "Note"])
        check("records/changes", "reverse", false)
        check("changes/zone", "zones", [Self.zone])
        body["desiredKeys"] = []
        let bare = maya.call(
            "private/records/lookup",
            ["zoneID": Device.zoneID("Z"), "records": [["recordName": "a"]], "desiredKeys": []])
        #expect(bare.records.first?["fields"] == .empty)
        #expect(maya.save("a", ["n": ["value": "12", "type": "INT64"]]).value("n") == 12)
        #expect(maya.save("a", ["n": ["value": true]]).value("n") == 1)
    }

    // 7.1
    @Test("Subscriptions: list and lookup, of one's own alone")
    func subscriptions() throws {
        let maya = try person()
        let omar = Web(fleet: maya.fleet, person: "omar")
        let wish: Value = ["subscriptionID": "s", "subscriptionType": "zone", "zoneID": Device.zoneID("Z")]
        maya.call("private/subscriptions/modify", ["operations": [["operationType": "create", "subscription": wish]]])
        func list(_ web: Web) -> [Value] { web.get("private/subscriptions/list").json?["subscriptions"]?.array ?? [] }
        #expect(list(maya) == [wish])
        #expect(list(omar) == [])
        let found = maya.call(
            "private/subscriptions/lookup", ["subscriptions": [["subscriptionID": "s"], ["subscriptionID": "t"]]])
        #expect(found.json?["subscriptions"]?.array?.map(\.code) == [nil, "NOT_FOUND"])
        #expect(found.json?["subscriptions"]?.array?.last?["subscriptionID"]?.string == "t")
    }

    // 7.1, framework 7
    @Test("Subscriptions: what each database takes")
    func kinds() throws {
        let maya = try person()
        func code(_ type: String, _ scope: String) -> String? {
            var wish: Value = ["subscriptionID": .string("\(type)-\(scope)"), "subscriptionType": .string(type)]
            if type == "zone" { wish["zoneID"] = Device.zoneID("Z") }
            if type == "query" {
                wish["firesOn"] = ["create"]
                wish["query"] = ["recordType": "Note"]
            }
            return maya.call(
                "\(scope)/subscriptions/modify", ["operations": [["operationType": "create", "subscription": wish]]]
            )
            .json?["subscriptions"]?.array?.first?.code
        }
        #expect(["private", "public", "shared"].map { code("query", $0) } == [nil, nil, "BAD_REQUEST"])
        #expect(["private", "public", "shared"].map { code("zone", $0) } == [nil, "BAD_REQUEST", "BAD_REQUEST"])
        #expect(["private", "public", "shared"].map { code("database", $0) } == [nil, "BAD_REQUEST", nil])
    }

    // 8.1
    @Test("Zone IDs: the owner may be named in several ways; another's is not found")
    func owners() throws {
        let maya = try person()
        for owner in ["__defaultOwner__", "_defaultOwner", maya.userRecordName] {
            for key in ["ownerRecordName", "ownerName"] {
                #expect(maya.lookup("x", zone: ["zoneName": "Z", key: .string(owner)]).code == "NOT_FOUND")
            }
        }
        let omar = Web(fleet: maya.fleet, person: "omar")
        omar.makeZone()
        #expect(
            maya.lookup("x", zone: ["zoneName": "Z", "ownerRecordName": .string(omar.userRecordName)]).code
                == "ZONE_NOT_FOUND")
    }
}
