import FleetModel

/// Maya shares `root`, under which `leaf` hangs, with Omar; `other` stays hers.
private struct Story {
    let talk: Conversation
    let theirs: Value

    init(_ talk: Conversation) {
        self.talk = talk
        talk.maya.makeZone()
        theirs = ["zoneName": "Z", "ownerRecordName": .string(talk.maya.userRecordName)]
        talk.maya.save("root", ["t": ["value": "root"]])
        talk.maya.save("leaf", ["t": ["value": "leaf"]], extra: ["parent": ["recordName": "root"]])
        talk.maya.save("other", ["t": ["value": "other"]])
    }
    /// The zone as lists of zones show it.
    var shown: Value {
        var shown = theirs
        shown["zoneType"] = "REGULAR_CUSTOM_ZONE"
        return shown
    }
    func share(_ permission: String = "READ_WRITE", open: String = "NONE") -> Value {
        let omar: Value = [
            "permission": .string(permission), "type": "USER",
            "userIdentity": ["lookupInfo": ["userRecordName": .string(talk.omar.userRecordName)]],
        ]
        return talk.maya.save(
            "share", kind: "forceUpdate", type: "cloudkit.share",
            extra: [
                "forRecord": ["recordName": "root"], "publicPermission": .string(open), "participants": [omar],
            ])
    }
    @discardableResult
    func accept(_ visitor: Visitor, _ share: Value) -> Value { ask(visitor, "accept", share) }
    func ask(_ visitor: Visitor, _ verb: String, _ share: Value) -> Value {
        let wish: Value = ["value": share["shortGUID"] ?? "none", "shouldFetchRootRecord": true]
        return visitor.call("public/records/\(verb)", ["shortGUIDs": [wish]]).list("results").first ?? .null
    }
    func names(_ visitor: Visitor) -> [String] {
        visitor.changes(zone: theirs, scope: "shared").records.compactMap { $0["recordName"]?.string }.sorted()
    }
    func save(_ visitor: Visitor, _ name: String, kind: String = "forceUpdate", extra: Value = .empty) -> String? {
        visitor.save(name, ["t": ["value": "new"]], kind: kind, zone: theirs, scope: "shared", extra: extra).code
    }
}

