import FleetModel
import Testing

@testable import CloudCore

@Suite("Assets", .timeLimit(.minutes(20)))
struct AssetTests {
    private func person(_ quota: Int64? = nil) throws -> (Fleet, Web) {
        let fleet = try Web.fleet(quota: quota)
        let maya = Web(fleet: fleet, person: "maya")
        maya.makeZone()
        return (fleet, maya)
    }
    private func url(_ record: Value, _ field: String = "file") -> String {
        record.value(field)?["downloadURL"]?.string ?? ""
    }

    // 7.3
    @Test(
        "Upload, save, read: dictionary, download URL with a file name of one's choice, no receipt in reads (S250, S251)"
    )
    func wholeWay() throws {
        let (_, maya) = try person()
        let tokens = maya.call("private/assets/upload", ["tokens": [["recordType": "Note", "fieldName": "file"]]])
        let token = try #require(tokens.json?["tokens"]?.array?.first)
        #expect(token["fieldName"]?.string == "file")
        #expect(token["recordName"]?.string?.count == 36)
        #expect(token["url"]?.string?.hasPrefix("http://icloud.homeroom/assets/v1/upload/") == true)
        let asset = maya.upload("hello")
        #expect(asset.object?.keys == ["fileChecksum", "receipt", "referenceChecksum", "size", "wrappingKey"])
        #expect(asset["size"]?.int == 5)
        let saved = maya.save("a", ["file": ["value": asset]])
        #expect(saved["fields"]?["file"]?["type"]?.string == "ASSETID")
        let read = maya.lookup("a")
        #expect(read.value("file")?["receipt"] == nil)
        #expect(read.value("file")?["fileChecksum"] == asset["fileChecksum"])
        #expect(url(read).hasSuffix("/${f}"))
        #expect(maya.fetch(url(read)).body == Array("hello".utf8))
        let open = maya.upload("open", scope: "public", zone: .none)
        #expect(open.object?.keys == ["fileChecksum", "receipt", "size"])
    }

    // 7.3
    @Test("Receipt: missing, foreign, of other size, expired, spent; a record may send back what it holds")
    func receipts() throws {
        let (fleet, maya) = try person()
        func code(_ asset: Value, _ name: String = "a") -> String? { maya.save(name, ["file": ["value": asset]]).code }
        var bad = maya.upload("one")
        bad["receipt"] = "guess"
        #expect(code(bad) == "BAD_REQUEST")
        bad["receipt"] = .none
        #expect(code(bad) == "BAD_REQUEST")
        var wrong = maya.upload("two")
        wrong["size"] = 4
        #expect(code(wrong) == "BAD_REQUEST")
        let omar = Web(fleet: fleet, person: "omar")
        omar.makeZone()
        #expect(omar.save("a", ["file": ["value": maya.upload("mine")]]).code == "BAD_REQUEST")
        let late = maya.upload("late")
        fleet.wait(.minutes(16))
        #expect(code(late) == "BAD_REQUEST")
        let good = maya.upload("good")
        #expect(code(good) == nil)
        #expect(code(good) == nil, "a retry of the same save")
        #expect(code(good, "other") == "BAD_REQUEST", "a receipt is for one record")
    }

    // 7.3
    @Test("Upload URL: the same bytes again get the same answer; unknown and expired ones are refused")
    func uploadURL() throws {
        let (fleet, maya) = try person()
        let tokens = maya.call("private/assets/upload", ["tokens": [["recordType": "Note", "fieldName": "file"]]])
        let url = tokens.json?["tokens"]?.array?.first?["url"]?.string ?? ""
        let first = maya.post(url, "x")
        #expect(first.status == 200)
        #expect(maya.post(url, "x").body == first.body)
        #expect(maya.post(url + "0", "x").code == "NOT_FOUND")
        fleet.wait(.minutes(16))
        #expect(maya.post(url, "x").code == "NOT_FOUND")
    }

