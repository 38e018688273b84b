import FleetModel
import Testing

@testable import CloudCore

@Suite("Disorder", .timeLimit(.minutes(20))) struct DisorderTests {
    @Test(
        "Suspended account: iCloud and every sign-in refuse it, the app's own server does not; given back, all is as before"
    )
    func suspended() throws {
        let fleet = try Fleet()
        let (maya, omar) = (try fleet.device("maya", on: 1), try fleet.device("omar", on: 2))
        let credential = maya.post("/upload/v1/homework/login", .empty).text("credential")
        func signIn() -> HTTPResponse {
            fleet.send(
                HTTPRequest(post: "/accounts/v1/signin", json: ["account": "maya", "device": "ipad-3"]), from: 3)
        }
        func upload(_ path: String) -> Int {
            maya.request(
                "PUT", "/upload/v1/homework/\(path)", headers: ["X-Credential": credential], body: [1, 2]
            ).status
        }
        #expect(fleet.command("cloud.suspend", ["account": "maya", "on": true])?["ok"] == true)
        #expect(maya.makeZone().status == 401 && maya.makeZone().code == "AUTHENTICATION_FAILED")
        #expect(maya.post("/kvs/v1/store/sync", ["since": 0, "writes": []]).status == 401)
        #expect(maya.post("/documents/v1/iCloud.a/changes", ["since": 0]).status == 401)
        #expect(signIn().status == 401 && upload("one") == 201 && omar.makeZone().status == 200)
        fleet.command("cloud.suspend", ["account": "maya", "on": false])
        #expect(maya.makeZone().status == 200 && signIn().status == 200)
        for body: Value in [.empty, ["account": "maya"], ["account": "nobody", "on": true], ["on": true]] {
            #expect(fleet.command("cloud.suspend", body)?["refused"] != nil)
        }
    }

    @Test("Suspended account: a service that starts again serves everybody")
    func restarted() throws {
        let fleet = try Fleet()
        let maya = try fleet.device("maya", on: 1)
        fleet.command("cloud.suspend", ["account": "maya", "on": true])
        try fleet.crash()
        #expect(maya.makeZone().status == 200)
    }

    @Test("Refused records: each by name, the others are saved; the same again has other luck; atomic batches pass")
    func partial() throws {
        let fleet = try Fleet()
        let maya = try fleet.device("maya", on: 1)
        maya.makeZone()
        let names = (1...40).map { "r\($0)" }
        func save(_ names: [String], atomic: Bool = false) -> [Value] {
            let operations = names.map { Device.operation("forceReplace", $0, text: "t") }
            let body: Value = [
                "zoneID": Device.zoneID("Notes"), "atomic": .bool(atomic), "operations": .array(operations),
            ]
            return maya.ck("records/modify", body).json?["records"]?.array ?? []
        }
        fleet.command("cloud.refuseRecords", ["share": 0.5])
        let first = save(names)
        #expect(fleet.notes.contains { $0.kind == .mark && $0.detail["name"] == "partial-failure" })
        let refused = first.filter { $0["serverErrorCode"] == "TRY_AGAIN_LATER" && $0["retryAfter"] == 2 }
        #expect(first.count == 40 && (8...32).contains(refused.count))
        #expect(first.allSatisfy { ($0["serverErrorCode"] != nil) != ($0["recordChangeTag"] != nil) })
        let again = refused.compactMap { $0["recordName"]?.string }
        let second = save(again).filter { $0["serverErrorCode"] != nil }
        #expect(second.count < again.count)
        #expect(save(names, atomic: true).allSatisfy { $0["serverErrorCode"] == nil })
        fleet.command("cloud.refuseRecords", ["share": 0])
        #expect(save(names).allSatisfy { $0["serverErrorCode"] == nil })
        #expect(fleet.command("cloud.refuseRecords", ["share": 2])?["refused"] != nil)
    }

    @Test("Refused records: who hangs on one of the same batch is refused too; nobody has a parent that is not there")
    func leaning() throws {
        let fleet = try Fleet()
        let maya = try fleet.device("maya", on: 1)
        maya.makeZone()
        fleet.command("cloud.refuseRecords", ["share": 0.5])
        var codes: [String] = []
        for number in 1...20 {
            var child = Device.operation("create", "child-\(number)", text: "t")
            child["record"]?["parent"] = ["recordName": .string("parent-\(number)")]
            let answer = maya.modify([Device.operation("create", "parent-\(number)", text: "t"), child], atomic: false)
            let words = (answer.json?["records"]?.array ?? []).map { $0["serverErrorCode"]?.string ?? "saved" }
            codes.append(words.joined(separator: " "))
        }
        #expect(codes.contains("TRY_AGAIN_LATER VALIDATING_REFERENCE_ERROR"))
        #expect(!codes.contains("TRY_AGAIN_LATER saved"))
        #expect(codes.contains("saved saved") && codes.contains("saved TRY_AGAIN_LATER"))
    }

    @Test(
        "Index behind: a query does not find what is new or changed, a look-up and the changes do; later the query does too"
    )
    func index() throws {
        let fleet = try Fleet()
        let maya = try fleet.device("maya", on: 1)
        maya.makeZone()
        func found() -> [String] {
            (maya.ck("records/query", ["zoneID": Device.zoneID("Notes"), "query": ["recordType": "Note"]]).json ?? .null)
                .names
        }
        maya.modify([Device.operation("create", "old", text: "t")])
        fleet.wait(.minutes(1))
        #expect(fleet.command("cloud.delayIndex", ["behind": 30_000_000_000])?["ok"] == true)
        maya.modify([Device.operation("create", "new", text: "t")])
        #expect(found() == ["old"])
        #expect(fleet.notes.contains { $0.kind == .mark && $0.detail["name"] == "stale-index" })
        let lookup =
            maya.ck(
                "records/lookup", ["zoneID": Device.zoneID("Notes"), "records": [["recordName": "new"]]]
            ).json ?? .null
        #expect(lookup.names == ["new"])
        maya.modify([Device.operation("forceUpdate", "old", text: "u")])
        #expect(found().isEmpty)
        fleet.wait(.seconds(31))
        #expect(found() == ["new", "old"])
        fleet.command("cloud.delayIndex", ["behind": 0])
        maya.modify([Device.operation("create", "newest", text: "t")])
        #expect(found() == ["new", "newest", "old"])
        #expect(fleet.command("cloud.delayIndex", ["behind": -1])?["refused"] != nil)
    }
}
