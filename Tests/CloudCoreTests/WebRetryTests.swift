import FleetModel
import Testing

@testable import CloudCore

@Suite("Retries of web clients", .timeLimit(.minutes(20)))
struct WebRetryTests {
    @Test("A nameless create that comes again with another token and client id is recognised; another wish is not")
    func nameless() throws {
        let fleet = try Web.fleet()
        let maya = Web(fleet: fleet, person: "maya")
        maya.makeZone()
        let body: Value = [
            "operations": [["operationType": "create", "record": ["recordType": "Note", "fields": .empty]]],
            "zoneID": Device.zoneID("Z"),
        ]
        func send(id: String, client: String, extra: String = "") throws -> HTTPResponse {
            let wish: Value = ["account": "maya", "container": .string(maya.container), "environment": "development"]
            let token = try #require(fleet.command("cloud.webToken", wish)?["token"]?.string)
            let target =
                "/database/1/\(maya.container)/development/private/records/modify"
                + "?ckAPIToken=dev&clientId=\(client)&ckWebAuthToken=\(token)\(extra)"
            return fleet.send(
                HTTPRequest("POST", target, headers: ["X-Homeroom-Request": id], body: body.jsonBytes), from: 99)
        }
        let first = try send(id: "r1", client: "tab-1")
        #expect(first.status == 200)
        #expect(try send(id: "r1", client: "tab-1").body == first.body)
        #expect(try send(id: "r1", client: "tab-2").body == first.body)
        #expect(try send(id: "r2", client: "tab-1").body != first.body)
        #expect(try send(id: "r1", client: "tab-1", extra: "&more=1").body != first.body)
        #expect(maya.call("private/records/changes", ["zoneID": Device.zoneID("Z")]).records.count == 3)
    }
}
