import FleetModel

extension Check {
    /// records/changes, changes/zone, changes/database, zones/changes.
    static let changes: [Check] = [
        Check("5.4", "records/changes: pages by token, deletions marked; the default zone and public are refused") {
            talk in
            talk.maya.makeZone()
            for name in ["a", "b", "c"] { talk.maya.save(name) }
            let first = talk.maya.changes(more: ["resultsLimit": 2])
            talk.expect(first.names, "ab", "page")
            talk.expect(first.body["moreComing"]?.bool, true, "moreComing")
            let second = talk.maya.changes(first.text("syncToken"))
            talk.expect(second.names, "c", "page")
            talk.expect(second.body["moreComing"]?.bool, false, "moreComing")
            talk.maya.delete("a")
            talk.expect(talk.maya.changes(second.text("syncToken")).names, "a-", "deletion")
            talk.expect(talk.maya.changes(zone: ["zoneName": "_defaultZone"]).code, "BAD_REQUEST")
            talk.expect(talk.maya.call("private/records/changes").code, "BAD_REQUEST", "no zone")
            talk.expect(talk.maya.changes(scope: "public").code, "BAD_REQUEST")
        },
        Check(
            "6", "tokens: edits between two collapse, a first fetch has no deletions, the same token may be used again"
        ) { talk in
            talk.maya.makeZone()
            talk.maya.save("a")
            let token = talk.maya.changes().text("syncToken")
            for _ in 0..<3 { talk.maya.save("a") }
            talk.maya.save("b")
            talk.maya.delete("b")
            talk.expect(talk.maya.changes(token).names, "ab-", "since the token")
            talk.expect(talk.maya.changes(token).names, "ab-", "again")
            talk.expect(talk.maya.changes().names, "a", "from the beginning")
        },
        Check("6", "tokens: what changes while a client pages is not skipped") { talk in
            talk.maya.makeZone()
            for name in ["a", "b", "c"] { talk.maya.save(name) }
            let first = talk.maya.changes(more: ["resultsLimit": 2])
            talk.maya.save("a")
            talk.expect(talk.maya.changes(first.text("syncToken")).names, "ca", "next page")
        },
        Check("6", "tokens: forged, of the other kind, of another zone or a former one are refused") { talk in
            talk.maya.makeZone()
            talk.maya.makeZone("Y")
            talk.maya.save("a")
            let token = talk.maya.changes().text("syncToken")
            talk.expect(talk.maya.changes("guess").code, "BAD_REQUEST")
            let database = talk.maya.call("private/changes/database").text("syncToken")
            talk.expect(talk.maya.changes(database).code, "BAD_REQUEST")
            talk.expect(talk.maya.changes(token, zone: ["zoneName": "Y"]).code, "CHANGE_TOKEN_EXPIRED")
            talk.maya.modifyZones("delete", "Z")
            talk.maya.makeZone()
            talk.expect(talk.maya.changes(token).code, "CHANGE_TOKEN_EXPIRED")
        },
        Check(
            "6",
            "changes/zone: several zones, each with its own page or error, keys of a zone over those of the request"
        ) { talk in
            talk.maya.makeZone()
            talk.maya.makeZone("Y")
            talk.maya.save("a", ["n": ["value": 1], "t": ["value": "x"]])
            talk.maya.save("b", zone: ["zoneName": "Y"])
            talk.maya.save("c", type: "Other", zone: ["zoneName": "Y"])
            let answer = talk.maya.call(
                "private/changes/zone",
                [
                    "desiredKeys": ["n"],
                    "zones": [
                        ["zoneID": Visitor.zone], ["zoneID": ["zoneName": "Y"], "desiredRecordTypes": ["Other"]],
                        ["zoneID": ["zoneName": "nowhere"]],
                    ],
                ])
            let zones = answer.list("zones")
            talk.expect(zones.map(\.code), [nil, nil, "ZONE_NOT_FOUND"], "codes")
            talk.expect(zones.first?["records"]?.array?.first?["fields"]?.object?.keys, ["n"], "fields")
            talk.expect(
                zones[safe: 1]?["records"]?.array?.compactMap { $0["recordName"]?.string }, ["c"], "of one type")
            talk.expect(zones.first?["syncToken"]?.string != nil, "a token")
            for entry: Value in [.null, 1, .empty] {
                talk.expect(talk.maya.call("private/changes/zone", ["zones": [entry]]).code, "BAD_REQUEST", entry.json)
                guard entry != .empty else { continue }
                talk.expect(talk.maya.call("private/zones/lookup", ["zones": [entry]]).code, "BAD_REQUEST", entry.json)
            }
        },
        Check("6", "changes/zone: reverse is newest first, and the last token goes on where it began") { talk in
            talk.maya.makeZone()
            for name in ["a", "b", "c"] { talk.maya.save(name) }
            func page(_ token: Value?, _ isReverse: Bool) -> Value {
                var entry: Value = ["zoneID": Visitor.zone, "reverse": .bool(isReverse), "resultsLimit": 2]
                entry["syncToken"] = token
                return talk.maya.call("private/changes/zone", ["zones": [entry]]).list("zones").first ?? .null
            }
            func names(_ page: Value) -> String {
                (page["records"]?.array ?? []).compactMap { $0["recordName"]?.string }.joined()
            }
            let first = page(nil, true)
            talk.expect(names(first), "cb", "newest first")
            let second = page(first["syncToken"], true)
            talk.expect(names(second), "a", "the rest")
            talk.maya.save("d")
            talk.expect(names(page(second["syncToken"], false)), "d", "what came meanwhile")
        },
        Check("6", "changes/database: zones that changed or went, the default zone is not covered") { talk in
            talk.maya.save("x", zone: nil)
            talk.maya.makeZone()
            let first = talk.maya.call("private/changes/database")
            talk.expect(first.list("zones").compactMap { $0["zoneID"]?["zoneName"]?.string }, ["Z"], "zones")
            talk.maya.makeZone("Y")
            talk.maya.modifyZones("delete", "Z")
            let token = first.body["syncToken"] ?? .null
            let next = talk.maya.call("private/changes/database", ["syncToken": token]).list("zones")
            talk.expect(next.compactMap { $0["zoneID"]?["zoneName"]?.string }, ["Y", "Z"], "zones")
            talk.expect(next.map { $0["deleted"]?.bool }, [nil, true], "deleted")
            let paged = talk.maya.call("private/changes/database", ["syncToken": token, "resultsLimit": 1])
            talk.expect(paged.body["moreComing"]?.bool, true, "moreComing")
            talk.expect(talk.maya.call("public/changes/database").code, "BAD_REQUEST")
        },
        Check("6", "zones/changes: the same under the older token's name") { talk in
            talk.maya.makeZone()
            let first = talk.maya.call("private/zones/changes")
            talk.expect(first.list("zones").count, 1, "zones")
            talk.maya.makeZone("Y")
            let next = talk.maya.call("private/zones/changes", ["metaSyncToken": first.body["metaSyncToken"] ?? .null])
            talk.expect(next.list("zones").compactMap { $0["zoneID"]?["zoneName"]?.string }, ["Y"], "zones")
        },
    ]

