import FleetModel
import Testing

@testable import CloudCore

@Suite("Coming to and going from a share", .timeLimit(.minutes(20)))
struct ShareTouchTests {
    private struct Story {
        let maya: Web
        let omar: Web
        let nina: Web
        let theirs: Value

        init() throws {
            let fleet = try Web.fleet()
            (maya, omar, nina) = (
                Web(fleet: fleet, person: "maya"), Web(fleet: fleet, person: "omar"), Web(fleet: fleet, person: "nina")
            )
            maya.makeZone()
            maya.save("root")
            theirs = ["zoneName": "Z", "ownerRecordName": .string(maya.userRecordName)]
        }
        @discardableResult
        func share(_ permissions: [(Web, String)], open: String = "NONE", kind: String = "forceUpdate") -> Value {
            let participants: [Value] = permissions.map { web, permission in
                [
                    "permission": .string(permission),
                    "userIdentity": ["lookupInfo": ["userRecordName": .string(web.userRecordName)]],
                ]
            }
            return maya.save(
                "share", kind: kind, type: "cloudkit.share",
                extra: [
                    "forRecord": ["recordName": "root"], "participants": .array(participants),
                    "publicPermission": .string(open),
                ])
        }
        @discardableResult
        func accept(_ web: Web, _ guid: Value?) -> Value {
            web.call("public/records/accept", ["shortGUIDs": [["value": guid ?? .null]]]).json?["results"]?.array?.first
                ?? .null
        }
        func page(_ web: Web, since token: Value?) -> Value {
            var body: Value = ["zoneID": web.person == "maya" ? Device.zoneID("Z") : theirs]
            body["syncToken"] = token
            return web.call("\(web.person == "maya" ? "private" : "shared")/records/changes", body).json ?? .null
        }
        func zones(_ since: Value) -> [String] {
            (omar.call("shared/changes/database", ["syncToken": since]).json?["zones"]?.array ?? []).map {
                ($0["zoneID"]?["zoneName"]?.string ?? "") + ($0["deleted"]?.bool == true ? "-" : "")
            }
        }
        var tag: String { maya.lookup("share").tag }
    }

    // 5.5, framework 16
    @Test("Accepting: the share has another tag and is in the owner's feed and that of who takes part already")
    func accepting() throws {
        let story = try Story()
        let share = story.share([(story.omar, "READ_ONLY"), (story.nina, "READ_WRITE")])
        story.accept(story.nina, share["shortGUID"])
        let owner = story.page(story.maya, since: nil)["syncToken"]
        let nina = story.page(story.nina, since: nil)["syncToken"]
        let before = story.tag
        story.accept(story.omar, share["shortGUID"])
        #expect(story.tag != before)
        #expect(story.page(story.maya, since: owner).names == ["share"])
        #expect(story.page(story.nina, since: nina).names == ["share"])
        #expect(
            story.maya.lookup("share")["recordChangeTag"]
                == story.page(story.maya, since: owner)["records"]?.array?.first?["recordChangeTag"])
        let stale = story.maya.save(
            "share", kind: "update", type: "cloudkit.share", extra: ["recordChangeTag": .string(before)])
        #expect(stale.code == "CONFLICT")
        let now = story.tag
        story.accept(story.omar, share["shortGUID"])
        #expect(story.tag == now, "again changes nothing")
    }

    // framework 16
    @Test("Leaving: the share has another tag and is in the owner's feed")
    func leaving() throws {
        let story = try Story()
        story.accept(story.omar, story.share([(story.omar, "READ_ONLY")])["shortGUID"])
        let owner = story.page(story.maya, since: nil)["syncToken"]
        let before = story.tag
        let gone = story.omar.modify(
            [["operationType": "forceDelete", "record": ["recordName": "share"]]], zone: story.theirs, scope: "shared")
        #expect(gone.status == 200)
        #expect(story.tag != before)
        let page = story.page(story.maya, since: owner)
        #expect(page.names == ["share"])
        #expect(page["records"]?.array?.first?["participants"]?.array?.count == 1)
    }

    // framework 16: permission none
    @Test("Permission NONE: who has it is in the list, sees nothing and cannot accept; raised again he is in again")
    func none() throws {
        let story = try Story()
        let guid = story.share([(story.omar, "READ_WRITE")])["shortGUID"]
        story.accept(story.omar, guid)
        func sees() -> Bool { story.omar.has("root", zone: story.theirs, scope: "shared") }
        #expect(sees())
        var token = story.omar.call("shared/changes/database").json?["syncToken"] ?? .null
        story.share([(story.omar, "NONE")])
        #expect(!sees())
        #expect(story.zones(token) == ["Z-"])
        #expect(story.omar.get("shared/zones/list").json?["zones"]?.array == [])
        #expect(
            story.maya.lookup("share")["participants"]?.array?.map { $0["permission"]?.string } == [
                "READ_WRITE", "NONE",
            ])
        #expect(story.accept(story.omar, guid).code == "ACCESS_DENIED")
        token = story.omar.call("shared/changes/database").json?["syncToken"] ?? .null
        story.share([(story.omar, "READ_ONLY")])
        #expect(sees())
        #expect(story.zones(token) == ["Z"])
    }

    // framework 16
    @Test("Permission NONE: an invitation with it is no way in, and the first fetch of the shared database has no zone")
    func noneInvited() throws {
        let story = try Story()
        let guid = story.share([(story.omar, "NONE")], open: "READ_ONLY")["shortGUID"]
        #expect(story.accept(story.omar, guid).code == "ACCESS_DENIED", "shut out by name though others may come")
        #expect(story.omar.call("shared/changes/database").json?["zones"]?.array == [])
        #expect(story.accept(story.nina, guid)["participantStatus"]?.string == "ACCEPTED")
    }

    // 8.4
    @Test("shortGUID: the root's own is the one by which its share is found, asked for before, with or after it")
    func shortGUID() throws {
        let story = try Story()
        let mine = story.maya.save("root", extra: ["createShortGUID": true])["shortGUID"]
        #expect(mine?.string != nil)
        let share = story.share([(story.omar, "READ_ONLY")])
        #expect(share["shortGUID"] == mine)
        #expect(story.maya.lookup("share")["shortGUID"] == mine)
        #expect(story.accept(story.omar, mine)["rootRecordName"]?.string == "root")

        let both = story.maya.modify([
            Web.operation("create", "top", extra: ["share": ["recordName": "s"], "createShortGUID": true]),
            Web.operation("create", "s", type: "cloudkit.share"),
        ]).records
        #expect(both.first?["shortGUID"]?.string != nil)
        #expect(both.first?["shortGUID"] == both.last?["shortGUID"])

        story.maya.save("late")
        let made = story.maya.save(
            "t", kind: "create", type: "cloudkit.share", extra: ["forRecord": ["recordName": "late"]])
        #expect(story.maya.save("late", extra: ["createShortGUID": true])["shortGUID"] == made["shortGUID"])
    }
}
