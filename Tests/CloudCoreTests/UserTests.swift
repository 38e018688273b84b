import FleetModel
import Testing

@testable import CloudCore

@Suite("Users", .timeLimit(.minutes(20)))
struct UserTests {
    private func story() throws -> (Fleet, maya: Web, omar: Web) {
        let fleet = try Web.fleet()
        fleet.command(
            "cloud.account",
            [
                "account": "omar", "emailAddress": "Omar@school.org", "phoneNumber": "+4930", "firstName": "Omar",
                "lastName": "Said", "discoverable": true,
            ])
        fleet.command("cloud.account", ["account": "shy", "emailAddress": "shy@school.org"])
        fleet.command(
            "cloud.account", ["account": "maya", "contacts": ["omar@school.org", "shy@school.org", "no@body"]])
        return (fleet, Web(fleet: fleet, person: "maya"), Web(fleet: fleet, person: "omar"))
    }

    // 7.2
    @Test("current and caller: the name of the container; first and last name if discoverable (S280)")
    func own() throws {
        let (_, maya, omar) = try story()
        #expect(maya.get("public/users/current").json?.object?.keys == ["userRecordName"])
        #expect(omar.get("public/users/current").json?["firstName"]?.string == "Omar")
        let caller = omar.get("public/users/caller").json?["users"]?.array?.first
        #expect(caller?["nameComponents"]?["familyName"]?.string == "Said")
        #expect(maya.userRecordName.utf8.count == 33)
        #expect(maya.get("private/users/current").code == "BAD_REQUEST")
    }

    // 7.2
    @Test("discover and lookups: only who opted in, by e-mail, number, name and address book (S280, S281, S282, S283)")
    func others() throws {
        let (fleet, maya, omar) = try story()
        let shy = Web(fleet: fleet, person: "shy")
        let name = Value.string(omar.userRecordName)
        func found(_ answer: HTTPResponse) -> [Value] { answer.json?["users"]?.array ?? [] }
        func discover(_ info: Value) -> [Value] { found(maya.call("public/users/discover", ["lookupInfos": [info]])) }
        for info: Value in [["emailAddress": "omar@school.org"], ["phoneNumber": "+4930"], ["userRecordName": name]] {
            #expect(discover(info).map { $0["userRecordName"] } == [name])
            #expect(discover(info).first?["lookupInfo"] == info)
        }
        #expect(discover(["userRecordName": .string(shy.userRecordName)]) == [])
        #expect(discover(["emailAddress": "shy@school.org"]) == [])
        #expect(maya.call("public/users/discover", ["lookupInfos": [.empty]]).code == "BAD_REQUEST")
        #expect(found(maya.get("public/users/discover")).map { $0["userRecordName"] } == [name])
        #expect(found(maya.call("public/users/lookup/contacts")).map { $0["firstName"]?.string } == ["Omar"])
        let mail = found(maya.call("public/users/lookup/email", ["users": [["emailAddress": "omar@school.org"]]]))
        #expect(mail.first?["emailAddress"]?.string == "omar@school.org")
        let id = found(maya.call("public/users/lookup/id", ["users": [["userRecordName": name]]]))
        #expect(id.first?["lastName"]?.string == "Said")
        #expect(id.first?["emailAddress"] == nil)
    }

    // 7.2
    @Test("Opt-in: found by no way before it, by each after it, and by none when it is taken back (S280)")
    func optIn() throws {
        let (fleet, maya, _) = try story()
        fleet.command("cloud.account", ["account": "shy", "phoneNumber": "+4931", "firstName": "Ann"])
        let shy = Web(fleet: fleet, person: "shy")
        let name = Value.string(shy.userRecordName)
        /// Ways by which she is found.
        func ways() -> [String] {
            func has(_ answer: HTTPResponse) -> Bool {
                (answer.json?["users"]?.array ?? []).contains { $0["userRecordName"] == name }
            }
            func discover(_ info: Value) -> Bool {
                has(maya.call("public/users/discover", ["lookupInfos": [info]]))
            }
            let all = [
                "discover address": discover(["emailAddress": "shy@school.org"]),
                "discover number": discover(["phoneNumber": "+4931"]),
                "discover name": discover(["userRecordName": name]),
                "discover book": has(maya.get("public/users/discover")),
                "lookup book": has(maya.call("public/users/lookup/contacts")),
                "lookup address": has(
                    maya.call("public/users/lookup/email", ["users": [["emailAddress": "shy@school.org"]]])),
                "lookup name": has(maya.call("public/users/lookup/id", ["users": [["userRecordName": name]]])),
                "herself": shy.get("public/users/current").json?["firstName"] == "Ann",
            ]
            return all.keys.sorted().filter { all[$0] == true }
        }
        #expect(ways() == [])
        fleet.command("cloud.account", ["account": "shy", "discoverable": true])
        #expect(ways().count == 8)
        fleet.command("cloud.account", ["account": "shy", "discoverable": false])
        #expect(ways() == [])
    }

