import FleetModel

extension Check {
    /// subscriptions/..., tokens/..., the long poll.
    static let subscriptions: [Check] = [
        Check("7.1", "subscriptions: made, listed, looked up, updated, deleted; each person's own") { talk in
            talk.maya.makeZone()
            let wish: Value = ["subscriptionID": "s", "subscriptionType": "zone", "zoneID": Visitor.zone]
            talk.expect(talk.maya.subscribe(wish).code, nil)
            talk.expect(talk.maya.subscribe(wish).code, nil, "the same again")
            let other: Value = ["subscriptionID": "s", "subscriptionType": "database"]
            talk.expect(talk.maya.subscribe(other).code, "EXISTS")
            talk.expect(talk.maya.subscribe(other, kind: "update").code, nil)
            let unnamed: Value = ["subscriptionType": "database"]
            talk.expect(talk.maya.subscribe(unnamed)["subscriptionID"]?.string?.utf8.count, 36, "length of the ID")
            talk.expect(talk.maya.get("private/subscriptions/list").list("subscriptions").count, 2, "listed")
            talk.expect(talk.omar.get("private/subscriptions/list").list("subscriptions").count, 0, "listed")
            let found = talk.maya.call(
                "private/subscriptions/lookup", ["subscriptions": [["subscriptionID": "s"], ["subscriptionID": "x"]]])
            talk.expect(found.list("subscriptions").map(\.code), [nil, "NOT_FOUND"], "codes")
            talk.expect(found.list("subscriptions").last?["subscriptionID"]?.string, "x", "ID of the missing one")
            talk.expect(talk.maya.subscribe(["subscriptionID": "s"], kind: "delete")["deleted"]?.bool, true)
            talk.expect(talk.maya.get("private/subscriptions/list").list("subscriptions").count, 1, "listed")
            talk.expect(talk.maya.subscribe(other, kind: "update").code, "NOT_FOUND")
        },
        Check("8.10", "subscriptions: what is not understood is BAD_REQUEST") { talk in
            talk.maya.makeZone()
            for wish: Value in [
                ["subscriptionID": "s"], ["subscriptionID": "s", "subscriptionType": "moon"],
                ["subscriptionID": "s", "subscriptionType": "zone"],
                ["subscriptionID": "s", "subscriptionType": "query", "query": ["recordType": "Note"]],
                ["subscriptionID": "s", "subscriptionType": "query", "firesOn": ["create"]],
            ] { talk.expect(talk.maya.subscribe(wish).code, "BAD_REQUEST", wish.json) }
            talk.expect(
                talk.maya.subscribe(["subscriptionID": "s", "subscriptionType": "database"], scope: "public").code,
                "BAD_REQUEST")
            talk.expect(
                talk.maya.subscribe(["subscriptionID": "s", "subscriptionType": "database"], kind: "upsert").code,
                "BAD_REQUEST")
        },
        Check("7.4", "long poll: one push an answer, queued between polls, empty when none comes; each token a device")
        { talk in
            talk.maya.makeZone()
            let (one, two) = (talk.maya.courier(), talk.maya.courier())
            talk.expect(one.hasPrefix("http"), "an absolute URL")
            talk.maya.subscribe(["subscriptionID": "d", "subscriptionType": "database"])
            talk.maya.save("a")
            talk.maya.save("b")
            for url in [one, two] {
                for _ in 0..<2 {
                    talk.expect(talk.maya.fetch(url).body["ck"]?["met"]?["sid"]?.string, "d", "push")
                }
                let last = talk.maya.fetch(url)
                talk.expect(last.status, 200, "status")
                talk.expect(last.bytes, [], "an empty answer")
            }
            talk.expect(talk.maya.fetch(one + "0").code, "NOT_FOUND")
            talk.expect(talk.maya.call("tokens/create", ["apnsEnvironment": "moon"]).code, "BAD_REQUEST")
            let register: Value = ["apnsEnvironment": "development", "apnsToken": "AB12"]
            talk.expect(talk.maya.call("tokens/register", register).status, 200)
            talk.expect(talk.maya.call("tokens/register", ["apnsEnvironment": "development"]).code, "BAD_REQUEST")
        },
        Check("7.5", "pushes: of the three kinds, with container, scope, zone, record and reason") { talk in
            talk.maya.makeZone()
            let url = talk.maya.courier()
            talk.maya.subscribe(["subscriptionID": "z", "subscriptionType": "zone", "zoneID": Visitor.zone])
            talk.maya.save("a")
            let zone = talk.maya.fetch(url).body["ck"]
            talk.expect(zone?["fet"]?["sid"]?.string, "z")
            talk.expect(zone?["fet"]?["zid"]?.string, "Z")
            talk.expect(zone?["fet"]?["dbs"]?.int, 2)
            talk.expect(zone?["cid"]?.string, talk.container)
            talk.expect(zone?["nid"]?.string?.isEmpty, false)
            talk.maya.subscribe(["subscriptionID": "z"], kind: "delete")
            talk.maya.subscribe([
                "subscriptionID": "q", "subscriptionType": "query", "firesOn": ["create", "update", "delete"],
                "query": ["recordType": "Note", "filterBy": [Visitor.filter("EQUALS", "n", 1)]],
                "notificationInfo": [
                    "alertBody": "new", "soundName": "ping", "shouldBadge": true, "additionalFields": ["n"],
                ],
            ])
            talk.maya.save("b", ["n": ["value": 2]])
            talk.maya.save("c", ["n": ["value": 1]])
            talk.maya.save("c", ["m": ["value": 1]])
            talk.maya.delete("c")
            let pushes = (0..<3).map { _ in talk.maya.fetch(url).body }
            talk.expect(pushes.map { $0["ck"]?["qry"]?["fo"]?.int }, [1, 2, 3], "reasons")
            talk.expect(pushes[0]["ck"]?["qry"]?["rid"]?.string, "c")
            talk.expect(pushes[0]["ck"]?["qry"]?["af"], ["n": 1], "additional fields")
            talk.expect(pushes[0]["aps"], ["alert": "new", "badge": 1, "sound": "ping"], "aps")
        },
        Check("8.10", "firesOnce: gone after it has fired; several matches of one request coalesce") { talk in
            talk.maya.makeZone()
            let url = talk.maya.courier()
            talk.maya.subscribe([
                "subscriptionID": "q", "subscriptionType": "query", "firesOn": ["create"], "firesOnce": true,
                "query": ["recordType": "Note"],
            ])
            talk.maya.modify(["a", "b"].map { Visitor.operation("create", $0) })
            talk.expect(talk.maya.fetch(url).body["ck"]?["p"]?.int, 1, "pruned")
            talk.maya.save("c")
            talk.expect(talk.maya.fetch(url).bytes, [], "a second one")
            talk.expect(talk.maya.get("private/subscriptions/list").list("subscriptions"), [], "left over")
        },
        Check("11", "origin: who names itself does not hear of its own change") { talk in
            var tab = talk.maya
            tab.query += "&clientId=tab"
            tab.makeZone()
            let (own, other) = (tab.courier(), talk.maya.courier())
            tab.subscribe(["subscriptionID": "d", "subscriptionType": "database"])
            tab.save("a")
            talk.expect(talk.maya.fetch(own).bytes, [], "of oneself")
            talk.expect(talk.maya.fetch(other).body["ck"] != nil, "of another")
        },
    ]

