import FleetModel
import Testing

@testable import CloudCore

/// What types, fields and records may be called (cloudkit-framework.md 2; cloudkit-web-services.md 8.4).
@Suite("Names that are refused", .timeLimit(.minutes(20))) struct NamingTests {
    @Test(
        "Record types: letters, digits and low lines, the first a letter (parameter: type)",
        arguments: [
            "blah blah", "1x", "_x", "é", "a-b", "a/b", "cloudkit.foo", "cloudkit.", "", "a.b", "Ａ", "a\u{0}",
            String(repeating: "x", count: 256),
        ])
    func types(_ type: String) throws {
        let fleet = try Web.fleet()
        let maya = Web(fleet: fleet, person: "maya")
        maya.makeZone()
        #expect(maya.save("a", type: type).code == "BAD_REQUEST")
        #expect(maya.query(type: type) == "BAD_REQUEST")
        var live = Web(fleet: try Web.fleet(closed: false), person: "maya")
        live.environment = "production"
        live.makeZone()
        #expect(live.query(type: type) == "BAD_REQUEST", "an open schema knows no types, but what is none")
    }

    // Earlier versions took any name.
    @Test(
        "A type of a database of before, under a name that is refused now: found, changed and announced, but gets nothing new"
    )
    func earlier() throws {
        let fleet = try Web.fleet()
        let maya = Web(fleet: fleet, person: "maya")
        maya.makeZone()
        #expect(maya.save("old", ["t": ["value": "x"]], type: "Old").code == nil)
        let database = fleet.cloud.database
        for (table, column) in [("recordtype", "name"), ("recordfield", "record"), ("record", "type")] {
            try database.execute("UPDATE \(table) SET \(column) = 'my notes' WHERE \(column) = 'Old'")
        }
        try database.execute(
            "UPDATE record SET json = CAST(replace(CAST(json AS TEXT), '\"Old\"', '\"my notes\"') AS BLOB) WHERE name = 'old'"
        )
        try FieldIndex.fill(database)
        #expect(maya.query(type: "my notes") == "old")
        #expect(maya.query([Web.filter("EQUALS", "t", "x")], type: "my notes") == "old")
        #expect(maya.save("old", ["t": ["value": "y"]], type: "my notes").value("t")?.string == "y")
        #expect(maya.save("new", type: "my notes").code == "BAD_REQUEST")
        #expect(maya.query(type: "your notes") == "BAD_REQUEST")
        func subscribe(_ type: String) -> String? {
            let wish: Value = [
                "subscriptionID": .string(type), "subscriptionType": "query", "firesOn": ["create"],
                "query": ["recordType": .string(type)],
            ]
            let body: Value = ["operations": [["operationType": "create", "subscription": wish]]]
            return maya.call("private/subscriptions/modify", body).json?["subscriptions"]?.array?.first?.code
        }
        #expect(subscribe("my notes") == nil && subscribe("your notes") == "BAD_REQUEST")
    }

    @Test("Record types that are good")
    func goodTypes() throws {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        maya.makeZone()
        for (index, type) in ["x", "CD_Entity", "a1_", "Note2", String(repeating: "x", count: 255)].enumerated() {
            #expect(maya.save("r\(index)", type: type).code == nil, "\(type)")
        }
    }

    @Test("Record names: a new one does not begin with a low line, in custom zones and in default ones")
    func records() throws {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        maya.makeZone()
        for zone in [Device.zoneID("Z"), nil] {
            for kind in ["create", "forceUpdate", "forceReplace"] {
                for name in ["_", "_x", "_" + String(repeating: "z", count: 32)] {
                    #expect(maya.save(name, kind: kind, zone: zone).code == "BAD_REQUEST", "\(kind) \(name)")
                    #expect(!maya.has(name, zone: zone))
                }
            }
            #expect(maya.save("x_", zone: zone).code == nil)
        }
        #expect(
            maya.save(maya.userRecordName, ["t": ["value": "me"]], type: "Users", zone: nil).code == nil,
            "but one's own user record")
    }

    @Test("Field names of the system are for shares")
    func fields() throws {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        maya.makeZone()
        #expect(maya.save("a", ["cloudkit.title": ["value": "x"]]).code == "BAD_REQUEST")
        maya.save("root")
        let share = maya.save(
            "s", ["cloudkit.title": ["value": "x"]], kind: "create", type: "cloudkit.share",
            extra: ["forRecord": ["recordName": "root"]])
        #expect(share.code == nil)
    }

    // 8.1, Docs/cloud-api.md
    @Test("The shared database: a zone ID without an owner is refused from the first share on")
    func owners() throws {
        let fleet = try Web.fleet()
        let (maya, omar) = (Web(fleet: fleet, person: "maya"), Web(fleet: fleet, person: "omar"))
        maya.makeZone()
        maya.save("root")
        let share = maya.save(
            "s", kind: "create", type: "cloudkit.share",
            extra: ["forRecord": ["recordName": "root"], "publicPermission": "READ_WRITE"])
        omar.call("public/records/accept", ["shortGUIDs": [["value": share["shortGUID"] ?? .null]]])
        let owned: Value = ["zoneName": "Z", "ownerRecordName": .string(maya.userRecordName)]
        #expect(omar.call("shared/records/changes", ["zoneID": owned]).status == 200)
        let answer = omar.call("shared/records/changes", ["zoneID": Device.zoneID("Z")])
        #expect(answer.code == "BAD_REQUEST" && answer.text("reason").contains("ownerRecordName"))
        #expect(omar.query(zone: Device.zoneID("Z"), scope: "shared") == "BAD_REQUEST")
        let zone = omar.call("shared/changes/zone", ["zones": [["zoneID": Device.zoneID("Z")]]]).json?["zones"]?.array?
            .first
        #expect(zone?.code == "BAD_REQUEST")
    }
}