    // framework 2
    @Test("User record: there at first use, by its person's name only; read by anybody, never queried (S279)")
    func record() throws {
        let (fleet, maya, omar) = try story()
        let name = maya.userRecordName
        #expect(!omar.has(name, zone: .none, scope: "public"))
        #expect(maya.lookup(name, zone: .none, scope: "public")["recordType"]?.string == "Users")
        #expect(maya.save(name, ["nick": ["value": "M"]], type: "Users", zone: .none, scope: "public").code == nil)
        #expect(omar.lookup(name, zone: .none, scope: "public").value("nick")?.string == "M")
        #expect(maya.lookup(name, zone: .none)["recordType"]?.string == "Users")
        #expect(Web(fleet: fleet).lookup(name, zone: .none, scope: "public").value("nick")?.string == "M")
        #expect(omar.save(name, type: "Users", zone: .none, scope: "public").code == "ACCESS_DENIED")
        #expect(maya.query(type: "Users", zone: .none, scope: "public") == "BAD_REQUEST")
        for kind in ["create", "forceUpdate", "forceReplace"] {
            for scope in ["public", "private"] {
                let made = maya.save("mine", kind: kind, type: "Users", zone: .none, scope: scope)
                #expect(made.code == "BAD_REQUEST", "the type is reserved: \(kind), \(scope)")
            }
        }
    }

    // 4
    @Test("restrict: what the person has is frozen for everybody until unrestrict")
    func restrict() throws {
        let (_, maya, _) = try story()
        maya.makeZone()
        maya.save("a")
        #expect(maya.call("private/users/restrict").status == 200)
        #expect(maya.lookup("a").code == "ACCESS_DENIED")
        #expect(maya.get("private/zones/list").code == "ACCESS_DENIED")
        #expect(maya.call("private/changes/database").code == "ACCESS_DENIED")
        #expect(maya.save("b", zone: .none, scope: "public").code == nil)
        #expect(maya.call("private/users/unrestrict").status == 200)
        #expect(maya.has("a"))
    }
}

@Suite("Couriers", .timeLimit(.minutes(20)))
struct CourierTests {
    private func subscribe(_ web: Web, _ wish: Value, scope: String = "private") {
        web.call("\(scope)/subscriptions/modify", ["operations": [["operationType": "create", "subscription": wish]]])
    }
    private static let database: Value = ["subscriptionID": "d", "subscriptionType": "database"]

