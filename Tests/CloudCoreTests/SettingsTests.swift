import FleetModel
import Foundation
import Testing

@testable import CloudCore

@Suite("Settings", .timeLimit(.minutes(20)))
struct SettingsTests {
    private func maya(_ name: String, _ value: String) throws -> Web {
        let fleet = try Fleet(
            [], more: ["dev": true, "closedProduction": true, "settings": [name: .string(value)] as Value])
        let maya = Web(fleet: fleet, person: "maya")
        maya.makeZone()
        return maya
    }

    @Test("Unknown names and values are refused, and the refusal names what there is")
    func unknown() throws {
        var settings = CloudSettings()
        #expect(throws: CloudSpecError.self) { try settings.set("colour", to: "red") }
        #expect(throws: CloudSpecError.self) { try settings.set("zoneOwnerKey", to: "owner") }
        try settings.set("zoneOwnerKey", to: "ownerName")
        #expect(settings.spec == ["zoneOwnerKey": "ownerName"])
        #expect(throws: CloudSpecError.self) { try Fleet([], more: ["settings": ["colour": "red"]]) }
        #expect(throws: CloudSpecError.self) { try Fleet([], more: ["settings": ["zoneOwnerKey": 1]]) }
    }

    @Test("Docs/cloud-api.md lists each with its values")
    func documented() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Docs/cloud-api.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        for known in CloudSettings.all {
            let line = text.split(separator: "\n").first { $0.hasPrefix("| `\(known.name)` |") } ?? ""
            for value in known.values { #expect(line.contains("`\(value)`"), "\(known.name) \(value)") }
        }
    }

    // 5.2
    @Test("deleteComparesTag", arguments: [("true", "CONFLICT"), ("false", nil)] as [(String, String?)])
    func delete(_ value: String, _ code: String?) throws {
        let maya = try maya("deleteComparesTag", value)
        maya.save("a")
        #expect(maya.save("a", kind: "delete", extra: ["recordChangeTag": "stale"]).code == code)
    }

    // 6
    @Test(
        "zonesChangesToken",
        arguments: [
            ("both", ["metaSyncToken", "syncToken"]), ("syncToken", ["syncToken"]),
            ("metaSyncToken", ["metaSyncToken"]),
        ])
    func token(_ value: String, _ keys: [String]) throws {
        let answer = try maya("zonesChangesToken", value).call("private/zones/changes").json
        #expect(answer?.object?.keys.filter { $0.hasSuffix("yncToken") } == keys)
        #expect(answer?["zones"]?.array?.first?["syncToken"] != nil, "that of a zone is another")
    }

    // 7.1
    @Test("zoneSubscriptionZone")
    func subscription() throws {
        for (value, count) in [("required", 0), ("optional", 1)] {
            let maya = try maya("zoneSubscriptionZone", value)
            let wish: Value = ["subscriptionID": "z", "subscriptionType": "zone"]
            maya.call(
                "private/subscriptions/modify", ["operations": [["operationType": "create", "subscription": wish]]])
            let url = Web.target(maya.call("tokens/create", ["apnsEnvironment": "development"]).text("webcourierURL"))
            maya.save("default", zone: nil)
            maya.save("a")
            let pushes = [0, 1].compactMap { _ in maya.fleet.send(HTTPRequest("GET", url), from: 9).json }
            #expect(pushes.count { $0["ck"]?["fet"]?["zid"]?.string == "Z" } == count)
            #expect(pushes.count == count)
        }
    }

    // 8.1, 8.4, 8.6, 8.12
    @Test("zoneOwnerKey, stampUserKey, assetType, invitedStatus: answers in other words, records as apps wrote them")
    func words() throws {
        let owner = try maya("zoneOwnerKey", "ownerName")
        #expect(owner.get("private/zones/list").json?["zones"]?.array?.first?["zoneID"]?["ownerName"]?.string != nil)
        let stamps = try maya("stampUserKey", "user").save("a", ["user": ["value": "x"]])
        #expect(stamps["created"]?["user"]?.string != nil && stamps["created"]?["userRecordName"] == nil)
        #expect(stamps.value("user") == "x")
        let files = try maya("assetType", "ASSET")
        files.save("a", ["file": ["value": files.upload("x")]])
        #expect(files.lookup("a")["fields"]?["file"]?["type"]?.string == "ASSET")
        let invited = try maya("invitedStatus", "INVITED")
        invited.save("root")
        let share = invited.save(
            "s", kind: "create", type: "cloudkit.share",
            extra: [
                "forRecord": ["recordName": "root"],
                "participants": [["userIdentity": ["lookupInfo": ["emailAddress": "omar@example.com"]]]],
            ])
        #expect(share["participants"]?.array?.map { $0["acceptanceStatus"]?.string } == ["ACCEPTED", "INVITED"])
    }

    // 8.9
    @Test("listMemberBeginsWith", arguments: [("some", "ab"), ("first", "a")])
    func members(_ value: String, _ found: String) throws {
        let maya = try maya("listMemberBeginsWith", value)
        maya.save("a", ["l": ["value": ["red", "blue"]]])
        maya.save("b", ["l": ["value": ["blue", "red"]]])
        #expect(maya.query([Web.filter("LIST_MEMBER_BEGINS_WITH", "l", "re")]) == found)
    }

    // 5.2
    @Test("createExisting", arguments: ["EXISTS", "CONFLICT"])
    func existing(_ code: String) throws {
        let maya = try maya("createExisting", code)
        maya.save("a")
        #expect(maya.save("a", kind: "create").code == code)
        let refused = maya.modify([Web.operation("create", "a"), Web.operation("create", "b")])
        #expect(refused.records.map(\.code) == [code, "ATOMIC_ERROR"])
    }

    // 8.6
    @Test("untypedTimestamp", arguments: [("refused", "BAD_REQUEST"), ("taken", nil)] as [(String, String?)])
    func timestamp(_ value: String, _ code: String?) throws {
        let maya = try maya("untypedTimestamp", value)
        let typed: Value = ["at": ["value": 1, "type": "TIMESTAMP"], "all": ["value": [1], "type": "TIMESTAMP_LIST"]]
        #expect(maya.save("a", typed).code == nil)
        for (field, sent) in [("at", 5), ("all", [5])] as [(String, Value)] {
            let saved = maya.save("b", [field: ["value": sent]])
            #expect(saved.code == code)
            guard let reason = saved["reason"]?.string else { continue }
            #expect(reason.hasPrefix("Invalid value, expected type TIMESTAMP"), "\(reason)")
        }
        #expect(maya.save("c", ["at": ["value": 5, "type": "TIMESTAMP"]]).code == nil)
        #expect(maya.save("d", ["at": ["value": .null], "all": ["value": []]]).code == nil)
        // What is compared with is no field: numbers compare with numbers.
        #expect(maya.query([Web.filter("EQUALS", "at", 5)]).contains("c"))
    }

    // 10
    @Test("assetMegabytes", arguments: [("50", true), ("15", false)])
    func assets(_ value: String, _ fits: Bool) throws {
        let maya = try maya("assetMegabytes", value)
        let asset = maya.upload(String(repeating: "x", count: (15 << 20) + 1))
        #expect((asset["size"] != nil) == fits)
    }
}
