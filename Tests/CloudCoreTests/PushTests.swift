import FleetModel
import Storage
import Testing

@testable import CloudCore

@Suite("Push", .timeLimit(.minutes(20)))
struct PushTests {
    private func fleet() throws -> (Fleet, one: Device, two: Device, other: Device) {
        let fleet = try Fleet()
        let devices = (
            try fleet.device("maya", on: 1), try fleet.device("maya", on: 2), try fleet.device("omar", on: 3)
        )
        devices.0.makeZone()
        return (fleet, devices.0, devices.1, devices.2)
    }

    @Test("Zone subscription: all devices of the account but the originating one (S272)")
    func zone() throws {
        let (fleet, one, _, omar) = try fleet()
        one.makeZone("Other")
        one.subscribe(["subscriptionID": "s", "subscriptionType": "zone", "zoneID": Device.zoneID("Notes")])
        one.save("create", "a", "x")
        #expect(fleet.pushes.map(\.pad) == [2])
        let push = try #require(fleet.pushes.first?.message)
        #expect(push["account"]?.string == "maya")
        #expect(push["service"]?.string == "record")
        #expect(push["topic"]?.string == "iCloud.com.example.notebook")
        #expect(push["ck"]?["ck"]?["fet"]?["zid"]?.string == "Notes")
        #expect(push["ck"]?["ck"]?["fet"]?["sid"]?.string == "s")
        #expect(push["ck"]?["aps"]?["content-available"]?.int == 1)
        one.save("create", "a", "x", zone: "Other")
        #expect(fleet.pushes.isEmpty)
        omar.makeZone()
        omar.save("create", "a", "x")
        #expect(fleet.pushes.isEmpty)
    }

    @Test(
        "A large set that seldom changes: a push and the changes cost a fraction of polling by query, and tell at once (S269)"
    )
    func pollingCosts() throws {
        let (fleet, writer, listener, _) = try fleet()
        let poller = try fleet.device("maya", on: 4)
        let names = (0..<100).map { "n\($0)" }
        writer.modify(names.map { Device.operation("create", $0, text: String(repeating: "x", count: 200)) })
        listener.subscribe(["subscriptionID": "s", "subscriptionType": "zone", "zoneID": Device.zoneID("Notes")])
        struct Cost {
            var requests = 0
            var bytes = 0
            /// From an edit to the answer that shows it, in all.
            var delay = Span.zero
        }
        var (polled, pushed) = (Cost(), Cost())
        var token = try #require(listener.changes().syncToken)
        var edited: (at: Instant, text: String)?
        for minute in 1...60 {
            fleet.wait(.seconds(30))
            if minute % 20 == 0 {
                edited = (fleet.now, "edit \(minute)")
                writer.save("forceUpdate", "n7", "edit \(minute)")
                if fleet.pushes.contains(where: { $0.pad == 2 }) {
                    let page = listener.changes(since: token)
                    token = page.syncToken ?? token
                    pushed.requests += 1
                    pushed.bytes += page.jsonBytes.count
                    pushed.delay = pushed.delay + (fleet.now - (edited?.at ?? fleet.now))
                    #expect(page["records"]?.array?.map(\.field) == ["edit \(minute)"])
                }
            }
            fleet.wait(.seconds(30))
            let answer = poller.ck(
                "records/query", ["query": ["recordType": "Note"], "zoneID": Device.zoneID("Notes")])
            polled.requests += 1
            polled.bytes += answer.body.count
            if let text = edited?.text, answer.records.contains(where: { $0.field == text }) {
                polled.delay = polled.delay + (fleet.now - (edited?.at ?? fleet.now))
                edited = nil
            }
        }
        #expect(pushed.requests == 3 && polled.requests == 60)
        #expect(pushed.bytes * 500 < polled.bytes, "\(pushed.bytes) and \(polled.bytes) bytes")
        #expect(pushed.delay < .seconds(1) && polled.delay >= .seconds(90))
    }

    @Test("Query subscription: matching records of a request coalesce; firesOnce is removed (S270)")
    func query() throws {
        let (fleet, one, _, _) = try fleet()
        one.subscribe([
            "subscriptionID": "q", "subscriptionType": "query", "firesOn": ["create", "delete"], "firesOnce": true,
            "query": [
                "recordType": "Note",
                "filterBy": [["comparator": "EQUALS", "fieldName": "text", "fieldValue": ["value": "red"]]],
            ],
        ])
        one.save("create", "a", "blue")
        #expect(fleet.pushes.isEmpty)
        one.modify(["b", "c"].map { Device.operation("create", $0, text: "red") })
        #expect(fleet.pushes.count == 1)
        let ck = fleet.pushes.first?.message["ck"]?["ck"]
        #expect(ck?["qry"]?["rid"]?.string == "b")
        #expect(ck?["qry"]?["fo"]?.int == 1)
        #expect(ck?["p"]?.int == 1)
        one.modify([Device.operation("forceDelete", "b")])
        #expect(fleet.pushes.isEmpty)
    }