    // 7.3
    @Test("Upload URL: one brings one file, other bytes take its place; what no record holds yet is paid for")
    func uploadsPay() throws {
        let (fleet, maya) = try person()
        func used() throws -> Int64 {
            try fleet.cloud.database.query("SELECT used FROM owner WHERE name = 'maya'").first?.int(0) ?? -1
        }
        let before = try used()
        let tokens = maya.call("private/assets/upload", ["tokens": [["recordType": "Note", "fieldName": "file"]]])
        let url = tokens.json?["tokens"]?.array?.first?["url"]?.string ?? ""
        for size in [1000, 3000, 2000] {
            #expect(maya.post(url, String(repeating: "x", count: size)).status == 200)
            #expect(try used() == before + Int64(size))
            #expect(fleet.observedAssets == 1)
        }
        fleet.command("cloud.quota", ["account": "maya", "bytes": .int(before + 2500)])
        #expect(maya.upload("y" + String(repeating: "x", count: 600)).object == nil, "there is no room for both")
        #expect(maya.post(url, String(repeating: "z", count: 2400)).status == 200)
        fleet.wait(.minutes(16))
        #expect(try used() == before)
        #expect(fleet.observedAssets == 0)
    }

    // 7.3
    @Test("Receipts and the URLs of kept answers lie in no table of a server in clear, and are given again")
    func hidden() throws {
        let fleet = try Fleet([], more: ["dev": true, "secret": "s"])
        let maya = Web(fleet: fleet, person: "maya")
        maya.makeZone()
        let tokens = maya.call("private/assets/upload", ["tokens": [["recordType": "Note", "fieldName": "file"]]])
        let url = tokens.json?["tokens"]?.array?.first?["url"]?.string ?? ""
        let asset = maya.post(url, "hello").json?["singleFile"] ?? .null
        #expect(maya.post(url, "hello").json?["singleFile"] == asset)
        var request = maya.http(
            "POST", "private/records/modify",
            ([
                "zoneID": Device.zoneID("Z"),
                "operations": [Web.operation("forceUpdate", "a", ["file": ["value": asset]])],
            ]
                as Value).jsonBytes)
        request.headers["X-Homeroom-Request"] = "r"
        let saved = fleet.send(request, from: 9)
        #expect(saved.status == 200)
        #expect(fleet.send(request, from: 9).body == saved.body)
        var lines = ""
        try fleet.cloud.export { lines += String(decoding: $0, as: UTF8.self) }
        #expect(!lines.contains(asset["receipt"]?.string ?? "?"))
        #expect(!lines.contains("downloadURL"))
    }

    // 8.6
    @Test("A private file needs its wrapping key, as the upload has answered it")
    func wrappingKey() throws {
        let (_, maya) = try person()
        for key: Value? in [nil, "", "0123456789abcdef0123456789abcdef", 5] {
            var asset = maya.upload("x")
            asset["wrappingKey"] = key
            #expect(maya.save("a", ["file": ["value": asset]]).code == "BAD_REQUEST")
        }
    }

    // 7.3
    @Test("Download URL: forged, altered, expired ones are refused")
    func downloadURL() throws {
        let (fleet, maya) = try person()
        maya.save("a", ["file": ["value": maya.upload("hello")]])
        let good = url(maya.lookup("a"))
        var parts = good.split(separator: "/").map(String.init)
        try #require(parts.count > 5)
        parts[5] = String((Int64(parts[5]) ?? 0) + 1000)
        #expect(maya.fetch(parts.joined(separator: "/")).status == 404)
        #expect(maya.fetch(good).status == 200)
        fleet.wait(.minutes(16))
        #expect(maya.fetch(good).code == "NOT_FOUND")
        #expect(maya.fetch(url(maya.lookup("a"))).status == 200)
    }

