import FleetModel
import Testing

@testable import CloudCore

@Suite("Shares", .timeLimit(.minutes(20)))
struct ShareTests {
    private struct Story {
        let fleet: Fleet
        let maya: Web
        let omar: Web
        let eve: Web
        /// The zone as others write it.
        let theirs: Value

        init() throws {
            fleet = try Web.fleet()
            maya = Web(fleet: fleet, person: "maya")
            omar = Web(fleet: fleet, person: "omar")
            eve = Web(fleet: fleet, person: "eve")
            maya.makeZone()
            theirs = ["zoneName": "Z", "ownerRecordName": .string(maya.userRecordName)]
            maya.save("root", ["t": ["value": "root"]])
            maya.save("leaf", ["t": ["value": "leaf"]], extra: ["parent": ["recordName": "root"]])
            maya.save("other", ["t": ["value": "other"]])
        }
        func invited(_ permission: String = "READ_WRITE") -> Value {
            [
                "permission": .string(permission), "type": "USER",
                "userIdentity": ["lookupInfo": ["userRecordName": .string(omar.userRecordName)]],
            ]
        }
        /// Shares `root`; the share's entry.
        @discardableResult
        func share(_ permission: String = "READ_WRITE", open: String = "NONE", kind: String = "create") -> Value {
            maya.save(
                "share", kind: kind, type: "cloudkit.share",
                extra: [
                    "forRecord": ["recordName": "root"], "publicPermission": .string(open),
                    "participants": [invited(permission)],
                ])
        }
        @discardableResult
        func accept(_ web: Web, _ guid: Value?) -> Value {
            web.call("public/records/accept", ["shortGUIDs": [["value": guid ?? .null]]]).json?["results"]?.array?.first
                ?? .null
        }
        func names(_ web: Web, since token: Value? = nil) -> [String] {
            var body: Value = ["zoneID": theirs]
            body["syncToken"] = token
            return web.call("shared/records/changes", body).records.map {
                ($0["recordName"]?.string ?? "") + ($0["deleted"]?.bool == true ? "-" : "")
            }
        }
        func code(_ web: Web, _ operation: Value) -> String? {
            let answer = web.modify([operation], zone: theirs, scope: "shared", atomic: false)
            return answer.records.first?.code ?? answer.code
        }
    }

    // 5.5, 8.12
    @Test("Resolve and accept: invitation, participants, root record, the zone appears with what hangs on the root")
    func accept() throws {
        let story = try Story()
        let share = story.share()
        #expect(share.code == nil)
        #expect(share["publicPermission"]?.string == "NONE")
        #expect(share["currentUserParticipant"]?["type"]?.string == "OWNER")
        #expect(share["participants"]?.array?.map { $0["acceptanceStatus"]?.string } == ["ACCEPTED", "PENDING"])
        #expect(story.maya.lookup("root")["share"]?["recordName"]?.string == "share")
        #expect(story.omar.get("shared/zones/list").json?["zones"]?.array == [])

        let wish: Value = ["shortGUIDs": [["value": share["shortGUID"] ?? .null, "shouldFetchRootRecord": true]]]
        let found = story.omar.call("public/records/resolve", wish).json?["results"]?.array?.first ?? .null
        #expect(found["rootRecordName"]?.string == "root")
        #expect(found["rootRecord"]?.value("t")?.string == "root")
        #expect(found["participantStatus"]?.string == "PENDING")
        #expect(found["participantPermission"]?.string == "READ_WRITE")
        #expect(found["containerIdentifier"]?.string == "iCloud.com.example.web")
        #expect(found["zoneID"] == story.theirs)

        let accepted = story.accept(story.omar, share["shortGUID"])
        #expect(accepted["participantStatus"]?.string == "ACCEPTED")
        #expect(story.accept(story.omar, share["shortGUID"]) == accepted)
        let zones = story.omar.get("shared/zones/list").json?["zones"]?.array ?? []
        var shown = story.theirs
        shown["zoneType"] = "REGULAR_CUSTOM_ZONE"
        #expect(zones.map { $0["zoneID"] } == [shown])
        #expect(Set(story.names(story.omar)) == ["root", "leaf", "share"])
        #expect(story.omar.lookup("leaf", zone: story.theirs, scope: "shared").value("t")?.string == "leaf")
        let seen = story.omar.lookup("share", zone: story.theirs, scope: "shared")
        #expect(seen["currentUserParticipant"]?["userIdentity"]?["userRecordName"]?.string == story.omar.userRecordName)
        #expect(story.omar.query(zone: story.theirs, scope: "shared") == "leafroot")
    }