    @Test(
        "Query subscription: fires on what it names and on nothing else (S273)",
        arguments: ["create", "update", "delete"])
    func firesOn(event: String) throws {
        let (fleet, one, _, _) = try fleet()
        one.subscribe([
            "subscriptionID": "q", "subscriptionType": "query", "firesOn": [.string(event)],
            "query": ["recordType": "Note"],
        ])
        var fired: [String] = []
        one.save("create", "a", "x")
        if !fleet.pushes.isEmpty { fired.append("create") }
        one.save("forceUpdate", "a", "y")
        if !fleet.pushes.isEmpty { fired.append("update") }
        one.modify([Device.operation("forceDelete", "a")])
        if !fleet.pushes.isEmpty { fired.append("delete") }
        #expect(fired == [event])
    }

    @Test("Database subscription: any custom zone, made zones too, not the default zone")
    func database() throws {
        let (fleet, one, _, _) = try fleet()
        one.subscribe(["subscriptionID": "d", "subscriptionType": "database"])
        one.modify([Device.operation("create", "a", text: "x")], zone: "_defaultZone")
        #expect(fleet.pushes.isEmpty)
        one.save("create", "a", "x")
        #expect(fleet.pushes.first?.message["ck"]?["ck"]?["met"]?["sid"]?.string == "d")
        one.makeZone("New")
        #expect(fleet.pushes.count == 1)
    }

    @Test("Public query subscription: another person's change is pushed to the subscriber (S271)")
    func publicQuery() throws {
        let (fleet, one, _, omar) = try fleet()
        one.subscribe(
            [
                "subscriptionID": "q", "subscriptionType": "query", "firesOn": ["create"],
                "query": ["recordType": "Note"],
            ], scope: "public")
        omar.modify([Device.operation("create", "p", text: "x")], zone: "_defaultZone", scope: "public")
        #expect(fleet.pushes.map(\.pad) == [1, 2])
    }

    @Test("Subscriptions: create may be repeated, other content is EXISTS, update and delete, refusals")
    func modify() throws {
        let (fleet, one, _, _) = try fleet()
        let database: Value = ["subscriptionID": "s", "subscriptionType": "database"]
        #expect(one.subscribe(database).code == nil)
        #expect(one.subscribe(database).code == nil)
        let zone: Value = ["subscriptionID": "s", "subscriptionType": "zone", "zoneID": Device.zoneID("Notes")]
        #expect(one.subscribe(zone).code == "EXISTS")
        func run(_ kind: String, _ subscription: Value) -> Value {
            one.ck(
                "subscriptions/modify",
                ["operations": [["operationType": .string(kind), "subscription": subscription]]]
            )
            .json?["subscriptions"]?.array?.first ?? .null
        }
        #expect(run("update", zone).code == nil)
        #expect(run("delete", zone)["deleted"]?.bool == true)
        #expect(run("update", zone).code == "NOT_FOUND")
        #expect(
            run("create", ["subscriptionID": "z", "subscriptionType": "zone", "zoneID": Device.zoneID("None")]).code
                == "ZONE_NOT_FOUND")
        #expect(run("create", ["subscriptionID": "z", "subscriptionType": "moon"]).code == "BAD_REQUEST")
        #expect(one.subscribe(database, scope: "public").code == "BAD_REQUEST")
        one.save("create", "a", "x")
        #expect(fleet.pushes.isEmpty)
    }

    @Test("Hints: key-value, documents and keychain tell the account's other devices; sign-out ends it")
    func hints() throws {
        let (fleet, one, two, _) = try fleet()
        func seen() -> [String] {
            fleet.pushes.map { "\($0.pad) \($0.message["service"]?.string ?? "") \($0.message["topic"]?.string ?? "")" }
        }
        one.sync([Device.write("k", 1, stamp: 1, device: "ipad-1")])
        #expect(seen() == ["2 kvs com.example.quiz"])
        one.sync([Device.write("k", 1, stamp: 1, device: "ipad-1")])
        #expect(seen() == [])
        one.sync([Device.write("k", 1, stamp: 1, device: "ipad-1")], at: "/keychain/v1/sync")
        #expect(seen() == ["2 keychain "])
        one.put("d", modified: 1, "x")
        #expect(seen() == ["2 document iCloud.com.example.scrapbook"])
        two.post("/accounts/v1/signout", .empty)
        one.put("e", modified: 1, "x")
        #expect(seen() == [])
    }
}
