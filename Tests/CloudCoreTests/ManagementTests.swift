import FleetModel
import Testing

@testable import CloudCore

@Suite("Management", .timeLimit(.minutes(20)))
struct ManagementTests {
    private func lines(_ cloud: Cloud) throws -> [[UInt8]] {
        var lines: [[UInt8]] = []
        try cloud.export { lines.append($0) }
        return lines
    }
    private static let spec: Value = ["accounts": [], "seed": 7, "dev": true, "closedProduction": true, "secret": "s"]
    private func story() throws -> Fleet {
        let fleet = try Fleet(["omar"], more: ["dev": true, "closedProduction": true, "secret": "s"])
        let maya = Web(fleet: fleet, person: "maya")
        maya.makeZone()
        maya.save("a", ["n": ["value": 1], "file": ["value": maya.upload("hello")], "d": ["value": -0.5]])
        maya.save("gone")
        maya.delete("gone")
        return fleet
    }

    /// Lines without the books' counters, which never go back.
    private func content(_ lines: [[UInt8]]) throws -> [Value] {
        try lines.map { line in
            var value = try Value(json: line)
            if value["table"]?.string == "owner", var row = value["row"] {
                (row["epoch"], row["drawn"]) = (nil, nil)
                value["row"] = row
            }
            return value
        }
    }

    @Test("Export and restore: the same rows again, elsewhere too; what was done since is gone; tokens are expired")
    func wholeWay() throws {
        let fleet = try story()
        let maya = Web(fleet: fleet, person: "maya")
        let token = maya.call("private/records/changes", ["zoneID": Device.zoneID("Z")]).json?["syncToken"] ?? .null
        let kept = try lines(fleet.cloud)
        maya.save("later")
        #expect(try lines(fleet.cloud) != kept)
        let late = maya.call("private/records/changes", ["zoneID": Device.zoneID("Z")]).json?["syncToken"] ?? .null
        let lateTag = maya.lookup("later").tag
        try fleet.cloud.restore(kept)
        #expect(try content(lines(fleet.cloud)) == content(kept))
        #expect(maya.lookup("later").code == "NOT_FOUND")
        #expect(maya.query([Web.filter("EQUALS", "n", 1)]) == "a")
        #expect(maya.save("b").tag != lateTag, "a tag is never given out again")
        // What takes the place of 'later' has its number: who has seen 'later' must not skip it.
        for token in [token, late] {
            let next = maya.call("private/records/changes", ["zoneID": Device.zoneID("Z"), "syncToken": token])
            #expect(next.code == "CHANGE_TOKEN_EXPIRED")
        }
        let newest = maya.call("private/records/changes", ["zoneID": Device.zoneID("Z")]).json?["syncToken"] ?? .null
        maya.save("c")
        let next = maya.call("private/records/changes", ["zoneID": Device.zoneID("Z"), "syncToken": newest])
        #expect(next.json?.names == ["c"])
        let other = try Cloud(spec: Self.spec, disk: .memory())
        try other.restore(kept)
        #expect(try content(lines(other)) == content(kept))
    }

