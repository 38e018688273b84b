import FleetModel
import Testing

@testable import CloudCore

@Suite("What invitations tell", .timeLimit(.minutes(20)))
struct InvitationTests {
    private struct Story {
        let fleet: Fleet
        let maya: Web
        let eve: Web

        init() throws {
            fleet = try Web.fleet()
            (maya, eve) = (Web(fleet: fleet, person: "maya"), Web(fleet: fleet, person: "eve"))
            for name in ["omar", "nina"] {
                fleet.command(
                    "cloud.account",
                    [
                        "account": .string(name), "emailAddress": .string("\(name)@school.org"),
                        "firstName": .string("\(name)'s first name"), "lastName": "Said",
                        "discoverable": .bool(name == "nina"),
                    ])
            }
            maya.makeZone()
            maya.save("root")
        }
        func share(_ addresses: [String], open: String = "NONE") -> Value {
            let participants: [Value] = addresses.map {
                ["userIdentity": ["lookupInfo": ["emailAddress": .string($0)]]]
            }
            return maya.save(
                "share", type: "cloudkit.share",
                extra: [
                    "forRecord": ["recordName": "root"], "participants": .array(participants),
                    "publicPermission": .string(open),
                ])
        }
        func ask(_ web: Web, _ verb: String, _ share: Value) -> Value {
            web.call("public/records/\(verb)", ["shortGUIDs": [["value": share["shortGUID"] ?? .null]]])
                .json?["results"]?.array?.first ?? .null
        }
        var theirs: Value { ["zoneName": "Z", "ownerRecordName": .string(maya.userRecordName)] }
    }

    // 8.12
    @Test("Before it is accepted an invitation shows what it was sent by: a known and an unknown address look alike")
    func pending() throws {
        let story = try Story()
        let share = story.share(["omar@school.org", "nobody@school.org", "nina@school.org"])
        let people = (share["participants"]?.array ?? []).dropFirst().map { $0["userIdentity"] ?? .null }
        #expect(people.count == 3)
        #expect(people.prefix(2).map(\.object?.keys) == [["lookupInfo"], ["lookupInfo"]])
        #expect(
            people.last?["nameComponents"]?["givenName"]?.string == "nina's first name", "she lets herself be found")
        let omar = Web(fleet: story.fleet, person: "omar")
        let mine = story.ask(omar, "resolve", share)["share"]?["currentUserParticipant"]?["userIdentity"]
        #expect(mine?["userRecordName"]?.string == omar.userRecordName, "he knows who he is")
        _ = story.ask(omar, "accept", share)
        let now = (story.maya.lookup("share")["participants"]?.array ?? []).map { $0["userIdentity"] ?? .null }
        #expect(now[1]["nameComponents"]?["givenName"]?.string == "omar's first name")
    }

    // 8.12
    @Test("Participants: shown to the owner and to who takes part; who has only the GUID sees owner and himself")
    func others() throws {
        let story = try Story()
        let share = story.share(["omar@school.org"], open: "READ_ONLY")
        let omar = Web(fleet: story.fleet, person: "omar")
        _ = story.ask(omar, "accept", share)
        func types(_ web: Web) -> [String?] {
            (story.ask(web, "resolve", share)["share"]?["participants"]?.array ?? []).map { $0["type"]?.string }
        }
        #expect(types(story.maya) == ["OWNER", "USER"])
        #expect(types(omar) == ["OWNER", "USER"])
        #expect(types(story.eve) == ["OWNER"])
        #expect(!story.ask(story.eve, "resolve", share).json.contains("omar"))
        _ = story.ask(story.eve, "accept", share)
        #expect(types(story.eve) == ["OWNER", "USER", "PUBLIC_USER"])
        _ = story.share(["omar@school.org", "nina@school.org"], open: "READ_ONLY")
        #expect(types(Web(fleet: story.fleet, person: "nina")) == ["OWNER", "USER"], "owner and herself")
    }

    // 4
    @Test("restrict: what others share of the person's data is frozen too, and so are invitations to it")
    func restricted() throws {
        let story = try Story()
        let share = story.share(["omar@school.org"])
        let omar = Web(fleet: story.fleet, person: "omar")
        _ = story.ask(omar, "accept", share)
        func code() -> String? { omar.lookup("root", zone: story.theirs, scope: "shared").code }
        #expect(code() == nil)
        story.maya.call("private/users/restrict")
        #expect(code() == "ACCESS_DENIED")
        #expect(omar.call("shared/records/changes", ["zoneID": story.theirs]).code == "ACCESS_DENIED")
        let wide = omar.call("shared/records/query", ["zoneWide": true, "query": ["recordType": "Note"]])
        #expect(wide.records == [])
        #expect(omar.modify([Web.operation("forceUpdate", "root")], zone: story.theirs, scope: "shared").status >= 400)
        #expect(story.ask(omar, "resolve", share).code == "ACCESS_DENIED")
        story.maya.call("private/users/unrestrict")
        #expect(code() == nil)
    }
}
