import FleetModel
import Testing

@testable import CloudCore

@Suite("Feeds of those who share", .timeLimit(.minutes(20)))
struct ShareFeedTests {
    /// Maya has two trees in one zone, each with a share of its own.
    private struct Story {
        let fleet: Fleet
        let maya: Web
        let omar: Web
        let nina: Web
        let theirs: Value

        init() throws {
            fleet = try Web.fleet()
            (maya, omar) = (Web(fleet: fleet, person: "maya"), Web(fleet: fleet, person: "omar"))
            nina = Web(fleet: fleet, person: "nina")
            maya.makeZone()
            theirs = ["zoneName": "Z", "ownerRecordName": .string(maya.userRecordName)]
            for root in ["one", "two"] { maya.save(root) }
        }
        /// Shares a root with people, who accept.
        func share(_ root: String, _ people: [Web], _ permission: String = "READ_WRITE") {
            let participants: [Value] = people.map { web in
                [
                    "permission": .string(permission),
                    "userIdentity": ["lookupInfo": ["userRecordName": .string(web.userRecordName)]],
                ]
            }
            let share = maya.save(
                "share-\(root)", type: "cloudkit.share",
                extra: ["forRecord": ["recordName": .string(root)], "participants": .array(participants)])
            for web in people {
                web.call("public/records/accept", ["shortGUIDs": [["value": share["shortGUID"] ?? .null]]])
            }
        }
        func page(_ web: Web, since token: Value?, limit: Int? = nil) -> Value {
            var body: Value = ["zoneID": theirs]
            body["syncToken"] = token
            body["resultsLimit"] = limit.map { .int($0) }
            return web.call("shared/records/changes", body).json ?? .null
        }
        /// Names that came, those that went with a minus; page after page.
        func names(_ web: Web, since token: Value?, limit: Int? = nil) -> [String] {
            var (token, names) = (token, [String]())
            for _ in 0..<100 {
                let page = page(web, since: token, limit: limit)
                names += (page["records"]?.array ?? []).map {
                    ($0["recordName"]?.string ?? "") + ($0["deleted"]?.bool == true ? "-" : "")
                }
                token = page["syncToken"]
                if page["moreComing"]?.bool != true { return names }
            }
            Issue.record("a feed without an end")
            return names
        }
        func under(_ root: String) -> Value { ["parent": ["recordName": .string(root)]] }
        func courier(_ web: Web) -> String {
            web.call(
                "shared/subscriptions/modify",
                [
                    "operations": [
                        [
                            "operationType": "create",
                            "subscription": ["subscriptionID": "d", "subscriptionType": "database"],
                        ]
                    ]
                ])
            return web.call("tokens/create", ["apnsEnvironment": "development"]).text("webcourierURL")
        }
        func pushes(_ web: Web, _ url: String) -> Int {
            var count = 0
            while count < 100, !web.fetch(url).body.isEmpty { count += 1 }
            return count
        }
    }

    // framework 16, 6
    @Test("A shared record deleted and made again elsewhere: who took part is told that it went")
    func reborn() throws {
        let story = try Story()
        story.share("one", [story.omar])
        story.maya.save("x", extra: story.under("one"))
        let before = story.page(story.omar, since: nil)["syncToken"]
        let url = story.courier(story.omar)
        story.maya.delete("x")
        story.maya.save("x", ["secret": ["value": 1]])
        #expect(story.names(story.omar, since: before) == ["x-"])
        #expect(story.pushes(story.omar, url) == 2)
        // Back under the share it is simply there.
        story.maya.save("x", extra: story.under("one"))
        #expect(story.names(story.omar, since: before) == ["x"])
    }

