import FleetModel
import Testing

@testable import CloudCore

@Suite("Teams", .timeLimit(.minutes(20))) struct TeamTests {
    private func register(_ fleet: Fleet, _ container: String, _ team: String) -> String? {
        fleet.command("cloud.register", ["container": .string(container), "team": .string(team)])?["refused"]?.string
    }

    @Test("Container identifiers: a reverse domain name, registered once by one team (S228)")
    func identifiers() throws {
        let fleet = try Web.fleet()
        let name = "iCloud.com.example.web"
        #expect(register(fleet, name, "T1") == nil)
        #expect(fleet.command("cloud.containers")?["containers"]?.strings == [name])
        for team in ["T2", "T1"] { #expect(register(fleet, name, team)?.contains("registered already") == true) }
        #expect(register(fleet, "iCloud.com.example.web2", "T2") == nil)
        let wrong = [
            "iCloud.notebook", "iCloud.com..web", "iCloud.com.example.", "iCloud.com.exa_mple", "iCloud.com.-a",
            "iCloud.com.*", "com.example.web",
        ]
        for name in wrong { #expect(register(fleet, name, "T1")?.contains("'\(name)'") == true, "\(name)") }
        #expect(register(fleet, "iCloud.com.example.third", "")?.contains("'team'") == true)
        fleet.command("cloud.resetContainer", ["container": .string(name)])
        #expect(register(fleet, name, "T2") != nil, "the name stays its team's")
        try fleet.crash()
        #expect(register(fleet, name, "T2") != nil)
    }

    @Test("Development: the team alone comes in, and its saves add types and fields; production is everybody's (S285)")
    func development() throws {
        let fleet = try Web.fleet(closed: false)
        let container: Value = "iCloud.com.example.web"
        func setMember(_ isMember: Bool) {
            fleet.command("cloud.account", ["account": "maya"])
            fleet.command("cloud.team", ["team": "T1", "account": "maya", "isMember": .bool(isMember)])
        }
        let (maya, omar) = (Web(fleet: fleet, person: "maya"), Web(fleet: fleet, person: "omar"))
        #expect(omar.makeZone().code == nil, "nobody's container is open")
        #expect(register(fleet, "iCloud.com.example.web", "T1") == nil)
        #expect(omar.makeZone().code == "ACCESS_DENIED" && maya.makeZone().code == "ACCESS_DENIED")
        #expect(omar.get("public/users/caller").code == "ACCESS_DENIED")
        setMember(true)
        #expect(maya.makeZone().code == nil && omar.makeZone().code == "ACCESS_DENIED")
        // Types and fields come by themselves.
        #expect(maya.query(type: "Lesson") == "BAD_REQUEST")
        #expect(maya.save("a", ["title": ["value": "x"]], type: "Lesson").code == nil)
        #expect(maya.save("b", ["title": ["value": "y"], "room": ["value": 7]], type: "Lesson").code == nil)
        #expect(maya.query([Web.filter("EQUALS", "room", 7)], type: "Lesson") == "b")
        let device = try fleet.device("omar", on: 1)
        #expect(device.post("/database/1/iCloud.com.example.web/development/private/zones/list", .empty).status == 403)
        let query: Value = ["query": ["recordType": "Lesson"]]
        let nobody = device.request(
            "POST", "/database/1/iCloud.com.example.web/development/public/records/query",
            headers: ["X-Homeroom-Account": "none"], body: query.jsonBytes)
        #expect(nobody.code == "ACCESS_DENIED", "nor in nobody's name")
        for web in [maya, omar] {
            var live = web
            live.environment = "production"
            #expect(live.makeZone().code == nil)
        }
        setMember(false)
        #expect(maya.lookup("a").code == "ACCESS_DENIED")
        fleet.command("cloud.resetContainer", ["container": container])
        #expect(omar.makeZone().code == "ACCESS_DENIED", "the registration stays")
    }

    @Test("Development of a registered container: a refused request gets the token for the next one all the same")
    func tokens() throws {
        let fleet = try Web.fleet()
        fleet.command("cloud.account", ["account": "maya"])
        #expect(register(fleet, "iCloud.com.example.web", "T1") == nil)
        let body: Value = ["container": "iCloud.com.example.web", "environment": "development", "account": "maya"]
        let token = fleet.command("cloud.webToken", body)?["token"]?.string ?? ""
        let target =
            "/database/1/iCloud.com.example.web/development/private/zones/list?ckAPIToken=dev&ckWebAuthToken="
            + Target.encoded(token)
        let answer = fleet.send(HTTPRequest("GET", target), from: 9)
        #expect(answer.code == "ACCESS_DENIED" && answer.headers[WebTokens.field] != nil)
    }
}