    // 7.3
    @Test("Rereference: another record holds the same file; it is collected when the last reference goes (S252)")
    func rereference() throws {
        let (fleet, maya) = try person()
        maya.save("a", ["file": ["value": maya.upload("hello")]])
        let body: Value = [
            "zoneID": Device.zoneID("Z"),
            "assets": [["recordName": "a", "fieldName": "file"], ["recordName": "none", "fieldName": "file"]],
        ]
        let answer = maya.call("private/assets/rereference", body).json?["assets"]?.array ?? []
        #expect(answer.last?.code == "NOT_FOUND")
        #expect(maya.save("b", ["copy": ["value": answer.first ?? .null]]).code == nil)
        let link = url(maya.lookup("b"), "copy")
        maya.delete("a")
        fleet.wait(.seconds(20))
        #expect(maya.fetch(link).status == 200)
        maya.save("b", ["copy": ["value": .null]])
        #expect(maya.fetch(link).status == 200, "collection takes a while")
        fleet.wait(.seconds(10))
        #expect(maya.fetch(link).status == 404)
        #expect(fleet.observedAssets == 0)
    }

    // 7.3
    @Test("Unchanged asset: another save of its record needs no upload, with the asset sent back or left out (S253)")
    func unchanged() throws {
        let (fleet, maya) = try person()
        maya.save("a", ["file": ["value": maya.upload("hello")]])
        let held = maya.lookup("a").value("file") ?? .null
        #expect(maya.save("a", ["n": ["value": 1]]).code == nil)
        #expect(maya.save("a", ["n": ["value": 2], "file": ["value": held]]).code == nil)
        #expect(maya.lookup("a").value("file")?["fileChecksum"] == held["fileChecksum"])
        #expect(maya.fetch(url(maya.lookup("a"))).body == Array("hello".utf8))
        #expect(fleet.observedAssets == 1)
    }

    // 7.3
    @Test("Uploads that no record takes are collected; so are those of a deleted zone")
    func orphans() throws {
        let (fleet, maya) = try person()
        _ = maya.upload("never saved")
        maya.save("a", ["file": ["value": maya.upload("hello")]])
        #expect(fleet.observedAssets == 2)
        maya.call(
            "private/zones/modify",
            ["operations": [["operationType": "delete", "zone": ["zoneID": Device.zoneID("Z")]]]])
        fleet.wait(.minutes(16))
        #expect(fleet.observedAssets == 0)
    }

    // 9, 10
    @Test("Space: an asset counts on the person in private, on the app in public, and is given back (S104, S231)")
    func space() throws {
        let (fleet, maya) = try person(2000)
        fleet.command("cloud.quota", ["account": "maya", "bytes": 2000])
        let long = String(repeating: "x", count: 1500)
        #expect(maya.save("a", ["file": ["value": maya.upload(long)]]).code == nil)
        #expect(maya.upload(long) == .null)
        maya.delete("a")
        fleet.wait(.seconds(10))
        #expect(maya.save("a", ["file": ["value": maya.upload(long)]]).code == nil)
        let omar = Web(fleet: fleet, person: "omar")
        let open = maya.upload(long, scope: "public", zone: .none)
        #expect(maya.save("p", ["file": ["value": open]], zone: .none, scope: "public").code == nil)
        #expect(omar.save("q", ["t": ["value": .string(long)]], zone: .none, scope: "public").code == "QUOTA_EXCEEDED")
        let other = Web(fleet: fleet, person: "omar", container: "iCloud.com.example.other")
        #expect(other.save("q", ["t": ["value": .string(long)]], zone: .none, scope: "public").code == nil)
    }

    // 10
    @Test("Tokens: 1 to 200 a request, a field each")
    func limits() throws {
        let (_, maya) = try person()
        let one: Value = ["recordType": "Note", "fieldName": "file"]
        func status(_ tokens: [Value]) -> Int { maya.call("private/assets/upload", ["tokens": .array(tokens)]).status }
        #expect(status(Array(repeating: one, count: 200)) == 200)
        #expect(status(Array(repeating: one, count: 201)) == 400)
        #expect(status([]) == 400)
        #expect(status([["recordType": "Note"]]) == 400)
    }
}

extension Fleet {
    /// Assets in the table.
    var observedAssets: Int64 { (try? cloud.database.query("SELECT count(*) FROM asset").first?.int(0)) ?? -1 }
}