    // framework 16, 6
    @Test(
        "A record that moves from one share of the reader to another stays, whatever the page and its direction",
        arguments: [1, 2, 200])
    func moves(limit: Int) throws {
        let story = try Story()
        story.share("one", [story.omar])
        story.share("two", [story.omar])
        for name in ["a", "b", "c"] { story.maya.save(name, extra: story.under("one")) }
        let before = story.page(story.omar, since: nil)["syncToken"]
        for name in ["a", "b", "c"] { story.maya.save(name, extra: story.under("two")) }
        #expect(story.names(story.omar, since: before, limit: limit) == ["a", "b", "c"])
        story.maya.save("b", extra: ["parent": .null])
        #expect(story.names(story.omar, since: before, limit: limit) == ["a", "c", "b-"])
    }

    // 7.5
    @Test("A change under one share is told to those who take part in it, not to those of another in the zone")
    func announced() throws {
        let story = try Story()
        story.share("one", [story.omar])
        story.share("two", [story.nina])
        let (omar, nina) = (story.courier(story.omar), story.courier(story.nina))
        let token = story.nina.call("shared/changes/database").json?["syncToken"] ?? .null
        story.maya.save("a", extra: story.under("one"))
        #expect(story.pushes(story.omar, omar) == 1)
        #expect(story.pushes(story.nina, nina) == 0)
        #expect(story.nina.call("shared/changes/database", ["syncToken": token]).json?["zones"]?.array == [])
        story.maya.save("a", extra: story.under("two"))
        #expect(story.pushes(story.omar, omar) == 1, "it left his share")
        #expect(story.pushes(story.nina, nina) == 1, "it came to hers")
    }

    // framework 16, 7.5
    @Test("The end of a share, of the zone, and being put out: who took part is told")
    func ends() throws {
        for end in ["share", "zone", "list"] {
            let story = try Story()
            story.share("one", [story.omar])
            let url = story.courier(story.omar)
            switch end {
            case "share": story.maya.delete("share-one")
            case "zone":
                story.maya.call(
                    "private/zones/modify",
                    ["operations": [["operationType": "delete", "zone": ["zoneID": Device.zoneID("Z")]]]])
            default: story.maya.save("share-one", type: "cloudkit.share", extra: ["participants": []])
            }
            let left = story.fleet.notes.filter { $0.kind == .shareLeft }.map(\.person)
            #expect(left == ["omar"], "the history does not say who left by the end of the \(end)")
            #expect(story.pushes(story.omar, url) >= 1, "\(end)")
        }
    }

    // framework 16
    @Test("A record cannot be moved under what may only be read, nor out of what is shared")
    func readOnly() throws {
        let story = try Story()
        story.share("one", [story.omar])
        story.share("two", [story.omar], "READ_ONLY")
        story.maya.save("x", extra: story.under("one"))
        func move(_ extra: Value) -> String? {
            let answer = story.omar.modify(
                [Web.operation("forceUpdate", "x", extra: extra)], zone: story.theirs, scope: "shared", atomic: false)
            return answer.records.first?.code ?? answer.code
        }
        #expect(move(story.under("two")) == "ACCESS_DENIED")
        #expect(move(["parent": .null]) == "ACCESS_DENIED")
        #expect(story.names(story.omar, since: nil).contains("x"))
        #expect(move(.empty) == nil)
        story.maya.save("y", extra: story.under("one"))
        #expect(move(story.under("y")) == nil)
    }

    // framework 16, 8.8
    @Test("Refusals name no record that the reader may not see")
    func hiddenNames() throws {
        let story = try Story()
        story.share("one", [story.omar])
        story.maya.save("leaf", extra: story.under("one"))
        story.maya.save("diagnosis", ["r": Web.reference("leaf", "VALIDATE")])
        func refusal(_ name: String) -> Value {
            story.omar.modify(
                [Web.operation("forceDelete", name)], zone: story.theirs, scope: "shared", atomic: false
            ).records.first ?? .null
        }
        #expect(refusal("leaf").code == "VALIDATING_REFERENCE_ERROR")
        #expect(!refusal("leaf").json.contains("diagnosis"))
        #expect(story.maya.delete("leaf").json.contains("diagnosis"))
    }
}