    /// zones/list, lookup, modify.
    static let zones: [Check] = [
        Check("6", "zones/list: all, with the default zone, token and atomic flag") { talk in
            talk.maya.makeZone()
            let zones = talk.maya.get("private/zones/list").list("zones")
            talk.expect(zones.compactMap { $0["zoneID"]?["zoneName"]?.string }, ["Z", "_defaultZone"], "names")
            talk.expect(zones.map { $0["atomic"]?.bool }, [true, false], "atomic")
            talk.expect(zones.allSatisfy { $0["syncToken"]?.string != nil }, "a token of each")
            let types = zones.map { $0["zoneID"]?["zoneType"]?.string }
            talk.expect(types, ["REGULAR_CUSTOM_ZONE", "DEFAULT_ZONE"], "types")
            talk.expect(zones.first?["zoneID"]?["ownerRecordName"]?.string != nil, "an owner")
            let open = talk.app.get("public/zones/list").list("zones")
            talk.expect(open.compactMap { $0["zoneID"]?["zoneName"]?.string }, ["_defaultZone"], "public")
        },
        Check("6", "zones/lookup: by ID, in order, an unknown one is ZONE_NOT_FOUND in its place") { talk in
            talk.maya.makeZone()
            let answer = talk.maya.call("private/zones/lookup", ["zones": [["zoneName": "nowhere"], Visitor.zone]])
            talk.expect(answer.list("zones").map(\.code), ["ZONE_NOT_FOUND", nil], "codes")
        },
        Check("8.1", "zone IDs: both spellings of the owner, and the caller's own name") { talk in
            talk.maya.makeZone()
            talk.maya.save("a")
            let name = Value.string(talk.maya.userRecordName)
            for key in ["ownerRecordName", "ownerName"] {
                talk.expect(talk.maya.has("a", zone: ["zoneName": "Z", key: name]), true, key)
            }
            talk.expect(talk.maya.has("a", zone: ["zoneName": "Z", "ownerRecordName": "_0"]), false, "somebody else's")
        },
        Check("6", "zones/modify: made and deleted in order, each may be repeated, records go with the zone") { talk in
            talk.expect(talk.maya.makeZone().anyCode, nil)
            talk.expect(talk.maya.makeZone().anyCode, nil, "again")
            talk.maya.save("a")
            talk.expect(talk.maya.modifyZones("delete", "Z").anyCode, nil)
            talk.expect(talk.maya.modifyZones("delete", "Z").anyCode, nil, "again")
            talk.expect(talk.maya.lookup("a").code, "ZONE_NOT_FOUND")
            talk.maya.makeZone()
            talk.expect(talk.maya.lookup("a").code, "NOT_FOUND")
        },
        Check("6", "zones/modify: system names, unknown operations, one zone twice; not in public and shared") { talk in
            talk.expect(talk.maya.makeZone("_mine").anyCode, "BAD_REQUEST")
            talk.expect(talk.maya.modifyZones("rename", "Z").anyCode, "BAD_REQUEST")
            let one: Value = ["operationType": "create", "zone": ["zoneID": Visitor.zone]]
            talk.expect(talk.maya.call("private/zones/modify", ["operations": [one, one]]).code, "BAD_REQUEST")
            for scope in ["public", "shared"] {
                talk.expect(talk.maya.modifyZones("create", "Z", scope: scope).code, "BAD_REQUEST", scope)
            }
        },
    ]
}

extension Array {
    subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
