import FleetModel
import Storage
import Testing

@testable import CloudCore

@Suite("Changes", .timeLimit(.minutes(20)))
struct ChangesTests {
    @Test(
        "Zone changes: paging never skips, while records change between pages (pages of 1, 2, 3, 7)",
        arguments: [1, 2, 3, 7])
    func paging(_ limit: Int) throws {
        let maya = try Fleet().device("maya", on: 1)
        maya.makeZone()
        var truth: [String: String] = [:]
        func change(_ name: String, _ text: String?) {
            truth[name] = text
            if let text {
                maya.save("forceUpdate", name, text)
            } else {
                maya.modify([Device.operation("forceDelete", name)])
            }
        }
        for number in 0..<10 { change("n\(number)", "v0") }
        var seen: [String: String] = [:]
        var token: String?
        var draw = Draw(seed: UInt64(limit))
        var round = 0
        var moreComing = true
        while moreComing || round < 12 {
            let page = maya.changes(since: token, limit: limit)
            #expect((page["records"]?.array?.count ?? 0) <= limit)
            for record in page["records"]?.array ?? [] {
                let name = record["recordName"]?.string ?? ""
                seen[name] = record["deleted"]?.bool == true ? nil : record.field
                if record["deleted"]?.bool == true { #expect(record["recordType"]?.string == "Note") }
            }
            token = page.syncToken
            moreComing = page["moreComing"]?.bool ?? false
            round += 1
            if round < 12 { change("n\(draw.below(12))", draw.chance(0.3) ? nil : "v\(round)") }
            if round > 200 { break }
        }
        #expect(seen == truth)
        #expect(maya.changes(since: token).names == [])
        #expect(maya.changes(since: token).syncToken == token)
    }

    @Test("Zone changes: repeated edits collapse, first fetch has no tombstones, desired keys and types")
    func collapse() throws {
        let maya = try Fleet().device("maya", on: 1)
        maya.makeZone()
        let start = maya.changes().syncToken
        for number in 0..<3 { maya.save("forceUpdate", "n", "v\(number)") }
        maya.save("create", "gone", "x")
        maya.modify([Device.operation("forceDelete", "gone")])
        #expect(maya.changes().names == ["n"])
        #expect(maya.changes(since: start).names == ["n", "gone"])
        var entry: Value = ["zoneID": Device.zoneID("Notes"), "desiredKeys": []]
        func fetch() -> Value { maya.ck("changes/zone", ["zones": [entry]]).json?["zones"]?.array?.first ?? .null }
        #expect(fetch()["records"]?.array?.first?["fields"] == .empty)
        entry = ["zoneID": Device.zoneID("Notes"), "desiredRecordTypes": ["Other"]]
        #expect(fetch().names == [])
        entry = ["zoneID": Device.zoneID("Notes"), "reverse": 1]
        #expect(fetch().code == "BAD_REQUEST")
    }

    @Test("Tokens: other kind, other zone, other person, forged, another life of the zone, expired (S242)")
    func tokens() throws {
        let fleet = try Fleet()
        let (maya, omar) = (try fleet.device("maya", on: 1), try fleet.device("omar", on: 2))
        for device in [maya, omar] { device.makeZone() }
        maya.makeZone("Other")
        let zone = maya.changes().syncToken
        let database = maya.databaseChanges().syncToken
        #expect(maya.changes(since: zone).code == nil)
        #expect(maya.changes(since: database).code == "BAD_REQUEST")
        #expect(maya.databaseChanges(since: zone).code == "BAD_REQUEST")
        #expect(maya.changes("Other", since: zone).code == "CHANGE_TOKEN_EXPIRED")
        #expect(omar.changes(since: zone).code == "CHANGE_TOKEN_EXPIRED")
        #expect(omar.databaseChanges(since: database).code == "CHANGE_TOKEN_EXPIRED")
        #expect(maya.changes(since: "AAAA").code == "BAD_REQUEST")
        #expect(maya.changes(since: "").code == "BAD_REQUEST")
        maya.deleteZone()
        #expect(maya.changes(since: zone).code == "ZONE_NOT_FOUND")
        maya.makeZone()
        #expect(maya.changes(since: zone).code == "CHANGE_TOKEN_EXPIRED")
        let fresh = maya.changes().syncToken
        let omars = omar.changes().syncToken
        fleet.command("cloud.expireTokens", ["account": "maya"])
        #expect(maya.changes(since: fresh).code == "CHANGE_TOKEN_EXPIRED")
        #expect(maya.databaseChanges(since: database).code == "CHANGE_TOKEN_EXPIRED")
        #expect(maya.changes(since: maya.changes().syncToken).code == nil)
        #expect(omar.changes(since: omars).code == nil)
    }

    @Test("Database changes: zones that changed, deleted ones flagged, the default zone never")
    func database() throws {
        let maya = try Fleet().device("maya", on: 1)
        func names(_ changes: Value) -> [String] {
            (changes["zones"]?.array ?? []).map {
                ($0["zoneID"]?["zoneName"]?.string ?? "") + ($0["deleted"]?.bool == true ? "-" : "")
            }
        }
        maya.makeZone("A")
        maya.makeZone("B")
        maya.modify([Device.operation("create", "n", text: "x")], zone: "_defaultZone")
        let first = maya.databaseChanges()
        #expect(names(first) == ["A", "B"])
        #expect(names(maya.databaseChanges(since: first.syncToken)) == [])
        maya.save("create", "n", "x", zone: "A")
        #expect(names(maya.databaseChanges(since: first.syncToken)) == ["A"])
        maya.deleteZone("A")
        #expect(names(maya.databaseChanges(since: first.syncToken)) == ["A-"])
        #expect(names(maya.databaseChanges()) == ["B"])
        maya.makeZone("A")
        #expect(names(maya.databaseChanges(since: first.syncToken)) == ["A"])
        #expect(maya.changes("A").names == [])
        #expect(maya.changes("_defaultZone").code == "BAD_REQUEST")
    }

    @Test("Zones: making and deleting may be repeated; a deleted zone takes its records along (S240)")
    func zones() throws {
        let fleet = try Fleet()
        let maya = try fleet.device("maya", on: 1)
        func entry(_ response: HTTPResponse) -> Value { response.json?["zones"]?.array?.first ?? .null }
        #expect(entry(maya.makeZone())["atomic"]?.bool == true)
        #expect(entry(maya.makeZone()).code == nil)
        maya.save("create", "n", payload("maya.1"))
        #expect(entry(maya.deleteZone())["deleted"]?.bool == true)
        #expect(fleet.replaced == ["maya.1"])
        #expect(entry(maya.deleteZone()).code == nil)
        #expect(entry(maya.deleteZone("Never")).code == "ZONE_NOT_FOUND")
        #expect(entry(maya.makeZone("_mine")).code == "BAD_REQUEST")
        let list = maya.request("GET", "\(Device.database)/private/zones/list").json?["zones"]?.array
        #expect(list?.map { $0["zoneID"]?["zoneName"]?.string } == ["_defaultZone"])
        #expect(entry(maya.ck("zones/lookup", ["zones": [["zoneName": "Notes"]]])).code == "ZONE_NOT_FOUND")
    }

    @Test("Zones deleted by command: one account's, by name or all; records go, tokens are refused, others stay")
    func deletedZones() throws {
        let fleet = try Fleet()
        let (maya, omar) = (try fleet.device("maya", on: 1), try fleet.device("omar", on: 2))
        for device in [maya, omar] {
            device.makeZone()
            device.save("forceUpdate", "a", "x")
        }
        let token = maya.changes(since: nil).syncToken
        #expect(fleet.command("cloud.deleteZones", ["account": "maya", "zone": "Other"])?["ok"] == true)
        #expect(maya.changes(since: nil).names == ["a"])
        #expect(fleet.command("cloud.deleteZones", ["account": "maya", "zone": "Notes"])?["ok"] == true)
        #expect(maya.changes(since: nil).code == "USER_DELETED_ZONE" && omar.changes(since: nil).names == ["a"])
        maya.makeZone()
        #expect(maya.changes(since: nil).names == [])
        #expect(maya.changes(since: token).code == "CHANGE_TOKEN_EXPIRED")
        #expect(fleet.command("cloud.deleteZones")?["ok"] == true)
        #expect(omar.changes(since: nil).code == "USER_DELETED_ZONE")
        #expect(fleet.command("cloud.deleteZones", ["reason": "lost"])?["refused"] != nil)
        #expect(fleet.command("cloud.deleteZones", ["account": "nobody"])?["refused"] != nil)
    }
}
