import FleetModel
import Storage
import Testing

@testable import CloudCore

@Suite("Accounts", .timeLimit(.minutes(20)))
struct AccountTests {
    @Test("Sign-in: token and a stable identity (two devices)")
    func signIn() throws {
        let fleet = try Fleet()
        func signIn(_ name: String, _ device: String) -> HTTPResponse {
            fleet.send(
                HTTPRequest(post: "/accounts/v1/signin", json: ["account": .string(name), "device": .string(device)]),
                from: 1)
        }
        let (first, second) = (signIn("maya", "ipad-1"), signIn("maya", "ipad-2"))
        #expect(first.status == 200)
        #expect(first.text("token") != second.text("token"))
        #expect(first.text("identity") == second.text("identity"))
        #expect(signIn("omar", "ipad-1").text("identity") != first.text("identity"))
        #expect(signIn("nobody", "ipad-1").status == 401)
        #expect(signIn("", "ipad-1").status == 401)
        #expect(signIn("maya", "toaster").status == 400)
    }

    @Test("Closed sign-in: a name alone gives no token")
    func closedSignIn() throws {
        let fleet = try Fleet(["maya"], more: ["closedSignIn": true])
        let request = HTTPRequest(post: "/accounts/v1/signin", json: ["account": "maya", "device": "ipad-1"])
        #expect(fleet.send(request, from: 1).code == "AUTHENTICATION_FAILED")
    }

    @Test("Sign-out: the token is dead, a younger session stays")
    func signOut() throws {
        let fleet = try Fleet()
        let old = try fleet.device("maya", on: 1)
        #expect(old.makeZone().status == 200)
        let young = try fleet.device("maya", on: 1)
        #expect(old.post("/accounts/v1/signout", .empty).status == 200)
        #expect(old.makeZone().status == 401)
        #expect(old.makeZone().code == "AUTHENTICATION_FAILED")
        #expect(young.makeZone().status == 200)
    }

    @Test("Sign-in: a doubled request leaves one session; a dead token never comes back")
    func doubledSignIn() throws {
        let fleet = try Fleet()
        let request = HTTPRequest(
            post: "/accounts/v1/signin", headers: ["X-Homeroom-Request": "r1"],
            json: ["account": "maya", "device": "ipad-1"])
        let token = fleet.send(request, from: 1).text("token")
        #expect(fleet.send(request, from: 1).text("token") == token)
        fleet.command("cloud.revoke", ["account": "maya"])
        #expect(fleet.send(request, from: 1).text("token") != token)
    }

    @Test("Revoked token: refused on that device only")
    func revoked() throws {
        let fleet = try Fleet()
        let (one, two) = (try fleet.device("maya", on: 1), try fleet.device("maya", on: 2))
        #expect(fleet.command("cloud.revoke", ["account": "maya", "device": "ipad-1"])?["ok"]?.bool == true)
        #expect(one.makeZone().status == 401)
        #expect(two.makeZone().status == 200)
        #expect(fleet.command("cloud.revoke", ["account": "nobody"])?["refused"]?.string != nil)
    }

    @Test("Caller: one record name per person and container, the same on two devices (S277)")
    func usersCaller() throws {
        let fleet = try Fleet()
        let target = "\(Device.database)/public/users/caller"
        func name(_ person: Person, _ pad: Int) throws -> String {
            let users = try fleet.device(person, on: pad).request("GET", target).json?["users"]?.array
            return try #require(users?.first?["userRecordName"]?.string)
        }
        #expect(try name("maya", 1) == name("maya", 2))
        #expect(try name("maya", 1) != name("omar", 1))
        #expect(try name("maya", 1).utf8.count == 33)
    }

    @Test(
        "Hostile requests: an error object, never a trap",
        arguments: [
            ("POST", "", ""), ("POST", "kvs", ""), ("POST", "/", ""), ("GET", "/database/1", ""),
            ("POST", "/kvs/v1/a%zz/sync", "{}"),
            ("POST", "/kvs/v1/s/sync", "[1]"), ("POST", "/kvs/v1/s/sync", "{"),
            ("POST", "/kvs/v1/s/sync", #"{"since":-1,"writes":[]}"#),
            ("POST", "/kvs/v1/s/sync", #"{"since":0,"writes":[{"key":1}]}"#), ("POST", "/kvs//sync", "{}"),
            ("POST", "/database/1/notes/production/private/records/modify", "{}"),
            ("POST", "/database/1/iCloud.a/moon/private/records/modify", "{}"),
            ("POST", "/database/1/iCloud.a/production/shared/records/modify", "{}"),
            ("POST", "/database/1/iCloud.a/production/private/records/modify", #"{"operations":[{}]}"#),
            ("POST", "/database/1/iCloud.a/production/private/changes/zone", #"{"zones":[]}"#),
            ("PUT", "/documents/v1/iCloud.a/items/x?base=&path=../../etc&modified=1", "x"),
            ("PUT", "/documents/v1/iCloud.a/items/x?base=&path=a&modified=soon", "x"),
            ("POST", "/documents/v1/iCloud.a/items/x/move", #"{"base":"","path":"/"}"#),
            ("GET", "/upload/v1/homework/x", ""), ("DELETE", "/accounts/v1/signout", ""),
        ])
    func hostile(_ method: String, _ target: String, _ body: String) throws {
        let device = try Fleet().device("maya", on: 1)
        let response = device.request(method, target, body: Array(body.utf8))
        #expect((400..<500).contains(response.status))
        #expect(response.code != nil)
        #expect(response.text("reason").count > 10)
        #expect(response.text("uuid").count == 36)
    }

    @Test("Spec: malformed is refused with what is wrong")
    func spec() throws {
        for spec: Value in [
            .null, .empty, ["accounts": [1], "seed": 1], ["accounts": ["maya"]],
            ["accounts": [], "seed": 1, "quotaBytes": -1],
        ] {
            #expect(throws: CloudSpecError.self) { try Cloud(spec: spec, disk: Disk.memory()) }
        }
    }
}
