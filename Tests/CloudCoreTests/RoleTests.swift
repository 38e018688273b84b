import FleetModel
import Testing

@testable import CloudCore

@Suite("Roles", .timeLimit(.minutes(20))) struct RoleTests {
    private let fleet: Fleet
    private let maya: Web
    private let omar: Web
    private let nobody: Web

    init() throws {
        fleet = try Web.fleet()
        maya = Web(fleet: fleet, person: "maya")
        omar = Web(fleet: fleet, person: "omar")
        nobody = Web(fleet: fleet, person: nil)
    }
    private func save(_ web: Web, _ name: String, _ text: String, type: String = "Notice") -> String? {
        web.save(name, ["text": ["value": .string(text)]], type: type, zone: nil, scope: "public").code
    }
    private func text(_ web: Web, _ name: String) -> Value? {
        web.lookup(name, zone: nil, scope: "public").value("text")
    }
    private func grant(
        _ role: String, _ rights: [String], type: String = "Notice", in environment: String = "development"
    ) -> Message? {
        var body: Value = [
            "container": .string(maya.container), "environment": .string(environment), "recordType": .string(type),
            "role": .string(role),
        ]
        for right in rights { body[right] = true }
        return fleet.command("cloud.role", body)
    }
    private func makeMember(
        _ person: String, of role: String, _ isMember: Bool = true, in environment: String = "development"
    ) {
        fleet.command(
            "cloud.member",
            [
                "container": .string(maya.container), "environment": .string(environment), "account": .string(person),
                "role": .string(role), "isMember": .bool(isMember),
            ])
    }

    @Test(
        "Usual roles: everybody reads, every person makes, the maker alone changes and deletes; private has none (S233)"
    )
    func usual() {
        #expect(save(maya, "a", "one") == nil)
        #expect(text(nobody, "a") == "one" && text(omar, "a") == "one")
        #expect(save(omar, "a", "two") == "ACCESS_DENIED")
        #expect(omar.delete("a", zone: nil, scope: "public").code == "ACCESS_DENIED")
        #expect(save(omar, "b", "his") == nil && save(maya, "a", "two") == nil)
        #expect(save(nobody, "c", "x") == "AUTHENTICATION_REQUIRED")
        _ = grant("_creator", [])
        #expect(save(maya, "a", "three") == "ACCESS_DENIED")
        #expect(maya.save("p", kind: "create", type: "Notice", zone: nil).code == nil)
        #expect(maya.delete("p", zone: nil).code == nil, "a private record has an owner and no role")
    }

    @Test(
        "A role of the app's own, by type: its members may write what others made, until they are members no more (S233)"
    )
    func editors() {
        #expect(save(maya, "a", "one") == nil && save(maya, "r", "one", type: "Rule") == nil)
        #expect(grant("Editor", ["write"])?["ok"] == true)
        #expect(save(omar, "a", "two") == "ACCESS_DENIED")
        makeMember("omar", of: "Editor")
        #expect(save(omar, "a", "two") == nil && text(maya, "a") == "two")
        #expect(save(omar, "r", "two", type: "Rule") == "ACCESS_DENIED", "of another type he is nothing")
        makeMember("omar", of: "Editor", false)
        #expect(save(omar, "a", "three") == "ACCESS_DENIED")
        // Who may make them.
        #expect(grant("_icloud", [])?["ok"] == true && grant("Editor", ["create"])?["ok"] == true)
        #expect(save(maya, "b", "x") == "ACCESS_DENIED" && save(maya, "a", "mine") == nil)
        makeMember("omar", of: "Editor")
        #expect(save(omar, "b", "x") == nil)
    }

    @Test("A type that is not read by all: not looked up, queried, taken or pushed by who may not (S233)")
    func reading() throws {
        #expect(save(maya, "a", "one") == nil)
        #expect(grant("_world", [])?["ok"] == true && grant("Judge", ["read"])?["ok"] == true)
        let zoe = Web(fleet: fleet, person: "zoe")
        for person in [omar, zoe] { person.makeZone() }
        let judge = try fleet.device("omar", on: 1)
        let other = try fleet.device("zoe", on: 2)
        for device in [judge, other] {
            let wish: Value = [
                "subscriptionID": "s", "subscriptionType": "query", "firesOn": ["create"],
                "query": ["recordType": "Notice"], "zoneWide": true,
            ]
            let target = "/database/1/\(maya.container)/development/public/subscriptions/modify"
            device.post(target, ["operations": [["operationType": "create", "subscription": wish]]])
        }
        makeMember("omar", of: "Judge")
        #expect(text(omar, "a") == "one" && text(maya, "a") == "one", "a member and the maker")
        #expect(text(zoe, "a") == nil && text(nobody, "a") == nil)
        #expect(omar.query(type: "Notice", zone: nil, scope: "public") == "a")
        #expect(zoe.query(type: "Notice", zone: nil, scope: "public") == "")
        #expect(save(zoe, "a", "hers") == "ACCESS_DENIED" && text(omar, "a") == "one")
        #expect(save(maya, "b", "two") == nil)
        #expect(fleet.pushes.map(\.pad) == [1])
    }

    @Test("Roles go to production by deployment, their members do not; refusals name the role or type (S233)")
    func administration() throws {
        #expect(save(maya, "a", "one") == nil)
        var (live, guest) = (maya, omar)
        (live.environment, guest.environment) = ("production", "production")
        #expect(grant("Editor", ["write"])?["ok"] == true)
        makeMember("omar", of: "Editor")
        fleet.command("cloud.deploy", ["container": .string(maya.container)])
        #expect(save(live, "a", "one") == nil && save(guest, "a", "two") == "ACCESS_DENIED")
        makeMember("omar", of: "Editor", in: "production")
        #expect(save(guest, "a", "two") == nil)
        #expect(grant("Editor", [], in: "production")?["refused"]?.string?.contains("deploy") == true)
        #expect(grant("Editor", [], type: "None")?["refused"]?.string?.contains("'None'") == true)
        for (role, rights) in [
            ("_world", ["write"]), ("_creator", ["create"]), ("no role", []), ("", []), ("_other", []),
        ] {
            #expect(grant(role, rights)?["refused"]?.string?.contains("'\(role)'") == true)
        }
        fleet.command("cloud.resetContainer", ["container": .string(maya.container)])
        #expect(save(live, "a", "one") == "BAD_REQUEST", "the schema is gone")
        #expect(save(maya, "a", "one") == nil && save(omar, "a", "two") == "ACCESS_DENIED")
    }
}