    /// users/....
    static let users: [Check] = [
        Check("7.2", "current and caller: one name a container, first and last name if discoverable") { talk in
            let name = talk.maya.userRecordName
            talk.expect(name.utf8.count, 33, "length of \(name)")
            talk.expect(talk.maya.get("public/users/current").text("userRecordName"), name)
            talk.expect(talk.maya.get("public/users/current").body["firstName"], nil, "name of who did not opt in")
            talk.makeOmar()
            talk.expect(talk.omar.get("public/users/current").text("firstName"), "Omar")
            talk.expect(talk.omar.userRecordName != name, "another person has another name")
            talk.expect(talk.maya.get("private/users/current").code, "BAD_REQUEST")
        },
        Check("7.2", "discover: by address, number and name, only who opted in") { talk in
            talk.makeOmar()
            let name = Value.string(talk.omar.userRecordName)
            let shy = Value.string(talk.eve.userRecordName)
            let mail = Value.string("omar\(talk.number)@school.org")
            for info: Value in [
                ["emailAddress": mail], ["userRecordName": name], ["phoneNumber": .string("+49\(talk.number)")],
            ] {
                let found = talk.maya.call("public/users/discover", ["lookupInfos": [info]]).list("users")
                talk.expect(found.map { $0["userRecordName"] }, [name], info.json)
                talk.expect(found.first?["nameComponents"]?["givenName"]?.string, "Omar")
            }
            let none = talk.maya.call("public/users/discover", ["lookupInfos": [["userRecordName": shy]]])
            talk.expect(none.list("users"), [], "who did not opt in")
            talk.expect(talk.maya.call("public/users/discover", ["lookupInfos": [.empty]]).code, "BAD_REQUEST")
        },
        Check("7.2", "address book and the older lookups: no e-mail addresses but where one was asked by") { talk in
            talk.makeOmar()
            let mail = "omar\(talk.number)@school.org"
            let account: Value = ["account": .string(talk.account("maya")), "contacts": [.string(mail), "no@body"]]
            talk.expect(talk.wire.command("cloud.account", account)["ok"]?.bool, true)
            let name = Value.string(talk.omar.userRecordName)
            talk.expect(talk.maya.get("public/users/discover").list("users").map { $0["userRecordName"] }, [name])
            let contacts = talk.maya.call("public/users/lookup/contacts").list("users")
            talk.expect(contacts.map { $0["firstName"]?.string }, ["Omar"])
            let byMail = talk.maya.call("public/users/lookup/email", ["users": [["emailAddress": .string(mail)]]])
            talk.expect(byMail.list("users").first?["emailAddress"]?.string, mail)
            let byID = talk.maya.call("public/users/lookup/id", ["users": [["userRecordName": name]]])
            talk.expect(byID.list("users").first?["lastName"]?.string, "Said")
            talk.expect((contacts + byID.list("users")).compactMap { $0["emailAddress"] }, [], "addresses")
        },
        Check("4", "restrict: what the person has is frozen until unrestrict") { talk in
            talk.maya.makeZone()
            talk.maya.save("a")
            talk.expect(talk.maya.call("private/users/restrict").status, 200)
            talk.expect(talk.maya.lookup("a").code, "ACCESS_DENIED")
            talk.expect(talk.maya.get("private/zones/list").code, "ACCESS_DENIED")
            talk.expect(talk.maya.call("private/users/unrestrict").status, 200)
            talk.expect(talk.maya.has("a"), true)
        },
        Check("framework 2", "user record: there when its person asks for it, changed by nobody else") { talk in
            let name = talk.maya.userRecordName
            talk.expect(talk.omar.has(name, zone: nil, scope: "public"), false)
            talk.expect(talk.maya.lookup(name, zone: nil, scope: "public")["recordType"]?.string, "Users")
            talk.expect(talk.omar.save(name, type: "Users", zone: nil, scope: "public").code, "ACCESS_DENIED")
        },
    ]
}

extension Conversation {
    /// Omar lets himself be found.
    func makeOmar() {
        let account: Value = [
            "account": .string(account("omar")), "emailAddress": .string("omar\(number)@school.org"),
            "phoneNumber": .string("+49\(number)"), "firstName": "Omar", "lastName": "Said", "discoverable": true,
        ]
        expect(wire.command("cloud.account", account)["ok"]?.bool, true, "the administrator's answer")
    }
}
