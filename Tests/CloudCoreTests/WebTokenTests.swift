import FleetModel
import Testing

@testable import CloudCore

@Suite("Web-auth tokens", .timeLimit(.minutes(20)))
struct WebTokenTests {
    private let fleet: Fleet
    private static let place: Value = ["container": "iCloud.com.example.web", "environment": "production"]

    init() throws { fleet = try Fleet(["maya"], more: ["closedSignIn": true, "secret": "s"]) }

    private func token(stays: Bool = false) -> String {
        var wish = Self.place
        wish["account"] = "maya"
        wish["stays"] = .bool(stays)
        return fleet.command("cloud.webToken", wish)?["token"]?.string ?? ""
    }
    private func send(_ token: String, _ path: String = "private/zones/list", id: String? = nil, _ body: Value = .empty)
        -> HTTPResponse
    {
        let api = fleet.command("cloud.apiToken", Self.place)?["token"]?.string ?? ""
        let target =
            "/database/1/iCloud.com.example.web/production/\(path)?ckAPIToken=\(api)&ckWebAuthToken=\(Target.encoded(token))"
        var headers: HTTPHeaders = [:]
        headers["X-Homeroom-Request"] = id
        return fleet.send(HTTPRequest("POST", target, headers: headers, body: body.jsonBytes), from: 9)
    }
    private func next(_ response: HTTPResponse) -> String { response.headers[WebTokens.field] ?? "" }

    // 2
    @Test("A lost answer: the same token comes again and gets the same replacement, until that has been used")
    func lostAnswer() throws {
        let first = token()
        let answer = send(first)
        #expect(answer.status == 200)
        try fleet.crash()
        let again = send(first)
        #expect(again.status == 200)
        #expect(next(again) == next(answer))
        let second = send(next(answer), "private/records/lookup")
        #expect(second.code == "BAD_REQUEST")
        #expect(send(first).status == 401, "its answer has been received")
        #expect(send(next(answer)).status == 200, "that of a refusal may be lost too")
        #expect(send(next(second)).status == 200)
        #expect(send(next(answer)).status == 401)
        #expect(try fleet.cloud.database.query("SELECT hash FROM webtoken").count == 2)
    }

    // 2
    @Test("A save whose answer was lost, sent again with its token, is done once")
    func lostSave() throws {
        let zones: Value = ["operations": [["operationType": "create", "zone": ["zoneID": Device.zoneID("Z")]]]]
        let made = send(token(), "private/zones/modify", zones)
        let body: Value = [
            "zoneID": Device.zoneID("Z"),
            "operations": [["operationType": "create", "record": ["recordType": "Note"]]],
        ]
        let first = send(next(made), "private/records/modify", id: "r", body)
        let second = send(next(made), "private/records/modify", id: "r", body)
        #expect(first.status == 200)
        #expect(first.body == second.body)
    }

    // 2
    @Test("Lifetimes: a token that comes again does not live longer, its replacement as long as a new one")
    func lifetimes() throws {
        let first = token()
        fleet.wait(.minutes(20))
        let second = next(send(first))
        fleet.wait(.minutes(15))
        #expect(send(first).status == 401)
        #expect(send(second).status == 200)
        let long = token(stays: true)
        fleet.wait(.hours(24 * 13))
        let longer = next(send(long))
        fleet.wait(.hours(24 * 13))
        #expect(send(longer).status == 200)
    }

    @Test("After an import tokens of before are worthless, spent ones too, and none is given out again")
    func restored() throws {
        var kept: [[UInt8]] = []
        let first = token()
        try fleet.cloud.export { kept.append($0) }
        let second = next(send(first))
        _ = send(second)
        fleet.command("cloud.account", ["account": "later"])
        func session() throws -> String { try fleet.deviceToken("later", "cloud.password") }
        let old = try session()
        try fleet.cloud.restore(kept)
        #expect(send(first).status == 401)
        #expect(send(second).status == 401)
        fleet.command("cloud.account", ["account": "later"])
        #expect(try session() != old, "the account is another one of the same name")
    }

    // 2
    @Test("Of a device: for an environment that there is")
    func environment() throws {
        let fleet = try Fleet(["maya"])
        let maya = try fleet.device("maya", on: 1)
        func code(_ environment: String) -> String? {
            maya.post(
                "/accounts/v1/webtoken", ["container": "iCloud.com.example.web", "environment": .string(environment)]
            ).code
        }
        #expect(code("production") == nil)
        #expect(code("moon") == "BAD_REQUEST")
    }
}

extension Fleet {
    /// Signs in with a new password.
    fileprivate func deviceToken(_ account: Person, _ command: String) throws -> String {
        let password = self.command(command, ["account": .string(account)])?["password"]?.string ?? ""
        let body: Value = ["account": .string(account), "device": "ipad-1", "password": .string(password)]
        return send(HTTPRequest(post: "/accounts/v1/signin", json: body), from: 1).text("token")
    }
}