    // 7.4, 7.5
    @Test("Long poll: pushes queue, each poll gives one, an empty one waits and is rung; each token is a device")
    func poll() throws {
        let fleet = try Web.fleet()
        let maya = Web(fleet: fleet, person: "maya")
        maya.makeZone()
        func courier() -> String {
            let made = maya.call("tokens/create", ["apnsEnvironment": "development"])
            #expect(made.text("apnsEnvironment") == "development")
            #expect(made.text("webcourierURL").hasSuffix(made.text("apnsToken")))
            return made.text("webcourierURL")
        }
        let (one, two) = (courier(), courier())
        subscribe(maya, Self.database)
        let empty = fleet.cloud.apply(
            [CloudRequest(from: .pad(9), exchange: 1, http: HTTPRequest("GET", Web.target(one)))], now: fleet.now)
        #expect(empty.first?.response.status == 200)
        #expect(empty.first?.response.body == [])
        let waiting = try #require(empty.first?.waitsFor)
        let save = maya.http(
            "POST", "private/records/modify",
            (["zoneID": Device.zoneID("Z"), "operations": [Web.operation("create", "a")]] as Value).jsonBytes)
        let replies = fleet.cloud.apply([CloudRequest(from: .pad(9), exchange: 2, http: save)], now: fleet.now)
        #expect(replies.first?.rung.count == 2)
        #expect(replies.first?.rung.contains(waiting) == true)
        maya.save("b")
        for url in [one, two] {
            for _ in 0..<2 {
                let push = maya.fetch(url).json
                #expect(push?["ck"]?["met"]?["sid"]?.string == "d")
                #expect(push?["ck"]?["cid"]?.string == "iCloud.com.example.web")
                #expect(push?["aps"]?["content-available"]?.int == 1)
            }
            #expect(maya.fetch(url).body == [])
        }
        #expect(maya.fetch(one + "0").code == "NOT_FOUND")
        #expect(maya.call("tokens/create", ["apnsEnvironment": "moon"]).code == "BAD_REQUEST")
        #expect(maya.call("tokens/register", ["apnsEnvironment": "development", "apnsToken": "AB"]).json == .empty)
    }

    // 7.5
    @Test("Origin: the client that names itself does not hear of its own change; others do")
    func origin() throws {
        let fleet = try Web.fleet()
        var tab = Web(fleet: fleet, person: "maya")
        tab.client = "tab-1"
        tab.makeZone()
        let url = tab.call("tokens/create", ["apnsEnvironment": "development"]).text("webcourierURL")
        subscribe(tab, Self.database)
        tab.save("a")
        #expect(tab.fetch(url).body == [])
        tab.client = "tab-2"
        tab.save("a")
        #expect(tab.fetch(url).json?["ck"] != nil)
    }

    // 7.5, framework 7
    @Test("Shared database: who takes part hears of the owner's change, the owner of his")
    func shared() throws {
        let fleet = try Web.fleet()
        let (maya, omar) = (Web(fleet: fleet, person: "maya"), Web(fleet: fleet, person: "omar"))
        maya.makeZone()
        maya.save("root")
        let share = maya.save(
            "share", kind: "create", type: "cloudkit.share",
            extra: ["forRecord": ["recordName": "root"], "publicPermission": "READ_WRITE"])
        omar.call("public/records/accept", ["shortGUIDs": [["value": share["shortGUID"] ?? .null]]])
        let urls = [maya, omar].map {
            $0.call("tokens/create", ["apnsEnvironment": "development"]).text("webcourierURL")
        }
        subscribe(maya, Self.database)
        subscribe(omar, Self.database, scope: "shared")
        maya.save("root", ["n": ["value": 1]])
        #expect(omar.fetch(urls[1]).json?["ck"]?["met"]?["dbs"]?.int == 3)
        #expect(maya.fetch(urls[0]).json?["ck"]?["met"]?["dbs"]?.int == 2)
        maya.save("private")
        #expect(omar.fetch(urls[1]).body == [])
    }

    // 7.5, 8.11
    @Test("Payload: notification info and additional fields (S274)")
    func payload() throws {
        let fleet = try Web.fleet()
        let maya = Web(fleet: fleet, person: "maya")
        maya.makeZone()
        let url = maya.call("tokens/create", ["apnsEnvironment": "development"]).text("webcourierURL")
        subscribe(
            maya,
            [
                "subscriptionID": "q", "subscriptionType": "query", "firesOn": ["create"],
                "query": ["recordType": "Note"],
                "notificationInfo": [
                    "alertBody": "new", "soundName": "ping", "shouldBadge": true, "category": "c",
                    "additionalFields": ["t"],
                ],
            ])
        maya.save("a", ["t": ["value": "x"], "u": ["value": "y"]])
        let push = maya.fetch(url).json
        #expect(push?["aps"] == ["alert": "new", "badge": 1, "category": "c", "sound": "ping"])
        #expect(push?["ck"]?["qry"]?["af"] == ["t": "x"])
        #expect(push?["ck"]?["qry"]?["rid"]?.string == "a")
    }
}