extension Check {
    /// Shares, records/resolve, records/accept, the shared database.
    static let shares: [Check] = [
        Check("8.4", "share: participants with the owner first, GUID, the root carries it") { talk in
            let share = Story(talk).share()
            talk.expect(share["participants"]?.array?.map { $0["type"]?.string }, ["OWNER", "USER"], "participants")
            talk.expect(share["participants"]?.array?.map { $0["acceptanceStatus"]?.string }, ["ACCEPTED", "PENDING"])
            talk.expect(share["publicPermission"]?.string, "NONE")
            talk.expect(share["currentUserParticipant"]?["type"]?.string, "OWNER")
            talk.expect(share["shortGUID"]?.string?.isEmpty, false)
            talk.expect(talk.maya.lookup("root")["share"]?["recordName"]?.string, "share")
        },
        Check("8.1", "the shared database: a zone ID names its owner from the first day") { talk in
            let story = Story(talk)
            story.accept(talk.omar, story.share())
            talk.expect(story.names(talk.omar), ["leaf", "root", "share"], "with its owner")
            talk.expect(talk.omar.changes(zone: Visitor.zone, scope: "shared").code, "BAD_REQUEST", "without")
        },
        Check("5.5", "resolve: what an invited person may know before he accepts") { talk in
            let story = Story(talk)
            let found = story.ask(talk.omar, "resolve", story.share())
            talk.expect(found["rootRecordName"]?.string, "root")
            talk.expect(found["rootRecord"]?.value("t"), "root")
            talk.expect(found["participantStatus"]?.string, "PENDING")
            talk.expect(found["participantPermission"]?.string, "READ_WRITE")
            talk.expect(found["containerIdentifier"]?.string, talk.container)
            talk.expect(found["zoneID"], story.theirs)
            talk.expect(found["ownerIdentity"]?["userRecordName"]?.string, talk.maya.userRecordName)
            talk.expect(story.names(talk.omar), [], "seen before accepting")
        },
        Check("5.5", "accept: the zone is in the shared database with what hangs on the root; may be repeated") {
            talk in
            let story = Story(talk)
            let share = story.share()
            let accepted = story.accept(talk.omar, share)
            talk.expect(accepted["participantStatus"]?.string, "ACCEPTED")
            talk.expect(story.accept(talk.omar, share), accepted, "again")
            let zones = talk.omar.get("shared/zones/list").list("zones")
            talk.expect(zones.map { $0["zoneID"] }, [story.shown], "zones")
            talk.expect(story.names(talk.omar), ["leaf", "root", "share"], "records")
            talk.expect(talk.omar.query(zone: story.theirs, scope: "shared").names, "leafroot", "found")
            let lookedUp = talk.omar.call("shared/zones/lookup", ["zones": [story.theirs]])
            talk.expect(lookedUp.list("zones").first?.code, nil)
        },
        Check("5.5", "accepting and leaving: the share has another tag each time, and is in the owner's feed") { talk in
            let story = Story(talk)
            let share = story.share()
            let tags = Set([talk.maya.lookup("share").tag])
            let token = talk.maya.changes().body["syncToken"]?.string
            story.accept(talk.omar, share)
            let joined = talk.maya.changes(token)
            talk.expect(joined.names, "share", "after accepting")
            talk.expect(talk.omar.delete("share", zone: story.theirs, scope: "shared").code, nil)
            let left = talk.maya.changes(joined.body["syncToken"]?.string)
            talk.expect(left.names, "share", "after leaving")
            let all = tags.union((joined.records + left.records).map(\.tag))
            talk.expect(all.count, 3, "change tags")
        },
        Check("8.12", "permission NONE: in the list, and neither in nor to come in") { talk in
            let story = Story(talk)
            let share = story.share()
            story.accept(talk.omar, share)
            _ = story.share("NONE")
            talk.expect(talk.omar.lookup("leaf", zone: story.theirs, scope: "shared").code, "ZONE_NOT_FOUND")
            talk.expect(story.accept(talk.omar, share).code, "ACCESS_DENIED")
        },
        Check("8.12", "an invitation shows what it was sent by, and to who is not in it nobody but the owner") { talk in
            let story = Story(talk)
            let share = story.share(open: "READ_ONLY")
            let name: Value = ["userRecordName": .string(talk.omar.userRecordName)]
            let invited = share["participants"]?.array?.last?["userIdentity"]
            talk.expect(invited, ["lookupInfo": name], "before it is accepted")
            let seen = story.ask(talk.eve, "resolve", share)["share"]?["participants"]?.array ?? []
            talk.expect(seen.map { $0["type"]?.string }, ["OWNER"], "what Eve sees")
        },
        Check("framework 16", "a record that moves between two shares of one person stays with him") { talk in
            let story = Story(talk)
            story.accept(talk.omar, story.share())
            let omar: Value = [
                "permission": "READ_WRITE",
                "userIdentity": ["lookupInfo": ["userRecordName": .string(talk.omar.userRecordName)]],
            ]
            let second = talk.maya.save(
                "second", type: "cloudkit.share",
                extra: ["forRecord": ["recordName": "other"], "participants": [omar]])
            story.accept(talk.omar, second)
            let token = talk.omar.changes(zone: story.theirs, scope: "shared").body["syncToken"]?.string
            talk.maya.save("leaf", extra: ["parent": ["recordName": "other"]])
            talk.expect(talk.omar.changes(token, zone: story.theirs, scope: "shared").names, "leaf")
            talk.maya.delete("leaf")
            talk.maya.save("leaf")
            talk.expect(talk.omar.changes(token, zone: story.theirs, scope: "shared").names, "leaf-", "made elsewhere")
        },
        Check("8.4", "createShortGUID: the root's GUID is that of its share") { talk in
            let story = Story(talk)
            let guid = talk.maya.save("root", extra: ["createShortGUID": true])["shortGUID"]
            talk.expect(guid?.string != nil, "a GUID")
            talk.expect(story.share()["shortGUID"], guid, "the share's")
        },
        Check("5.5", "uninvited: ACCESS_DENIED for the GUID, ZONE_NOT_FOUND for the zone, NOT_FOUND for a guess") {
            talk in
            let story = Story(talk)
            let share = story.share()
            talk.expect(story.ask(talk.eve, "resolve", share).code, "ACCESS_DENIED")
            talk.expect(story.accept(talk.eve, share).code, "ACCESS_DENIED")
            talk.expect(story.accept(talk.eve, .empty).code, "NOT_FOUND")
            talk.expect(talk.eve.lookup("root", zone: story.theirs, scope: "shared").code, "ZONE_NOT_FOUND")
            talk.expect(talk.eve.lookup("root", zone: story.theirs).code, "ZONE_NOT_FOUND")
            story.accept(talk.omar, share)
            talk.expect(talk.omar.lookup("other", zone: story.theirs, scope: "shared").code, "NOT_FOUND")
        },
        Check("8.12", "permissions: READ_ONLY reads, READ_WRITE changes and adds under the root") { talk in
            let story = Story(talk)
            story.accept(talk.omar, story.share("READ_ONLY"))
            talk.expect(story.save(talk.omar, "leaf"), "ACCESS_DENIED")
            _ = story.share("READ_WRITE")
            talk.expect(story.save(talk.omar, "leaf"), nil)
            talk.expect(talk.maya.lookup("leaf").value("t"), "new", "what Omar wrote")
            talk.expect(story.save(talk.omar, "child", kind: "create", extra: ["parent": ["recordName": "root"]]), nil)
            talk.expect(story.save(talk.omar, "stray", kind: "create"), "ACCESS_DENIED")
        },
        Check("8.4", "publicPermission: who has the GUID may take part") { talk in
            let story = Story(talk)
            let share = story.share(open: "READ_ONLY")
            talk.expect(story.accept(talk.eve, share)["participantType"]?.string, "PUBLIC_USER")
            talk.expect(story.names(talk.eve), ["leaf", "root", "share"], "records")
            talk.expect(story.save(talk.eve, "leaf"), "ACCESS_DENIED")
        },
        Check("framework 16", "leaving: who deletes the share leaves it, the owner ends it for all") { talk in
            let story = Story(talk)
            let share = story.share(open: "READ_ONLY")
            story.accept(talk.omar, share)
            story.accept(talk.eve, share)
            talk.expect(talk.omar.delete("share", zone: story.theirs, scope: "shared").code, nil)
            talk.expect(talk.omar.get("shared/zones/list").list("zones"), [], "Omar's zones")
            talk.expect(talk.eve.get("shared/zones/list").list("zones").count, 1, "Eve's zones")
            talk.expect(talk.maya.delete("share").code, nil)
            talk.expect(talk.eve.get("shared/zones/list").list("zones"), [], "Eve's zones")
            talk.expect(talk.maya.has("root"), true)
        },
        Check("6", "shared changes/database: zones come and go with shares") { talk in
            let story = Story(talk)
            let share = story.share()
            let before = talk.omar.call("shared/changes/database").body["syncToken"] ?? .null
            story.accept(talk.omar, share)
            let joined = talk.omar.call("shared/changes/database", ["syncToken": before])
            talk.expect(joined.list("zones").map { $0["zoneID"] }, [story.shown], "joined")
            talk.maya.delete("share")
            let left = talk.omar.call("shared/changes/database", ["syncToken": joined.body["syncToken"] ?? .null])
            talk.expect(left.list("zones").map { $0["deleted"]?.bool }, [true], "left")
        },
    ]
}
