import FleetModel
import Storage
import Testing

@testable import CloudCore

@Suite("Modify records", .timeLimit(.minutes(20)))
struct ModifyRecordsTests {
    @Test("Create: tag, dates, writer; another save changes the tag (S234)")
    func create() throws {
        let fleet = try Fleet()
        let maya = try fleet.device("maya", on: 1)
        maya.makeZone()
        let first = maya.save("create", "note-1", payload("maya.1"))
        #expect(fleet.committed == ["maya.1"])
        #expect(fleet.notes.first?.detail["where"]?.string == "Notes/note-1")
        #expect(first["created"]?["deviceID"]?.string == "ipad-1")
        #expect(first["modified"]?["timestamp"]?.int ?? 0 > 1_788_249_600_000)
        #expect(first["fields"]?["text"]?["type"]?.string == "STRING")
        let second = maya.save("update", "note-1", payload("maya.2"), tag: first.tag)
        #expect(second.tag != first.tag && !second.tag.isEmpty)
        #expect(fleet.replaced == ["maya.1"])
        #expect(fleet.notes.last?.detail["by"]?.strings == ["maya.2"])
        #expect(second["created"] == first["created"])
        #expect(maya.lookup(["note-1"]) == [second])
    }

    /// The table of cloudkit-web-services.md 5.2: what each operation comes to.
    @Test(
        "Operation table: present with equal tag, with stale tag, absent (S115)",
        arguments: [
            ("create", "EXISTS", "EXISTS", "ok"), ("update", "ok", "CONFLICT", "NOT_FOUND"),
            ("forceUpdate", "ok", "ok", "ok"),
            ("replace", "ok", "CONFLICT", "NOT_FOUND"), ("forceReplace", "ok", "ok", "ok"),
            ("delete", "ok", "CONFLICT", "NOT_FOUND"),
            ("forceDelete", "ok", "ok", "ok"),
        ])
    func table(_ kind: String, _ equal: String, _ stale: String, _ absent: String) throws {
        for (name, tag, expected) in [("here", nil, equal), ("here", "stale", stale), ("nowhere", "stale", absent)] {
            let maya = try Fleet().device("maya", on: 1)
            maya.makeZone()
            let present = maya.save("create", "here", "x")
            let answer = maya.modify([Device.operation(kind, name, text: "y", tag: tag ?? present.tag)], atomic: false)
            #expect(answer.status == 200)
            #expect(answer.records.first?.code ?? "ok" == expected)
            let held = maya.lookup(["here"]).first?.field
            #expect(
                held == (expected == "ok" && name == "here" ? (kind.lowercased().contains("delete") ? nil : "y") : "x"))
        }
    }

    @Test("Fields: update merges, replace drops the others, null clears")
    func fields() throws {
        let maya = try Fleet().device("maya", on: 1)
        maya.makeZone()
        func save(_ kind: String, _ fields: Value) -> [String] {
            let record: Value = ["recordName": "n", "recordType": "Note", "fields": fields]
            let answer = maya.modify([["operationType": .string(kind), "record": record]])
            return answer.records.first?["fields"]?.object?.keys ?? []
        }
        #expect(save("forceUpdate", ["a": ["value": 1], "b": ["value": "x"]]) == ["a", "b"])
        #expect(save("forceUpdate", ["c": ["value": 2.5]]) == ["a", "b", "c"])
        #expect(save("forceUpdate", ["a": ["value": .null]]) == ["b", "c"])
        #expect(save("forceReplace", ["d": ["value": ["x", "y"]]]) == ["d"])
    }

    @Test("Atomic batch: one refusal fails all, the culprit carries its own code (S241)")
    func atomic() throws {
        let fleet = try Fleet()
        let maya = try fleet.device("maya", on: 1)
        maya.makeZone()
        maya.save("create", "b", "old")
        let before = maya.changes().syncToken
        let batch = ["a", "b", "c"].map { Device.operation("create", $0, text: payload("maya.1")) }
        let answer = maya.modify(batch)
        #expect(answer.status == 400)
        #expect(answer.code == "ATOMIC_ERROR")
        #expect(answer.records.map(\.code) == ["ATOMIC_ERROR", "EXISTS", "ATOMIC_ERROR"])
        #expect(answer.records.map { $0["recordName"]?.string } == ["a", "b", "c"])
        #expect(fleet.notes.isEmpty)
        #expect(maya.changes(since: before).names == [])
        let loose = maya.modify(batch, atomic: false)
        #expect(loose.status == 200)
        #expect(loose.records.map(\.code) == [nil, "EXISTS", nil])
        #expect(maya.changes(since: before).names == ["a", "c"])
    }

    @Test("Conflict: two devices from one tag, the second is refused and the record stays (S237)")
    func conflict() throws {
        let fleet = try Fleet()
        let (one, two) = (try fleet.device("maya", on: 1), try fleet.device("maya", on: 2))
        one.makeZone()
        let tag = one.save("create", "n", "0").tag
        #expect(one.save("update", "n", payload("maya.1"), tag: tag).code == nil)
        #expect(two.save("update", "n", payload("maya.2"), tag: tag).code == "CONFLICT")
        #expect(fleet.notes.isEmpty)
        #expect(two.lookup(["n"]).first?.field == payload("maya.1"))
    }

    @Test("Lost response: a repeated create meets the first one and makes no second record (S244)")
    func retry() throws {
        let fleet = try Fleet()
        let maya = try fleet.device("maya", on: 1)
        maya.makeZone()
        let create = Device.operation("create", "n", text: payload("maya.1"))
        let tag = maya.modify([create]).records.first?.tag
        #expect(maya.modify([create], atomic: false).records.first?.code == "EXISTS")
        #expect(maya.changes().names == ["n"])
        #expect(maya.lookup(["n"]).first?.tag == tag)
    }

    @Test("Doubled request without a tag: recognised by its id (forced save, nameless create)")
    func doubled() throws {
        let fleet = try Fleet()
        let maya = try fleet.device("maya", on: 1)
        maya.makeZone()
        let forced = [Device.operation("forceUpdate", "n", text: "old")]
        let first = maya.modify(forced, id: "r1")
        maya.save("forceUpdate", "n", "new")
        #expect(maya.modify(forced, id: "r1").body == first.body)
        #expect(maya.lookup(["n"]).first?.field == "new")
        #expect(maya.modify(forced, id: "r2").status == 200)
        #expect(maya.lookup(["n"]).first?.field == "old")

        let nameless: [Value] = [["operationType": "create", "record": ["recordType": "Note", "fields": .empty]]]
        let made = maya.modify(nameless, id: "r3")
        #expect(maya.modify(nameless, id: "r3").body == made.body)
        #expect(maya.changes().names.count == 2)
    }

    @Test("Operations of one request: 400 of an iPad, as the framework has it, 200 of a web client")
    func most() throws {
        let maya = try Fleet().device("maya", on: 1)
        maya.makeZone()
        let answer = maya.modify((0..<400).map { Device.operation("create", "n\($0)", text: "x") })
        #expect(answer.status == 200 && answer.records.count == 400)
        let web = Web(fleet: try Web.fleet(), person: "maya")
        web.makeZone()
        #expect(web.modify((0..<200).map { Web.operation("create", "n\($0)") }).status == 200)
        #expect(web.modify((0...200).map { Web.operation("create", "m\($0)") }).code == "BAD_REQUEST")
    }

    @Test("Refusals: zone absent, record named twice, too many operations, unknown field type, deleted type change")
    func refusals() throws {
        let maya = try Fleet().device("maya", on: 1)
        let one = Device.operation("create", "n", text: "x")
        #expect(maya.modify([one]).code == "ZONE_NOT_FOUND")
        maya.makeZone()
        #expect(maya.modify([one, one]).code == "BAD_REQUEST")
        #expect(maya.modify((0...400).map { Device.operation("create", "n\($0)", text: "x") }).code == "BAD_REQUEST")
        #expect(maya.modify([Device.operation("update", "n", text: "x")]).records.first?.code == "BAD_REQUEST")
        #expect(maya.modify([Device.operation("explode", "n", text: "x")]).code == "BAD_REQUEST")
        #expect(maya.modify([Device.operation("create", "ü", text: "x")]).code == "BAD_REQUEST")
        maya.modify([one])
        #expect(
            maya.modify([Device.operation("forceUpdate", "n", text: "y", type: "Other")]).records.first?.code
                == "BAD_REQUEST")
        #expect(maya.changes().names == ["n"])
    }

    @Test(
        "Field values: a wrong kind is refused (type and value)",
        arguments: [
            ("STRING", "1"), ("INT64", #""x""#), ("DOUBLE", #""x""#), ("BYTES", #""not base64!""#),
            ("TIMESTAMP", #""x""#),
            ("LOCATION", "{}"), ("REFERENCE", "{}"), ("ASSETID", "{}"), ("COLOUR", "1"), ("STRING_LIST", #""x""#),
            ("INT64_LIST", #"["x"]"#), ("REFERENCE", #"{"recordName":"n","action":"EXPLODE"}"#),
            ("REFERENCE", #"{"recordName":"n","zoneID":{"zoneName":"Other"}}"#),
            ("LOCATION", #"{"latitude":91,"longitude":0}"#),
            ("TIMESTAMP", "1.5"), ("EMPTY_LIST", "[1]"),
        ])
    func fieldTypes(_ type: String, _ json: String) throws {
        let value = try Value(json: json)
        let maya = try Fleet().device("maya", on: 1)
        maya.makeZone()
        let record: Value = [
            "recordName": "n", "recordType": "Note", "fields": ["f": ["type": .string(type), "value": value]],
        ]
        let answer = maya.modify([["operationType": "create", "record": record]])
        #expect(answer.records.map(\.code) == ["BAD_REQUEST"])
    }

    @Test("Bytes: a payload inside base64 is found")
    func bytes() throws {
        let fleet = try Fleet()
        let maya = try fleet.device("maya", on: 1)
        maya.makeZone()
        let base64 = Base64.encode(Array(payload("maya.1").utf8))
        let record: Value = [
            "recordName": "n", "recordType": "Note", "fields": ["f": ["type": "BYTES", "value": .string(base64)]],
        ]
        maya.modify([["operationType": "create", "record": record]])
        #expect(fleet.committed == ["maya.1"])
        #expect(fleet.observed("maya") == ["record Notes/n": ["maya.1"]])
    }

    @Test("Delete: gone, replaced by nothing, may be repeated")
    func delete() throws {
        let fleet = try Fleet()
        let maya = try fleet.device("maya", on: 1)
        maya.makeZone()
        maya.save("create", "n", payload("maya.1"))
        #expect(maya.modify([Device.operation("forceDelete", "n")]).records == [["recordName": "n", "deleted": true]])
        #expect(fleet.replaced == ["maya.1"])
        #expect(fleet.notes.last?.detail["by"]?.strings == [])
        #expect(maya.modify([Device.operation("forceDelete", "n")]).status == 200)
        #expect(fleet.notes.isEmpty)
        #expect(maya.lookup(["n"]).first?.code == "NOT_FOUND")
        #expect(maya.save("create", "n", "again").code == nil)
    }

    @Test("Quota: what outgrows the account is refused, what shrinks it is taken, freed space helps (S55, S102)")
    func quota() throws {
        let fleet = try Fleet()
        let maya = try fleet.device("maya", on: 1)
        maya.makeZone()
        let long = String(repeating: "x", count: 2000)
        maya.save("create", "a", long)
        #expect(fleet.command("cloud.quota", ["account": "maya", "bytes": 3000])?["ok"]?.bool == true)
        let refused = maya.modify([Device.operation("create", "b", text: long)])
        #expect(refused.records.first?.code == "QUOTA_EXCEEDED")
        #expect(maya.put("d", modified: 1, long).code == "QUOTA_EXCEEDED")
        #expect(maya.put("d", modified: 1, long).status == 413)
        #expect(maya.save("forceUpdate", "a", "short").code == nil)
        #expect(maya.save("create", "b", long).code == nil)
        fleet.command("cloud.quota", ["account": "maya", "bytes": .null])
        #expect(maya.put("d", modified: 1, long).status == 200)
        #expect(fleet.command("cloud.quota", ["account": "maya", "bytes": -1])?["refused"] != nil)
        let omar = try fleet.device("omar", on: 2)
        fleet.command("cloud.quota", ["bytes": 0])
        for device in [maya, omar] { #expect(device.put("e", modified: 1, long).code == "QUOTA_EXCEEDED") }
        fleet.command("cloud.quota", ["bytes": .null])
        for device in [maya, omar] { #expect(device.put("e", modified: 1, long).status == 200) }
    }

    @Test("Public database: everybody reads, only the maker changes, no custom zone (S95, S224, S240)")
    func publicDatabase() throws {
        let fleet = try Fleet()
        let (maya, omar) = (try fleet.device("maya", on: 1), try fleet.device("omar", on: 2))
        let zone = "_defaultZone"
        maya.modify([Device.operation("create", "p", text: payload("maya.1"))], zone: zone, scope: "public")
        #expect(omar.lookup(["p"], zone: zone, scope: "public").first?.field == payload("maya.1"))
        let theft = omar.modify([Device.operation("forceUpdate", "p", text: "mine")], zone: zone, scope: "public")
        #expect(theft.records.first?.code == "ACCESS_DENIED")
        let again = omar.modify([Device.operation("create", "p", text: "mine")], zone: zone, scope: "public")
        #expect(again.records.first?.code == "EXISTS", "table of 5.2")
        #expect(omar.lookup(["p"], zone: zone).first?.code == "NOT_FOUND")
        let operations: Value = ["operations": [["operationType": "create", "zone": ["zoneID": Device.zoneID("Z")]]]]
        #expect(maya.ck("zones/modify", operations, scope: "public").code == "BAD_REQUEST")
        #expect(maya.ck("changes/database", .empty, scope: "public").code == "BAD_REQUEST")
        #expect(fleet.observed("maya") == ["record public _defaultZone/p": ["maya.1"]])
    }
}