    // 5.5, 9
    @Test("Uninvited: nothing is seen, resolved or accepted, not even that a zone is there")
    func uninvited() throws {
        let story = try Story()
        let share = story.share()
        #expect(story.accept(story.eve, share["shortGUID"]).code == "ACCESS_DENIED")
        #expect(story.accept(story.eve, "guess").code == "NOT_FOUND")
        for web in [story.eve, story.omar] {
            #expect(web.lookup("root", zone: story.theirs, scope: "shared").code == "ZONE_NOT_FOUND")
            #expect(web.lookup("root", zone: story.theirs, scope: "private").code == "ZONE_NOT_FOUND")
            #expect(web.query(zone: story.theirs, scope: "shared") == "ZONE_NOT_FOUND")
            #expect(story.code(web, Web.operation("forceUpdate", "root")) == "ZONE_NOT_FOUND")
        }
        story.accept(story.omar, share["shortGUID"])
        #expect(story.omar.lookup("other", zone: story.theirs, scope: "shared").code == "NOT_FOUND")
        #expect(
            story.code(story.omar, Web.operation("update", "other", extra: ["recordChangeTag": "x"])) == "NOT_FOUND")
        #expect(story.code(story.omar, Web.operation("forceUpdate", "other")) == "ACCESS_DENIED")
        #expect(story.code(story.omar, Web.operation("forceDelete", "other")) == nil)
        #expect(story.maya.lookup("other").value("t")?.string == "other")
    }

    // framework 16
    @Test("Permissions: read only, read and write, new records under the root only, the root is not deleted")
    func permissions() throws {
        let story = try Story()
        let guid = story.share("READ_ONLY")["shortGUID"]
        story.accept(story.omar, guid)
        let under: Value = ["parent": ["recordName": "leaf"]]
        #expect(story.code(story.omar, Web.operation("forceUpdate", "leaf")) == "ACCESS_DENIED")
        #expect(story.code(story.omar, Web.operation("create", "new", extra: under)) == "ACCESS_DENIED")
        story.share("READ_WRITE", kind: "forceUpdate")
        #expect(story.code(story.omar, Web.operation("forceUpdate", "leaf", ["t": ["value": "omar"]])) == nil)
        #expect(story.maya.lookup("leaf").value("t")?.string == "omar")
        #expect(story.code(story.omar, Web.operation("create", "loose")) == "ACCESS_DENIED")
        #expect(story.code(story.omar, Web.operation("create", "new", extra: under)) == nil)
        #expect(story.maya.has("new"))
        #expect(story.code(story.omar, Web.operation("forceDelete", "root")) == "ACCESS_DENIED")
        #expect(
            story.code(story.omar, Web.operation("forceUpdate", "share", type: "cloudkit.share")) == "ACCESS_DENIED")
        let parent = story.code(story.omar, Web.operation("forceDelete", "leaf"))
        #expect(parent == "VALIDATING_REFERENCE_ERROR", "a child hangs on it")
        #expect(story.code(story.omar, Web.operation("forceDelete", "new")) == nil)
        #expect(story.code(story.omar, Web.operation("forceDelete", "leaf")) == nil)
        #expect(!story.maya.has("leaf"))
    }

    // framework 2
    @Test("Metadata: who made a record stays, who changed it last and when follows (S236)")
    func metadata() throws {
        let story = try Story()
        story.accept(story.omar, story.share("READ_WRITE")["shortGUID"])
        let before = story.maya.lookup("leaf")
        #expect(before["created"]?["userRecordName"]?.string == story.maya.userRecordName)
        #expect(before["modified"]?["userRecordName"]?.string == story.maya.userRecordName)
        #expect(story.code(story.omar, Web.operation("forceUpdate", "leaf", ["t": ["value": "omar"]])) == nil)
        let after = story.maya.lookup("leaf")
        #expect(after["created"] == before["created"])
        #expect(after["modified"]?["userRecordName"]?.string == story.omar.userRecordName)
        let times = [before, after].map { $0["modified"]?["timestamp"]?.int ?? 0 }
        #expect(times[0] > 1_788_249_600_000 && times[1] > times[0])
    }

    // framework 16, 6
    @Test("Feeds: what comes under the root comes, what leaves it leaves, the zone shows in the shared database")
    func feeds() throws {
        let story = try Story()
        story.accept(story.omar, story.share()["shortGUID"])
        let token = story.omar.call("shared/records/changes", ["zoneID": story.theirs]).json?["syncToken"]
        let database = story.omar.call("shared/changes/database").json?["syncToken"] ?? .null
        func changed() -> Int {
            story.omar.call("shared/changes/database", ["syncToken": database]).json?["zones"]?.array?.count ?? -1
        }
        #expect(changed() == 0)
        story.maya.save("other", extra: ["parent": ["recordName": "leaf"]])
        #expect(story.names(story.omar, since: token) == ["other"])
        #expect(changed() == 1)
        story.maya.save("leaf", extra: ["parent": .null])
        #expect(Set(story.names(story.omar, since: token)) == ["other-", "leaf-"])
        story.maya.save("leaf", extra: ["parent": ["recordName": "root"]])
        #expect(Set(story.names(story.omar, since: token)) == ["other", "leaf"])
        story.maya.delete("other")
        #expect(Set(story.names(story.omar, since: token)) == ["leaf", "other-"])
    }

    // framework 16
    @Test("End: participant leaves, owner removes him, owner deletes share or root")
    func end() throws {
        let story = try Story()
        let guid = story.share()["shortGUID"]
        func isIn() -> Bool { story.omar.has("root", zone: story.theirs, scope: "shared") }
        story.accept(story.omar, guid)
        #expect(isIn())
        #expect(story.code(story.omar, Web.operation("forceDelete", "share", type: "cloudkit.share")) == nil)
        #expect(!isIn())
        #expect(story.maya.has("share"))
        #expect(story.omar.call("shared/changes/database").json?["zones"]?.array == [])
        #expect(story.accept(story.omar, guid).code == "ACCESS_DENIED", "he is not invited any more")

        story.share(kind: "forceUpdate")
        story.accept(story.omar, guid)
        #expect(isIn())
        story.maya.save("share", type: "cloudkit.share", extra: ["participants": []])
        #expect(!isIn())

        story.share(kind: "forceUpdate")
        story.accept(story.omar, guid)
        story.maya.delete("share")
        #expect(!isIn())
        #expect(story.maya.lookup("root")["share"] == nil)

        let again = story.share()
        #expect(again["shortGUID"] != guid)
        story.accept(story.omar, again["shortGUID"])
        #expect(isIn())
        story.maya.modify(["leaf", "root"].map { Web.operation("forceDelete", $0) })
        #expect(!isIn())
        #expect(!story.maya.has("share"))
    }

    // framework 16
    @Test("Open share: whoever has the GUID takes part, with its permission; closing it puts him out")
    func open() throws {
        let story = try Story()
        let share = story.share(open: "READ_ONLY")
        let accepted = story.accept(story.eve, share["shortGUID"])
        #expect(accepted["participantType"]?.string == "PUBLIC_USER")
        #expect(story.eve.has("leaf", zone: story.theirs, scope: "shared"))
        #expect(story.code(story.eve, Web.operation("forceUpdate", "leaf")) == "ACCESS_DENIED")
        story.maya.save("share", type: "cloudkit.share", extra: ["publicPermission": "NONE"])
        #expect(!story.eve.has("leaf", zone: story.theirs, scope: "shared"))
    }

    // framework 16
    @Test("Zone share: everything in the zone, also without parent; not beside shared records")
    func wholeZone() throws {
        let story = try Story()
        func shareZone() -> Value {
            story.maya.save(
                "cloudkit.zoneshare", kind: "create", type: "cloudkit.share", extra: ["participants": [story.invited()]]
            )
        }
        story.share()
        #expect(shareZone().code == "BAD_REQUEST")
        story.maya.delete("share")
        let share = shareZone()
        #expect(share.code == nil)
        story.accept(story.omar, share["shortGUID"])
        #expect(story.omar.has("other", zone: story.theirs, scope: "shared"))
        #expect(story.code(story.omar, Web.operation("create", "loose")) == nil)
        #expect(story.share().code == "BAD_REQUEST")
        #expect(shareZone().code == "EXISTS")
    }

    // framework 16
    @Test("Refusals: no root, absent root, stale root tag, shared twice, default zone, 101 participants")
    func refusals() throws {
        let story = try Story()
        func code(_ extra: Value, zone: Value? = Device.zoneID("Z"), name: String = "s") -> String? {
            story.maya.save(name, kind: "create", type: "cloudkit.share", zone: zone, extra: extra).code
        }
        #expect(code(.empty) == "BAD_REQUEST")
        #expect(code(["forRecord": ["recordName": "none"]]) == "NOT_FOUND")
        #expect(code(["forRecord": ["recordName": "root", "recordChangeTag": "stale"]]) == "CONFLICT")
        #expect(code(["forRecord": ["recordName": "root"]], zone: .none) == "BAD_REQUEST")
        let many: [Value] = (0..<101).map { ["userIdentity": ["lookupInfo": ["emailAddress": .string("p\($0)@x")]]] }
        #expect(code(["forRecord": ["recordName": "root"], "participants": .array(many)]) == "BAD_REQUEST")
        #expect(code(["forRecord": ["recordName": "root"], "publicPermission": "ALL"]) == "BAD_REQUEST")
        story.share()
        #expect(code(["forRecord": ["recordName": "root"]]) == "BAD_REQUEST")
        #expect(code(["forRecord": ["recordName": "leaf"]]) == "BAD_REQUEST")
        #expect(story.maya.save("free", extra: ["share": ["recordName": "share"]]).code == "BAD_REQUEST")
    }

    // framework 16
    @Test("One request: root and share are saved together, the root's answer names the share")
    func together() throws {
        let story = try Story()
        let answer = story.maya.modify([
            Web.operation("create", "top", extra: ["share": ["recordName": "s"], "createShortGUID": true]),
            Web.operation("create", "s", type: "cloudkit.share"),
        ])
        #expect(answer.status == 200)
        #expect(answer.records.first?["share"]?["recordName"]?.string == "s")
        #expect(answer.records.first?.tag == story.maya.lookup("top").tag)
        #expect(answer.records.first?["shortGUID"]?.string != nil)
    }

    // 8.12
    @Test("Invited by e-mail: before the person is known, and found when he accepts")
    func email() throws {
        let story = try Story()
        let share = story.maya.save(
            "share", kind: "create", type: "cloudkit.share",
            extra: [
                "forRecord": ["recordName": "root"],
                "participants": [["userIdentity": ["lookupInfo": ["emailAddress": "nina@example.com"]]]],
            ])
        #expect(share.code == nil)
        let nina = Web(fleet: story.fleet, person: "nina")
        #expect(story.accept(nina, share["shortGUID"])["participantStatus"]?.string == "ACCEPTED")
    }
}
