import FleetModel
import Testing

@testable import CloudCore

@Suite("Zone dictionaries", .timeLimit(.minutes(20)))
struct ZoneDictionaryTests {
    private func maya() throws -> Web {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        maya.makeZone()
        maya.save("a")
        return maya
    }
    private func shown(_ zones: [Value]) -> [String] {
        zones.map { "\($0["zoneID"]?["zoneName"]?.string ?? "") \($0["zoneID"]?["zoneType"]?.string ?? "")" }
    }

    // 6, 8.1
    @Test("Web clients are told the type of each zone")
    func types() throws {
        let maya = try maya()
        let all = ["Z REGULAR_CUSTOM_ZONE", "_defaultZone DEFAULT_ZONE"]
        #expect(shown(maya.get("private/zones/list").json?["zones"]?.array ?? []) == all)
        let lookup = maya.call(
            "private/zones/lookup", ["zones": [Device.zoneID("Z"), Device.zoneID("_defaultZone")]])
        #expect(shown(lookup.json?["zones"]?.array ?? []) == all)
        for path in ["private/changes/database", "private/zones/changes"] {
            #expect(shown(maya.call(path).json?["zones"]?.array ?? []) == ["Z REGULAR_CUSTOM_ZONE"])
        }
        let changes = maya.call("private/changes/zone", ["zones": [["zoneID": Device.zoneID("Z")]]])
        #expect(shown(changes.json?["zones"]?.array ?? []) == ["Z REGULAR_CUSTOM_ZONE"])
        #expect(shown(maya.makeZone("Y").json?["zones"]?.array ?? []) == ["Y REGULAR_CUSTOM_ZONE"])
    }

    // 6, 8.2
    @Test("zones/list: each zone has its present syncToken, the default zone too; it stands for what is there")
    func tokens() throws {
        let maya = try maya()
        let zones = maya.get("private/zones/list").json?["zones"]?.array ?? []
        #expect(zones.count == 2)
        #expect(zones.allSatisfy { $0.syncToken != nil })
        let next = maya.call(
            "private/records/changes",
            ["zoneID": Device.zoneID("Z"), "syncToken": .optional(zones.first?.syncToken)])
        #expect(next.records == [])
        let database = maya.call("private/changes/database").json?["zones"]?.array ?? []
        #expect(database.map(\.syncToken) == [zones.first?.syncToken])
    }

    @Test("iPads are told what they have always been told")
    func pads() throws {
        let maya = try Fleet().device("maya", on: 1)
        maya.makeZone()
        let list = maya.ck("zones/list", .empty).json?["zones"]?.array ?? []
        #expect(list.map { $0.object?.keys ?? [] } == [["atomic", "syncToken", "zoneID"], ["atomic", "zoneID"]])
        #expect(list.allSatisfy { $0["zoneID"]?.object?.keys == ["ownerRecordName", "zoneName"] })
    }
}