    @Test("Restore: what is no export changes nothing")
    func refusals() throws {
        let fleet = try story()
        let kept = try lines(fleet.cloud)
        let head = Array(#"{"format":1}"#.utf8)
        for bad in [
            [], [Array("{".utf8)], [Array(#"{"format":4}"#.utf8)],
            [head, Array(#"{"table":"nowhere","row":{"a":1}}"#.utf8)],
            [head, Array(#"{"table":"record","row":{"a; DROP TABLE owner":1}}"#.utf8)],
            [head, Array(#"{"table":"owner","row":{"id":true}}"#.utf8)],
            [head, Array(#"{"table":"owner","row":{"id":1}}"#.utf8)],
            kept.dropLast(), kept.filter { $0 != kept[3] }, kept + kept[3...3],
        ] {
            #expect(throws: CloudSpecError.self) { try fleet.cloud.restore(bad) }
            #expect(try lines(fleet.cloud) == kept)
        }
        // A file that cannot be read any further.
        var rest = kept.prefix(3).makeIterator()
        #expect(throws: CancellationError.self) {
            try fleet.cloud.restore {
                guard let line = rest.next() else { throw CancellationError() }
                return line
            }
        }
        #expect(try lines(fleet.cloud) == kept)
    }

    @Test("Containers: listed; one that is reset is empty, its space is given back, others stay")
    func containers() throws {
        let fleet = try story()
        let maya = Web(fleet: fleet, person: "maya")
        let other = Web(fleet: fleet, person: "maya", container: "iCloud.com.example.other")
        other.makeZone()
        other.save("a")
        #expect(
            fleet.command("cloud.containers")?["containers"]?.strings == [
                "iCloud.com.example.other", "iCloud.com.example.web",
            ])
        let old = maya.call("private/records/changes", ["zoneID": Device.zoneID("Z")]).json?["syncToken"] ?? .null
        #expect(fleet.command("cloud.resetContainer", ["container": "iCloud.com.example.web"])?["ok"]?.bool == true)
        #expect(maya.lookup("a").code == "ZONE_NOT_FOUND")
        #expect(other.has("a"))
        #expect(maya.query(zone: .none) == "BAD_REQUEST", "the schema is gone")
        maya.makeZone()
        #expect(
            maya.call("private/records/changes", ["zoneID": Device.zoneID("Z"), "syncToken": old]).code
                == "CHANGE_TOKEN_EXPIRED")
        #expect(fleet.command("cloud.resetContainer", ["container": "iCloud.com.example.other"])?["ok"]?.bool == true)
        #expect(try fleet.cloud.database.query("SELECT used FROM owner WHERE name = 'maya'").first?.int(0) == 0)
        #expect(fleet.command("cloud.resetContainer", ["container": "x"])?["refused"]?.string != nil)
    }

    @Test("Containers: of one that is reset nothing is put off, kept for retries or pushed; chores of others stay")
    func resetWhole() throws {
        let fleet = try Web.fleet()
        let maya = Web(fleet: fleet, person: "maya")
        let other = Web(fleet: fleet, person: "maya", container: "iCloud.com.example.other")
        for web in [maya, other] {
            web.makeZone()
            web.save("root", zone: .none)
            web.save("leaf", ["r": Web.reference("root", "DELETE_SELF")], zone: .none)
            web.delete("root", zone: .none)
            web.call("tokens/create", ["apnsEnvironment": "development"])
            web.call("tokens/register", ["apnsEnvironment": "development", "apnsToken": .string(web.container)])
            _ = web.upload("file")
            var request = web.http(
                "POST", "private/records/modify",
                (["zoneID": Device.zoneID("Z"), "operations": [Web.operation("forceUpdate", "a")]] as Value).jsonBytes)
            request.headers["X-Homeroom-Request"] = "r"
            _ = fleet.send(request, from: 9)
        }
        func counts() throws -> [Int64] {
            try ["chore", "courier", "pushtoken", "request"].map {
                try fleet.cloud.database.query("SELECT count(*) FROM \($0)").first?.int(0) ?? -1
            }
        }
        let before = try counts()
        #expect(before.allSatisfy { $0 >= 2 })
        fleet.command("cloud.resetContainer", ["container": .string(maya.container)])
        #expect(try counts() == before.map { $0 / 2 })
        #expect(other.has("leaf", zone: .none))
        fleet.wait(.seconds(2))
        #expect(!other.has("leaf", zone: .none))
    }

    // framework 15
    @Test("Deployment takes no index away from production")
    func deployment() throws {
        let fleet = try Web.fleet()
        let maya = Web(fleet: fleet, person: "maya")
        maya.makeZone()
        maya.save("a", ["n": ["value": 1]])
        let container = Value.string(maya.container)
        fleet.command("cloud.deploy", ["container": container])
        fleet.command(
            "cloud.index", ["container": container, "recordType": "Note", "fieldName": "n", "sortable": true])
        fleet.command("cloud.deploy", ["container": container])
        let production = Web(fleet: fleet, person: "maya", environment: "production")
        production.makeZone()
        #expect(production.query([Web.filter("EQUALS", "n", 1)]) == "")
        #expect(maya.query([Web.filter("EQUALS", "n", 1)]) == "BAD_REQUEST")
    }

    @Test("Keychain: key, device and tokens of an item lie in no column; the newest wins as before")
    func keychainColumns() throws {
        let fleet = try Fleet(["maya"], more: ["secret": "s"])
        let maya = try fleet.device("maya", on: 1)
        func sync(_ stamp: Int, _ device: String, _ token: Token) {
            _ = maya.sync(
                [Device.write("bank", .string(payload(token)), stamp: stamp, device: device)], at: "/keychain/v1/sync")
        }
        sync(5, "ipad-1", "maya.1")
        #expect(fleet.committed == ["maya.1"])
        sync(5, "ipad-2", "maya.2")
        #expect(fleet.replaced == ["maya.1"])
        sync(4, "ipad-9", "maya.3")
        #expect(fleet.replaced == ["maya.3"])
        #expect(fleet.observed("maya") == ["keychain bank": ["maya.2"]])
        var lines = ""
        try fleet.cloud.export { lines += String(decoding: $0, as: UTF8.self) }
        for text in ["bank", "maya.2", "ipad-2"] { #expect(!lines.contains(text), "\(text)") }
    }

    @Test("Keychain: a server's items lie encrypted, are read as before, and not in another place")
    func keychain() throws {
        let fleet = try Fleet(["maya", "omar"], more: ["secret": "s"])
        let maya = try fleet.device("maya", on: 1)
        let item = Device.write("password", "swordfish", stamp: 5, device: "ipad-1")
        _ = maya.sync([item], at: "/keychain/v1/sync")
        _ = maya.sync([item])
        let blobs = try fleet.cloud.database.query("SELECT store, json FROM entry ORDER BY store")
        func holds(_ blob: [UInt8]) -> Bool { String(decoding: blob, as: UTF8.self).contains("swordfish") }
        #expect(blobs.map { holds($0.blob(1)) } == [false, true], "keychain, key-value store")
        #expect(maya.sync(at: "/keychain/v1/sync")["changes"]?.array?.first?["value"]?.string == "swordfish")
        try fleet.cloud.database.execute("UPDATE entry SET owner = (SELECT id FROM owner WHERE name = 'omar')")
        let omar = try fleet.device("omar", on: 2)
        #expect(omar.sync(at: "/keychain/v1/sync").code == "INTERNAL_ERROR")
    }
}
